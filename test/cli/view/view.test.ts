/** `kanegen view`: who is answered, what is answered, and what an edit of the file does. No browser is needed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveView, type ViewServer } from '../../../src/cli/view/server.ts';
import { WatchedRobot } from '../../../src/cli/view/watched-robot.ts';
import type { Balanced, Description, Modes, Moved, News, Placed } from '../../../src/report/viewer/live-messages.ts';
import { runInProcess } from '../in-process.ts';

const ROBOT = `
kanegen: 1
name: finger
gravity: [0, 0, -9.81]
parameters: { m: { value: 20 g, runtime: true } }
links:
  # It rests somewhere.
  - { name: hinge, joint: { revolute: y, stiffness: 2 N m/rad }, rigid: { mass: 0.1 kg } }
  - name: soft
    body: planar-cc
    parameters: { L: 0.2 m, R: 10 mm, rho: 1070 kg/m^3 }
  - { name: load, rigid: { mass: m } }
actuators: { pull: { tendon: { through: soft, route: { x: 8 mm, y: 0 } }, limits: [0 N, 20 N] } }
states: { bent: { soft.q: 0.5 } }
`;

let folder: string;
let file: string;
let robot: WatchedRobot;
let server: ViewServer;
const heard: News[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-view-'));
  file = path.join(folder, 'finger.robot.yaml');
  writeFileSync(file, ROBOT);
  // Commands that are compared find what the view compiled.
  process.env['KANEGEN_CACHE'] = path.join(folder, 'cache');
  robot = await WatchedRobot.open(file, { set: [], silence: [] });
  server = await serveView(robot);
  robot.listen((news) => heard.push(news));
  robot.start();
  await robot.settled();
});
afterAll(async () => {
  robot.close();
  await server.close();
  delete process.env['KANEGEN_CACHE'];
  rmSync(folder, { recursive: true });
});

async function ask<Answer>(question: object): Promise<Answer> {
  const response = await fetch(`${server.link}ask`, { method: 'POST', body: JSON.stringify(question) });
  return (await response.json()) as Answer;
}

const numbers = (points: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(points, 'base64')).buffer);

async function acting(): Promise<{
  description: Description;
  acting: { inputs: number[]; parameters: number[]; gravity: readonly number[] };
}> {
  const description = await ask<Description>({ ask: 'robot' });
  return {
    description,
    acting: {
      inputs: description.inputs.map(({ value }) => value),
      parameters: description.parameters.map(({ value }) => value),
      gravity: description.gravity,
    },
  };
}

describe('the server', () => {
  it('answers the link, and nobody without its token, from another page or by another name', async () => {
    const status = async (link: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(link, { headers })).status;
    const { origin, pathname } = new URL(server.link);
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await status(server.link)).toBe(200);
    expect(await status(server.link, { origin })).toBe(200);
    for (const other of ['/', '/ask', `${pathname.slice(0, -2)}/`, `${pathname}nothing`])
      expect(await status(`${origin}${other}`)).toBe(404);
    expect(await status(server.link, { origin: 'http://evil.example' })).toBe(403);
    expect(await status(server.link, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect((await fetch(`${server.link}ask`, { method: 'POST', headers: { origin: 'null' }, body: '{}' })).status).toBe(
      403,
    );
    const rebound = await new Promise<string>((resolve) => {
      const { port } = new URL(server.link);
      void import('node:net').then(({ connect }) => {
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.write(`GET ${pathname} HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`);
        });
        let text = '';
        socket.on('data', (part) => (text += String(part)));
        socket.on('close', () => resolve(text));
      });
    });
    expect(rebound).toMatch(/^HTTP\/1.1 403 /);
  });

  it('takes questions of the right shape only', async () => {
    const { description, acting: own } = await acting();
    const refused = async (question: object): Promise<string> => (await ask<{ refused: string }>(question)).refused;
    expect(await refused({ ask: 'place', q: [1], ...own })).toContain('q: ');
    expect(await refused({ ask: 'run' })).toContain('ask');
    expect(await refused({ ask: 'place', q: description.coordinates.map(() => '1'), ...own })).toContain('q.0');
  });

  it('says where a port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', () => resolve()));
    const { port } = other.address() as AddressInfo;
    await expect(serveView(robot, port)).rejects.toThrow(
      `--port ${port} is taken: choose another one, or leave --port out`,
    );
    other.close();
  });
});

describe('answers', () => {
  it('place a state where the geometry has it', async () => {
    const { description, acting: own } = await acting();
    expect(description.coordinates.map(({ name }) => name)).toEqual(['hinge.angle', 'soft.q']);
    expect(description.states.map(({ name }) => name)).toEqual(['default', 'bent']);
    const { points, tip } = await ask<Placed>({ ask: 'place', q: [0, 0.8], ...own });
    const reach = 0.2 / 0.8;
    const end = [reach * (1 - Math.cos(0.8)), 0, reach * Math.sin(0.8)];
    tip!.forEach((x, axis) => expect(x).toBeCloseTo(end[axis]!, 9));
    const places = numbers(points);
    const { count, frames } = description.structure;
    expect(places.length).toBe(3 * count + 12 * frames.length);
    // The pose of the tip's frame ends with its place.
    const tipFrame = frames.findIndex(({ name }) => name === 'soft');
    end.forEach((x, axis) => expect(places[3 * count + 12 * tipFrame + 9 + axis]).toBeCloseTo(x, 6));
    // The middle of the last section is the last vertex of the only surface.
    const last = 3 * (description.structure.surfaces[0]!.count - 1);
    end.forEach((x, axis) => expect(places[last + axis]).toBeCloseTo(x, 6));
  });

  it('find the equilibria that `kanegen statics` finds, with the inputs and the parameters of the sliders', async () => {
    const { acting: own } = await acting();
    const found = await ask<Balanced>({ ask: 'statics', q: [0, 0], ...own, inputs: [6], parameters: [0.05] });
    const { out } = await runInProcess(folder, ['statics', file, '--input', 'pull=6', '--set', 'm=50 g', '--json']);
    const { coordinates, smallestEigenvalue } = JSON.parse(out) as {
      coordinates: Record<string, number>;
      smallestEigenvalue: number;
    };
    Object.values(coordinates).forEach((x, i) => expect(found.q[i]).toBeCloseTo(x, 9));
    expect(Math.abs(found.q[1]!)).toBeGreaterThan(0.05);
    expect(found.smallestEigenvalue).toBeCloseTo(smallestEigenvalue, 9);
  });

  it('move as the energy allows, and push the tip', async () => {
    const { acting: own } = await acting();
    const rest = { ask: 'move', q: [0.3, 0.2], qd: [0, 0], push: [0, 0, 0], ...own };
    const begun = await ask<Moved>({ ...rest, seconds: 0 });
    /** An answer takes a share of a second at most: a busy machine needs several. */
    const moving = async (question: object, asked: number): Promise<Moved> => {
      let moved = await ask<Moved>({ ...question, seconds: asked });
      for (let t = moved.seconds; asked - t > 1e-12; t += moved.seconds)
        moved = await ask<Moved>({ ...question, q: moved.q, qd: moved.qd, seconds: asked - t });
      return moved;
    };
    const moved = await moving(rest, 0.02);
    expect(moved.qd.some((x) => Math.abs(x) > 1e-3)).toBe(true);
    // Nothing drives it; the implicit step takes a little away.
    expect(moved.energy).toBeLessThanOrEqual(begun.energy + 1e-9);
    const pushed = await moving({ ...rest, push: [30, 0, 0] }, 0.02);
    expect(pushed.tip![0] - moved.tip![0]).toBeGreaterThan(0.5 * 0.5 * 30 * 0.02 ** 2);
  });

  it('swing in the modes that `kanegen linearise` finds', async () => {
    const { acting: own } = await acting();
    const { modes } = await ask<Modes>({ ask: 'modes', q: [0, 0], ...own });
    const { out } = await runInProcess(folder, ['linearise', file, '--json']);
    const { modes: known } = JSON.parse(out) as { modes: { frequency: number }[] };
    expect(modes.length).toBe(known.length);
    modes.forEach(({ frequency, pictures }, i) => {
      expect(frequency).toBeCloseTo(known[i]!.frequency, 6);
      expect(new Set(pictures).size).toBeGreaterThan(10);
    });
  });
});

describe('an edit of the file', () => {
  const next = async (kind: News['news']): Promise<News> => {
    const from = heard.length;
    await expect.poll(() => heard.slice(from).find(({ news }) => news === kind), { timeout: 20_000 }).toBeDefined();
    return heard.slice(from).find(({ news }) => news === kind)!;
  };

  it('shows its mistake beside the last good robot, then what repairs it', async () => {
    const good = readFileSync(file, 'utf8');
    const wrong = next('mistake');
    writeFileSync(file, good.replace('planar-cc', 'planar-c'));
    const mistake = await wrong;
    expect(mistake).toMatchObject({ news: 'mistake' });
    expect((mistake as { text: string }).text).toMatch(/finger\.robot\.yaml:\d+:\d+: .*planar-c/);
    expect((await ask<Description>({ ask: 'robot' })).coordinates).toHaveLength(2);
    const repaired = next('robot');
    const ready = next('ready');
    writeFileSync(file, good.replace('L: 0.2 m', 'L: 0.3 m'));
    await repaired;
    await ready;
    const { acting: own } = await acting();
    const { tip } = await ask<Placed>({ ask: 'place', q: [0, 0], ...own });
    expect(tip![2]).toBeCloseTo(0.3, 12);
  });
});

describe('the command', () => {
  it('says what is wrong with its options and files', async () => {
    const view = (...words: string[]) => runInProcess(folder, ['view', ...words]);
    expect(await view(file, '--port', '70000')).toMatchObject({
      code: 2,
      err: 'error: --port takes a number from 0 to 65535, not "70000"\n',
    });
    expect(await view(file, '--html', 'a.png')).toMatchObject({ code: 2 });
    expect(await view(file, '--html', 'a.html', '--port', '1')).toMatchObject({ code: 2 });
    writeFileSync(path.join(folder, 'wrong.robot.yaml'), ROBOT.replace('planar-cc', 'planar-c'));
    const wrong = await view('wrong.robot.yaml', '--no-open');
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/wrong\.robot\.yaml:\d+:\d+: /);
  });
});

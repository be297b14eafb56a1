/** Figures and films: where things stand in them, what is in front, and files that decode to the pixels that went in. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { loadRobot, loadScenario } from '../../src/index.ts';
import { posturesOf } from '../../src/report/pictures/bodies.ts';
import { cameraFor, seen, viewFor, viewOf, type Triple } from '../../src/report/pictures/camera.ts';
import { areaOf, outlinesOf } from '../../src/report/pictures/contours.ts';
import { drawn } from '../../src/report/pictures/drawing.ts';
import { gifOf, pngOf } from '../../src/report/pictures/encoders.ts';
import { figureOf, filmOfRun } from '../../src/report/pictures/pictures.ts';
import type { Pixels } from '../../src/report/pictures/pixels.ts';
import { rasterOf } from '../../src/report/pictures/raster.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';

const UP: Triple = [0, 0, 1];
const NO_MARGINS = { left: 0, right: 0, top: 0, bottom: 0 };

it('views look along the axes that their names say, with gravity downwards', () => {
  const axes = (name: string, up: Triple): number[][] =>
    Object.values(viewOf(name, up)).map((axis: Triple) => axis.map((x) => Math.round(1e9 * x) / 1e9 + 0));
  // To the right, upwards, towards the eye.
  expect(axes('front', UP)).toEqual([[1, 0, 0], [0, 0, 1], [0, -1, 0]]); // prettier-ignore
  expect(axes('side', UP)).toEqual([[0, 1, 0], [0, 0, 1], [1, 0, 0]]); // prettier-ignore
  expect(axes('top', UP)).toEqual([[1, 0, 0], [0, 1, 0], [0, 0, 1]]); // prettier-ignore
  expect(axes('front', [0, 1, 0])).toEqual([[1, 0, 0], [0, 1, 0], [0, 0, 1]]); // prettier-ignore
  expect(axes('90,0', UP)).toEqual(axes('side', UP));
  // A motion in a plane is seen from beside it.
  const flat = (points: number[]): string => JSON.stringify(viewFor([Float64Array.from(points)], UP));
  expect(flat([0, 0, 0, 1, 0, 1])).toBe(JSON.stringify(viewOf('front', UP)));
  expect(flat([0, 0, 0, 0, 1, 1])).toBe(JSON.stringify(viewOf('side', UP)));
  expect(flat([0, 0, 0, 1, 1, 0])).toBe(JSON.stringify(viewOf('top', UP)));
  expect(flat([0, 0, 0, 1, 1, 1])).toBe(JSON.stringify(viewOf('iso', UP)));
});

describe('the renderer', () => {
  const square = (part: number, x: number, z: number, y: number, size: number) => ({
    part,
    position: Float64Array.from([x, y, z, x + size, y, z, x + size, y, z + size, x, y, z + size]),
    triangles: [0, 1, 2, 0, 2, 3],
  });

  it('shows of parts what is nearest to the eye, each by its area', () => {
    // 40 × 40 px of a square, of which another one in front hides 20 × 20.
    const parts = [square(0, 0, 0, 0, 0.4), square(1, 0.2, 0.2, -0.1, 0.4)];
    const points = parts.map(({ position }) => position);
    const count = (view: string, part: number): number => {
      const camera = cameraFor(points, viewOf(view, UP), { width: 60, height: 60 }, NO_MARGINS);
      return rasterOf(camera, parts).parts.filter((one) => one === part).length;
    };
    expect([count('front', 0), count('front', 1)]).toEqual([1200, 1600]);
    expect([count('back', 0), count('back', 1)]).toEqual([1600, 1200]);
  });

  it('leaves out triangles without a place, and nothing else', () => {
    const broken = square(0, 0, 0, 0, 0.4);
    broken.position[3] = NaN;
    const camera = cameraFor([broken.position], viewOf('front', UP), { width: 60, height: 60 }, NO_MARGINS);
    const { parts, lights } = rasterOf(camera, [broken]);
    // One of two triangles is left, 0.4 m wide in 60 px.
    expect(parts.filter((part) => part === 0).length / 1800).toBeCloseTo(1, 1);
    expect(lights.every(Number.isFinite)).toBe(true);
  });

  it('and regions of its pixels have outlines with their areas, holes on the other hand', () => {
    const [width, radius, hole] = [200, 90, 40];
    const labels = Int16Array.from({ length: width * width }, (_, i) => {
      const away = Math.hypot((i % width) + 0.5 - 100, Math.floor(i / width) + 0.5 - 100);
      return away < radius && away > hole ? 3 : -1;
    });
    const outlines = outlinesOf({ labels, width, height: width }, 0.75);
    expect([...outlines.keys()]).toEqual([3]);
    const areas = outlines
      .get(3)!
      .map(areaOf)
      .sort((a, b) => a - b);
    expect(areas).toHaveLength(2);
    expect(areas[0]! / (-Math.PI * hole ** 2)).toBeCloseTo(1, 1);
    expect(areas[1]! / (Math.PI * radius ** 2)).toBeCloseTo(1, 2);
    // Few corners, none of them away from the circle.
    const outer = outlines.get(3)!.find((loop) => areaOf(loop) > 0)!;
    expect(outer.length).toBeLessThan(80);
    for (const [x, y] of outer) expect(Math.abs(Math.hypot(x - 100, y - 100) - radius)).toBeLessThan(1);
  });
});

/** Corners of a path of `drawn`: M, l and z, relative after the first. */
function cornersOf(d: string): [number, number][][] {
  return d
    .split('M')
    .slice(1)
    .map((loop) => {
      const numbers = [...loop.matchAll(/-?(?:\d+\.?\d*|\.\d+)/g)].map(([text]) => Number(text));
      let [x, y] = [0, 0];
      return Array.from({ length: numbers.length / 2 }, (_, i) => [(x += numbers[2 * i]!), (y += numbers[2 * i + 1]!)]);
    });
}

it('a body in front hides the one behind it', () => {
  const block = (name: string, y: number) => ({ name, parent: 'base', offset: { xyz: [y, y, 0] }, body: 'block' });
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'two',
    'body-types': {
      block: {
        coordinates: { e: {} },
        volume: { box: { x: [0, 0.2], y: [0, 0.1], z: [0, 0.2] }, density: 1 },
        compose: [{ map: ['x', 'y', '(1 + e)*z'] }],
        distal: 'none',
      },
    },
    links: [block('near', 0), block('far', 0.15)],
  });
  const [whole] = posturesOf(robot, [{ t: 0, q: [0, 0] }]);
  // Without what carries them.
  const posture = { ...whole!, surfaces: whole!.surfaces.filter(({ part }) => part > 0) };
  const areas = (view: string): number[] => {
    const points = posture.surfaces.map(({ position }) => position);
    const camera = cameraFor(points, viewOf(view, UP), { width: 350, height: 200 }, NO_MARGINS);
    expect(camera.scale).toBe(1000);
    const svg = drawn(posture, camera);
    // The first fill of a body is its outline.
    return ['#3b76ad', '#c46f34'].map((colour) => {
      const d = new RegExp(`<path fill="${colour}"[^>]* d="([^"]*)"`).exec(svg)![1]!;
      return cornersOf(d).reduce((sum, loop) => sum + areaOf(loop), 0);
    });
  };
  const [full, covered] = [200 * 200, 150 * 200];
  expect(areas('front').map((area) => Math.round(area / 500))).toEqual([full / 500, covered / 500]);
  expect(areas('back').map((area) => Math.round(area / 500))).toEqual([covered / 500, full / 500]);
});

const ROBOT = `
kanegen: 1
name: pendulum
gravity: [0, 0, -9.81]
links: [{ name: arm, joint: { revolute: y }, rigid: { mass: 0.5 kg, com: [0, 0, -0.3], distal: { xyz: [0, 0, -0.6] } } }]
`;
const SCENARIO = `
kanegen-scenario: 1
robot: pendulum.robot.yaml
initial: { coordinates: { arm.angle: -1 rad } }
duration: 1 s
outputs: { every: 10 ms }
`;

describe('pictures of a run', () => {
  let folder: string;
  let scenario: Scenario;
  let run: Run;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'kanegen-pictures-'));
    writeFileSync(path.join(folder, 'pendulum.robot.yaml'), ROBOT);
    writeFileSync(path.join(folder, 'fall.scenario.yaml'), SCENARIO);
    scenario = loadScenario(path.join(folder, 'fall.scenario.yaml'));
    run = simulate(scenario, (await loadRobot(path.join(folder, 'pendulum.robot.yaml'))).dynamics);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('have the robot at the times that are asked for, to the scale that is drawn', () => {
    const svg = figureOf(scenario, run, 'svg', { times: [0.25, 0] }) as string;
    const groups = [...svg.matchAll(/<g[^>]*>\n<title>(.*?)<\/title>\n([\s\S]*?)\n<\/g>/g)];
    expect(groups.map(([, title]) => title)).toEqual(['0 s', '0.25 s']);
    // 100 mm are so many pixels.
    const [, from, to] = /M([\d.]+) [\d.]+V[\d.]+H([\d.]+)V[^>]*>.*?>100 mm</.exec(svg)!.map(Number);
    const scale = (to! - from!) / 0.1;
    const ends = groups.map(([, , shapes]) => {
      const d = /<path fill="#7b838b"[^>]* d="([^"]*)"/.exec(shapes!)![1]!;
      const points = cornersOf(d).flat();
      return { left: Math.min(...points.map(([x]) => x)), low: Math.max(...points.map(([, y]) => y)) };
    });
    // Of the tip that hangs at 1 rad, then at the angle of the run, by the distance of both pictures.
    const angle = run.samples.find(({ t }) => Math.abs(t - 0.25) < 1e-9)!.q[0]!;
    expect((ends[1]!.low - ends[0]!.low) / scale).toBeCloseTo(0.6 * (Math.cos(angle) - Math.cos(1)), 2);
    const high = figureOf(scenario, run, 'svg', { times: [0], view: 'side' }) as string;
    expect(high).not.toBe(figureOf(scenario, run, 'svg', { times: [0] }));
    // Text of users never becomes markup.
    const odd = { ...scenario, robot: { ...scenario.robot, name: '<script>' } };
    expect(figureOf(odd, run, 'svg', { times: [0] })).not.toContain('<script>');
  });

  it('say what they cannot show', () => {
    expect(() => figureOf(scenario, run, 'svg', { times: [0, 2] })).toThrow('2 s is outside the run');
    expect(() => figureOf(scenario, run, 'svg', { view: 'nose' })).toThrow('--view takes front, side, top, iso, back');
    expect(() => figureOf(scenario, { ...run, samples: [] }, 'svg')).toThrow('no sample');
  });

  it('move, for as long as they should', async () => {
    const { content, frames, speed } = await filmOfRun(scenario, run, 'gif', { rate: 5, size: { width: 80 } });
    // The run of one second is shown in two.
    expect([frames, speed]).toEqual([10, 0.5]);
    const shown = gifFrames(content as Uint8Array);
    expect(shown.reduce((sum, { delay }) => sum + delay, 0)).toBe(200);
    const colours = new Set(shown.map(({ rgb }) => rgb.join()));
    expect(colours.size).toBe(10);
    const vector = await filmOfRun(scenario, run, 'svg', { rate: 5, size: { width: 80 } });
    expect((vector.content as string).match(/class="frame"/g)).toHaveLength(10);
    await expect(filmOfRun(scenario, run, 'gif', { speed: 1e-4 })).rejects.toThrow('frames is longer than 3000');
  });

  it('are videos where there is ffmpeg, and say what to install elsewhere', async () => {
    const before = process.env['PATH'];
    process.env['PATH'] = folder;
    const film = filmOfRun(scenario, run, 'mp4', { rate: 5, size: { width: 80 } });
    await expect(film).rejects.toMatchObject({
      code: 'no-encoder',
      message: 'a film as .mp4 needs the program ffmpeg, which is not there',
      remedy: expect.stringContaining('apt-get install ffmpeg'),
    });
    process.env['PATH'] = before;
  });

  const hasVideo = (() => {
    try {
      return execFileSync('ffmpeg', ['-hide_banner', '-encoders'], { encoding: 'utf8', stdio: 'pipe' }).includes(
        'libx264',
      );
    } catch {
      return false;
    }
  })();
  it.skipIf(!hasVideo)('are videos that ffmpeg reads again (skipped where there is none)', async () => {
    const { content } = await filmOfRun(scenario, run, 'mp4', { rate: 5, size: { width: 81, height: 61 } });
    expect(
      Buffer.from(content as Uint8Array)
        .subarray(4, 8)
        .toString(),
    ).toBe('ftyp');
  });
});

describe('files of pixels', () => {
  // Few colours, and changes from frame to frame.
  const [width, height] = [37, 23];
  const frames = [0, 1, 2].map((k): Pixels => {
    const rgb = new Uint8Array(3 * width * height).fill(255);
    for (let i = 0; i < width * height; i++) if ((i * (k + 3)) % 7 < 2) rgb.set([10 * k, 120, 200 - (i % 3)], 3 * i);
    return { width, height, rgb };
  });

  it('are PNG', () => {
    const file = Buffer.from(pngOf({ frames, rate: 10 }));
    const chunks: { name: string; data: Buffer }[] = [];
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
      const length = file.readUInt32BE(at);
      chunks.push({ name: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) });
    }
    expect(chunks.map(({ name }) => name)).toEqual(
      ['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'fcTL', 'fdAT', 'IEND'], // prettier-ignore
    );
    // The remainder of no data after IEND is known from the format.
    expect(file.subarray(-4).toString('hex')).toBe('ae426082');
    const images = chunks.filter(({ name }) => name === 'IDAT' || name === 'fdAT');
    images.forEach(({ name, data }, k) => {
      const rows = inflateSync(name === 'fdAT' ? data.subarray(4) : data);
      const rgb = new Uint8Array(3 * width * height);
      for (let row = 0; row < height; row++) {
        expect(rows[row * (3 * width + 1)]).toBe(2);
        for (let i = 0; i < 3 * width; i++)
          rgb[3 * width * row + i] =
            rows[row * (3 * width + 1) + 1 + i]! + (row > 0 ? rgb[3 * width * (row - 1) + i]! : 0);
      }
      expect(Buffer.from(rgb).equals(Buffer.from(frames[k]!.rgb))).toBe(true);
    });
  });

  it('are GIF, with every frame over the one before it', async () => {
    const shown = gifFrames(gifOf({ frames, rate: 30 }));
    expect(shown.map(({ delay }) => delay)).toEqual([3, 4, 3]);
    shown.forEach(({ rgb }, k) => {
      const far = rgb.map((value, i) => Math.abs(value - frames[k]!.rgb[i]!));
      expect(Math.max(...far)).toBeLessThan(9);
    });
  });
});

it('orthographic cameras keep what they see within margins', () => {
  const points = Float64Array.from([-1, 0, 0, 3, 0, 1]);
  const camera = cameraFor([points], viewOf('front', UP), { width: 100 }, { left: 5, right: 15, top: 10, bottom: 20 });
  expect(camera.height).toBe(50);
  expect(seen(camera, [-1, 0, 0]).slice(0, 2)).toEqual([5, 30]);
  expect(seen(camera, [3, 0, 1]).slice(0, 2)).toEqual([85, 10]);
});

/** Frames as a reader shows them, with their delays in hundredths of a second. */
function gifFrames(bytes: Uint8Array): { readonly delay: number; readonly rgb: number[] }[] {
  const file = Buffer.from(bytes);
  expect(file.toString('latin1', 0, 6)).toBe('GIF89a');
  const [width, height] = [file.readUInt16LE(6), file.readUInt16LE(8)];
  const colours = 2 << (file[10]! & 7);
  const palette = Array.from({ length: colours }, (_, i) => [...file.subarray(13 + 3 * i, 16 + 3 * i)]);
  const shown: { delay: number; rgb: number[] }[] = [];
  const indices = new Uint8Array(width * height);
  let [delay, hidden] = [0, -1];
  let at = 13 + 3 * colours;
  const blocks = (): Buffer => {
    const parts: Buffer[] = [];
    for (let length = file[at++]!; length > 0; length = file[at++]!) {
      parts.push(file.subarray(at, at + length));
      at += length;
    }
    return Buffer.concat(parts);
  };
  for (let kind = file[at++]; kind !== 0x3b; kind = file[at++]) {
    if (kind === 0x21) {
      const label = file[at++];
      const data = blocks();
      if (label === 0xf9) [delay, hidden] = [data.readUInt16LE(1), data[0]! & 1 ? data[3]! : -1];
      continue;
    }
    expect(kind).toBe(0x2c);
    at += 9;
    const bits = file[at++]!;
    unpacked(blocks(), bits).forEach((index, i) => {
      if (index !== hidden) indices[i] = index;
    });
    shown.push({ delay, rgb: [...indices].flatMap((index) => palette[index]!) });
  }
  return shown;
}

/** The codes of Lempel, Ziv and Welch, as GIF has them. */
function unpacked(data: Buffer, bits: number): number[] {
  const clear = 1 << bits;
  const out: number[] = [];
  let table: number[][] = [];
  let [size, last]: [number, number[] | undefined] = [bits + 1, undefined];
  let [buffer, held] = [0, 0];
  const reset = (): void => {
    table = [...Array.from({ length: clear }, (_, i) => [i]), [], []];
    [size, last] = [bits + 1, undefined];
  };
  reset();
  for (const byte of data) {
    buffer |= byte << held;
    held += 8;
    while (held >= size) {
      const code = buffer & ((1 << size) - 1);
      buffer >>>= size;
      held -= size;
      if (code === clear + 1) return out;
      if (code === clear) {
        reset();
        continue;
      }
      const entry: number[] = table[code] ?? [...last!, last![0]!];
      out.push(...entry);
      if (last && table.length < 4096) table.push([...last, entry[0]!]);
      if (table.length === 1 << size && size < 12) size++;
      last = entry;
    }
  }
  return out;
}

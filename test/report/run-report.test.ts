/** Pages of runs: whole in themselves, numbers of the run in them, and no error where there is a browser to show them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate as simulateFile } from '../../src/api/simulation.ts';
import { loadRobot, loadScenario } from '../../src/index.ts';
import { runReport } from '../../src/report/run-report.ts';
import type { Animation } from '../../src/report/viewer/animation-data.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { builtCommand } from '../built-command.ts';

const ROBOT = `
kanegen: 1
name: pendulum
gravity: [0, 0, -9.81]
links: [{ name: arm, joint: { revolute: y }, rigid: { mass: 0.5 kg, com: [0, 0, -0.3], distal: { xyz: [0, 0, -0.6] } } }]
actuators: { motor: { motor: arm.angle, limits: [-0.1 N m, 0.2 N m] } }
`;
const SCENARIO = `
kanegen-scenario: 1
summary: falls </script><script>alert(1)</script>
robot: pendulum.robot.yaml
initial: { coordinates: { arm.angle: 1 rad } }
inputs: { motor: 0.3*sin(t) }
duration: 1 s
outputs: { every: 10 ms }
`;

let folder: string;
let page: string;
let text: string;
beforeAll(async () => {
  // Pages carry a script that is bundled.
  await builtCommand();
  folder = mkdtempSync(path.join(tmpdir(), 'kanegen-report-'));
  const robot = path.join(folder, 'pendulum.robot.yaml');
  writeFileSync(robot, ROBOT);
  writeFileSync(path.join(folder, 'fall.scenario.yaml'), SCENARIO);
  const scenario = loadScenario(path.join(folder, 'fall.scenario.yaml'));
  const { dynamics } = await loadRobot(robot);
  const run = simulate(scenario, dynamics);
  page = await runReport(scenario, { ...run, failure: { t: 1, message: 'a <reason>' } });
  text = path.join(folder, 'run.html');
  writeFileSync(text, page);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Points of an animation, by time. */
function pointsOf({ points, count, least, scale, times }: Animation): number[][][] {
  const numbers = new Uint16Array(Uint8Array.from(Buffer.from(points, 'base64')).buffer);
  return times.map((_, k) =>
    Array.from({ length: count }, (__, i) =>
      [0, 1, 2].map((axis) => least[axis]! + scale * numbers[3 * (k * count + i) + axis]!),
    ),
  );
}

describe('pages of runs', () => {
  it('carry the motion, the plots, and what went wrong', () => {
    const found = /<script id="animation" type="application\/json">(.*?)<\/script>/s.exec(page);
    const animation = JSON.parse(found![1]!) as Animation;
    expect(animation.times).toHaveLength(101);
    expect(animation.up).toEqual([0, 0, 1]);
    const points = pointsOf(animation);
    const [from, to] = animation.lines[animation.lines.length - 1]!;
    // A pendulum, let go at one radian: the end of its line is the tip, 0.6 m from the joint.
    for (const place of points) {
      expect(Math.hypot(...place[to]!.map((x, axis) => x - place[from]![axis]!))).toBeCloseTo(0.6, 4);
      place[to]!.forEach((x, axis) => expect(x).toBeCloseTo(place[animation.tip!]![axis]!, 4));
    }
    expect(points[0]![to]![0]).toBeCloseTo(-0.6 * Math.sin(1), 4);
    for (const title of ['Coordinates', 'Inputs', 'Energies', 'motor']) expect(page).toContain(title);
    expect(page).toContain('This run is incomplete: ended at 1 s: a &#60;reason&#62;');
  });

  it('say what left its limits, as the command does', () => {
    // 0.3 sin t passes 0.2 between 0.72 s and 0.73 s, and is 0.2524 at the end.
    expect(page).toContain('Beyond limits:<br>motor leaves -0.1 to 0.2 from 0.73 s on: 0.2524</p>');
  });

  it('need nothing else, and show text of users as text', () => {
    expect(page).not.toMatch(/<(script|link|img)[^>]*\b(src|href)=/);
    expect(page).not.toContain('alert(1)</script>');
    expect(page.match(/<\/script>/g)).toHaveLength(2);
  });

  it('show a robot at rest without anything to play, and say where there is no equilibrium', async () => {
    const rest = async (inputs: string): Promise<string> => {
      const file = path.join(folder, 'rest.scenario.yaml');
      writeFileSync(file, `kanegen-scenario: 1\nrobot: pendulum.robot.yaml\nstatics: true\ninputs: { ${inputs} }\n`);
      return (await simulateFile(file)).report();
    };
    const still = await rest('motor: 0.1');
    const found = /<script id="animation" type="application\/json">(.*?)<\/script>/s.exec(still);
    expect((JSON.parse(found![1]!) as Animation).times).toEqual([0]);
    expect(still).toContain('<div id="controls" style="display: none">');
    expect(still).not.toContain('id="plots"');
    expect(still).toMatch(/<p>equilibrium by Newton’s method: \d+ iterations<\/p>/);
    const none = await rest('motor: 2');
    expect(none).toContain('This run is incomplete: no equilibrium: nothing balances the forces on arm.angle');
    expect(none).not.toContain('<canvas');
  });

  const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  it.skipIf(!browser)('show no error in a browser (skipped where there is no Chromium)', () => {
    const flags = ['--headless', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
    const { stdout, stderr } = spawnSync(
      browser!,
      [...flags, '--enable-logging=stderr', '--virtual-time-budget=3000', '--dump-dom', `file://${text}#t=0.5`],
      { encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    expect(stderr.split('\n').filter((line) => line.includes('CONSOLE'))).toEqual([]);
    expect(stdout).toContain('<output id="shown">0.500 s</output>');
    expect(stdout).toMatch(/<line [^>]*x1="165"/);
  });
});

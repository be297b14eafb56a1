/**
 * Latencies of `kanegen view` in headless Chromium, 800 × 600, drawn by software: `npm run bench:view`. Wall clock, medians; a machine with work of
 * its own is slower.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { serveView } from '../src/cli/view/server.ts';
import { WatchedRobot } from '../src/cli/view/watched-robot.ts';
import { formatTable } from '../src/cli/terminal/table.ts';
import { Browser, CHROMIUM } from '../test/browser.ts';

const SIZE = { width: 800, height: 600 };
const FACTS = `document.getElementById('facts').textContent`;

if (CHROMIUM === undefined) {
  process.stderr.write('no Chromium here: apt-get install chromium\n');
  process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-bench-view-'));
const rows: (readonly string[])[] = [['what', 'measured', 'wanted', 'processor, ms each']];

interface Page {
  readonly browser: Browser;
  readonly robot: WatchedRobot;
  /** s of the processor of this process until the first picture is there as numbers. */
  readonly first: number;
}

async function withPage(file: string, work: (page: Page) => Promise<void>): Promise<void> {
  const before = process.cpuUsage();
  const robot = await WatchedRobot.open(file, { set: [], silence: [] });
  const described = robot.current.answer({ ask: 'robot' });
  const { coordinates, inputs, parameters, gravity } = described;
  const valuesOf = (own: readonly { readonly value: number }[]): number[] => own.map(({ value }) => value);
  robot.current.answer({
    ...{ ask: 'place', q: valuesOf(coordinates), inputs: valuesOf(inputs) },
    ...{ parameters: valuesOf(parameters), gravity },
  });
  const { user, system } = process.cpuUsage(before);
  const server = await serveView(robot);
  robot.start();
  await robot.settled();
  const browser = await Browser.open(server.link, SIZE);
  try {
    await browser.until(`${FACTS}.startsWith('tip ')`);
    await work({ browser, robot, first: (user + system) / 1e6 });
    if (browser.complaints.length > 0) process.stderr.write(`${browser.complaints.join('\n')}\n`);
  } finally {
    await browser.close();
    robot.close();
    await server.close();
  }
}

/** Moves a slider again and again, each time when the picture of the last move is there. @returns ms of each. */
const drag = (slider: number, moves: number): string => `(async () => {
  const range = document.querySelectorAll('.slider input[type=range]')[${slider}];
  const [least, most] = [Number(range.min), Number(range.max)];
  const waits = [];
  for (let k = 0; k < ${moves}; k++) {
    const before = ${FACTS};
    const began = performance.now();
    range.value = least + (most - least) * (0.25 + 0.2 * Math.sin(0.1 + k / 7));
    range.dispatchEvent(new Event('input'));
    while (${FACTS} === before && performance.now() - began < 5000) await new Promise((resolve) => requestAnimationFrame(resolve));
    waits.push(performance.now() - began);
  }
  return waits;
})()`;

/** Waits of a slider's moves, ms, and what page and server have of the processor for each. */
async function dragged(browser: Browser, slider: number, moves: number): Promise<{ waits: number[]; each: number }> {
  const own = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const before = own() + (await browser.processorTime());
  const waits = (await browser.value(drag(slider, moves))) as number[];
  return { waits, each: (own() + (await browser.processorTime()) - before) / moves };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function poses(): Promise<void> {
  const file = path.join(folder, 'ten.robot.yaml');
  writeFileSync(
    file,
    'kanegen: 1\nname: ten\nlinks: [{ name: soft, repeat: 10, body: pcc-3d, parameters: { L: 0.1 m, R: 12 mm, rho: 1070 kg/m^3 } }]\n',
  );
  await withPage(file, async ({ browser }) => {
    const { waits, each } = await dragged(browser, 0, 60);
    const rate = (1000 / median(waits)).toFixed(1);
    rows.push(['frames a second while a slider moves ten soft segments', rate, '30', each.toFixed(1)]);
  });
}

/** The example with elastic segments: its own have no material, and so no equilibrium. */
function elasticArm(): string {
  const body = `body-types:
  elastic:
    parameters: { L: 0.12 m, R: 18 mm, rho: 1070 kg/m^3 }
    coordinates: { q1: { unit: rad }, q2: { unit: rad }, q3: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    strain: { bend-x: q1/L, bend-y: q2/L, stretch: q3/L }
    material: { rod-elasticity: { E: 2 MPa, nu: 0.45 }, retardation-time: 40 ms }
`;
  const text = readFileSync('examples/tendon-arm.robot.yaml', 'utf8');
  const file = path.join(folder, 'tendon-arm.robot.yaml');
  // The motor has nothing to push against.
  const held = text.replace('joint: { revolute: z }', 'joint: { revolute: z, stiffness: 1 N m/rad }');
  writeFileSync(file, held.replace('links:\n', `${body}links:\n`).replace('body: pcc-3d', 'body: elastic'));
  return file;
}

async function statics(): Promise<void> {
  await withPage(elasticArm(), async ({ browser, first }) => {
    rows.push(['processor time to the first picture of tendon-arm, s', first.toFixed(2), '3', '']);
    // The first input turns the table.
    const { waits, each } = await dragged(browser, 1, 30);
    const wait = median(waits.slice(3)).toFixed(0);
    rows.push(['ms from a tension of tendon-arm to its equilibrium', wait, '50', each.toFixed(1)]);
  });
}

async function repair(name: string, wanted: string): Promise<void> {
  const file = path.join(folder, `${name}.robot.yaml`);
  const good = readFileSync(`examples/${name}.robot.yaml`, 'utf8');
  writeFileSync(file, good);
  await withPage(file, async ({ browser }) => {
    writeFileSync(file, `${good}\nlink: []\n`);
    await browser.until(`!document.getElementById('mistake').hidden`);
    const [began, before] = [performance.now(), process.cpuUsage()];
    // Another robot than before, so that nothing is found as it was.
    writeFileSync(file, `${good.replace(/^summary:.*$/m, 'summary: repaired')}\n`);
    await browser.until(`document.getElementById('summary').textContent === 'repaired' && ${FACTS} !== ''`);
    const { user, system } = process.cpuUsage(before);
    const seconds = ((performance.now() - began) / 1000).toFixed(2);
    rows.push([`s from the repair of ${name} to its picture`, seconds, wanted, ((user + system) / 1000).toFixed(0)]);
  });
}

try {
  await poses();
  await statics();
  await repair('planar-cc', '1.5');
  await repair('pcs', '6');
  process.stdout.write(`${formatTable(rows, [1, 2, 3])}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * What the two forms of the equations of a rod cost by its number of coordinates: motions and wrenches of sections (Newton–Euler), and sums over
 * sections with their Jacobians. `npx tsx bench/duality.ts [--svg FILE]` counts 8 to 96 coordinates (half an hour); the benchmark guards the first.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { robotCallCosts } from '../src/codegen/controllers/call-costs.ts';
import { robotModel } from '../src/codegen/modules/robot-model.ts';
import { operationsInAll } from '../src/codegen/printing/cost-text.ts';
import type { RobotFunctionName } from '../src/codegen/sweeps/robot-functions.ts';
import { allowSeconds } from '../src/common/work-limit.ts';
import { loadRobotObject } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { Measurement, RowName } from './row.ts';

export const RECURSIONS = ['newton-euler', 'jacobian'] as const;
export type Recursion = (typeof RECURSIONS)[number];

const SIZES = [8, 12, 16, 24, 48, 96] as const;
/** Of the processor, for the code of one rod: the largest takes more than the compiler allows by itself. */
const SECONDS = 3600;
const GUARDED: readonly number[] = [8];
/** Along the rod, whatever the number of coordinates: what is left is how a point grows with them. */
const POINTS = 32;

/** Both bendings, twist and stretch of one rod as Legendre series with a quarter of the coordinates each. */
export function dualRod(coordinates: number, recursion: Recursion, points = POINTS): Robot {
  const count = coordinates / 4;
  const series = { 'bend-x': 'a', 'bend-y': 'b', twist: 'c', stretch: 'e' };
  const entries = Object.entries(series);
  return loadRobotObject({
    kanegen: 1,
    name: `duality-${coordinates}`,
    'body-types': {
      rod: {
        parameters: { L: '0.5 m', R: '10 mm' },
        coordinates: Object.fromEntries(entries.map(([s, q]) => [q, { count, unit: s === 'stretch' ? 'm' : 'rad' }])),
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: '1062 kg/m^3' },
        strain: Object.fromEntries(entries.map(([s, q]) => [s, { basis: 'legendre', coordinates: q, scale: '1/L' }])),
        integration: { recursion, points },
      },
    },
    links: [{ name: 'rod', body: 'rod' }],
  });
}

/** Operations of one call; of M by columns those of the state and of a call of inverse dynamics for each column. */
interface Costs {
  readonly inverse: number;
  readonly composite: number;
  readonly columns: number;
}

function costsOf(coordinates: number, recursion: Recursion): Costs {
  const robot = dualRod(coordinates, recursion);
  const costs = robotCallCosts(robotModel(robot, compileRobot(robot)));
  const of = (name: RobotFunctionName): number => operationsInAll(costs(`robot.${name}`, [], []));
  const inverse = of('inverseDynamicsAt');
  // τ of no acceleration, then of a unit acceleration of each coordinate.
  return { inverse, composite: of('massMatrixAt'), columns: (coordinates + 1) * inverse };
}

const INVERSE: Readonly<Record<Recursion, string>> = {
  'newton-euler': 'operations, inverse dynamics, Newton–Euler form',
  jacobian: 'operations, inverse dynamics, Jacobian form',
};
const COMPOSITE = 'operations, mass matrix of the rod';

/** @param wanted rows. */
export function dualityCounts(wanted: (name: RowName) => boolean): Measurement {
  const all = GUARDED.map((n) => ({ n, workload: `duality-${n}` }));
  const names = all
    .flatMap(({ workload }) => [...Object.values(INVERSE), COMPOSITE].map((metric) => ({ workload, metric })))
    .filter(wanted);
  return {
    names,
    measure: () =>
      Promise.resolve(
        all
          .filter(({ workload }) => names.some((name) => name.workload === workload))
          .flatMap(({ n, workload }) => {
            const [outwards, jacobian] = RECURSIONS.map((recursion) => costsOf(n, recursion)) as [Costs, Costs];
            const row = (metric: string, value: number) => ({ workload, metric, value, unit: 'operations' }) as const;
            return [
              row(INVERSE['newton-euler'], outwards.inverse),
              row(INVERSE.jacobian, jacobian.inverse),
              row(COMPOSITE, outwards.composite),
            ];
          })
          .filter(wanted),
      ),
  };
}

// ---------------------------------------------------------------------------------------------- table and figure

const CURVES = [
  { name: 'inverse dynamics, Newton–Euler form', colour: '#1565c0', of: (row: Row): number => row.newton.inverse },
  { name: 'inverse dynamics, Jacobian form', colour: '#c62828', of: (row: Row): number => row.jacobian.inverse },
  { name: 'M by columns', colour: '#ef6c00', of: (row: Row): number => row.newton.columns },
  { name: 'M, composite', colour: '#2e7d32', of: (row: Row): number => row.newton.composite },
] as const;

interface Row {
  readonly coordinates: number;
  readonly newton: Costs;
  readonly jacobian: Costs;
}

function main(): void {
  allowSeconds(SECONDS);
  const svg = process.argv.indexOf('--svg');
  console.log(`| coordinates | ${CURVES.map(({ name }) => name).join(' | ')} |\n|---|---|---|---|---|`);
  const rows = SIZES.map((coordinates): Row => {
    const row = {
      coordinates,
      newton: costsOf(coordinates, 'newton-euler'),
      jacobian: costsOf(coordinates, 'jacobian'),
    };
    console.log(`| ${coordinates} | ${CURVES.map(({ of }) => of(row).toLocaleString('en')).join(' | ')} |`);
    return row;
  });
  if (svg >= 0) writeFileSync(process.argv[svg + 1]!, plotOf(rows));
}

const PLOT = { width: 520, height: 320, left: 56, right: 14, top: 16, bottom: 40 };
const DECADES: readonly [number, number] = [4, 8];

/** Operations against coordinates, both axes logarithmic. */
function plotOf(rows: readonly Row[]): string {
  const { width, height, left, right, top, bottom } = PLOT;
  const [least, most] = [SIZES[0], SIZES.at(-1)!].map(Math.log10) as [number, number];
  const x = (n: number): string =>
    (left + ((Math.log10(n) - least) / (most - least)) * (width - left - right)).toFixed(1);
  const y = (value: number): string =>
    (top + ((DECADES[1] - Math.log10(value)) / (DECADES[1] - DECADES[0])) * (height - top - bottom)).toFixed(1);
  const grid = Array.from({ length: DECADES[1] - DECADES[0] + 1 }, (_, k) => DECADES[0] + k).map((power) => {
    const at = y(10 ** power);
    return `<path d="M${left} ${at}H${width - right}" stroke="#ddd"/><text x="${left - 5}" y="${at}" dy="4" text-anchor="end">1e${power}</text>`;
  });
  const ticks = SIZES.map((n) => `<text x="${x(n)}" y="${height - bottom + 16}" text-anchor="middle">${n}</text>`);
  const lines = CURVES.map(({ name, colour, of }, i) => {
    const points = rows.map((row) => `${x(row.coordinates)} ${y(of(row))}`);
    const dots = points.map(
      (p) => `<circle cx="${p.split(' ')[0]!}" cy="${p.split(' ')[1]!}" r="2.5" fill="${colour}"/>`,
    );
    return `<path d="M${points.join('L')}" fill="none" stroke="${colour}"/>${dots.join('')}<text x="${left + 8}" y="${top + 12 + 14 * i}" fill="${colour}">${name}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...[...grid, ...ticks, ...lines],
    `<text x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">coordinates of the rod; operations of a call</text>`,
    '</svg>',
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();

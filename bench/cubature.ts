/**
 * tsx bench/cubature.ts [--states N] [--tolerances LIST] [--svg FILE]: points that integrals over a mesh take, against the error of the generalized
 * forces. A rule is chosen as the compiler chooses it, for one tolerance after the other; its error is that of
 * τ = ∫ p_a · (p̈ − g) dm at random states, relative to the largest |τ_a| of the state, against a rule of degree 5 in every
 * tetrahedron of the mesh.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatTable } from '../src/cli/terminal/table.ts';
import { framed, svgOf } from '../src/common/picture.ts';
import { loadRobotFile } from '../src/description/load.ts';
import type { BodyType } from '../src/description/model/robot.ts';
import type { MeshVolume } from '../src/description/model/reference-volume.ts';
import type { StateSample } from '../src/integration/rules/compress.ts';
import { meshRule } from '../src/integration/rules/mesh-rule.ts';
import type { PointRule } from '../src/integration/rules/point-rule.ts';
import { FormulaField } from '../src/kane/kinematics/point-field.ts';
import { pointKinematics } from '../src/kane/kinematics/point-kinematics.ts';
import { choosePointRules, dynamicIntegrands, movingStates } from '../src/kane/points/point-rules.ts';
import { timeDerivative, type CoordinateSymbols } from '../src/kane/equations/rates.ts';
import { coordinateRanges, sampleConfigurations } from '../src/kane/kinematics/sample-configurations.ts';
import { differentiateAll } from '../src/symbolic/graph/differentiate.ts';
import { evaluate } from '../src/symbolic/evaluation/evaluate.ts';
import { RowProgram } from '../src/symbolic/evaluation/evaluate-rows.ts';
import { decimal, minus, symbol, type Expr } from '../src/symbolic/graph/expr.ts';
import { substitute } from '../src/symbolic/graph/traverse.ts';
import { dot, type Vector3 } from '../src/symbolic/graph/vector.ts';
import { machineText, describeMachine } from './machine.ts';

const ROBOT = new URL('robots/helicoid.robot.yaml', import.meta.url).pathname;
const TOLERANCES = '1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8';
const REFERENCE_DEGREE = 5;

interface Body {
  readonly type: BodyType;
  readonly volume: MeshVolume;
  readonly symbols: CoordinateSymbols;
  readonly position: Vector3;
  /** τ_a per unit of mass at a material point, gravity along −z. */
  readonly forces: readonly Expr[];
}

function bodyOf(file: string): Body {
  const { body } = loadRobotFile(file).links[0]!;
  if (body.kind !== 'deformable') throw new Error('a deformable body was expected');
  const { type } = body;
  const [volume] = type.volumes;
  if (volume?.kind !== 'mesh') throw new Error('a mesh was expected');
  const q = type.coordinates.map((c) => c.symbol);
  const rates = (name: string) => q.map((_, i) => symbol(`bench.${name}${i}`));
  const symbols: CoordinateSymbols = { q, qd: rates('qd'), qdd: rates('qdd') };
  const { position } = pointKinematics(type, defaultValues(type));
  const acceleration = timeDerivative(timeDerivative(position, symbols), symbols);
  const total = acceleration.map((a, i) => (i === 2 ? minus(a, decimal(-9.81)) : a)) as unknown as Vector3;
  const forces = q.map((coordinate) => dot(differentiateAll(position, coordinate) as unknown as Vector3, total));
  return { type, volume, symbols, position, forces };
}

function defaultValues({ parameters }: BodyType): ReadonlyMap<Expr, number> {
  const values = evaluate(parameters.map((p) => p.value));
  return new Map(parameters.map((p, i) => [p.symbol, values[i]!]));
}

/** q within the ranges that the mesh is made for, rates and accelerations of order one; the same in every run. */
function randomStates({ type, symbols }: Body, count: number): StateSample[] {
  let state = 20;
  const random = (): number => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
  const reach = type.coordinates.map((c) => (c.unit === 'rad' ? 1.5 : 0.3));
  return Array.from({ length: count }, () => {
    const values = new Map<Expr, number>(defaultValues(type));
    symbols.q.forEach((q, i) => values.set(q, reach[i]! * random()));
    for (const rate of [...symbols.qd, ...symbols.qdd]) values.set(rate, 3 * random());
    return values;
  });
}

/** τ by a rule, one row per state. */
function forcesBy(rule: PointRule, { forces }: Body, states: readonly StateSample[]): number[][] {
  const columns = new Map<Expr, Float64Array>(rule.columns.map((c) => [c.symbol, Float64Array.from(c.values)]));
  const program = new RowProgram([rule.mass, ...substitute(forces, rule.material)], [...columns.keys()]);
  return states.map((state) => {
    const sums = forces.map(() => 0);
    program.run(columns, state, rule.rows, (_, count, [mass, ...values]) => {
      values.forEach((value, a) => {
        for (let row = 0; row < count; row++) sums[a] = sums[a]! + mass![row]! * value[row]!;
      });
    });
    return sums;
  });
}

function relativeErrors(tau: readonly number[][], reference: readonly number[][]): number[] {
  return tau.map((row, s) => {
    const exact = reference[s]!;
    return Math.max(...row.map((x, a) => Math.abs(x - exact[a]!))) / Math.max(...exact.map(Math.abs));
  });
}

interface CurvePoint {
  readonly tolerance: number;
  readonly points: number;
  /** What the compiler states. */
  readonly stated: number;
  /** Largest and median relative error of τ. */
  readonly largest: number;
  readonly median: number;
  readonly seconds: number;
}

function measure(
  body: Body,
  states: readonly StateSample[],
  reference: readonly number[][],
  tolerance: number,
): CurvePoint {
  const { symbols, position } = body;
  const type: BodyType = { ...body.type, integration: { ...body.type.integration, tolerance } };
  const start = process.cpuUsage().user;
  const integrands = dynamicIntegrands(new FormulaField(position, symbols));
  const parameters = defaultValues(type);
  const ranges = coordinateRanges(type, parameters);
  const samples = movingStates(sampleConfigurations(ranges, 18), symbols, parameters, ranges);
  const [chosen] = choosePointRules(type, integrands, samples);
  const seconds = (process.cpuUsage().user - start) / 1e6;
  const { rule, error } = chosen!;
  const errors = relativeErrors(forcesBy(rule, body, states), reference).sort((a, b) => a - b);
  return {
    tolerance,
    points: rule.rows,
    stated: error,
    largest: errors.at(-1)!,
    median: errors[errors.length >> 1]!,
    seconds,
  };
}

function tableOf(curve: readonly CurvePoint[]): string {
  const digits = (x: number): string => x.toExponential(1);
  return formatTable(
    [
      ['tolerance', 'points', 'stated error', 'largest error of τ', 'median', 'processor time, s'],
      ...curve.map((p) => [
        digits(p.tolerance),
        String(p.points),
        digits(p.stated),
        digits(p.largest),
        digits(p.median),
        p.seconds.toFixed(1),
      ]),
    ],
    [0, 1, 2, 3, 4, 5],
  );
}

/** Error against points, logarithmic upwards. */
function pictureOf(curve: readonly CurvePoint[], title: string): Promise<string> {
  const values = curve.flatMap((p) => [
    { points: p.points, error: p.largest, of: 'largest error of τ' },
    { points: p.points, error: p.median, of: 'median error of τ' },
    { points: p.points, error: p.stated, of: 'stated error of integrals' },
  ]);
  const place = {
    x: { scale: 'x', field: 'points' },
    y: { scale: 'y', field: 'error' },
    stroke: { scale: 'colour', field: 'of' },
  };
  const picture = framed(title, '', {
    width: 360,
    height: 260,
    data: [{ name: 'curve', values }],
    scales: [
      { name: 'x', type: 'linear', domain: { data: 'curve', field: 'points' }, range: 'width', nice: true },
      { name: 'y', type: 'log', domain: { data: 'curve', field: 'error' }, range: 'height', nice: true },
      { name: 'colour', type: 'ordinal', domain: { data: 'curve', field: 'of' }, range: 'category' },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: 'points', grid: true },
      { orient: 'left', scale: 'y', title: 'relative error', format: '.0e', grid: true },
    ],
    legends: [{ stroke: 'colour', symbolType: 'stroke' }],
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'one', data: 'curve', groupby: 'of' } },
        marks: [
          { type: 'line', from: { data: 'one' }, encode: { enter: place } },
          { type: 'symbol', from: { data: 'one' }, encode: { enter: { ...place, size: { value: 30 } } } },
        ],
      },
    ],
  });
  return svgOf(picture);
}

const { values: options } = parseArgs({
  options: {
    states: { type: 'string', default: '100' },
    tolerances: { type: 'string', default: TOLERANCES },
    svg: { type: 'string' },
  },
});
const body = bodyOf(ROBOT);
const states = randomStates(body, Number(options.states));
const full = meshRule(body.volume, REFERENCE_DEGREE);
const reference = forcesBy(full, body, states);
console.log(`${machineText(describeMachine())}\n\n${full.description}: ${full.rows} points\n`);
const curve: CurvePoint[] = [];
for (const tolerance of options.tolerances.split(',')) {
  const point = measure(body, states, reference, Number(tolerance));
  curve.push(point);
  process.stderr.write(`${tolerance}: ${point.points} points, ${point.largest.toExponential(1)}\n`);
}
console.log(tableOf(curve));
if (options.svg !== undefined)
  writeFileSync(
    options.svg,
    await pictureOf(curve, `${body.volume.mesh.source}, ${full.rows} points without compression`),
  );

/**
 * Wrong code that verification must notice: signs, terms and numbers of generated modules changed one at a time, and code of
 * robots that differ a little from the one that is verified.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { Verification } from '../../src/verify/verify.ts';

const block = {
  mass: 0.4,
  com: [0.02, -0.01, 0.05],
  inertia: { about: 'com', xx: 2e-3, yy: 1.5e-3, zz: 1e-3, xy: 1e-4, xz: 2e-4, yz: -3e-4 },
  distal: { xyz: [0.03, 0.01, 0.1], rpy: [0.3, -0.2, 0.5] },
};

/**
 * A chain about a link type: what hangs on a free body and carries another body by a joint meets every motion and every
 * wrench, so that nothing in its module goes without effect. No axis is like another.
 */
const chain = (name: string, link: object, repeat: number): object => ({
  kanegen: 1,
  name,
  gravity: [3.1, -1.7, 9.1],
  base: { xyz: [0.1, 0.2, 0.3], rpy: [0.4, 0.2, 0.1] },
  links: [
    { name: 'root', joint: { free: {} }, rigid: block },
    { name: 'soft', offset: { xyz: [0.01, 0.02, 0.03] }, joint: { revolute: [0.36, 0.48, 0.8] }, repeat, ...link },
    { name: 'end', offset: { rpy: [0.2, 0, 0.3] }, joint: { revolute: 'x' }, rigid: block },
  ],
  frames: { tool: { on: 'end', offset: { xyz: [0, 0.02, 0.1], rpy: [0, 0.5, 0] } } },
});

const arm = chain(
  'arm',
  { mount: { rpy: [0.1, 0.7, 0.2] }, body: 'planar-cc', parameters: { L: 0.2, R: 0.02, rho: 1062 } },
  2,
);

const parameters = { L: 0.2, a: 0.03, b: 0.02, rho: 1000 };

/** Summed over points, finely enough that small shares of large sums are seen. */
const swollen = {
  ...chain('swollen', { body: 'own' }, 1),
  'body-types': {
    own: {
      parameters,
      coordinates: { u: {}, v: {} },
      volume: { box: { x: [0, 'a'], y: [0, 'b'], z: [0, 'L'] }, density: 'rho*(1 + x/a)' },
      position: ['x*exp(u*z/L) + L*v*sin(z/L)', 'y*(1 + v*x/a)', 'z + u*L*sin(v + z/L)/4'],
      distal: { pose: { xyz: ['L*v', 0, 'L*(1 + u/4)'], rpy: ['u', 0, 'v/2'] } },
      integration: { tolerance: 1e-7 },
    },
  },
};

/** Steps along an elastic rod whose section has no symmetry that hides a mistake. */
const rod = {
  ...chain('rod', { body: 'own' }, 1),
  'body-types': {
    own: {
      parameters: { ...parameters, E: 1e5, G: 4e4, eta: 30, k0: 1 },
      coordinates: { p: { unit: 'rad' }, q: { unit: 'rad' }, w: { unit: 'rad' }, e: {}, h: {} },
      volume: { rod: { s: [0, 'L'] }, section: { rectangle: ['a', 'b'] }, density: 'rho' },
      rest: { 'bend-y': 'k0', 'shear-x': 0.1 },
      strain: { 'bend-x': 'p*s/L^2', 'bend-y': 'k0 + q/L', twist: 'w/L*(1 - s/L)', 'shear-x': 'h', stretch: 'e*s/L' },
      material: { 'rod-elasticity': { E: 'E', G: 'G', 'shear-factor': 0.8 }, viscosity: 'eta' },
      integration: { tolerance: 1e-6 },
    },
  },
};

interface Subject {
  readonly robot: Robot;
  readonly files: readonly GeneratedFile[];
  readonly verification: Verification;
}

async function subject(source: object): Promise<Subject> {
  const robot = loadRobotObject(source);
  const files = await generateTypeScript(robot, compileRobot(robot));
  return { robot, files, verification: new Verification(robot, { states: 1 }) };
}

const load = async (files: readonly GeneratedFile[]): Promise<LoadedRobot> => (await loadGenerated(files))();

/** A place in a generated file, what stands there, and what a mutant has instead. */
interface Mutation {
  readonly file: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

const mutated = (files: readonly GeneratedFile[], { file, at, from, to }: Mutation): GeneratedFile[] =>
  files.map((own, i) =>
    i === file ? { ...own, text: own.text.slice(0, at) + to + own.text.slice(at + from.length) } : own,
  );

/** Signs of sums, factors and numbers in the arithmetic of link modules, and numbers in the tables of the driver. */
function mutations(files: readonly GeneratedFile[]): Mutation[] {
  return files.flatMap(({ path, text }, file) => {
    if (path.includes('runtime') || path.includes('rigid')) return [];
    const isLink = path.startsWith('link_');
    // Constants are made when the code is generated: nothing calls `prepare`.
    const skipped = isLink ? between(text, 'function prepare(', '\n}\n') : [0, 0];
    // Stumpff functions end in digits that no double sees.
    const functions = isLink ? text.indexOf('function configure(') : text.indexOf('Constants1 = ');
    if (functions < 0) return [];
    const end = isLink ? text.length : text.indexOf(']);', functions);
    const pattern = isLink ? / [+-] | \* |(?<=[ (])\d+(\.\d+)?(e-?\d+)?(?= \*)/g : /-?\d+\.\d+(e-?\d+)?/g;
    const matches = [...text.matchAll(pattern)];
    const numbers = matches.map((match) =>
      match.index > functions && match.index < end ? Math.abs(Number(match[0])) : 0,
    );
    const largest = Math.max(...numbers.filter(Number.isFinite));
    return matches.flatMap((match) => {
      const at = match.index;
      if (at < functions || at > end || (at >= skipped[0]! && at < skipped[1]!)) return [];
      const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at));
      if (isLink && !/^ +(const \w+|let \w+|\w+\[.*?\]!?|\w+)( =| \+=)|^ +[-\w[(]/.test(line)) return [];
      if (/function|for \(|\/\*|\* |\[[^\]]* [+*-] /.test(line.replace(/ = .*/, '')) || /^ *(for|if|\*)/.test(line))
        return [];
      const from = match[0];
      // Numbers of tables that are a thousandth of others matter as little.
      if (!isLink && Math.abs(Number(from)) < largest / 1000) return [];
      const to =
        from === ' + ' ? ' - ' : from === ' - ' ? ' + ' : from === ' * ' ? ' * 1.5 * ' : `${Number(from) * 1.5}`;
      return [{ file, at, from, to }];
    });
  });
}

function between(text: string, start: string, end: string): [number, number] {
  const from = text.indexOf(start);
  return from < 0 ? [0, 0] : [from, text.indexOf(end, from)];
}

/** Half of the list below in the ordinary run. */
const full = process.env['KANEGEN_FULL'] === '1';

/** Every so many of them. */
const some = <T>(list: readonly T[], count: number): T[] =>
  Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(((i + 0.5) * list.length) / count)]!);

/** Of each robot; evenly spread over its code. */
const MUTANTS = full ? 8 : 5;

describe.each([
  ['a rigid and soft arm in closed form', arm],
  ['a body summed over points', swollen],
  ['an elastic rod by steps', rod],
])('%s', (_, source) => {
  let right: Subject;
  beforeAll(async () => {
    right = await subject(source);
  });

  it('passes as it is', async () => {
    const report = await right.verification.of(await load(right.files));
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.passed).toBe(true);
  });

  it('fails with a sign, a factor or a number changed', async () => {
    const survivors: string[] = [];
    const all = mutations(right.files);
    for (const mutation of some(all, MUTANTS)) {
      const files = mutated(right.files, mutation);
      const report = await right.verification.of(await load(files));
      if (report.passed) survivors.push(description(right.files, mutation));
    }
    expect(survivors).toEqual([]);
  });
});

/** A rod whose strain is the same all along, elastic in every way. */
const bar = {
  kanegen: 1,
  name: 'bar',
  gravity: [3.1, -1.7, 9.1],
  links: [{ name: 'soft', joint: { revolute: 'x' }, body: 'own' }],
  'body-types': {
    own: {
      ...rod['body-types'].own,
      strain: { 'bend-x': 'p/L', 'bend-y': 'k0 + q/L', twist: 'w/L', 'shear-x': 'h', stretch: 'e' },
    },
  },
};

/** One thing of its body or its file is another. */
const wrong: Record<string, { readonly body?: object; readonly file?: object }> = {
  'a density a thousandth larger': { body: { parameters: { ...bar['body-types'].own.parameters, rho: 1001 } } },
  "Young's modulus a thousandth larger": { body: { parameters: { ...bar['body-types'].own.parameters, E: 1.001e5 } } },
  'a shear modulus a thousandth larger': { body: { parameters: { ...bar['body-types'].own.parameters, G: 4.004e4 } } },
  'a viscosity a thousandth larger': { body: { parameters: { ...bar['body-types'].own.parameters, eta: 30.03 } } },
  'a section turned by a right angle': {
    body: { volume: { rod: { s: [0, 'L'] }, section: { rectangle: ['b', 'a'] }, density: 'rho' } },
  },
  'no prestress': { body: { rest: {} } },
  'no shear factor': {
    body: { material: { 'rod-elasticity': { E: 'E', G: 'G' }, viscosity: 'eta' } },
  },
  'no damping': { body: { material: { 'rod-elasticity': { E: 'E', G: 'G', 'shear-factor': 0.8 } } } },
  'no material': { body: { material: undefined } },
  'bending the other way': {
    body: { strain: { 'bend-x': '-p/L', 'bend-y': 'k0 + q/L', twist: 'w/L', 'shear-x': 'h', stretch: 'e' } },
  },
  'gravity a thousandth larger': { file: { gravity: [3.1, -1.7, 9.1091] } },
  'a base that is turned': { file: { base: { rpy: [0, 0, 0.001] } } },
};

describe('code of another robot', () => {
  let right: Subject;
  beforeAll(async () => {
    right = await subject(bar);
    const report = await right.verification.of(await load(right.files));
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
  });

  it.each(Object.entries(wrong).filter((_, i) => full || i % 2 === 0))('with %s fails', async (_, { body, file }) => {
    const own = JSON.parse(JSON.stringify({ ...bar['body-types'].own, ...body })) as object;
    const robot = loadRobotObject({ ...bar, ...file, 'body-types': { own } });
    const report = await right.verification.of(await load(await generateTypeScript(robot, compileRobot(robot))));
    expect(report.checks.filter((check) => check.outcome === 'failed')).not.toEqual([]);
  });
});

function description(files: readonly GeneratedFile[], { file, at, to }: Mutation): string {
  const { path, text } = files[file]!;
  const heading = text.lastIndexOf('\nfunction ', at);
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at));
  return `${path}: ${text.slice(heading + 1, text.indexOf('(', heading))}: ${line.trim()} with ${to.trim()} at ${at - text.lastIndexOf('\n', at)}`;
}

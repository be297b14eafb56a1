/** Mistakes in bodies of modes: a code, the place, and what to write instead. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { npzFile, type Written } from '../../scripts/numpy-files.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { KanegenError } from '../../src/description/source/diagnostics.ts';

const folder = mkdtempSync(join(tmpdir(), 'kanegen-modes-'));
afterAll(() => rmSync(folder, { recursive: true }));

// A tetrahedron, and a node that none has.
const NODES = 'nodes: [[0, 0, 0], [9, 9, 9], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], tetrahedra: [[0, 2, 3, 4]]';
/** Of five nodes. */
const rising = (factor: number): number[] => Array.from({ length: 15 }, (_, i) => factor * (i % 4));
const two = { shape: [2, 5, 3], values: [...rising(1), ...rising(1).map((x) => x ** 2)] };

function saved(name: string, arrays: Readonly<Record<string, Written>>): string {
  const file = join(folder, `${name}.npz`);
  writeFileSync(file, npzFile(arrays));
  return file;
}

function robot(
  modes: string,
  change: { volume?: string; count?: number; more?: string; distal?: string } = {},
): string {
  const { volume = `volume: { mesh: { ${NODES} }, density: 1000 }`, count = 2, more, distal = 'none' } = change;
  return [
    'kanegen: 1',
    'name: bad',
    'body-types:',
    '  b:',
    '    parameters: { L: 0.1 m }',
    `    coordinates: { q: { count: ${count}, unit: m } }`,
    `    ${volume}`,
    `    modes: ${modes}`,
    `    distal: ${distal}`,
    ...(more === undefined ? [] : [`    ${more}`]),
    'links: [ { body: b } ]',
    '',
  ].join('\n');
}

/** Line, column and what is said. @param marked ¦ stands before the character that is wrong. */
function check(marked: string, code: string, message: RegExp): void {
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  let error: unknown;
  try {
    loadRobotText(marked.replace('¦', ''), 'bad.yaml');
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof KanegenError)) throw new Error(`not refused: ${String(error)}`);
  const { line, column } = error.location!;
  expect([error.code, line, column]).toEqual([code, before.length, before[before.length - 1]!.length + 1]);
  expect(`${error.message} → ${error.remedy ?? ''}`).toMatch(message);
}

const good = saved('good', { modes: two });

it('modes without a mistake are accepted, by rows and by columns', () => {
  const columns = Array.from({ length: 15 }, (_, i) => [two.values[i]!, two.values[15 + i]!]).flat();
  const files = [good, saved('columns', { modes: { shape: [15, 2], values: columns } })];
  const [a, b] = files.map((file) => loadRobotText(robot(file), 'good.yaml').links[0]!.body);
  if (a!.kind !== 'deformable' || b!.kind !== 'deformable') throw new Error('no bodies of modes');
  const fields = [a, b].map((own) => own!.kind === 'deformable' && own!.type.volumes[0]!);
  expect(fields[0] && fields[0].kind === 'mesh' && fields[0].fields!.hash).toBe(
    fields[1] && fields[1].kind === 'mesh' && fields[1].fields!.hash,
  );
});

describe('files of modes', () => {
  it.each<[string, Readonly<Record<string, Written>>, RegExp]>([
    [
      'fewer nodes',
      { modes: { shape: [2, 4, 3], values: rising(1).concat(rising(2)).slice(0, 24) } },
      /over 4 nodes, and the mesh has 5/,
    ],
    ['columns of other nodes', { modes: { shape: [12, 2], values: new Array<number>(24).fill(1) } }, /over 4 nodes/],
    [
      'more modes than coordinates',
      { modes: { shape: [3, 5, 3], values: new Array<number>(45).fill(1) } },
      /3 modes, and the body 2 coordinates[\s\S]*count: 3/,
    ],
    ['another shape', { modes: { shape: [30], values: [...two.values] } }, /shape \(30\)/],
    ['not a number', { modes: { ...two, values: two.values.with(7, NaN) } }, /entry 7 of `modes`[\s\S]*NaN/],
    ['no number at all', { modes: { ...two, values: two.values.with(16, -Infinity) } }, /entry 16/],
    ['twice the same', { modes: { ...two, values: [...rising(1), ...rising(-3)] } }, /mode 2 [\s\S]*combination/],
    [
      'one that moves nothing',
      { modes: { ...two, values: [...rising(1), ...rising(0)] } },
      /mode 2 [\s\S]*moves no node/,
    ],
    // Only the node moves that no tetrahedron has.
    [
      'one that moves nothing of the mesh',
      { modes: { ...two, values: [...rising(1), 0, 0, 0, 1, 1, 1, ...new Array<number>(9).fill(0)] } },
      /mode 2 [\s\S]*moves no node/,
    ],
    [
      'none',
      { modes: { shape: [0, 5, 3], values: [] } },
      /0 modes, and the body 2 coordinates[\s\S]*\(modes, nodes, 3\)/,
    ],
    ['no modes', { shapes: two }, /no array `modes`; it has `shapes`/],
    ['other arrays', { modes: two, mass: two }, /`mass`/],
    [
      'a manifold of other modes',
      { modes: two, quadratic: { shape: [3, 3, 5, 3], values: new Array<number>(135).fill(0) } },
      /there are 2 modes/,
    ],
    [
      'a manifold of other nodes',
      { modes: two, quadratic: { shape: [2, 2, 6, 3], values: new Array<number>(72).fill(0) } },
      /over 6 nodes/,
    ],
    [
      'a manifold that is not symmetric',
      { modes: two, quadratic: { shape: [2, 2, 5, 3], values: new Array<number>(60).fill(0).with(20, 1) } },
      /not symmetric[\s\S]*node 1[\s\S]*swapaxes/,
    ],
    [
      'a manifold that is not finite',
      { modes: two, quadratic: { shape: [2, 2, 5, 3], values: new Array<number>(60).fill(0).with(3, NaN) } },
      /entry 3 of `quadratic`/,
    ],
  ])('%s', (name, arrays, message) => {
    const file = saved(name.replaceAll(' ', '-'), arrays);
    check(robot(`¦${file}`), 'bad-modes', message);
    check(robot(`{ file: ¦${file}, unit: mm }`), 'bad-modes', message);
  });

  it('that are damaged are named where the robot file names them', () => {
    const file = join(folder, 'damaged.npz');
    writeFileSync(file, npzFile({ modes: two }).subarray(0, 300));
    check(robot(`¦${file}`), 'bad-modes', /cut off or damaged/);
    check(robot('¦nothing.npz'), 'missing-file', /nothing\.npz/);
  });
});

describe('bodies of modes', () => {
  it.each<[string, string, RegExp]>([
    [
      robot(good, { volume: 'volume: ¦{ box: { x: [0, 1], y: [0, 1], z: [0, 1] }, density: 1 }' }),
      'wrong-volume',
      /mesh: \{ file/,
    ],
    [robot(`{ file: ${good}, unit: ¦kg }`), 'wrong-unit', /unit: mm/],
    [
      robot(good, { more: 'position: [x, y, z]' }).replace('    modes', '    ¦modes'),
      'several-kinematics',
      /excludes `modes`/,
    ],
    [robot(good, { more: '¦chambers: { a: {} }' }), 'not-supported', /frames/],
    [robot(good, { distal: '{ at: ¦{ x: 0.05 m, y: 0.05 m, z: 0.05 m } }' }), 'wrong-value', /does not reach/],
    [robot(good, { distal: '{ at: ¦{ x: L/4 } }' }), 'wrong-variable', /`L`[\s\S]*numbers/],
  ])('%#', check);

  it('carry frames at points of the mesh, and only there', () => {
    expect(
      loadRobotText(robot(good, { distal: '{ at: { x: 0.02 m, y: 0.02 m, z: 0.02 m } }' }), 'good.yaml').links,
    ).toHaveLength(1);
  });
});

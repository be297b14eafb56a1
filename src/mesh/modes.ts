/**
 * Modes over the nodes of a mesh, as finite-element programs compute them: linear ones φ_a and those φ_ab of a quadratic
 * manifold, p = X + Σ φ_a q_a + Σ φ_ab q_a q_b. Checked, and by the nodes of the mesh.
 */
import { badModes, readNumpy, type NumericArray } from './npy.ts';
import type { TetrahedralMesh } from './mesh.ts';

/** Fields over a mesh, by coordinates that multiply them. */
export interface NodalMode {
  /** One coordinate, or two in rising order: the product that the field is multiplied by. */
  readonly coordinates: readonly number[];
  /** x, y and z at every node of the mesh. */
  readonly values: Float64Array;
}

export interface ModesRequest {
  /** Name of the file, for messages. */
  readonly file: string;
  readonly mesh: TetrahedralMesh;
  /** How many the body has. */
  readonly coordinates: number;
  /** Times every number of the file. */
  readonly scale: number;
}

/** What is left of a mode beside those before it, relative to its size, below which they count as dependent. */
const LEAST_INDEPENDENT = 1e-6;
/** Difference of φ_ab and φ_ba relative to the largest entry. */
const SYMMETRIC = 1e-9;
/** Arrays that have a meaning. */
const NAMES = ['modes', 'quadratic'];

/**
 * @returns linear modes in the order of the file, then those of the manifold that are not zero; φ_ab and φ_ba as one.
 * @throws KanegenError `bad-modes`.
 */
export function readModes(bytes: Uint8Array, request: ModesRequest): readonly NodalMode[] {
  const { file } = request;
  const arrays = readNumpy(bytes, file);
  const names = [...arrays.keys()].map((name) => `\`${name.replace(/[^\x20-\x7e]/g, '·').slice(0, 40)}\``).join(', ');
  const modes = arrays.get('modes');
  if (!modes)
    throw badModes(
      `${file} has no array \`modes\`${names === '' ? '' : `; it has ${names}`}`,
      'write it with numpy.savez(file, modes=…), of shape (modes, nodes, 3)',
    );
  const other = [...arrays.keys()].find((name) => !NAMES.includes(name));
  if (other !== undefined)
    throw badModes(`${file} has arrays that mean nothing here: ${names}`, 'keep `modes` and `quadratic`');
  const linear = linearModes(modes, request);
  requireIndependent(linear, file);
  const quadratic = arrays.get('quadratic');
  return quadratic ? [...linear, ...quadraticModes(quadratic, request)] : linear;
}

/** (n, N, 3), or (3 N, n): eigenvectors as columns. */
function linearModes(array: NumericArray, request: ModesRequest): readonly NodalMode[] {
  const { file, mesh, coordinates } = request;
  const { shape, values } = array;
  const areColumns = shape.length === 2;
  if (!areColumns && (shape.length !== 3 || shape[2] !== 3))
    throw badModes(
      `\`modes\` of ${file} has the shape (${shape.join(', ')})`,
      'write (modes, nodes, 3), or (3*nodes, modes) with x, y, z of every node one after the other',
    );
  const count = areColumns ? shape[1]! : shape[0]!;
  requireNodes(areColumns ? shape[0]! / 3 : shape[1]!, 'modes', request);
  if (count !== coordinates)
    throw badModes(
      `${file} has ${count} modes, and the body ${coordinates} coordinates`,
      count === 0
        ? 'write modes of shape (modes, nodes, 3) to the file'
        : `write \`coordinates: { q: { count: ${count} } }\`: one for every mode`,
    );
  requireFinite(array, 'modes', file);
  const entries = 3 * mesh.listed;
  return Array.from({ length: count }, (_, a) => ({
    coordinates: [a],
    values: ofNodes(request, (entry) => (areColumns ? values[entry * count + a]! : values[a * entries + entry]!)),
  }));
}

/** (n, n, N, 3), symmetric in the first two. */
function quadraticModes(array: NumericArray, request: ModesRequest): readonly NodalMode[] {
  const { file, mesh, coordinates: n } = request;
  const { shape, values } = array;
  if (shape.length !== 4 || shape[3] !== 3 || shape[0] !== n || shape[1] !== n)
    throw badModes(
      `\`quadratic\` of ${file} has the shape (${shape.join(', ')}), and there are ${n} modes`,
      `write (${n}, ${n}, nodes, 3)`,
    );
  requireNodes(shape[2]!, 'quadratic', request);
  requireFinite(array, 'quadratic', file);
  const entries = 3 * mesh.listed;
  const at = (a: number, b: number, entry: number): number => values[(a * n + b) * entries + entry]!;
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const modes: NodalMode[] = [];
  for (let a = 0; a < n; a++)
    for (let b = a; b < n; b++) {
      for (let entry = 0; entry < entries; entry++)
        if (Math.abs(at(a, b, entry) - at(b, a, entry)) > SYMMETRIC * largest)
          throw badModes(
            `\`quadratic\` of ${file} is not symmetric: entries [${a}, ${b}] and [${b}, ${a}] differ at node ${Math.floor(entry / 3)}`,
            'write the mean: (Q + Q.swapaxes(0, 1))/2',
          );
      const own = ofNodes(request, (entry) => (a === b ? at(a, a, entry) : at(a, b, entry) + at(b, a, entry)));
      if (own.some((value) => value !== 0)) modes.push({ coordinates: [a, b], values: own });
    }
  return modes;
}

/** In the order of the nodes of the mesh. @param value by place among 3 numbers of every node of the source. */
function ofNodes({ mesh: { places }, scale }: ModesRequest, value: (entry: number) => number): Float64Array {
  const values = new Float64Array(3 * places.length);
  places.forEach((place, node) => {
    for (let axis = 0; axis < 3; axis++) values[3 * node + axis] = scale * value(3 * place + axis);
  });
  return values;
}

function requireNodes(count: number, array: string, { file, mesh }: ModesRequest): void {
  if (count === mesh.listed) return;
  throw badModes(
    `\`${array}\` of ${file} is over ${Number(count.toFixed(2))} nodes, and ${mesh.source === 'inline' ? 'the mesh' : mesh.source} has ${mesh.listed}`,
    'write a row for every node of the mesh that the body has, in the order of its file, clamped nodes too',
  );
}

function requireFinite({ values }: NumericArray, array: string, file: string): void {
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw badModes(
      `entry ${wrong} of \`${array}\` of ${file} is ${values[wrong]}`,
      'look at the boundary conditions of the eigenproblem; every entry must be a finite number',
    );
}

/** Gram–Schmidt over the nodes: what a mode has beside those before it. */
function requireIndependent(modes: readonly NodalMode[], file: string): void {
  const basis: Float64Array[] = [];
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  modes.forEach(({ values }, k) => {
    const size = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (size === 0) throw badModes(`mode ${k + 1} of ${file} moves no node of the mesh`, 'remove it');
    const scaled = values.map((value) => value / size);
    const length = Math.sqrt(dot(scaled, scaled));
    const rest = scaled.map((value) => value / length);
    // Twice: once leaves rounding of the size of the dependence.
    for (let pass = 0; pass < 2; pass++)
      for (const own of basis) {
        const share = dot(own, rest);
        rest.forEach((value, i) => (rest[i] = value - share * own[i]!));
      }
    const left = Math.sqrt(dot(rest, rest));
    if (!(left > LEAST_INDEPENDENT))
      throw badModes(
        `mode ${k + 1} of ${file} is a combination of the modes before it`,
        'remove it: coordinates that move the same would have a singular mass matrix',
      );
    basis.push(rest.map((value) => value / left));
  });
}

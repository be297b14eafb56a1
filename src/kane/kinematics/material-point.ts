/**
 * Material points of bodies whose positions are formulas or learned maps, and of rigid bodies.
 */
import { symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { vector3, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType, NetworkKinematics } from '../../description/model/robot.ts';
import type { MaterialPoint, RodVolume } from '../../description/model/reference-volume.ts';
import type { MovingPoint, PointRequest } from '../body/moving-point.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import type { Loop, LoopStage } from '../loops/loop.ts';
import { mapNetwork, type NetworkCall } from '../loops/network-call.ts';
import { relabelled } from '../loops/relabel.ts';
import { cartesianSection, materialCoordinates } from './distal-frame.ts';
import { NetworkField } from './network-field.ts';
import { FormulaField } from './point-field.ts';

/** A point fixed in a rigid body, or in the proximal frame of any. */
export function rigidPoint(position: Vector3): MovingPoint {
  return { position, partials: [], velocity: zeroVector, bias: zeroVector, loops: [] };
}

/** @param position of the point as a formula of the coordinates, regular where the body is. */
export function formulaPoint(position: Vector3, symbols: CoordinateSymbols): MovingPoint {
  const terms = new FormulaField(position, symbols).at({ partials: true, acceleration: 'coasting' });
  const { partials, velocity, acceleration: bias } = terms;
  return { position, partials, velocity, bias, loops: [] };
}

/**
 * A point of a body under a learned map: loops of one row call the network.
 * @param offset that of the kinematics, regular where it is 0/0 as written.
 */
export function networkPoint(
  type: BodyType,
  kinematics: NetworkKinematics,
  offset: Vector3,
  symbols: CoordinateSymbols,
  request: PointRequest,
): MovingPoint {
  const { at, name } = request;
  const field = new NetworkField(kinematics, offset, symbols);
  const place = new Map<Expr, Expr>(
    type.volumes.flatMap(materialCoordinates).map((s): [Expr, Expr] => [s, at.get(s) ?? zero]),
  );
  const still = field.at({ partials: true });
  const moving = field.at({ velocity: true, acceleration: 'coasting' });
  const rows = [
    singleRow('place', 1, still.networks, [...still.position, ...still.partials.flat()], place),
    singleRow('drift', 2, moving.networks, [...moving.velocity, ...moving.acceleration], place),
  ];
  const loops = rows.map((row) => row.loop);
  const own = relabelled({ loops, values: rows.flatMap((row) => row.values) }, name, earliestStage(type, request));
  return pointOfEntries(own.values, symbols.q.length, own.loops);
}

/** A loop of one row that evaluates learned maps and hands over what is made of them, both at a place. */
function singleRow(
  name: string,
  stage: LoopStage,
  calls: readonly NetworkCall[],
  entries: readonly Expr[],
  place: ReadonlyMap<Expr, Expr>,
): { readonly loop: Loop; readonly values: readonly SymbolExpr[] } {
  const sums = substitute(entries, place).map((term, i) => ({ symbol: symbol(`point.${name}_${i + 1}`), term }));
  const networks = calls.map((call) => mapNetwork(call, (operands) => substitute(operands, place)));
  const table = { name: `${name}_row`, rows: 1, columns: [] };
  const loop: Loop = { name, stage, table, reversed: false, reads: [], networks, carried: [], sums, writes: [] };
  return { loop, values: sums.map((sum) => sum.symbol) };
}

/** Position, partial derivatives, velocity and bias from one list of their entries. */
function pointOfEntries(entries: readonly Expr[], coordinates: number, loops: readonly Loop[]): MovingPoint {
  const vectors = Array.from({ length: entries.length / 3 }, (_, i) => vector3(entries.slice(3 * i, 3 * i + 3)));
  const [position, ...rest] = vectors;
  const [velocity, bias] = rest.slice(coordinates);
  return { position: position!, partials: rest.slice(0, coordinates), velocity: velocity!, bias: bias!, loops };
}

/** When loops for a point can run: with the configuration, or not before the call that brings its coordinates. */
export function earliestStage(type: BodyType, { at, known: others }: PointRequest): LoopStage {
  const known = new Set<Expr>([...type.parameters.map((p) => p.symbol), ...(others ?? [])]);
  return freeSymbols([...at.values()]).every((s) => known.has(s)) ? 0 : 3;
}

/** Place in the plane of the section, in its Cartesian axes. */
export function sectionPoint(volumes: readonly RodVolume[], at: MaterialPoint): Vector3 {
  const volume = volumes.find(({ section }) => section.some((s) => at.has(s))) ?? volumes[0]!;
  const given = volume.section.map((s) => at.get(s) ?? zero) as [Expr, Expr];
  const [x, y] = substitute(cartesianSection(volume, given), new Map([[volume.axial, at.get(volume.axial) ?? zero]]));
  return [x!, y!, zero];
}

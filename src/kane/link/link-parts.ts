/** What the kernels of a link are made of, and the symbols of their input buffers. */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import { symbolsNamed, xyz } from '../equations/names.ts';
import type { FrameStep, MovingFrame } from '../equations/recursion.ts';
import type { LinkActuation } from '../body/actuation-terms.ts';
import { NO_ADJOINTS } from './adjoint.ts';
import type { BodyPart } from '../body/body-part.ts';
import { coupledPairs, type LinkForce } from '../body/force-terms.ts';
import type { InputBuffer, LinkCoordinate } from '../kernels/link-type.ts';
import type { MovingPoint } from '../body/moving-point.ts';
import { QUANTITY_RECORDS, type ReadQuantity } from '../kernels/quantities.ts';
import { NO_TANGENTS } from './tangent.ts';
import type { WaterOnBody } from '../body/water-on-rod.ts';

/** Everything about a link that its kernels are made of. */
export interface LinkParts {
  /** Offset, joint motions and mount: parent distal frame → proximal frame, identity steps left out. */
  readonly jointSteps: readonly FrameStep[];
  readonly body: BodyPart;
  /** A point of the body; of robots that are compiled with points. @param x see the buffer `material`. */
  readonly locate?: (x: readonly SymbolExpr[]) => MovingPoint;
  readonly coordinates: readonly LinkCoordinate[];
  /** Where the body depends on it. */
  readonly time?: SymbolExpr;
  /** Indices of the body's own coordinates among the link's. */
  readonly bodyCoordinates: readonly number[];
  /** Of the body and of the joint. */
  readonly forces: readonly LinkForce[];
  /** What actuators have within the link. */
  readonly actuations: readonly LinkActuation[];
  readonly drives: readonly Drive[];
  /** Around the body: water, fields. */
  readonly water?: WaterOnBody;
  /** Around any body of the robot: what it does is carried through this link. */
  readonly afloat?: Afloat;
  /** The robot has loops, whose rows go through coordinates of links. */
  readonly isLooped?: true;
}

interface Afloat {
  readonly forces: boolean;
  readonly addedMass: boolean;
  /** Is there water, and are there fields? */
  readonly wet: boolean;
  readonly placed: boolean;
  /** Compiled with derivatives, for which all that the water takes is known at once. */
  readonly differentiated: boolean;
}

/** What turns with a coordinate but not with the links: ½ inertia q̇² of kinetic energy. */
export interface Drive {
  /** Index among the link's. */
  readonly coordinate: number;
  readonly inertia: Expr;
}

/**
 * The symbols of every input buffer, but those of the factor, which the builder makes. Names say frame and quantity; they
 * become names in generated code.
 */
export function inputSymbols(
  {
    body,
    coordinates,
    time,
    bodyCoordinates,
    drives,
    actuations,
    forces,
    water,
  }: Omit<LinkParts, 'jointSteps' | 'body'> & {
    readonly body: Pick<BodyPart, 'bodyWrenchSize'>;
  },
  parameters: readonly SymbolExpr[],
): Record<InputBuffer, readonly SymbolExpr[]> {
  const wrench = [...xyz('force'), ...xyz('moment'), ...bodyCoordinates.map((_, i) => `pi_${i + 1}`)];
  for (let i = wrench.length; i < body.bodyWrenchSize; i++) wrench.push(`entry_${i + 1}`);
  return {
    parameters,
    q: coordinates.map((c) => c.symbol),
    time: time ? [time] : [],
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
    bodyWrench: symbolsNamed('wrench', [
      ...drives.map(({ coordinate }) => `drive_${coordinates[coordinate]!.name}`),
      ...wrench.slice(0, body.bodyWrenchSize),
    ]),
    waterWrench: water
      ? symbolsNamed('water', [...xyz('force'), ...xyz('moment'), ...bodyCoordinates.map((_, i) => `pi_${i + 1}`)])
      : [],
    material: symbolsNamed('material', ['x_1', 'x_2', 'x_3']),
    factor: [],
    addend: addendSymbols(coordinates, forces),
    load: symbolsNamed('load', coordinateLabels(coordinates)),
    quotients: symbolsNamed('quotient', coordinateLabels(coordinates)),
    inputs: symbolsNamed(
      'input',
      actuations.map((_, k) => `u_${k + 1}`),
    ),
    ...ofQuantities(),
    ...NO_TANGENTS,
    ...NO_ADJOINTS,
  };
}

const ofQuantities = (): Record<ReadQuantity, readonly SymbolExpr[]> =>
  Object.fromEntries(
    QUANTITY_RECORDS.map(({ read, scope, entries }) => [read, symbolsNamed(scope, entries)]),
  ) as Record<ReadQuantity, readonly SymbolExpr[]>;

/** Names of the coordinates of a link, which a joint and a body may share, made different. */
export function coordinateLabels(coordinates: readonly LinkCoordinate[]): readonly string[] {
  const names = coordinates.map((c) => c.name);
  return names.map((name, i) => (names.filter((other) => other === name).length > 1 ? `${name}_${i + 1}` : name));
}

/** An addend for every entry of a link's block, where forces may need one. */
function addendSymbols(coordinates: readonly LinkCoordinate[], forces: readonly LinkForce[]): readonly SymbolExpr[] {
  if (coupledPairs(forces, coordinates.length).length === 0) return [];
  const labels = coordinateLabels(coordinates);
  return symbolsNamed(
    'addend',
    labels.flatMap((row) => labels.map((column) => `${row}_and_${column}`)),
  );
}

export const vectorAt = (symbols: readonly Expr[], from: number): Vector3 => vector3(symbols.slice(from, from + 3));

/** ω, v, α and a, as buffers hold them. */
export function motionEntries(own: MovingFrame): readonly Expr[] {
  return [...own.angularVelocity, ...own.velocity, ...own.angularAcceleration, ...own.acceleration];
}

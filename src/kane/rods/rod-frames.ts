/**
 * The frames of the sections of a rod, row by row, in the axes that the rod starts in and about its start: rotations by
 * Magnus steps from row to row, positions and Jacobians by integrals along the rod. What other loops of the rod are over.
 */
import { mapTuple } from '../../common/tuples.ts';
import { one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  mapVector,
  multiplyVector,
  type Frame,
  type Matrix3,
  type Vector3,
  matrix3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { MATRIX_ENTRIES, xyz } from '../equations/names.ts';
import type { CoordinateSymbols, FrameStep, MassMoments } from '../equations/recursion.ts';
import { DeformingLump } from '../rod-points/deforming-lump.ts';
import { RodLump } from '../rod-points/rod-lump.ts';
import { panelEnds, placesKnown, type RodPoints } from '../rod-points/rod-points.ts';
import {
  multiplyQuaternions,
  quaternionOf,
  rotationMatrix,
  rotationVector,
  type MagnusOrder,
  quaternionFrom,
  type Quaternion,
} from '../rod-points/rod-rotation.ts';
import { RodLoops, type KeptValues } from '../rod-points/rod-rows.ts';
import type { SectionModes } from '../rod-points/section-modes.ts';
import { rodVolumes, sectionMoments } from './rod-section.ts';
import { SampledStrain } from './rod-strain.ts';
import { sectionMatrices } from './section-stiffness.ts';
import type { RowStrain } from '../sections/row-strain.ts';
import { SolvedForces } from '../sections/solved-forces.ts';
import { SolvedStrain } from '../sections/solved-strain.ts';

/** Motion of a section per unit rate of every coordinate: ∂/∂q_a of its rotation and of the position of its origin. */
export type SectionColumns = Pick<FrameStep, 'angular' | 'linear'>;

const QUATERNION = ['w', 'x', 'y', 'z'];

/** The frame of the current row. */
export interface RowFrame {
  readonly rotation: Matrix3;
  /** R ν times the length of the row: how far the rod goes there. */
  readonly tangent: Vector3;
}

export class RodFrames {
  readonly loops: RodLoops;
  readonly places: RodPoints;
  /** Stage in which places along the rod are. */
  readonly known: 0 | 1;
  readonly strain: RowStrain;
  /** Of a rod whose sections are in balance. */
  readonly solved: SolvedForces | undefined;
  readonly row: RowFrame;
  /** The distal frame as the proximal one sees it. */
  readonly end: Frame;
  /** Names of the body's coordinates. */
  readonly coordinates: readonly string[];
  private readonly makeLump: () => RodLump;
  private knownLump: RodLump | undefined;
  private knownPositions: Vector3 | undefined;
  private knownColumns: { readonly row: SectionColumns; readonly end: SectionColumns } | undefined;

  /** @param modes of sections that deform, where the masses of sections are asked for. */
  constructor(
    type: BodyType,
    strain: StrainKinematics,
    symbols: CoordinateSymbols,
    points: RodPoints,
    order: MagnusOrder,
    modes?: SectionModes,
  ) {
    this.loops = new RodLoops(points.table);
    this.places = points;
    this.coordinates = type.coordinates.map((c) => c.name);
    this.known = placesKnown(type);
    const constants = this.loops.keeper('rod', this.known);
    const [{ axial }] = rodVolumes(type);
    const balanced = this.balanced(type, strain, symbols, constants, order);
    this.solved = balanced?.forces;
    const steps = this.loops.keeper('step', 1);
    const source = {
      strain,
      axial,
      symbols,
      names: this.coordinates,
      ...(points.retreat && { retreat: points.retreat }),
    };
    this.strain = balanced?.strain ?? new SampledStrain(source, points, order, { constants, steps });
    const [before, after] = this.strain.alpha.map((alpha, half) => halfTurn(alpha, half + 1, steps)) as [
      Quaternion,
      Quaternion,
    ];
    const { atRow, end } = this.turn(before, after);
    const rotation = rotationMatrix(atRow);
    const tangent = multiplyVector(rotation, this.strain.value.linear);
    const record = this.loops.record(
      'frame',
      [...rotation, ...tangent],
      [...MATRIX_ENTRIES.map((e) => `R_${e}`), ...xyz('t')],
    );
    const { sums } = this.loops.add({
      name: 'frame',
      stage: 1,
      sums: tangent.map((term, i) => ({ label: xyz('end')[i]!, term })),
      writes: [record.write],
    });
    const { seen } = record;
    this.row = { rotation: matrix3(seen.slice(0, 9)), tangent: vector3(seen.slice(9)) };
    this.end = { rotation: rotationMatrix(end), translation: vector3(sums) };
    const place = {
      axial,
      section: constants.keep('section', points.section),
      weight: constants.keep('length', points.weight),
    };
    this.makeLump = () =>
      modes
        ? new DeformingLump(modes, { ...place, names: this.coordinates, constants, steps }, symbols, this.row.rotation)
        : new RodLump(sectionAt(type, place, constants), this.row.rotation);
  }

  /** Strain and forces of a rod whose sections are in balance. */
  private balanced(
    type: BodyType,
    { equilibrium, rest }: StrainKinematics,
    symbols: CoordinateSymbols,
    constants: KeptValues,
    order: MagnusOrder,
  ): { readonly strain: SolvedStrain; readonly forces: SolvedForces } | undefined {
    if (!equilibrium) return undefined;
    const { loops, places, coordinates } = this;
    const [{ axial }] = rodVolumes(type);
    const { stiffness, damping } = sectionMatrices(type, type.materials ?? []);
    const rod = { equilibrium, axial, rest, stiffness, steps: equilibrium.newton! };
    const rows = { section: places.section, weight: places.weight, turns: places.turns };
    const strain = new SolvedStrain(rod, symbols, coordinates, rows, order, loops, constants);
    const at = new Map([[axial, constants.keep('section', places.section)]]);
    const viscous = damping && substitute(damping, at).map((e, k) => constants.keep(`damping_${k}`, e));
    const along = {
      axial,
      section: constants.keep('section', places.section),
      ends: panelEnds(type, rodVolumes(type)[0]),
      keep: (label: string, e: Expr): Expr => constants.keep(label, e),
    };
    return { strain, forces: new SolvedForces(strain, loops, symbols, along, viscous) };
  }

  /** Rotations along the rod: at the section of the current row, and at the end. */
  private turn(before: Quaternion, after: Quaternion): { readonly atRow: Quaternion; readonly end: Quaternion } {
    const name = 'turn';
    const values = this.loops.march(name, QUATERNION, [one, zero, zero, zero]);
    const symbols = quaternionFrom(values.symbols);
    const rows = (at: Quaternion): readonly [Quaternion, Quaternion] => {
      const section = multiplyQuaternions(at, before);
      return [section, multiplyQuaternions(section, after)];
    };
    // In a plane, entries stay zero from one row to the next.
    const zeros = staysZero(symbols, [one, zero, zero, zero], (at) => rows(at)[1]);
    const known = (entries: Quaternion): Quaternion => mapTuple(entries, (e, i) => (zeros[i] ? zero : e));
    const [section, next] = rows(known(symbols));
    const record = this.loops.record('quaternion', section, QUATERNION);
    const kept = { labels: QUATERNION, symbols: values.symbols, initial: values.initial };
    const { final } = this.loops.add({ name, stage: 1, carried: { values: kept, next }, writes: [record.write] });
    return { atRow: quaternionFrom(record.seen), end: known(quaternionFrom(final)) };
  }

  // ---------------------------------------------------------------------------------------------- along the rod

  /** R v for a vector in section axes. */
  turned(v: Vector3): Vector3 {
    return multiplyVector(this.row.rotation, v);
  }

  /** Of the section of the current row. */
  get lump(): RodLump {
    this.knownLump ??= this.makeLump();
    return this.knownLump;
  }

  /** Position of the section of the current row. */
  get position(): Vector3 {
    this.knownPositions ??= vector3(
      this.loops.integrate({
        name: 'position',
        stage: 1,
        direction: 'from start',
        labels: xyz('r'),
        values: this.row.tangent,
      }).atRow,
    );
    return this.knownPositions;
  }

  /** Of the section of the current row, and of the end of the rod. */
  get columns(): { readonly row: SectionColumns; readonly end: SectionColumns } {
    if (this.knownColumns) return this.knownColumns;
    const { loops, strain, coordinates, row } = this;
    const partial = coordinates.map((_, a) => strain.partial[a]!);
    const integrate = (name: string, label: string, values: readonly Vector3[]): [Vector3[], Vector3[]] => {
      const labels = coordinates.flatMap((c) => xyz(`${label}_${c}`));
      const made = loops.integrate({ name, stage: 1, direction: 'from start', labels, values: values.flat() });
      return [made.atRow, made.whole].map((list) => coordinates.map((_, a) => vectorOf(list, 3 * a))) as [
        Vector3[],
        Vector3[],
      ];
    };
    const [angular, angularEnd] = integrate(
      'angular',
      'w',
      partial.map((p) => this.turned(p.angular)),
    );
    const [linear, linearEnd] = integrate(
      'linear',
      'v',
      partial.map((p, a) => addVectors(cross(angular[a]!, row.tangent), this.turned(p.linear))),
    );
    this.knownColumns = { row: { angular, linear }, end: { angular: angularEnd, linear: linearEnd } };
    return this.knownColumns;
  }

  /** Proximal → distal with the projectors of the body's coordinates. */
  get wholeStep(): FrameStep {
    const { angular, linear } = this.columns.end;
    return { frame: this.end, coordinates: this.coordinates.map((_, a) => a), angular, linear };
  }
}

export function vectorOf(entries: readonly Expr[], from = 0): Vector3 {
  return vector3(entries.slice(from, from + 3));
}

/** The rotation over half a row by name. */
function halfTurn(alpha: readonly Vector3[], half: number, steps: KeptValues): Quaternion {
  const keep = (label: string, v: Vector3): Vector3 => {
    const axes = xyz(`${label}_${half}`).values();
    return mapVector(v, (e) => steps.keep(axes.next().value!, e));
  };
  const omega = keep('omega', rotationVector(alpha, keep));
  return mapTuple(quaternionOf(omega), (e, i) => steps.keep(`half_${half}_${QUATERNION[i]!}`, e));
}

/** Which carried values, zero before the first row, stay zero. */
function staysZero(
  symbols: Quaternion,
  initial: readonly Expr[],
  next: (values: Quaternion) => readonly Expr[],
): readonly boolean[] {
  let zeros = initial.map((e) => e === zero);
  for (;;) {
    const after = next(mapTuple(symbols, (e, i) => (zeros[i] ? zero : e)));
    const still = zeros.map((isZero, i) => isZero && after[i] === zero);
    if (still.every((isZero, i) => isZero === zeros[i])) return zeros;
    zeros = still;
  }
}

/** Mass and moments of the section that a row stands for, in its own axes. */
function sectionAt(
  type: BodyType,
  { axial, section, weight }: Readonly<Record<'axial' | 'section' | 'weight', Expr>>,
  constants: KeptValues,
): MassMoments {
  const { mass, first, inertia } = sectionMoments(type);
  const [xx, yy, , xy] = inertia;
  const at = new Map([[axial, section]]);
  const labels = ['mass', 'first_x', 'first_y', 'inertia_xx', 'inertia_yy', 'inertia_xy'];
  const [m, cx, cy, Ixx, Iyy, Ixy] = substitute([mass, first[0], first[1], xx, yy, xy], at).map((e, i) =>
    constants.keep(labels[i]!, times(weight, e)),
  ) as [Expr, Expr, Expr, Expr, Expr, Expr];
  return { mass: m, first: [cx, cy, first[2]], inertia: [Ixx, Iyy, plus(Ixx, Iyy), Ixy, inertia[4], inertia[5]] };
}

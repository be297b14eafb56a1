/**
 * Where material points of a deformable body are at a state, for pictures: its formulas in regular form, made ready once for all links
 * of a type and evaluated for many points at a time in double precision; along rods given by their strain by steps.
 */
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { cartesianSection } from '../../kane/kinematics/distal-frame.ts';
import { pointKinematics, regularStrain, regularVector } from '../../kane/kinematics/point-kinematics.ts';
import { evaluateRows, RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { minus, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { frameEntries } from '../../symbolic/graph/vector.ts';
import type { MaterialPoints } from '../../verify/written/material-points.ts';
import { sectionSolution } from '../../verify/written/section-solution.ts';
import { marchRod, rodSteps, type RodSteps } from './rod-march.ts';
import type { Pose } from '../../common/poses.ts';

type Scalars = ReadonlyMap<Expr, number>;
/** Material points of one volume. */
export interface Sample {
  readonly volume: Volume;
  readonly points: MaterialPoints;
  /** Where the columns are none of the material coordinates: these over the columns and the coordinates of the body. */
  readonly material?: ReadonlyMap<SymbolExpr, Expr>;
}

interface Places {
  /** By sample x, y, z of every point, proximal axes, m. */
  readonly points: readonly Float64Array[];
  /** Proximal → distal. */
  readonly distal: Pose;
}

/** Points of the body of one link. */
export interface BodyPlaces {
  /** @param scalars parameters of the body, its coordinates and the time. */
  at(scalars: Scalars): Places;
  /** Points of a sample where nothing is strained. @param scalars parameters of the body, and any coordinates. */
  reference(sample: number, scalars: Scalars): Float64Array;
}

/** What one type of body has for all of its links. */
export class BodyFormulas {
  private readonly type: BodyType;
  private readonly programs = new Map<readonly Expr[], Map<string, RowProgram>>();
  private position: readonly Expr[] | undefined;
  private distal: readonly Expr[] | undefined;
  private strain: readonly Expr[] | undefined;
  private readonly sections = new Map<Volume, readonly Expr[]>();

  constructor(type: BodyType) {
    this.type = type;
  }

  /** @param parameters of the body, at which its formulas make sense. */
  places(samples: readonly Sample[], parameters: Scalars): BodyPlaces {
    const { kinematics } = this.type;
    return kinematics.kind === 'strain' ? this.alongRod(kinematics, samples) : this.byPosition(samples, parameters);
  }

  private byPosition(samples: readonly Sample[], parameters: Scalars): BodyPlaces {
    if (!this.position || !this.distal) {
      const { position, distal } = pointKinematics(this.type, parameters);
      this.position = position;
      this.distal = frameEntries(distal.frame);
    }
    const [position, distal] = [this.position, this.distal];
    const own = samples.map(({ points, material }) => ({
      points,
      columns: doublesOf(points),
      place: material ? substitute(position, material) : position,
    }));
    return {
      at: (scalars) => ({
        points: own.map(({ points: { rows }, columns, place }) => {
          const out = new Float64Array(3 * rows);
          this.program(place, [...columns.keys()]).run(columns, scalars, rows, (first, count, registers) => {
            registers.forEach((register, axis) => {
              for (let i = 0; i < count; i++) out[3 * (first + i) + axis] = register[i]!;
            });
          });
          return out;
        }),
        distal: this.numbers(distal, scalars),
      }),
      reference: (sample, scalars) => this.undeformed(samples[sample]!, scalars),
    };
  }

  /** Cartesian material coordinates. */
  private undeformed({ volume, points }: Sample, scalars: Scalars): Float64Array {
    const axes = volume.kind === 'rod' ? [...cartesianSection(volume, volume.section), volume.axial] : volume.axes;
    const columns = doublesOf(points);
    const out = new Float64Array(3 * points.rows);
    evaluateRows(axes, columns, scalars, points.rows).forEach((own, axis) =>
      own.forEach((x, i) => (out[3 * i + axis] = x)),
    );
    return out;
  }

  private alongRod(kinematics: StrainKinematics, samples: readonly Sample[]): BodyPlaces {
    const { strain, type } = this;
    const { angular, linear } = regularStrain(type, kinematics);
    const formulas = strain ?? [...angular, ...linear];
    this.strain = formulas;
    const axialOf = ({ points }: Sample): NonNullable<MaterialPoints['axial']> => points.axial!;
    const breaks = [...new Set(samples.flatMap((sample) => axialOf(sample).breaks))].sort((a, b) => a - b);
    const through = (places: readonly number[]): RodSteps =>
      rodSteps(
        samples.map((sample) => [...axialOf(sample).nodes.high]),
        places,
      );
    const fixed = through(breaks);
    const { slides } = kinematics;
    const { start } = type.volumes[0] as RodVolume;
    const border = slides && [slides.border, minus(start, slides.border)];
    /** Poses, with the steps that they are at the ends of: a rod that slides begins behind its base. */
    const marched = (scalars: Scalars): { readonly steps: RodSteps; readonly poses: Float64Array } => {
      const [at, begin] = border ? this.numbers(border, scalars) : [];
      const isWithin = at !== undefined && at > breaks[0]! && at < breaks.at(-1)!;
      const steps = isWithin ? through([...new Set([...breaks, at])].sort((a, b) => a - b)) : fixed;
      const poses = marchRod(steps, this.strainAt(formulas, steps, scalars));
      if (begin !== undefined) for (let k = 11; k < poses.length; k += 12) poses[k]! += begin;
      return { steps, poses };
    };
    const own = samples.map((sample) => ({
      ...sample,
      columns: doublesOf(sample.points),
      rowsPerNode: axialOf(sample).rowsPerNode,
    }));
    const placed = (
      k: number,
      section: readonly Expr[],
      { steps, poses }: ReturnType<typeof marched>,
      scalars: Scalars,
    ): Float64Array => {
      const { columns, points, rowsPerNode } = own[k]!;
      const ends = steps.indices[k]!;
      const out = new Float64Array(3 * points.rows);
      this.program(section, [...columns.keys()]).run(columns, scalars, points.rows, (first, count, [x, y]) => {
        for (let i = 0; i < count; i++) {
          const row = first + i;
          const pose = poses.subarray(12 * ends[Math.floor(row / rowsPerNode)]!);
          for (let axis = 0; axis < 3; axis++)
            out[3 * row + axis] = pose[9 + axis]! + pose[3 * axis]! * x![i]! + pose[3 * axis + 1]! * y![i]!;
        }
      });
      return out;
    };
    const sections = own.map(({ volume, material }) => {
      const section = this.sectionOf(kinematics, volume as RodVolume);
      return material ? substitute(section, material) : section;
    });
    return {
      at: (scalars) => {
        const along = marched(scalars);
        const { poses } = along;
        const points = sections.map((section, k) => placed(k, section, along, scalars));
        return { points, distal: poses.subarray(poses.length - 12) };
      },
      reference: (sample, scalars) => {
        const { rest } = kinematics;
        const poses = marchRod(fixed, this.strainAt([...rest.angular, ...rest.linear], fixed, scalars));
        const volume = own[sample]!.volume as RodVolume;
        return placed(sample, cartesianSection(volume, volume.section), { steps: fixed, poses }, scalars);
      },
    };
  }

  private strainAt(formulas: readonly Expr[], { stages }: RodSteps, scalars: Scalars): readonly Float64Array[] {
    const { axial } = this.type.volumes[0] as RodVolume;
    const solution = sectionSolution(this.type);
    const columns = new Map<Expr, Float64Array>([[axial, stages]]);
    if (solution?.isMentioned(formulas))
      solution.inDoubles(scalars, stages).forEach((own, i) => columns.set(solution.unknowns[i]!, own));
    const values = formulas.map(() => new Float64Array(stages.length));
    this.program(formulas, [...columns.keys()]).run(columns, scalars, stages.length, (first, count, registers) => {
      registers.forEach((register, i) => values[i]!.set(register.subarray(0, count), first));
    });
    return values;
  }

  /** Where points of a section go, in its own axes. */
  private sectionOf({ sectionPosition }: StrainKinematics, volume: RodVolume): readonly Expr[] {
    const known = this.sections.get(volume);
    if (known) return known;
    const made = sectionPosition
      ? regularVector(this.type, [...sectionPosition, zero]).slice(0, 2)
      : cartesianSection(volume, volume.section);
    this.sections.set(volume, made);
    return made;
  }

  private program(formulas: readonly Expr[], columns: readonly Expr[]): RowProgram {
    const own = this.programs.get(formulas) ?? new Map<string, RowProgram>();
    this.programs.set(formulas, own);
    const key = columns.map(({ id }) => id).join(' ');
    const program = own.get(key) ?? new RowProgram(formulas, columns);
    own.set(key, program);
    return program;
  }

  private numbers(formulas: readonly Expr[], scalars: Scalars): number[] {
    const values: number[] = [];
    this.program(formulas, []).run(new Map(), scalars, 1, (_, __, registers) =>
      registers.forEach((register) => values.push(register[0]!)),
    );
    return values;
  }
}

const doublesOf = ({ columns }: MaterialPoints): ReadonlyMap<Expr, Float64Array> =>
  new Map([...columns].map(([symbol, { high }]) => [symbol, high]));

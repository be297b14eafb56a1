/**
 * Where the map of a body keeps the orientation of the material, det ∂f/∂x > 0: at the default configuration it must, and
 * configurations at which the compiler makes numerical decisions stay where it does.
 */
import { KanegenError } from '../symbolic/error.ts';
import { evaluate } from '../symbolic/evaluate.ts';
import { RowProgram } from '../symbolic/evaluate-rows.ts';
import { differentiateAll } from '../symbolic/differentiate.ts';
import { cos, power, sin, type Expr } from '../symbolic/expr.ts';
import { cross, dot, type Vector3 } from '../symbolic/vector.ts';
import type { BodyType, Volume } from '../description/robot.ts';
import { materialCoordinates } from './distal-frame.ts';
import { boundRule, choosePointRules } from './point-rules.ts';
import { sampleConfigurations, type ParameterValues } from './sample-configurations.ts';
import { atUndefinedPart, irregular } from './smooth-kinematics.ts';

/** A high power of a function asks for points that look at it closely, of a coordinate for points near its ends. */
const CLOSELY = 12;
/** A configuration is kept if going on by this factor does not fold the body either. */
const MARGIN = 1.3;
const SHRINK = 0.7;
const MOST_SHRINKS = 12;
/** Of the smallest determinant at the default configuration. */
const LEAST_SHARE = 0.1;

interface Extreme {
  /** Smallest determinant; −∞ where one is not finite. */
  readonly determinant: number;
  /** Values of the material coordinates there. */
  readonly place: readonly number[];
}

/** Functions over a volume whose integrals are right only with points close to all of its ends. */
function closeLooks(volume: Volume): Expr[] {
  const axes = materialCoordinates(volume);
  if (volume.kind !== 'rod' || volume.coordinates !== 'polar') return axes.map((s) => power(s, CLOSELY));
  // All around a section, functions of the angle are periodic.
  const [radius, angle] = volume.section;
  return [volume.axial, radius, cos(angle), sin(angle)].map((e) => power(e, CLOSELY));
}

export class Orientation {
  private readonly type: BodyType;
  private readonly parameters: ParameterValues;
  private readonly volumes: readonly {
    readonly volume: Volume;
    readonly program: RowProgram;
    readonly columns: ReadonlyMap<Expr, Float64Array>;
    readonly rows: number;
  }[];

  constructor(type: BodyType, position: Vector3, parameters: ParameterValues) {
    this.type = type;
    this.parameters = parameters;
    const start = this.scalars(this.defaults);
    const integration = { ...type.integration, compress: false, tolerance: 1e-3 };
    this.volumes = type.volumes.map((volume) => {
      const axes = materialCoordinates(volume);
      const [a, b, c] = axes.map((s) => differentiateAll(position, s)) as unknown as [Vector3, Vector3, Vector3];
      const watched = closeLooks(volume);
      const [chosen] = choosePointRules({ ...type, volumes: [volume], integration }, watched, [start]);
      const { rule } = chosen!;
      const { columns } = boundRule(rule, start);
      return { volume, program: new RowProgram([dot(cross(a, b), c)], [...columns.keys()]), columns, rows: rule.rows };
    });
  }

  private get defaults(): number[] {
    return evaluate(this.type.coordinates.map((c) => c.value));
  }

  private scalars(configuration: readonly number[]): Map<Expr, number> {
    const scalars = new Map<Expr, number>(this.parameters);
    this.type.coordinates.forEach((c, i) => scalars.set(c.symbol, configuration[i]!));
    if (this.type.time) scalars.set(this.type.time, 0);
    return scalars;
  }

  private least(configuration: readonly number[]): Extreme & { readonly volume: Volume } {
    const scalars = this.scalars(configuration);
    let found = { determinant: Infinity, place: [] as number[], volume: this.volumes[0]!.volume };
    for (const { volume, program, columns, rows } of this.volumes)
      program.run(columns, scalars, rows, (first, count, [values]) => {
        for (let k = 0; k < count; k++) {
          const determinant = Number.isFinite(values![k]!) ? values![k]! : -Infinity;
          if (determinant >= found.determinant) continue;
          const place = materialCoordinates(volume).map((s) => columns.get(s)![first + k]!);
          found = { determinant, place, volume };
        }
      });
    return found;
  }

  /** @throws KanegenError `folded-body`, `irregular-kinematics` at the kinematics. */
  requireUnfolded(): void {
    const { determinant, place, volume } = this.least(this.defaults);
    if (determinant > 0) return;
    const at = materialCoordinates(volume)
      .map((s, i) => `${s.name.replace(/^.*\./, '')} = ${Number(place[i]!.toPrecision(4))}`)
      .join(', ');
    const { kinematics } = this.type.locations;
    if (determinant === -Infinity)
      throw atUndefinedPart(irregular(`the kinematics at ${at}`), this.type, this.parameters);
    throw new KanegenError(
      'folded-body',
      `the body is folded at its default configuration: det ∂f/∂x = ${Number(determinant.toPrecision(3))} at ${at}`,
      {
        remedy:
          'material must keep its orientation: check the formula and the default coordinates there, and that the section coordinates and the axial one are right-handed in this order',
      },
    ).at(kinematics);
  }

  /** Sample configurations, drawn towards the default one where they fold the body or leave the domain of its formulas. */
  configurations(count: number): number[][] {
    const { defaults } = this;
    const enough = LEAST_SHARE * this.least(defaults).determinant;
    if (!(enough > 0)) return sampleConfigurations(this.type, this.parameters, count);
    const scaled = (q: readonly number[], factor: number): number[] =>
      q.map((value, i) => defaults[i]! + factor * (value - defaults[i]!));
    return sampleConfigurations(this.type, this.parameters, count).map((q) => {
      for (let factor = 1, shrinks = 0; shrinks < MOST_SHRINKS; shrinks++, factor *= SHRINK)
        if (this.least(scaled(q, MARGIN * factor)).determinant > enough) return scaled(q, factor);
      return defaults;
    });
  }
}

/**
 * Volumes of chambers as terms of actuation coordinates.
 *   Regions: V = ∫ det(∂p/∂X) dX.
 *   Walls: V = ⅓ ∮ p · (p_φ × p_s) dφ ds, and the rims closed by cones of straight lines to their mean points m: by the
 *   same theorem a cone adds ±m · A/6 with A = ∮ p × p_φ dφ.
 * Rods given by their strain need no pose (volume-ratio.ts); what a wall encloses there is the region within it.
 */
import { KanegenError } from '../../common/error.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { divide, fraction, integer, one, pi, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute, substituteOne } from '../../symbolic/graph/traverse.ts';
import { cross, dot, scaleVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import type { Chamber, ChamberRegion, ChamberWall } from '../../description/model/chamber.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { CoordinateSymbols, MovingValue } from '../equations/rates.ts';
import { regularPosition } from '../kinematics/point-kinematics.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';
import type { ActuationTerm } from '../body/actuation-terms.ts';
import { addMoving, multiplyMoving, MovingIntegrals, type Integrand } from './moving-integrals.ts';
import { movingStates } from './point-rules.ts';
import { statesOf } from './point-ways.ts';
import { volumeRatio } from './volume-ratio.ts';

/** States at which rules are chosen, of all links together. */
const STATES = 18;
/** Changes of the volume over the ranges of the coordinates that are none: relative to it, in tolerances of its integrals. */
const NOTHING = 10;

/**
 * @param chamber of the type.
 * @param symbols the body's own coordinates, their rates and accelerations.
 * @param parameters of all links of the type.
 * @returns V in m³; where no coordinate changes it on any link, its derivatives are zero.
 * @throws KanegenError at the chamber: `wrong-size` where it has no volume at the default coordinates, `tolerance-not-met`.
 */
export function chamberVolume(
  type: BodyType,
  chamber: Chamber,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): ActuationTerm {
  try {
    return new ChamberVolume(type, chamber, symbols, parameters).term();
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(chamber.location);
    throw error;
  }
}

class ChamberVolume {
  private readonly type: BodyType;
  private readonly chamber: Chamber;
  private readonly symbols: CoordinateSymbols;
  private readonly parameters: readonly [ParameterValues, ...ParameterValues[]];
  private readonly integrals: MovingIntegrals;
  private states: readonly StateSample[] | undefined;

  constructor(
    type: BodyType,
    chamber: Chamber,
    symbols: CoordinateSymbols,
    parameters: readonly [ParameterValues, ...ParameterValues[]],
  ) {
    this.type = type;
    this.chamber = chamber;
    this.symbols = symbols;
    this.parameters = parameters;
    const context = { type, symbols, samples: () => this.samples(), location: chamber.location };
    this.integrals = new MovingIntegrals(context, `chamber_${type.chambers!.indexOf(chamber) + 1}`);
  }

  term(): ActuationTerm {
    const { integrals, chamber } = this;
    const found = this.volume();
    const volume = this.isMoved(found) ? found : this.still(found);
    const all = [volume.value, ...volume.gradient, volume.rate, volume.bias];
    return { ...volume, name: `chamber ${chamber.name}`, method: integrals.method, loops: integrals.loops(all) };
  }

  private volume(): MovingValue {
    const { shape } = this.chamber;
    if (shape.kind === 'wall') return this.withinWall(shape);
    const ratio = volumeRatio(this.type);
    if (shape.kind === 'mesh') {
      const integrand = { label: 'volume', written: ratio.written, regular: ratio.regular };
      return this.integrals.over({ mesh: shape.mesh }, [integrand])[0]!;
    }
    return this.region(shape);
  }

  private region({ axes, ranges, turn, material, measure, breaks }: ChamberRegion): MovingValue {
    const ratio = volumeRatio(this.type);
    const placed = (e: Expr): Expr => times(measure, substituteOne(e, material));
    const integrand = { label: 'volume', written: placed(ratio.written), regular: () => placed(ratio.regular()) };
    return this.integrals.over({ axes, ranges, breaks, ...(turn && { turn }) }, [integrand])[0]!;
  }

  // -------------------------------------------------------------------------------------------- walls

  private withinWall(wall: ChamberWall): MovingValue {
    const { type, integrals } = this;
    if (wall.within && (type.kinematics.kind === 'strain' || type.kinematics.kind === 'pose'))
      return this.region(wall.within);
    const { axial, angle, range, breaks } = wall;
    const point = vector3(substitute(regularPosition(type), wall.material));
    const along = (v: Vector3, axis: Expr): Vector3 => vector3(differentiateAll(v, axis));
    const around: readonly [Expr, Expr] = [zero, times(integer(2), pi)];
    const flux = divide(dot(point, cross(along(point, angle), along(point, axial))), integer(3));
    const [side] = integrals.over({ axes: [axial, angle], ranges: [range, around], breaks, turn: angle }, [
      same('side', flux),
    ]);
    const cones = range.map((end, i) => {
      const rim = vector3(substitute(point, new Map([[axial, end]])));
      const mean = scaleVector(divide(one, around[1]), rim);
      const area = cross(rim, along(rim, angle));
      const domain = { axes: [angle], ranges: [around], breaks, turn: angle };
      const values = integrals.over(
        domain,
        [...mean, ...area].map((e, k) => same(`rim_${i + 1}_${k + 1}`, e)),
      );
      const sign = i === 0 ? -1 : 1;
      return [0, 1, 2].map((k) => [fraction(sign, 6), multiplyMoving(values[k]!, values[k + 3]!)] as const);
    });
    return addMoving([one, side!], ...cones.flat());
  }

  // -------------------------------------------------------------------------------------------- checks

  /**
   * Does any coordinate change the volume of any link, by more than the error of its integrals?
   * @throws KanegenError `wrong-size`.
   */
  private isMoved({ value, gradient }: MovingValue): boolean {
    const { type, chamber, integrals } = this;
    const nothing = NOTHING * type.integration.tolerance;
    const motions = this.parameters.map((parameters) => {
      const ranges = coordinateRanges(type, parameters);
      const [rest, ...others] = sampleConfigurations(ranges, 4).map((q) => this.stateAt(parameters, q));
      const [volume] = integrals.evaluate([value], rest!);
      if (!(volume! > 0))
        throw new KanegenError(
          'wrong-size',
          `the volume of the chamber \`${chamber.name}\` is ${volume!.toPrecision(3)} m^3 at the default coordinates`,
          { remedy: 'pressure acts in chambers of positive volume: check the ranges, and the orientation of the wall' },
        );
      const changes = [rest!, ...others].flatMap((state) =>
        integrals.evaluate(gradient, state).map((slope, a) => Math.abs(slope * (ranges[a]!.high - ranges[a]!.low))),
      );
      return Math.max(0, ...changes) > nothing * volume!;
    });
    return motions.includes(true);
  }

  /** What no coordinate changes; the time may. */
  private still({ value, gradient, rate, bias }: MovingValue): MovingValue {
    const none = gradient.map(() => zero);
    return this.symbols.time
      ? { value, gradient: none, rate, bias }
      : { value, gradient: none, rate: zero, bias: zero };
  }

  private stateAt(parameters: ParameterValues, q: readonly number[]): StateSample {
    const state = new Map<Expr, number>(parameters);
    this.symbols.q.forEach((s, a) => state.set(s, q[a]!));
    if (this.symbols.time) state.set(this.symbols.time, 0);
    return state;
  }

  private samples(): readonly StateSample[] {
    const { type, symbols, parameters } = this;
    this.states ??=
      type.kinematics.kind === 'strain'
        ? this.statesOfStrain()
        : statesOf(type, regularPosition(type), symbols, parameters, this.count);
    return this.states;
  }

  private get count(): number {
    return Math.max(STATES, 3 * this.parameters.length);
  }

  private statesOfStrain(): readonly StateSample[] {
    const { type, symbols, parameters, count } = this;
    const states = parameters.map((values) => {
      const ranges = coordinateRanges(type, values);
      return movingStates(sampleConfigurations(ranges, count), symbols, values, ranges);
    });
    // Every third has no part in the choice of a rule, and all links are among those.
    return Array.from({ length: count }, (_, k) => states[Math.floor(k / 3) % states.length]![k]!);
  }
}

function same(label: string, e: Expr): Integrand {
  return { label, written: e, regular: () => e };
}

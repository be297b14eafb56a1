/**
 * What water does to a rod, with fields along it and contacts (`description/model/surroundings.ts`), as terms of the left-hand side. With f the force
 * of the water per length and r_a = ∂r/∂q_a, in proximal axes about the proximal origin
 *   force −∫ f ds,   moment −∫ r × f ds,   π_a = −∫ f · r_a ds.
 * Added mass by Lagrange's equations of T = ½ ∫ m |v_n|² ds: with p = m v_n and t_a = ∂t/∂q_a
 *   π_a = ∫ ṗ · r_a + v_t p · t_a ds,   ṗ = m (a_n − (ṫ · v) t − v_t ṫ),
 * the force ṗ, and on what lies inboard a moment v_t t × p beside it. By the normal acceleration m a_n and nothing else.
 */
import {
  decimal,
  half,
  negate,
  one,
  pi,
  plus,
  sqrt,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  dot,
  multiplyVector,
  negateVector,
  scaleVector,
  subtractVectors,
  symmetricOf,
  type Vector3,
  vector3,
  zeroVector,
} from '../../symbolic/graph/vector.ts';
import { BRISTLE_PARTS, type Contact } from '../../description/model/contact.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { RodField, Water } from '../../description/model/surroundings.ts';
import { articulatedFromEntries } from '../equations/articulated.ts';
import { spinMatrix, wrenchFromEntries, type BodyWrench, type MovingFrame } from '../equations/recursion.ts';
import type { Centreline } from '../body/centreline.ts';
import type { AddedMass, MotionInWater, WaterTerms } from '../body/water-on-rod.ts';
import { rodVolumes } from '../rods/rod-section.ts';
import { contactNames, forceOnSection, pairIn, sectionPairs, type MovingSection } from './contact-terms.ts';
import { fieldNames, fieldOnRod, forceEntries, type Couple } from './field-terms.ts';

/** |v| = √(v·v + this²), in m/s: far below any speed that matters, so that forces have derivatives at rest. */
const STILL = decimal(1e-12);

/** What is around a rod: of water, fields and contacts one at least. */
export interface Surroundings {
  readonly water?: Water | undefined;
  readonly fields: readonly RodField[];
  readonly contacts: readonly Contact[];
}

/** See `WaterOnBody.terms`. */
export function waterTerms(
  type: BodyType,
  surroundings: Surroundings,
  line: Centreline,
  motion: MotionInWater,
  accelerations: readonly Expr[],
  together?: MotionInWater,
): WaterTerms {
  return new WaterIntegrals(type, surroundings, line).terms(motion, accelerations, together);
}

/** Of a round section, at the axial coordinate. */
function outerRadius(type: BodyType): Expr | undefined {
  const radii = rodVolumes(type).flatMap(({ shape }) =>
    shape.shape === 'disc' ? [shape.radius] : shape.shape === 'annulus' ? [shape.outerRadius] : [],
  );
  return radii[0];
}

/** Velocity of the centreline and of its axis against the water at the current row, with their rates. */
interface RowMotion {
  readonly velocity: Vector3;
  /** v_t and v_n. */
  readonly along: Expr;
  readonly across: Vector3;
}

class WaterIntegrals {
  private readonly surroundings: Surroundings;
  private readonly line: Centreline;
  private readonly axial: Expr;
  /** Outer radius of a round section. */
  private readonly section: Expr | undefined;

  constructor(type: BodyType, surroundings: Surroundings, line: Centreline) {
    this.surroundings = surroundings;
    this.line = line;
    const [{ axial }] = rodVolumes(type);
    this.axial = axial;
    const round = outerRadius(type);
    this.section = round ? substitute([round], new Map([[axial, line.section]]))[0]! : undefined;
  }

  /** Of robots in water. */
  private get water(): Water {
    return this.surroundings.water!;
  }

  /** That meets the water. */
  private get radius(): Expr {
    return this.water.radius ?? this.section!;
  }

  terms(motion: MotionInWater, accelerations: readonly Expr[], together?: MotionInWater): WaterTerms {
    const { line, surroundings } = this;
    const addedMass = surroundings.water?.addedMass;
    const isPushed = this.isPushedByWater || surroundings.fields.length + surroundings.contacts.length > 0;
    const forces = isPushed ? line.integrate('water', 3, this.pushed(motion)) : [];
    const added = addedMass ? this.addedMass(motion, accelerations) : [];
    const all = together ? this.together(together, accelerations, isPushed) : [];
    const pairs = surroundings.contacts.length > 0 ? this.pairs(motion) : [];
    const finished = line.finish([...forces, ...added, ...all, ...pairs]);
    const count = line.partials.length;
    let from = 0;
    const taken = (part: readonly Expr[]): readonly Expr[] => finished.values.slice(from, (from += part.length));
    const [own, ofMass, ofAll, ofPairs] = [forces, added, all, pairs].map(taken) as [Expr[], Expr[], Expr[], Expr[]];
    return {
      ...(own.length > 0 && { forces: wrenchFromEntries(own) }),
      ...(addedMass && { addedMass: addedMassOf(ofMass, count) }),
      ...(ofAll.length > 0 && { together: wrenchFromEntries(ofAll) }),
      ...(ofPairs.length > 0 && { pairs: ofPairs }),
      method: `${effectsOf(surroundings)}: ${line.method}`,
      loops: finished.loops,
    };
  }

  private get isPushedByWater(): boolean {
    const { water } = this.surroundings;
    return water !== undefined && (water.drag !== undefined || water.linearDrag !== undefined || water.buoyancy);
  }

  /** Per length, what drag, buoyancy, fields and contacts take. */
  private pushed(motion: MotionInWater): readonly Expr[] {
    const { fields, contacts } = this.surroundings;
    const pushing: Vector3[] = [];
    if (this.isPushedByWater) pushing.push(this.force(motion));
    if (contacts.length > 0) pushing.push(forceOnSection(contacts, this.movingSection(motion), motion.placement!));
    if (fields.length === 0) return this.wrench(negateVector(addVectors(zeroVector, ...pushing)));
    const { force, moment, work } = fieldOnRod(fields, this.axial, this.line, motion.placement!);
    const couple = { moment: negateVector(moment), generalized: work.map(negate) };
    return this.wrench(negateVector(addVectors(force, ...pushing)), couple);
  }

  private movingSection({ drift }: MotionInWater): MovingSection {
    const { position, weight } = this.line;
    return { position, weight, radius: this.section, velocity: this.rowMotion(drift).velocity };
  }

  /** What is reported of contacts, world axes. */
  private pairs(motion: MotionInWater): readonly Expr[] {
    const placement = motion.placement!;
    return sectionPairs(this.surroundings.contacts, this.movingSection(motion), placement).flatMap((pair, k) => {
      const { gap, normal, point, density } = pair;
      const nearest = this.line.nearest(`nearest_${k + 1}`, 3, gap, [...normal, ...point]);
      const [x, y, z, energy, power, loss] = this.line.integrate(`touch_${k + 1}`, 3, density);
      const [least, ...places] = nearest;
      return pairIn(placement, {
        gap: least!,
        normal: vector3(places.slice(0, 3)),
        point: vector3(places.slice(3)),
        force: vector3([x!, y!, z!]),
        ...{ energy: energy!, power: power!, loss: loss!, bristle: BRISTLE_PARTS.map(() => zero) },
      });
    });
  }

  private together(motion: MotionInWater, accelerations: readonly Expr[], isPushed: boolean): readonly Expr[] {
    const parts = [
      ...(isPushed ? [this.pushed(motion)] : []),
      ...(this.surroundings.water?.addedMass ? [this.taken(motion.accelerated, accelerations)] : []),
    ];
    const [first, ...rest] = parts;
    if (!first) return [];
    const sum = first.map((e, i) => plus(e, ...rest.map((own) => own[i]!)));
    return this.line.integrate('immersed', 3, sum);
  }

  private rowMotion({ angularVelocity: w, velocity }: MovingFrame): RowMotion {
    const { position, axis, velocity: own } = this.line;
    const v = addVectors(velocity, cross(w, position), own);
    const along = dot(v, axis);
    return { velocity: v, along, across: subtractVectors(v, scaleVector(along, axis)) };
  }

  /** Per length, of drag and buoyancy, on the rod. */
  private force({ drift, gravity }: MotionInWater): Vector3 {
    const { drag, linearDrag, buoyancy, density } = this.water;
    const { axis } = this.line;
    const { along, across } = this.rowMotion(drift);
    const pull = (normal: Expr, tangential: Expr): Vector3 =>
      addVectors(scaleVector(normal, across), scaleVector(times(tangential, along), axis));
    const perSpeed = times(density, this.radius);
    const parts: Vector3[] = [];
    /** Opposite, as all parts. */
    const lifted = (speedOfLift: Expr): void => {
      if (drag?.lift) parts.push(scaleVector(times(perSpeed, drag.lift, speedOfLift), cross(across, axis)));
    };
    if (drag?.form === 'separate') {
      lifted(speed(dot(across, across)));
      parts.push(
        pull(
          times(perSpeed, drag.normal, speed(dot(across, across))),
          times(perSpeed, pi, drag.tangential, speed(square(along))),
        ),
      );
    }
    if (drag?.form === 'common') {
      const whole = speed(plus(dot(across, across), square(along)));
      const common = times(perSpeed, whole);
      lifted(whole);
      parts.push(pull(times(common, drag.normal), times(common, half, pi, drag.tangential)));
    }
    if (linearDrag) parts.push(pull(linearDrag.normal, linearDrag.tangential));
    if (buoyancy) parts.push(scaleVector(times(density, pi, square(this.radius)), gravity));
    return negateVector(addVectors(...((parts.length > 0 ? parts : [zeroVector]) as [Vector3, ...Vector3[]])));
  }

  private wrench(force: Vector3, couple?: Couple): readonly Expr[] {
    return forceEntries(this.line, force, couple);
  }

  /** Mass of the water that moves with the rod across its axis, per length. */
  private get mass(): Expr {
    const { density, addedMass } = this.water;
    return times(density, pi, addedMass!.coefficient, square(this.radius));
  }

  private normal(v: Vector3): Vector3 {
    const { axis } = this.line;
    return subtractVectors(v, scaleVector(dot(v, axis), axis));
  }

  /** Per length, what added mass takes of a motion. */
  private taken(accelerated: MovingFrame, accelerations: readonly Expr[]): readonly Expr[] {
    const { line, water, mass } = this;
    const { position, partials, axis, axisPartials, velocity, axisRate, bias } = line;
    const { form } = water.addedMass!;
    const normal = (v: Vector3): Vector3 => this.normal(v);
    const w = accelerated.angularVelocity;
    const driven = partials.map((partial, a) => scaleVector(accelerations[a]!, partial));
    const acceleration = addVectors(
      accelerated.acceleration,
      multiplyVector(spinMatrix(accelerated), position),
      cross(addVectors(w, w), velocity),
      bias,
      ...driven,
    );
    const { velocity: v, along, across } = this.rowMotion(accelerated);
    const turning = addVectors(cross(w, axis), axisRate);
    const momentum = scaleVector(mass, across);
    const change = addVectors(scaleVector(negate(dot(turning, v)), axis), scaleVector(negate(along), turning));
    const lagrange = {
      force: scaleVector(mass, addVectors(normal(acceleration), change)),
      couple: {
        moment: scaleVector(along, cross(axis, momentum)),
        generalized: axisPartials.map((partial) => times(along, dot(momentum, partial))),
      },
    };
    return form === 'lagrange'
      ? this.wrench(lagrange.force, lagrange.couple)
      : this.wrench(scaleVector(mass, normal(acceleration)));
  }

  private addedMass({ drift, accelerated }: MotionInWater, accelerations: readonly Expr[]): readonly Expr[] {
    const { line, mass } = this;
    const { position, partials, axis } = line;
    const wrench = line.integrate('added_mass', 3, this.taken(accelerated, accelerations));
    const units = partials.map((partial) => this.wrench(scaleVector(mass, this.normal(partial))));
    const constant = line.integrate('added', 1, [...units.flat(), ...inertiaEntries(mass, axis, position)]);
    const { across: against } = this.rowMotion(drift);
    const energy = line.integrate('added_mass_energy', 3, [times(half, mass, dot(against, against))]);
    return [...wrench, ...constant, ...energy];
  }
}

function effectsOf({ water, fields, contacts }: Surroundings): string {
  const { drag, linearDrag, buoyancy, addedMass } = water ?? { buoyancy: false };
  return [
    ...(drag ? [`${drag.form} drag`] : []),
    ...(drag?.lift ? ['lift'] : []),
    ...(linearDrag ? ['linear drag'] : []),
    ...(buoyancy ? ['buoyancy'] : []),
    ...(addedMass ? [`added mass (${addedMass.form})`] : []),
    ...(fields.length > 0 ? [fieldNames(fields)] : []),
    ...(contacts.length > 0 ? [contactNames(contacts)] : []),
  ].join(', ');
}

/** √(v² + ε²) */
export function speed(squared: Expr): Expr {
  return sqrt(plus(squared, square(STILL)));
}

/** Of a point of mass m that only resists across an axis: A = m P, C = −[r]× A [r]×, B = −A [r]×, in the order of buffers. */
function inertiaEntries(mass: Expr, axis: Vector3, r: Vector3): readonly Expr[] {
  const units = [
    [one, zero, zero],
    [zero, one, zero],
    [zero, zero, one],
  ] as const satisfies readonly Vector3[];
  const resist = (a: Vector3): Vector3 => scaleVector(mass, subtractVectors(a, scaleVector(dot(a, axis), axis)));
  const linear = units.map(resist);
  // An angular acceleration e accelerates the point by e × r, which takes resist(e × r), and the moment r × of it.
  const coupled = units.map((e) => resist(cross(e, r)));
  const moments = coupled.map((force) => cross(r, force));
  return [
    ...symmetricOf((i, j) => linear[j]![i]!),
    ...symmetricOf((i, j) => moments[j]![i]!),
    ...[0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => coupled[j]![i]!)),
  ];
}

/** @param count of coordinates. */
function addedMassOf(values: readonly Expr[], count: number): AddedMass {
  const size = 6 + count;
  const wrenches = Array.from({ length: 1 + count }, (_, k) =>
    wrenchFromEntries(values.slice(k * size, (k + 1) * size)),
  );
  const [wrench, ...units] = wrenches as [BodyWrench, ...BodyWrench[]];
  const rest = values.slice((1 + count) * size);
  return { wrench, units, inertia: articulatedFromEntries(rest.slice(0, 21)), kineticEnergy: rest[21]! };
}

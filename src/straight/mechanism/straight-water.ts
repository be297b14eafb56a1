/** What water and fields do to a rod within a whole robot: the terms that links have, sums along the rod written out. */
import {
  articulatedEntries,
  articulatedFromEntries,
  type ArticulatedInertia,
} from '../../kane/equations/articulated.ts';
import { type BodyWrench, type MovingFrame, wrenchEntries, wrenchFromEntries } from '../../kane/equations/recursion.ts';
import {
  entriesOfMotion,
  type MotionInWater,
  type WaterOnBody,
  type WaterTerms,
} from '../../kane/body/water-on-rod.ts';
import { unrolled } from '../../kane/loops/unroll.ts';
import { symbol, symbols, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { frameFromEntries, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';

const vector = (stem: string): Vector3 => vector3(['x', 'y', 'z'].map((axis) => symbol(`water.${stem}_${axis}`)));
const movingFrame = (stem: string): MovingFrame => ({
  angularVelocity: vector(`${stem}_omega`),
  velocity: vector(`${stem}_v`),
  angularAcceleration: vector(`${stem}_alpha`),
  acceleration: vector(`${stem}_a`),
});
const MOTION: MotionInWater = {
  drift: movingFrame('drift'),
  gravity: vector('gravity'),
  accelerated: movingFrame('accelerated'),
  placement: frameFromEntries(symbols('water.placement', 12)),
};

/** Over the robot's symbols, about the proximal origin of the rod, proximal axes. */
export class StraightWater {
  /** Does it matter where in the world the body is? */
  readonly isPlaced: boolean;
  private readonly terms: WaterTerms;
  private readonly bindings: ReadonlyMap<Expr, Expr>;
  private readonly count: number;
  private readonly templates = new Map<keyof WaterTerms, readonly Expr[]>();
  private knownInertia: { readonly inertia: ArticulatedInertia; readonly units: readonly BodyWrench[] } | undefined;

  /**
   * @param accelerations symbols of the body's coordinates.
   * @param bindings of the symbols of the body type, see `bodyBindings`.
   */
  constructor(
    water: WaterOnBody,
    accelerations: readonly Expr[],
    bindings: ReadonlyMap<Expr, Expr>,
    isPlaced: boolean,
  ) {
    this.isPlaced = isPlaced;
    this.terms = water.terms(MOTION, accelerations);
    this.bindings = bindings;
    this.count = accelerations.length;
  }

  /** What τ has to overcome of drag, buoyancy and fields; undefined where there is none of them. */
  forces(motion: MotionInWater): BodyWrench | undefined {
    return this.wrench('forces', this.terms.forces, motion);
  }

  /** What the water that moves with the rod takes of a motion; undefined without added mass. */
  reaction(motion: MotionInWater): BodyWrench | undefined {
    return this.wrench('addedMass', this.terms.addedMass?.wrench, motion);
  }

  /** Inertia of the water that moves with the rod, and what unit accelerations of the body's coordinates take. */
  get addedMass(): { readonly inertia: ArticulatedInertia; readonly units: readonly BodyWrench[] } | undefined {
    const { addedMass } = this.terms;
    if (!addedMass || this.knownInertia) return this.knownInertia;
    const { inertia, units } = addedMass;
    const values = this.written([...articulatedEntries(inertia), ...units.flatMap(wrenchEntries)]);
    const size = 6 + this.count;
    this.knownInertia = {
      inertia: articulatedFromEntries(values.slice(0, 21)),
      units: units.map((_, a) => wrenchFromEntries(values.slice(21 + a * size, 21 + (a + 1) * size))),
    };
    return this.knownInertia;
  }

  /** Formed once over stand-ins for the motion, which then takes their place. */
  private wrench(
    key: 'forces' | 'addedMass',
    own: BodyWrench | undefined,
    motion: MotionInWater,
  ): BodyWrench | undefined {
    if (!own) return undefined;
    const template = this.templates.get(key) ?? this.written(wrenchEntries(own));
    this.templates.set(key, template);
    const stand = entriesOfMotion(MOTION);
    return wrenchFromEntries(substitute(template, new Map(entriesOfMotion(motion).map((e, i) => [stand[i]!, e]))));
  }

  private written(values: readonly Expr[]): readonly Expr[] {
    return substitute(unrolled(values, this.terms.loops), this.bindings);
  }
}

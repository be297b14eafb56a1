/**
 * One row of a rod: a Magnus step and the section at its end, over the names of what is known in earlier stages.
 */
import { plus, times, type Expr } from '../../symbolic/expr.ts';
import { substitute } from '../../symbolic/traverse.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { ExponentialStep } from './rod-exponential.ts';
import { MagnusStep, type MagnusOrder } from './rod-magnus.ts';
import type { RodPoints } from './rod-points.ts';
import { RodLoops, type KeptValues } from './rod-rows.ts';
import { rodVolumes, sectionMoments } from './rod-section.ts';
import { SampledStrain } from './rod-strain.ts';
import {
  addTwists,
  mapTwist,
  TWIST_COMPONENTS,
  twistEntries,
  twistFromEntries,
  zeroTwist,
  type Twist,
} from './rod-twist.ts';
import type { CoordinateSymbols, FrameStep, MassMoments, RelativeMotion } from '../equations/recursion.ts';

export class RodRow {
  readonly loops: RodLoops;
  /** From the frame of the row before to that of the section; the components of Ω for coordinates. */
  readonly step: FrameStep;
  /** The same with the coordinates of the body. */
  readonly stepByCoordinates: FrameStep;
  /** Of the section, in the frame at the end of the step. */
  readonly section: MassMoments;
  private readonly strain: SampledStrain;
  private readonly magnus: MagnusStep;
  private readonly exponential: ExponentialStep;
  private readonly count: number;

  constructor(type: BodyType, strain: Twist, symbols: CoordinateSymbols, points: RodPoints, order: MagnusOrder) {
    this.loops = new RodLoops(points.table);
    this.count = symbols.q.length;
    const constants = this.loops.keeper('rod', 0);
    const steps = this.loops.keeper('step', 1);
    const projectors = this.loops.keeper('projector', 1);
    const [{ axial }] = rodVolumes(type);
    const names = type.coordinates.map((c) => c.name);
    this.strain = new SampledStrain({ strain, axial, symbols, names }, points, order, { constants, steps });
    this.magnus = new MagnusStep(this.strain.alpha, (label, twist) => keepTwist(steps, label, twist));
    this.exponential = new ExponentialStep(this.magnus.value, (label, e) => steps.keep(label, e));
    this.step = this.exponential.step;
    this.stepByCoordinates = this.byCoordinates(projectors, names);
    this.section = sectionAt(type, axial, points, constants);
  }

  private byCoordinates(projectors: KeptValues, names: readonly string[]): FrameStep {
    const columns = names.map((name, a) =>
      keepTwist(projectors, name, this.exponential.project(this.magnus.tangent(this.strain.partial[a]!))),
    );
    return {
      frame: this.step.frame,
      coordinates: names.map((_, a) => a),
      linear: columns.map((c) => c.linear),
      angular: columns.map((c) => c.angular),
    };
  }

  /** Motion of the section relative to the row before. */
  motion(): RelativeMotion {
    const bias = this.strain.bias();
    return this.relative(this.strain.driven().map((twist, j) => addTwists(twist, bias[j]!)));
  }

  /** The same without q̈. */
  motionAtRate(): RelativeMotion {
    return this.relative(this.strain.bias());
  }

  /** What q̈ adds. */
  motionOfAcceleration(): RelativeMotion {
    return this.exponential.relativeMotion(zeroTwist, this.magnus.tangent(this.strain.driven()));
  }

  private relative(acceleration: readonly Twist[]): RelativeMotion {
    const rate = this.strain.rate();
    return this.exponential.relativeMotion(this.magnus.tangent(rate), this.magnus.curvature(rate, acceleration));
  }

  /** Generalized forces of the body's coordinates for those of the step's. */
  generalized(onStep: readonly Expr[]): readonly Expr[] {
    const forms = this.magnus.adjoint(twistFromEntries(onStep)).map(twistEntries);
    return Array.from({ length: this.count }, (_, a) => {
      const partial = this.strain.partial[a]!.map(twistEntries);
      return plus(...forms.flatMap((form, j) => form.map((e, c) => times(e, partial[j]![c]!))));
    });
  }
}

function keepTwist(values: KeptValues, label: string, twist: Twist): Twist {
  return mapTwist(twist, (e, component) => values.keep(`${label}_${TWIST_COMPONENTS[component]}`, e));
}

/** Mass and moments of the section that a row stands for. */
function sectionAt(type: BodyType, axial: Expr, points: RodPoints, constants: KeptValues): MassMoments {
  const { mass, first, inertia } = sectionMoments(type);
  const [xx, yy, , xy] = inertia;
  const weight = constants.keep('weight', points.weight);
  const at = new Map([[axial, constants.keep('section', points.section)]]);
  const labels = ['mass', 'first_x', 'first_y', 'inertia_xx', 'inertia_yy', 'inertia_xy'];
  const [m, cx, cy, Ixx, Iyy, Ixy] = substitute([mass, first[0], first[1], xx, yy, xy], at).map((e, i) =>
    constants.keep(labels[i]!, times(weight, e)),
  ) as [Expr, Expr, Expr, Expr, Expr, Expr];
  return { mass: m, first: [cx, cy, first[2]], inertia: [Ixx, Iyy, plus(Ixx, Iyy), Ixy, inertia[4], inertia[5]] };
}

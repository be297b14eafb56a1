/**
 * The kernels of one link type: offset → joint → mount → body, fused, by tracing the recursion over the type's symbols.
 */
import { minus, plus, symbol, times, zero, type Expr, type SymbolExpr } from '../symbolic/expr.ts';
import {
  composeFrames,
  dot,
  frameEntries,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../symbolic/vector.ts';
import type { BodyModel } from './body-model.ts';
import type { InputBuffer, Kernel, LinkCoordinate } from './link-type.ts';
import {
  addMassMoments,
  addWrenches,
  jacobianColumns,
  project,
  relativeMotion,
  shiftToParent,
  spinMatrix,
  stepMassMoments,
  stepMotion,
  stepTravel,
  stepVelocity,
  stepWrench,
  unitWrench,
  type BodyWrench,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type Motion,
  type RelativeMotion,
  type Travel,
  type Wrench,
} from './recursion.ts';

/** Everything about a link that its kernels are made of. */
export interface LinkParts {
  /** Offset, joint motions and mount: parent distal frame → proximal frame, identity steps left out. */
  readonly jointSteps: readonly FrameStep[];
  /** Proximal → distal; coordinates are indices into the link's. */
  readonly bodyStep: FrameStep;
  readonly model: BodyModel;
  readonly coordinates: readonly LinkCoordinate[];
  /** Indices of the body's own coordinates among the link's. */
  readonly bodyCoordinates: readonly number[];
}

const names = (prefix: string, list: readonly string[]): readonly SymbolExpr[] =>
  list.map((n) => symbol(`${prefix}.${n}`));
const XYZ = ['x', 'y', 'z'];
const xyz = (stem: string): string[] => XYZ.map((axis) => `${stem}_${axis}`);
const SYMMETRIC = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'];
const MATRIX = ['xx', 'xy', 'xz', 'yx', 'yy', 'yz', 'zx', 'zy', 'zz'];

/** The symbols of every input buffer. Names say frame and quantity; they become names in generated code. */
export function inputSymbols(
  coordinates: readonly LinkCoordinate[],
  parameters: readonly SymbolExpr[],
  bodyCoordinates: number,
): Record<InputBuffer, readonly SymbolExpr[]> {
  const generalized = Array.from({ length: bodyCoordinates }, (_, i) => `pi_${i + 1}`);
  return {
    parameters,
    q: coordinates.map((c) => c.symbol),
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
    parentVelocity: names('parent', xyz('omega')),
    parentAcceleration: names('parent', [...xyz('alpha'), ...xyz('a')]),
    parentGravity: names('rest', xyz('a')),
    distalWrench: names('distal', [...xyz('force'), ...xyz('moment')]),
    bodyWrench: names('wrench', [...xyz('force'), ...xyz('moment'), ...generalized]),
    distalComposite: names('composite', ['mass', ...xyz('first'), ...SYMMETRIC.map((s) => `inertia_${s}`)]),
    parentPose: names('pose', [...MATRIX.map((s) => `R_${s}`), ...xyz('t')]),
    parentTravel: names('travel', [...xyz('omega'), ...xyz('v'), ...xyz('g'), 'potential']),
  };
}

const vector = (symbols: readonly Expr[], from: number): Vector3 => symbols.slice(from, from + 3) as unknown as Vector3;

export class LinkKernelBuilder {
  private readonly parts: LinkParts;
  private readonly inputs: Record<InputBuffer, readonly SymbolExpr[]>;
  private readonly symbols: CoordinateSymbols;
  private readonly steps: readonly FrameStep[];
  private readonly relative = new Map<FrameStep, RelativeMotion>();
  /** Readable names for what the equations name. */
  readonly hints = new Map<Expr, string>();

  constructor(parts: LinkParts, inputs: Record<InputBuffer, readonly SymbolExpr[]>) {
    this.parts = parts;
    this.inputs = inputs;
    this.symbols = { q: inputs.q, qd: inputs.qd, qdd: inputs.qdd };
    this.steps = [...parts.jointSteps, parts.bodyStep];
    for (const step of this.steps) this.relative.set(step, relativeMotion(step, this.symbols));
    this.nameConstituents();
  }

  private name(values: readonly Expr[], labels: readonly string[]): void {
    values.forEach((e, i) => {
      if (labels[i] === undefined) return;
      const nameable = e.kind !== 'rational' && e.kind !== 'symbol' && e.kind !== 'constant';
      if (nameable && !this.hints.has(e)) this.hints.set(e, labels[i]!);
    });
  }

  private nameConstituents(): void {
    const { bodyStep, model, coordinates } = this.parts;
    this.name(
      bodyStep.frame.rotation,
      MATRIX.map((entry) => `distal_R_${entry}`),
    );
    this.name(bodyStep.frame.translation, xyz('distal_t'));
    bodyStep.coordinates.forEach((index, i) => {
      this.name(bodyStep.linear[i]!, xyz(`linear_${coordinates[index]!.name}`));
      this.name(bodyStep.angular[i]!, xyz(`angular_${coordinates[index]!.name}`));
    });
    const { mass, first, inertia } = model.moments;
    this.name([mass], ['mass']);
    this.name(first, xyz('first_moment'));
    this.name(
      inertia,
      SYMMETRIC.map((entry) => `inertia_${entry}`),
    );
  }

  private nameMotion(motion: Motion, stem: string): void {
    this.name(motion.angularVelocity, xyz(`omega_${stem}`));
    this.name(motion.angularAcceleration, xyz(`alpha_${stem}`));
    this.name(motion.acceleration, xyz(`a_${stem}`));
  }

  build(): Kernel[] {
    return [
      this.velocity(),
      this.acceleration(),
      this.gravity(),
      this.backward(true),
      this.backward(false),
      this.composite(),
      this.pose(),
      this.jacobian(),
      this.energy(),
    ];
  }

  private velocity(): Kernel {
    let w = vector(this.inputs.parentVelocity, 0);
    for (const step of this.steps) w = stepVelocity(step, this.relative.get(step)!, w);
    return { name: 'velocity', outputs: [{ buffer: 'ownVelocity', values: w }] };
  }

  acceleration(): Kernel {
    let motion: Motion = {
      angularVelocity: vector(this.inputs.parentVelocity, 0),
      angularAcceleration: vector(this.inputs.parentAcceleration, 0),
      acceleration: vector(this.inputs.parentAcceleration, 3),
    };
    for (const step of this.parts.jointSteps)
      motion = stepMotion(step, this.relative.get(step)!, motion, spinMatrix(motion));
    this.nameMotion(motion, 'proximal');
    const spin = spinMatrix(motion);
    this.name(
      spin,
      MATRIX.map((entry) => `spin_${entry}`),
    );
    const wrench = this.parts.model.wrench(motion, spin);
    this.name(flatten(wrench), [...xyz('force'), ...xyz('moment')]);
    const own = stepMotion(this.parts.bodyStep, this.relative.get(this.parts.bodyStep)!, motion, spin);
    return {
      name: 'acceleration',
      outputs: [
        { buffer: 'ownAcceleration', values: [...own.angularAcceleration, ...own.acceleration] },
        { buffer: 'bodyWrench', values: flatten(wrench) },
      ],
    };
  }

  private gravity(): Kernel {
    let a = vector(this.inputs.parentGravity, 0);
    const rotate = (step: FrameStep, v: Vector3): Vector3 =>
      stepVelocity(step, { ...this.relative.get(step)!, angularVelocity: zeroVector }, v);
    for (const step of this.parts.jointSteps) a = rotate(step, a);
    return {
      name: 'gravity',
      outputs: [
        { buffer: 'ownGravity', values: rotate(this.parts.bodyStep, a) },
        { buffer: 'bodyWrench', values: flatten(this.parts.model.weight(a)) },
      ],
    };
  }

  /** With the body's own wrench (`backward`), or passing a distal wrench on (`propagate`). */
  backward(withBody: boolean): Kernel {
    const { distalWrench, bodyWrench } = this.inputs;
    const generalized: Expr[] = this.symbols.q.map(() => zero);
    const distal: Wrench = { force: vector(distalWrench, 0), moment: vector(distalWrench, 3) };
    const through = stepWrench(this.parts.bodyStep, distal);
    this.parts.bodyStep.coordinates.forEach((index, i) => (generalized[index] = through.generalized[i]!));
    let wrench = through.wrench;
    if (withBody) {
      wrench = addWrenches({ force: vector(bodyWrench, 0), moment: vector(bodyWrench, 3) }, wrench);
      this.parts.bodyCoordinates.forEach(
        (index, i) => (generalized[index] = plus(generalized[index]!, bodyWrench[6 + i]!)),
      );
    }
    for (const step of [...this.parts.jointSteps].reverse()) {
      const stepped = stepWrench(step, wrench);
      step.coordinates.forEach((index, i) => (generalized[index] = plus(generalized[index]!, stepped.generalized[i]!)));
      wrench = stepped.wrench;
    }
    return {
      name: withBody ? 'backward' : 'propagate',
      outputs: [
        { buffer: 'generalizedForce', values: generalized },
        { buffer: 'parentWrench', values: [...wrench.force, ...wrench.moment] },
      ],
    };
  }

  composite(): Kernel {
    const { distalComposite: d } = this.inputs;
    const count = this.symbols.q.length;
    const block: Expr[][] = this.symbols.q.map(() => this.symbols.q.map(() => zero));
    const columns = new Map<number, Wrench>();
    const add = (a: number, b: number, value: Expr): void => {
      block[a]![b] = plus(block[a]![b]!, value);
      if (a !== b) block[b]![a] = plus(block[b]![a]!, value);
    };
    let moments: MassMoments = { mass: d[0]!, first: vector(d, 1), inertia: d.slice(4) as unknown as Symmetric3 };
    for (const step of [...this.steps].reverse()) {
      const stepped = stepMassMoments(step, moments);
      // Coordinates nearer the tip: their wrenches do work on this step's coordinates, then move on to its parent.
      for (const [a, wrench] of columns) {
        const turned = stepWrench(step, wrench);
        step.coordinates.forEach((b, i) => add(b, a, turned.generalized[i]!));
        columns.set(a, turned.wrench);
      }
      step.coordinates.forEach((a, i) => {
        const wrench = unitWrench(step, i, stepped.atChild);
        step.coordinates.slice(i).forEach((b, j) => add(a, b, project(step, i + j, wrench)));
        columns.set(a, merge(columns.get(a), shiftToParent(step, wrench)));
      });
      moments = stepped.atParent;
      if (step !== this.parts.bodyStep) continue;
      moments = addMassMoments(moments, this.parts.model.moments);
      this.parts.model.unitWrenches.forEach((own, i) => {
        const a = this.parts.bodyCoordinates[i]!;
        own.generalized.forEach((value, j) => j >= i && add(a, this.parts.bodyCoordinates[j]!, value));
        columns.set(a, merge(columns.get(a), own));
      });
    }
    const ordered = Array.from(
      { length: count },
      (_, a) => columns.get(a) ?? { force: zeroVector, moment: zeroVector },
    );
    return {
      name: 'composite',
      outputs: [
        { buffer: 'parentComposite', values: [moments.mass, ...moments.first, ...moments.inertia] },
        { buffer: 'massBlock', values: block.flat() },
        { buffer: 'unitWrenches', values: ordered.flatMap((w) => [...w.force, ...w.moment]) },
      ],
    };
  }

  private parentPose(): Frame {
    const p = this.inputs.parentPose;
    return { rotation: p.slice(0, 9) as unknown as Frame['rotation'], translation: vector(p, 9) };
  }

  private pose(): Kernel {
    let pose = this.parentPose();
    for (const step of this.steps) pose = composeFrames(pose, step.frame);
    return { name: 'pose', outputs: [{ buffer: 'ownPose', values: frameEntries(pose) }] };
  }

  private jacobian(): Kernel {
    let pose = this.parentPose();
    const columns: Expr[][] = this.symbols.q.map(() => [zero, zero, zero, zero, zero, zero]);
    for (const step of this.steps) {
      jacobianColumns(step, pose).forEach(({ angular, linear }, i) => {
        const index = step.coordinates[i]!;
        columns[index] = [...angular, ...linear].map((e, k) => plus(columns[index]![k]!, e));
      });
      pose = composeFrames(pose, step.frame);
    }
    return { name: 'jacobian', outputs: [{ buffer: 'jacobianColumns', values: columns.flat() }] };
  }

  private energy(): Kernel {
    const p = this.inputs.parentTravel;
    let travel: Travel = {
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      gravity: vector(p, 6),
      potential: p[9]!,
    };
    for (const step of this.parts.jointSteps) travel = stepTravel(step, this.relative.get(step)!, travel);
    const { model, bodyStep } = this.parts;
    const kinetic = model.kineticEnergy(travel.angularVelocity, travel.velocity);
    const { mass, first } = model.moments;
    const potential = minus(times(mass, travel.potential), dot(travel.gravity, first));
    const own = stepTravel(bodyStep, this.relative.get(bodyStep)!, travel);
    return {
      name: 'energy',
      outputs: [
        { buffer: 'ownTravel', values: [...own.angularVelocity, ...own.velocity, ...own.gravity, own.potential] },
        { buffer: 'energy', values: [kinetic, potential] },
      ],
    };
  }
}

function merge(a: Wrench | undefined, b: Wrench): Wrench {
  return a ? addWrenches(a, b) : b;
}

function flatten(w: BodyWrench): readonly Expr[] {
  return [...w.force, ...w.moment, ...w.generalized];
}

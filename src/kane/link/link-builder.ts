/**
 * The kernels of one link type: offset → joint → mount → body, fused, by tracing the recursion over the type's symbols.
 * The joint is a row of frame steps; the body is whatever stands behind `BodyPart`.
 */
import { half, plus, square, times, zero, type Expr, type SymbolExpr } from '../../symbolic/expr.ts';
import {
  composeFrames,
  frameEntries,
  zeroVector,
  type Frame,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/vector.ts';
import { addendSymbols, ArticulatedLink, coordinateLabels } from './articulated-link.ts';
import type { BodyPart, Carried } from './body-part.ts';
import type { LinkActuation } from './actuation-terms.ts';
import { FORCE_KINDS, type ForceKind, type LinkForce } from './force-terms.ts';
import type { InputBuffer, Kernel, KernelName, LinkCoordinate } from './link-type.ts';
import type { Loop } from '../loops/loop.ts';
import { ARTICULATED_ENTRIES } from '../equations/articulated.ts';
import { MATRIX_ENTRIES, NameProposals, symbolsNamed, SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';
import { FROZEN, MassMatrix, stepComposite, type Composite } from '../equations/composite.ts';
import {
  backwardStep,
  coasting,
  jacobianColumns,
  relativeMotion,
  spinMatrix,
  stepMotion,
  stepMovingFrame,
  stepTravel,
  stepVelocity,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type Motion,
  type MovingFrame,
  type RelativeMotion,
  type Travel,
  type Wrench,
} from '../equations/recursion.ts';

/** Everything about a link that its kernels are made of. */
export interface LinkParts {
  /** Offset, joint motions and mount: parent distal frame → proximal frame, identity steps left out. */
  readonly jointSteps: readonly FrameStep[];
  readonly body: BodyPart;
  readonly coordinates: readonly LinkCoordinate[];
  /** Indices of the body's own coordinates among the link's. */
  readonly bodyCoordinates: readonly number[];
  /** Of the body and of the joint. */
  readonly forces: readonly LinkForce[];
  /** What actuators have within the link. */
  readonly actuations: readonly LinkActuation[];
  readonly drives: readonly Drive[];
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
  { body, coordinates, bodyCoordinates, drives, actuations, forces }: Omit<LinkParts, 'jointSteps'>,
  parameters: readonly SymbolExpr[],
): Record<InputBuffer, readonly SymbolExpr[]> {
  const wrench = [...xyz('force'), ...xyz('moment'), ...bodyCoordinates.map((_, i) => `pi_${i + 1}`)];
  for (let i = wrench.length; i < body.bodyWrenchSize; i++) wrench.push(`entry_${i + 1}`);
  return {
    parameters,
    q: coordinates.map((c) => c.symbol),
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
    parentVelocity: symbolsNamed('parent', xyz('omega')),
    parentAcceleration: symbolsNamed('parent', [...xyz('alpha'), ...xyz('a')]),
    parentGravity: symbolsNamed('rest', xyz('a')),
    distalWrench: symbolsNamed('distal', [...xyz('force'), ...xyz('moment')]),
    bodyWrench: symbolsNamed('wrench', [
      ...drives.map(({ coordinate }) => `drive_${coordinates[coordinate]!.name}`),
      ...wrench.slice(0, body.bodyWrenchSize),
    ]),
    appliedWrench: symbolsNamed('applied', [...xyz('force'), ...xyz('moment')]),
    distalComposite: symbolsNamed('composite', [
      'mass',
      ...xyz('first'),
      ...SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`),
    ]),
    parentPose: symbolsNamed('pose', [...MATRIX_ENTRIES.map((entry) => `R_${entry}`), ...xyz('t')]),
    parentDrift: symbolsNamed('drift', [...xyz('omega'), ...xyz('v'), ...xyz('alpha'), ...xyz('a')]),
    distalArticulated: symbolsNamed('articulated', ARTICULATED_ENTRIES),
    factor: [],
    addend: addendSymbols(coordinates, forces),
    load: symbolsNamed('load', coordinateLabels(coordinates)),
    quotients: symbolsNamed('quotient', coordinateLabels(coordinates)),
    parentResponse: symbolsNamed('response', [...xyz('alpha'), ...xyz('a')]),
    parentTravel: symbolsNamed('travel', [...xyz('omega'), ...xyz('v'), ...xyz('g'), 'potential']),
    inputs: symbolsNamed(
      'input',
      actuations.map((_, k) => `u_${k + 1}`),
    ),
  };
}

const vector = (symbols: readonly Expr[], from: number): Vector3 => symbols.slice(from, from + 3) as unknown as Vector3;

export class LinkKernelBuilder {
  private readonly parts: LinkParts;
  private readonly inputs: Record<InputBuffer, readonly SymbolExpr[]>;
  private readonly symbols: CoordinateSymbols;
  private readonly relative = new Map<FrameStep, RelativeMotion>();
  private readonly proposals = new NameProposals();

  constructor(parts: LinkParts, inputs: Record<InputBuffer, readonly SymbolExpr[]>) {
    this.parts = parts;
    this.inputs = inputs;
    this.symbols = { q: inputs.q, qd: inputs.qd, qdd: inputs.qdd };
    for (const step of parts.jointSteps) this.relative.set(step, relativeMotion(step, this.symbols));
  }

  /** The kernels, the loops they need and readable names for what the equations name. */
  build(): {
    kernels: Kernel[];
    loops: readonly Loop[];
    hints: ReadonlyMap<Expr, string>;
    inputs: Record<InputBuffer, readonly SymbolExpr[]>;
  } {
    const articulated = new ArticulatedLink(this.parts, this.inputs);
    const kernels = [
      this.velocity(),
      this.acceleration('staged'),
      this.gravity(),
      this.backward(),
      this.passOn('propagate', 'distalWrench', 'parentWrench'),
      this.passOn('transmit', 'appliedWrench', 'parentApplied'),
      this.composite(),
      articulated.articulate,
      articulated.reduce(true),
      articulated.reduce(false),
      articulated.restore(),
      this.pose(),
      this.jacobian(),
      this.drift(),
      this.energy(),
      ...this.whenLooped(() => this.acceleration('direct')),
      ...this.forces('elastic'),
      ...this.forces('damping'),
      ...this.forceMatrices('elastic'),
      ...this.forceMatrices('damping'),
      ...this.actuation(),
    ];
    const { body, forces, actuations } = this.parts;
    const loops = [...new Set([...body.loops(), ...[...forces, ...actuations].flatMap(({ term }) => term.loops)])];
    const hints = new Map([...body.names(), ...this.proposals.names]);
    return { kernels, loops, hints, inputs: { ...this.inputs, factor: articulated.factor } };
  }

  /** Without loops over the configuration the work is the same staged or not. */
  private whenLooped(kernel: () => Kernel): Kernel[] {
    return this.parts.body.loops().some((loop) => loop.stage > 0) ? [kernel()] : [];
  }

  /** The terms of one kind together; no kernel where there is none. */
  private forces(kind: ForceKind): Kernel[] {
    const forces = this.parts.forces.filter(({ term }) => term.kind === kind);
    if (forces.length === 0) return [];
    const generalized: Expr[] = this.symbols.q.map(() => zero);
    for (const { term, coordinates } of forces) {
      // Loops of the last stage run when the forces are asked for.
      if (term.loops.some((loop) => loop.stage > FORCE_KINDS[kind].stage && loop.stage < 3))
        throw new Error(`${term.name} comes too late`);
      coordinates.forEach((index, i) => (generalized[index] = plus(generalized[index]!, term.generalized[i]!)));
    }
    return [{ name: kind, outputs: [{ buffer: 'generalizedForce', values: generalized }] }];
  }

  /** Their derivatives, by coordinates or rates. */
  private forceMatrices(kind: ForceKind): Kernel[] {
    const forces = this.parts.forces.filter(({ term }) => term.kind === kind);
    if (forces.length === 0) return [];
    const size = this.symbols.q.length;
    const matrix: Expr[] = Array.from({ length: size * size }, () => zero);
    for (const { term, coordinates } of forces)
      coordinates.forEach((row, a) =>
        coordinates.forEach((column, b) => {
          const place = row * size + column;
          matrix[place] = plus(matrix[place]!, term.matrix[a * coordinates.length + b]!);
        }),
      );
    return [{ name: FORCE_KINDS[kind].matrix, outputs: [{ buffer: 'forceMatrix', values: matrix }] }];
  }

  /** Shares of actuation coordinates with their derivatives, and the generalized forces of the inputs; none without terms. */
  private actuation(): Kernel[] {
    const { actuations } = this.parts;
    if (actuations.length === 0) return [];
    const gradients = actuations.map(({ term, coordinates }) => {
      const gradient: Expr[] = this.symbols.q.map(() => zero);
      coordinates.forEach((index, i) => (gradient[index] = plus(gradient[index]!, term.gradient[i]!)));
      return gradient;
    });
    const { inputs } = this.inputs;
    const driven = this.symbols.q.map((_, a) => plus(...gradients.map((own, k) => times(own[a]!, inputs[k]!))));
    const all = (of: (term: LinkActuation['term']) => Expr): Expr[] => actuations.map(({ term }) => of(term));
    return [
      {
        name: 'actuation',
        outputs: [
          { buffer: 'actuationCoordinates', values: all(({ value }) => value) },
          { buffer: 'actuationGradients', values: gradients.flat() },
        ],
      },
      {
        name: 'actuationRates',
        outputs: [{ buffer: 'actuationRates', values: [...all(({ rate }) => rate), ...all(({ bias }) => bias)] }],
      },
      { name: 'actuate', outputs: [{ buffer: 'generalizedForce', values: driven }] },
    ];
  }

  private stepOf(step: FrameStep): RelativeMotion {
    return this.relative.get(step)!;
  }

  private proximalVelocity(): Vector3 {
    return this.parts.jointSteps.reduce<Vector3>(
      (w, step) => stepVelocity(step, this.stepOf(step), w),
      vector(this.inputs.parentVelocity, 0),
    );
  }

  private velocity(): Kernel {
    const own = this.parts.body.velocity(this.proximalVelocity());
    return { name: 'velocity', outputs: [{ buffer: 'ownVelocity', values: own }] };
  }

  private nameMotion(motion: Motion): void {
    this.proposals.add(motion.angularVelocity, xyz('omega_proximal'));
    this.proposals.add(motion.angularAcceleration, xyz('alpha_proximal'));
    this.proposals.add(motion.acceleration, xyz('a_proximal'));
  }

  acceleration(purpose: 'staged' | 'direct'): Kernel {
    let motion: Motion = {
      angularVelocity: vector(this.inputs.parentVelocity, 0),
      angularAcceleration: vector(this.inputs.parentAcceleration, 0),
      acceleration: vector(this.inputs.parentAcceleration, 3),
    };
    for (const step of this.parts.jointSteps) motion = stepMotion(step, this.stepOf(step), motion, spinMatrix(motion));
    this.nameMotion(motion);
    const { own, ...carried } = this.parts.body.accelerate(motion, purpose);
    const driven = this.withDrives(carried, ({ coordinate, inertia }) => times(inertia, this.symbols.qdd[coordinate]!));
    const acceleration = {
      buffer: 'ownAcceleration' as const,
      values: [...own.angularAcceleration, ...own.acceleration],
    };
    if (purpose === 'staged') return withWrench('acceleration', [acceleration], driven);
    return withWrench('forward', [{ buffer: 'ownVelocity', values: own.angularVelocity }, acceleration], driven);
  }

  /** What drives take comes before the body's wrench in its buffer. */
  private withDrives(
    { wrench, loops }: Pick<Carried<unknown>, 'wrench' | 'loops'>,
    force: (drive: Drive) => Expr,
  ): Pick<Carried<unknown>, 'wrench' | 'loops'> {
    return { wrench: [...this.parts.drives.map(force), ...wrench], loops };
  }

  private gravity(): Kernel {
    let a = vector(this.inputs.parentGravity, 0);
    for (const step of this.parts.jointSteps)
      a = stepVelocity(step, { ...this.stepOf(step), angularVelocity: zeroVector }, a);
    const { own, ...carried } = this.parts.body.weigh(a);
    const driven = this.withDrives(carried, () => zero);
    return withWrench('gravity', [{ buffer: 'ownGravity', values: own }], driven);
  }

  /** The wrench of what hangs on the own frame and the body's own. */
  backward(): Kernel {
    const { distalWrench, bodyWrench } = this.inputs;
    const { drives } = this.parts;
    const generalized: Expr[] = this.symbols.q.map(() => zero);
    const wrench = this.inwards(distalWrench, bodyWrench.slice(drives.length), generalized);
    drives.forEach(({ coordinate: a }, i) => (generalized[a] = plus(generalized[a]!, bodyWrench[i]!)));
    return wrenchKernel('backward', generalized, 'parentWrench', wrench);
  }

  /** A wrench at the own frame alone. */
  passOn(
    name: 'propagate' | 'transmit',
    from: 'distalWrench' | 'appliedWrench',
    to: 'parentWrench' | 'parentApplied',
  ): Kernel {
    const generalized: Expr[] = this.symbols.q.map(() => zero);
    const wrench = this.inwards(this.inputs[from], null, generalized);
    return wrenchKernel(name, generalized, to, wrench);
  }

  /**
   * @param bodyWrench null: the distal wrench acts alone.
   * @param generalized takes what it does on the coordinates.
   * @returns the wrench at the parent frame.
   */
  private inwards(
    distalWrench: readonly Expr[],
    bodyWrench: readonly SymbolExpr[] | null,
    generalized: Expr[],
  ): Wrench {
    const distal: Wrench = { force: vector(distalWrench, 0), moment: vector(distalWrench, 3) };
    const { body, bodyCoordinates, jointSteps } = this.parts;
    const through = body.backward(distal, bodyWrench);
    bodyCoordinates.forEach((index, i) => (generalized[index] = through.generalized[i]!));
    let { wrench } = through;
    for (const step of [...jointSteps].reverse()) wrench = backwardStep(step, wrench, generalized);
    return wrench;
  }

  private composite(): Kernel {
    const { distalComposite: d } = this.inputs;
    const { body, bodyCoordinates, drives, jointSteps } = this.parts;
    const M = new MassMatrix(this.symbols.q.length);
    const own = body.composite(FROZEN, {
      mass: d[0]!,
      first: vector(d, 1),
      inertia: d.slice(4) as unknown as Symmetric3,
    });
    own.block.forEach((row, i) =>
      row.slice(i).forEach((value, j) => M.take({ a: bodyCoordinates[i]!, b: bodyCoordinates[i + j]!, value })),
    );
    for (const { coordinate: a, inertia: value } of drives) M.take({ a, b: a, value });
    let composite: Composite<MassMoments> = {
      inertia: own.inertia,
      units: new Map(own.columns.map((wrench, i) => [bodyCoordinates[i]!, wrench])),
    };
    for (const step of [...jointSteps].reverse()) composite = stepComposite(FROZEN, step, composite, M.take);
    const { inertia, units } = composite;
    const ordered = this.symbols.q.map((_, a) => units.get(a) ?? { force: zeroVector, moment: zeroVector });
    return {
      name: 'composite',
      outputs: [
        { buffer: 'parentComposite', values: [inertia!.mass, ...inertia!.first, ...inertia!.inertia] },
        { buffer: 'massBlock', values: M.rows.flat() },
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
    for (const step of this.parts.jointSteps) pose = composeFrames(pose, step.frame);
    return { name: 'pose', outputs: [{ buffer: 'ownPose', values: frameEntries(this.parts.body.pose(pose)) }] };
  }

  private jacobian(): Kernel {
    let pose = this.parentPose();
    const columns: Expr[][] = this.symbols.q.map(() => [zero, zero, zero, zero, zero, zero]);
    const add = (index: number, { angular, linear }: { angular: Vector3; linear: Vector3 }): void => {
      columns[index] = [...angular, ...linear].map((e, k) => plus(columns[index]![k]!, e));
    };
    for (const step of this.parts.jointSteps) {
      jacobianColumns(step, pose).forEach((column, i) => add(step.coordinates[i]!, column));
      pose = composeFrames(pose, step.frame);
    }
    this.parts.body.jacobian(pose).forEach((column, i) => add(this.parts.bodyCoordinates[i]!, column));
    return { name: 'jacobian', outputs: [{ buffer: 'jacobianColumns', values: columns.flat() }] };
  }

  private drift(): Kernel {
    const p = this.inputs.parentDrift;
    let moving: MovingFrame = {
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      angularAcceleration: vector(p, 6),
      acceleration: vector(p, 9),
    };
    for (const step of this.parts.jointSteps)
      moving = stepMovingFrame(step.frame, relativeMotion(step, coasting(this.symbols)), moving);
    const { frame, relative } = this.parts.body.drift();
    const own = stepMovingFrame(frame, relative, moving);
    const values = [...own.angularVelocity, ...own.velocity, ...own.angularAcceleration, ...own.acceleration];
    return { name: 'drift', outputs: [{ buffer: 'ownDrift', values }] };
  }

  private energy(): Kernel {
    const p = this.inputs.parentTravel;
    let travel: Travel = {
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      gravity: vector(p, 6),
      potential: p[9]!,
    };
    const energyOf = ({ coordinate, inertia }: Drive): Expr =>
      times(half, inertia, square(this.symbols.qd[coordinate]!));
    for (const step of this.parts.jointSteps) travel = stepTravel(step, this.stepOf(step), travel);
    const stored = this.parts.forces.flatMap(({ term }) => term.energy ?? []);
    const { own, kinetic, potential } = this.parts.body.energy(travel);
    return {
      name: 'energy',
      outputs: [
        { buffer: 'ownTravel', values: [...own.angularVelocity, ...own.velocity, ...own.gravity, own.potential] },
        { buffer: 'energy', values: [plus(kinetic, ...this.parts.drives.map(energyOf)), potential, plus(...stored)] },
      ],
    };
  }
}

function wrenchKernel(
  name: KernelName,
  generalized: readonly Expr[],
  buffer: 'parentWrench' | 'parentApplied',
  { force, moment }: Wrench,
): Kernel {
  return {
    name,
    outputs: [
      { buffer: 'generalizedForce', values: generalized },
      { buffer, values: [...force, ...moment] },
    ],
  };
}

/** A kernel with a body's wrench among its outputs, as far as loops do not write it. */
function withWrench(
  name: KernelName,
  outputs: Kernel['outputs'],
  { wrench, loops }: Pick<Carried<unknown>, 'wrench' | 'loops'>,
): Kernel {
  return {
    name,
    ...(loops.length > 0 && { loops }),
    outputs: [...outputs, ...(wrench.length > 0 ? [{ buffer: 'bodyWrench' as const, values: wrench }] : [])],
  };
}

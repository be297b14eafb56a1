/**
 * The kernels of one link type: offset → joint → mount → body, fused, by tracing the recursion over the type's symbols.
 * The joint is a row of frame steps; the body is whatever stands behind `BodyPart`.
 */
import { half, plus, square, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  composeFrames,
  cross,
  dot,
  frameEntries,
  identityFrame,
  multiplyVector,
  transformPoint,
  zeroVector,
  type Frame,
  type Vector3,
  symmetric3,
  matrix3,
} from '../../symbolic/graph/vector.ts';
import { ArticulatedLink, withAddedMass } from './articulated-link.ts';
import type { BodyComposite, BodyPart, Carried } from '../body/body-part.ts';
import type { LinkActuation } from '../body/actuation-terms.ts';
import { FORCE_KINDS, type ForceKind } from '../body/force-terms.ts';
import type { InputBuffer, Kernel, KernelName, LinkType } from '../kernels/link-type.ts';
import { LinkInWater } from './link-in-water.ts';
import { motionEntries, vectorAt, type Drive, type LinkParts } from './link-parts.ts';
import type { MovingPoint } from '../body/moving-point.ts';
import type { Loop } from '../loops/loop.ts';
import { withAdjoints, withParameterAdjoints } from './adjoint.ts';
import { withTangents, withVariations } from './tangent.ts';
import { ARTICULATED, articulatedEntries, articulatedFromEntries } from '../equations/articulated.ts';
import { NameProposals, xyz } from '../equations/names.ts';
import { FROZEN, MassMatrix, stepComposite, type Composite, type InertiaKind } from '../equations/composite.ts';
import {
  accelerated,
  addWrenches,
  backwardStep,
  coasting,
  jacobianColumns,
  relativeMotion,
  shiftToParent,
  spinMatrix,
  stepMotion,
  stepMovingFrame,
  stepTravel,
  stepVelocity,
  turnWrench,
  type BodyWrench,
  type CoordinateSymbols,
  type FrameStep,
  type Motion,
  type MovingFrame,
  type RelativeMotion,
  type Travel,
  type Wrench,
} from '../equations/recursion.ts';

export interface Derivatives {
  /** Also of motions of frames, which loops hold together. */
  readonly ofMotions?: true;
  /** Parameters that depend on run-time parameters in some link; missing where the robot has none. */
  readonly changing?: ReadonlySet<SymbolExpr>;
}

export class LinkKernelBuilder {
  private readonly parts: LinkParts;
  private readonly inputs: Record<InputBuffer, readonly SymbolExpr[]>;
  private readonly symbols: CoordinateSymbols;
  private readonly relative = new Map<FrameStep, RelativeMotion>();
  private readonly proposals = new NameProposals();
  private readonly water: LinkInWater;
  private knownDrift: ReturnType<BodyPart['drift']> | undefined;

  constructor(parts: LinkParts, inputs: Record<InputBuffer, readonly SymbolExpr[]>) {
    this.parts = parts;
    this.inputs = inputs;
    const { time } = parts;
    this.symbols = { q: inputs.q, qd: inputs.qd, qdd: inputs.qdd, ...(time && { time }) };
    for (const step of parts.jointSteps) this.relative.set(step, relativeMotion(step, this.symbols));
    const drift = (): ReturnType<BodyPart['drift']> => this.bodyDrift();
    this.water = new LinkInWater(parts, inputs, (step) => this.stepOf(step), drift);
  }

  /**
   * The kernels, the loops they need and readable names for what the equations name.
   * @param derivatives also those of changes along a direction, and along parameters that change with run-time parameters.
   */
  build(derivatives?: Derivatives): {
    kernels: readonly Kernel[];
    loops: readonly Loop[];
    hints: ReadonlyMap<Expr, string>;
    quantities: ReadonlyMap<Expr, string>;
    inputs: Readonly<Record<InputBuffer, readonly SymbolExpr[]>>;
    waterMethod: string | undefined;
  } {
    const { afloat = { forces: false, addedMass: false } } = this.parts;
    const isAfloat = afloat.forces || afloat.addedMass;
    const point = this.parts.locate?.(this.inputs.material);
    const articulated = new ArticulatedLink(this.parts, this.inputs, this.water.terms?.addedMass);
    const acceleration = this.acceleration('staged');
    const kernels = [
      this.velocity(),
      acceleration,
      this.gravity(),
      this.backward(),
      this.passOn('propagate', 'distalWrench', 'parentWrench'),
      this.passOn('transmit', 'appliedWrench', 'parentApplied'),
      afloat.addedMass ? this.compositeWithAddedMass() : this.composite(),
      articulated.articulate,
      articulated.reduce('reduce'),
      articulated.reduce('reduceAlone'),
      ...(this.parts.isLooped ? [articulated.reduce('reduceRow')] : []),
      articulated.restore(),
      ...this.hold(),
      this.pose(),
      this.jacobian(),
      this.biasMotion(),
      ...(derivatives?.ofMotions ? [this.motion()] : []),
      ...(point ? [this.locate(point), this.track(point)] : []),
      this.energy(),
      ...(this.parts.time ? [] : [this.momentum()]),
      ...this.whenLooped(() => this.acceleration('direct')),
      ...this.forces('elastic'),
      ...this.forces('damping'),
      ...this.forceMatrices('elastic'),
      ...this.forceMatrices('damping'),
      ...this.actuation(),
      ...this.unsolved(),
      ...(afloat.forces ? [this.water.dragAndBuoyancy(), ...this.water.contacts()] : []),
      ...(afloat.addedMass ? [this.water.addedMassWrench(), this.water.addedMassEnergy()] : []),
      ...(isAfloat ? [this.backwardFluid()] : []),
      ...(isAfloat && derivatives ? this.afloat(acceleration) : []),
    ];
    const { body, forces, actuations } = this.parts;
    const ofTerms = [...forces, ...actuations].flatMap(({ term }) => term.loops);
    const ofPoint = point?.loops ?? [];
    const loops = [...new Set([...body.loops(), ...ofTerms, ...ofPoint, ...(this.water.terms?.loops ?? [])])];
    const hints = new Map([...body.names(), ...this.proposals.names]);
    const quantities = body.quantities?.() ?? new Map<Expr, string>();
    const built = { kernels, loops, inputs: { ...this.inputs, factor: articulated.factor } };
    return {
      ...(derivatives ? withDerivatives(built, derivatives) : built),
      hints,
      quantities,
      waterMethod: this.water.terms?.method,
    };
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

  private unsolved(): Kernel[] {
    const values = this.parts.body.solved?.unsolved();
    return values ? [{ name: 'unsolved', outputs: [{ buffer: 'unsolvedSection', values }] }] : [];
  }

  private stepOf(step: FrameStep): RelativeMotion {
    return this.relative.get(step)!;
  }

  private proximalVelocity(): Vector3 {
    return this.parts.jointSteps.reduce<Vector3>(
      (w, step) => stepVelocity(step, this.stepOf(step), w),
      vectorAt(this.inputs.parentVelocity, 0),
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
      angularVelocity: vectorAt(this.inputs.parentVelocity, 0),
      angularAcceleration: vectorAt(this.inputs.parentAcceleration, 0),
      acceleration: vectorAt(this.inputs.parentAcceleration, 3),
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
    let a = vectorAt(this.inputs.parentGravity, 0);
    for (const step of this.parts.jointSteps)
      a = stepVelocity(step, { ...this.stepOf(step), angularVelocity: zeroVector }, a);
    const { own, ...carried } = this.parts.body.weigh(a);
    const driven = this.withDrives(carried, () => zero);
    return withWrench('gravity', [{ buffer: 'ownGravity', values: own }], driven);
  }

  /** The wrench of what hangs on the own frame and the body's own. @param water acts on the body beside it. */
  backward(name: 'backward' | 'backwardAfloat' = 'backward', water?: BodyWrench): Kernel {
    const { distalWrench, bodyWrench } = this.inputs;
    const { drives } = this.parts;
    const generalized: Expr[] = this.symbols.q.map(() => zero);
    const wrench = this.inwards(distalWrench, bodyWrench.slice(drives.length), generalized, water);
    drives.forEach(({ coordinate: a }, i) => (generalized[a] = plus(generalized[a]!, bodyWrench[i]!)));
    return wrenchKernel(name, generalized, 'parentWrench', wrench);
  }

  /** Acceleration and way back with all that water takes, of which derivatives are made. */
  private afloat(acceleration: Kernel): readonly Kernel[] {
    const outputs = [...acceleration.outputs, ...this.water.besideAcceleration()];
    return [
      { ...acceleration, name: 'accelerationAfloat', outputs },
      this.backward('backwardAfloat', this.waterWrench()),
    ];
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
   * @param water acts on the body beside it.
   * @returns the wrench at the parent frame.
   */
  private inwards(
    distalWrench: readonly Expr[],
    bodyWrench: readonly SymbolExpr[] | null,
    generalized: Expr[],
    water?: BodyWrench,
  ): Wrench {
    const distal: Wrench = { force: vectorAt(distalWrench, 0), moment: vectorAt(distalWrench, 3) };
    const { body, bodyCoordinates, jointSteps } = this.parts;
    const through = body.backward(distal, bodyWrench);
    bodyCoordinates.forEach(
      (index, i) => (generalized[index] = plus(through.generalized[i]!, water?.generalized[i] ?? zero)),
    );
    let wrench = water ? addWrenches(through.wrench, water) : through.wrench;
    for (const step of [...jointSteps].reverse()) wrench = backwardStep(step, wrench, generalized);
    return wrench;
  }

  /** Of coordinates of the joint that follow the time: what `backward` and `backwardFluid` would do on them. */
  private hold(): Kernel[] {
    const { jointSteps, drives, body } = this.parts;
    const moving = jointSteps.flatMap(({ prescribed = [] }) => prescribed.map(({ index }) => index));
    if (moving.length === 0) return [];
    const { distalWrench, bodyWrench } = this.inputs;
    const distal: Wrench = { force: vectorAt(distalWrench, 0), moment: vectorAt(distalWrench, 3) };
    const held = (name: 'hold' | 'holdFluid', atProximal: Wrench): Kernel => {
      const forces: Expr[] = Array.from({ length: Math.max(...moving) + 1 }, () => zero);
      let wrench = atProximal;
      for (const step of [...jointSteps].reverse()) {
        const turned = turnWrench(step, wrench);
        for (const { index, screw } of step.prescribed ?? [])
          forces[index] = plus(forces[index]!, dot(screw.linear, turned.force), dot(screw.angular, turned.moment));
        wrench = shiftToParent(step, turned);
      }
      return { name, outputs: [{ buffer: 'heldForce', values: forces }] };
    };
    const water = this.waterWrench();
    const beyond = body.backward(distal, null).wrench;
    return [
      held('hold', body.backward(distal, bodyWrench.slice(drives.length)).wrench),
      ...(this.parts.afloat?.forces || this.parts.afloat?.addedMass
        ? [held('holdFluid', water ? addWrenches(beyond, water) : beyond)]
        : []),
    ];
  }

  private composite(): Kernel {
    const { composite, block, units } = this.ofBodies();
    return { name: 'composite', outputs: [composite, block, units] };
  }

  /** Of the masses of bodies alone. */
  private ofBodies(): Record<'composite' | 'block' | 'units', Kernel['outputs'][number]> {
    const { distalComposite: d } = this.inputs;
    const distal = { mass: d[0]!, first: vectorAt(d, 1), inertia: symmetric3(d.slice(4)) };
    const { inertia, outputs } = this.composed(FROZEN, this.parts.body.composite(FROZEN, distal));
    const values = [inertia.mass, ...inertia.first, ...inertia.inertia];
    return { composite: { buffer: 'parentComposite', values }, block: outputs[0], units: outputs[1] };
  }

  /**
   * Against the frame of the parent, as if that stood still: unit rates move all beyond a coordinate as unit accelerations would, and the
   * momentum of what moves beyond the own frame is carried as a wrench is. Drives, which turn alone, have none.
   */
  private momentum(): Kernel {
    const { composite, units } = this.ofBodies();
    const { distalMomentum: p } = this.inputs;
    const carried = this.inwards(
      p.slice(0, 6),
      null,
      this.symbols.q.map(() => zero),
    );
    const against = [...carried.force, ...carried.moment].map((e, k) =>
      plus(e, ...this.symbols.qd.map((rate, a) => times(units.values[6 * a + k]!, rate))),
    );
    const values = [...against, ...composite.values.slice(0, 4)];
    const unit = { buffer: 'unitMomenta' as const, values: units.values };
    return { name: 'momentum', outputs: [composite, { buffer: 'parentMomentum', values }, unit] };
  }

  /** The same for inertias that resist more in one direction than in another. */
  private compositeWithAddedMass(): Kernel {
    const distal = articulatedFromEntries(this.inputs.distalArticulated);
    const own = this.parts.body.composite(ARTICULATED, distal);
    const added = this.water.terms?.addedMass;
    const { inertia, outputs } = this.composed(ARTICULATED, added ? withAddedMass(own, added) : own);
    return {
      name: 'compositeWithAddedMass',
      outputs: [{ buffer: 'parentArticulated', values: articulatedEntries(inertia) }, ...outputs],
    };
  }

  /** Through the joint, with the link's block of the mass matrix. */
  private composed<I>(
    kind: InertiaKind<I>,
    own: BodyComposite<I>,
  ): { readonly inertia: I; readonly outputs: readonly [Kernel['outputs'][number], Kernel['outputs'][number]] } {
    const { bodyCoordinates, drives, jointSteps } = this.parts;
    const M = new MassMatrix(this.symbols.q.length);
    own.block.forEach((row, i) =>
      row.slice(i).forEach((value, j) => M.take({ a: bodyCoordinates[i]!, b: bodyCoordinates[i + j]!, value })),
    );
    for (const { coordinate: a, inertia: value } of drives) M.take({ a, b: a, value });
    let composite: Composite<I> = {
      inertia: own.inertia,
      units: new Map(own.columns.map((wrench, i) => [bodyCoordinates[i]!, wrench])),
    };
    for (const step of [...jointSteps].reverse()) composite = stepComposite(kind, step, composite, M.take);
    const { inertia, units } = composite;
    const ordered = this.symbols.q.map((_, a) => units.get(a) ?? { force: zeroVector, moment: zeroVector });
    return {
      inertia: inertia!,
      outputs: [
        { buffer: 'massBlock', values: M.rows.flat() },
        { buffer: 'unitWrenches', values: ordered.flatMap((w) => [...w.force, ...w.moment]) },
      ],
    };
  }

  private parentPose(): Frame {
    const p = this.inputs.parentPose;
    return { rotation: matrix3(p.slice(0, 9)), translation: vectorAt(p, 9) };
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

  private locate({ position, partials }: MovingPoint): Kernel {
    const { jointSteps, bodyCoordinates } = this.parts;
    const columns: Vector3[] = this.symbols.q.map(() => zeroVector);
    const add = (index: number, column: Vector3): void => {
      columns[index] = addVectors(columns[index]!, column);
    };
    const poses = [this.parentPose()];
    for (const step of jointSteps) poses.push(composeFrames(poses.at(-1)!, step.frame));
    const proximal = poses.at(-1)!;
    const place = transformPoint(proximal, position);
    jointSteps.forEach((step, i) =>
      jacobianColumns(step, poses[i]!).forEach(({ angular, linear }, k) =>
        add(step.coordinates[k]!, addVectors(linear, cross(angular, place))),
      ),
    );
    partials.forEach((partial, a) => add(bodyCoordinates[a]!, multiplyVector(proximal.rotation, partial)));
    const outputs = [
      { buffer: 'pointPosition', values: place },
      { buffer: 'pointColumns', values: columns.flat() },
    ] as const;
    return { name: 'locate', outputs };
  }

  private biasMotion(): Kernel {
    const { frame, relative } = this.bodyDrift();
    const own = stepMovingFrame(frame, relative, this.proximalDrift());
    return { name: 'biasMotion', outputs: [{ buffer: 'ownBiasMotion', values: motionEntries(own) }] };
  }

  /** The same with accelerations of the coordinates. */
  private motion(): Kernel {
    const { frame, relative } = this.bodyDrift();
    const { body, bodyCoordinates } = this.parts;
    const accelerations = bodyCoordinates.map((a) => this.symbols.qdd[a]!);
    const own = stepMovingFrame(frame, accelerated(relative, body.step, accelerations), this.proximalMotion());
    return { name: 'motion', outputs: [{ buffer: 'ownBiasMotion', values: motionEntries(own) }] };
  }

  private proximalDrift(): MovingFrame {
    return this.proximalMotion(coasting(this.symbols));
  }

  /** Motion of the proximal frame of the body, in its axes. */
  private proximalMotion(symbols = this.symbols): MovingFrame {
    const p = this.inputs.parentBiasMotion;
    let moving: MovingFrame = {
      angularVelocity: vectorAt(p, 0),
      velocity: vectorAt(p, 3),
      angularAcceleration: vectorAt(p, 6),
      acceleration: vectorAt(p, 9),
    };
    for (const step of this.parts.jointSteps)
      moving = stepMovingFrame(step.frame, relativeMotion(step, symbols), moving);
    return moving;
  }

  private track({ position, velocity, bias }: MovingPoint): Kernel {
    const still = { angularVelocity: zeroVector, angularAcceleration: zeroVector };
    const at: Frame = { ...identityFrame, translation: position };
    const own = stepMovingFrame(at, { ...still, velocity, acceleration: bias }, this.proximalDrift());
    const proximal = this.parts.jointSteps.reduce((pose, step) => composeFrames(pose, step.frame), this.parentPose());
    const inWorld = (v: Vector3): Vector3 => multiplyVector(proximal.rotation, v);
    const values = [...inWorld(own.velocity), ...inWorld(own.acceleration)];
    return { name: 'track', outputs: [{ buffer: 'pointMotion', values }] };
  }

  private bodyDrift(): ReturnType<BodyPart['drift']> {
    this.knownDrift ??= this.parts.body.drift();
    return this.knownDrift;
  }

  private backwardFluid(): Kernel {
    const generalized: Expr[] = this.symbols.q.map(() => zero);
    const wrench = this.inwards(this.inputs.distalWrench, null, generalized, this.waterWrench());
    return wrenchKernel('backwardFluid', generalized, 'parentWrench', wrench);
  }

  private waterWrench(): BodyWrench | undefined {
    const { waterWrench: w } = this.inputs;
    return w.length > 0 ? { force: vectorAt(w, 0), moment: vectorAt(w, 3), generalized: w.slice(6) } : undefined;
  }

  private energy(): Kernel {
    const p = this.inputs.parentVelocityAndPotential;
    let travel: Travel = {
      angularVelocity: vectorAt(p, 0),
      velocity: vectorAt(p, 3),
      gravity: vectorAt(p, 6),
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
        {
          buffer: 'ownVelocityAndPotential',
          values: [...own.angularVelocity, ...own.velocity, ...own.gravity, own.potential],
        },
        { buffer: 'energy', values: [plus(kinetic, ...this.parts.drives.map(energyOf)), potential, plus(...stored)] },
      ],
    };
  }
}

function withDerivatives(
  built: Pick<LinkType, 'kernels' | 'loops' | 'inputs'>,
  { changing }: Derivatives,
): Pick<LinkType, 'kernels' | 'loops' | 'inputs'> {
  const tangents = withTangents(built);
  if (!changing) return withAdjoints(tangents);
  return withParameterAdjoints(withAdjoints(withVariations(built, tangents, changing)), changing);
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

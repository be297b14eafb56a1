/**
 * The generic O(N) driver: sequences the functions of link modules along a tree of links and owns every buffer.
 *
 * A link's buffers lie in one array, the workspace. On the way out each link gives its motion (velocity, acceleration,
 * gravity or pose) to its children; on the way back it adds its wrench or its composite mass to what hangs on its
 * parent. Nothing is allocated in a call. All quantities in SI units; q, q̇, q̈, τ in the order of the coordinates;
 * matrices row-major; poses and Jacobians in world axes, angular part first.
 * This file is copied beside generated modules; it imports nothing.
 */

/** Functions of a link module. Buffers are those of the module's header. */
export interface LinkModule {
  readonly name: string;
  readonly coordinates: number;
  readonly parameters: number;
  readonly constants: number;
  readonly slot: number;
  readonly bodyWrench: number;
  prepare(parameters: Float64Array, constants: Float64Array): void;
  configure(constants: Float64Array, q: Float64Array, slot: Float64Array): void;
  move(
    constants: Float64Array,
    q: Float64Array,
    qd: Float64Array,
    parentVelocity: Float64Array,
    slot: Float64Array,
    ownVelocity: Float64Array,
  ): void;
  accelerate(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    qd: Float64Array,
    qdd: Float64Array,
    parentVelocity: Float64Array,
    parentAcceleration: Float64Array,
    ownAcceleration: Float64Array,
    bodyWrench: Float64Array,
  ): void;
  forward(
    constants: Float64Array,
    q: Float64Array,
    qd: Float64Array,
    qdd: Float64Array,
    parentVelocity: Float64Array,
    parentAcceleration: Float64Array,
    slot: Float64Array,
    ownVelocity: Float64Array,
    ownAcceleration: Float64Array,
    bodyWrench: Float64Array,
  ): void;
  weigh(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    parentGravity: Float64Array,
    ownGravity: Float64Array,
    bodyWrench: Float64Array,
  ): void;
  backward(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    distalWrench: Float64Array,
    bodyWrench: Float64Array,
    generalizedForce: Float64Array,
    parentWrench: Float64Array,
  ): void;
  propagate(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    distalWrench: Float64Array,
    generalizedForce: Float64Array,
    parentWrench: Float64Array,
  ): void;
  composite(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    distalComposite: Float64Array,
    parentComposite: Float64Array,
    massBlock: Float64Array,
    unitWrenches: Float64Array,
  ): void;
  pose(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    parentPose: Float64Array,
    ownPose: Float64Array,
  ): void;
  jacobian(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    parentPose: Float64Array,
    jacobianColumns: Float64Array,
  ): void;
  energy(
    constants: Float64Array,
    slot: Float64Array,
    q: Float64Array,
    qd: Float64Array,
    parentTravel: Float64Array,
    ownTravel: Float64Array,
    energy: Float64Array,
  ): void;
}

/** A robot as a table: what a generated robot module hands to the driver. */
export interface RobotTable {
  readonly links: readonly {
    readonly module: LinkModule;
    /** Index of the parent, −1 for the base. */
    readonly parent: number;
    /** Constants of the module for this link; null when they depend on run-time parameters. */
    readonly constants: readonly number[] | null;
  }[];
  /** World → base: rotation (9), origin (3). */
  readonly base: readonly number[];
  /** Frames that `frame` reports, rigidly attached to the distal frame of a link: rotation (9), origin (3). */
  readonly frames: readonly { readonly link: number; readonly offset: readonly number[] }[];
  /**
   * Evaluates what depends on run-time parameters: base pose (12) and frame offsets (12 each), unless they stand in the
   * table already, and the parameters of every link without folded constants, in order.
   */
  readonly setup: ((base: Float64Array, frames: Float64Array, linkParameters: Float64Array) => void) | null;
}

/** 0: computed; 1: the input held a number that is not finite, and no output was written. */
export type Status = 0 | 1;

export interface Dynamics {
  /** Number of coordinates. */
  readonly coordinates: number;
  /** Stages a state: everything below except the one-call functions refers to it. */
  update(q: ArrayLike<number>, qd: ArrayLike<number>): Status;
  /** tau = M q̈ + c + g. */
  inverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): void;
  /** tau = M q̈ + c, without gravity. */
  inertialInverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): void;
  /** tau and the mass matrix (n × n, row-major) in one sweep. */
  inverseDynamicsAndMassMatrix(qdd: ArrayLike<number>, tau: Float64Array, M: Float64Array): void;
  /** Coriolis and centrifugal terms, gravity, elastic and viscous forces apart; null skips a term. */
  terms(
    c: Float64Array | null,
    g: Float64Array | null,
    elastic: Float64Array | null,
    damping: Float64Array | null,
  ): void;
  /** n × n, row-major, symmetric. */
  massMatrix(M: Float64Array): void;
  /** Pose of frame `index` and its Jacobian (6 × n, row-major, angular first), world axes; null skips an output. */
  frame(index: number, R: Float64Array | null, t: Float64Array | null, J: Float64Array | null): void;
  /** energy[0] kinetic, energy[1] potential (zero for mass at the world origin), in J. */
  energies(energy: Float64Array): void;
  /** The same without staging, for callers that want one result of a state. */
  inverseDynamicsAt(q: ArrayLike<number>, qd: ArrayLike<number>, qdd: ArrayLike<number>, tau: Float64Array): Status;
  massMatrixAt(q: ArrayLike<number>, M: Float64Array): Status;
  gravityAt(q: ArrayLike<number>, g: Float64Array): Status;
}

/** Motion or pose handed from link to link: the four uses share memory, none outlives a call. */
const PASSED = 12;
/** Velocity, passed motion, distal wrench, distal composite: the part of a link's block that all links have. */
const BLOCK = 3 + PASSED + 6 + 10;

/** The buffers of the base or of one link, views of the workspace. */
interface Block {
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  readonly gravity: Float64Array;
  readonly pose: Float64Array;
  readonly travel: Float64Array;
  readonly wrench: Float64Array;
  readonly composite: Float64Array;
}

interface LinkState extends Block {
  readonly module: LinkModule;
  readonly index: number;
  readonly parentIndex: number;
  readonly parent: Block;
  /** Visited first among its siblings on the way back: writes to the parent's accumulators, the others add. */
  readonly writesFirst: boolean;
  /** Nothing hangs on it: its accumulators are cleared before the way back. */
  readonly isLeaf: boolean;
  readonly first: number;
  readonly count: number;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly force: Float64Array;
  readonly bodyWrench: Float64Array;
  readonly constants: Float64Array;
  readonly slot: Float64Array;
  readonly massBlock: Float64Array;
  readonly unitWrenches: Float64Array;
  readonly unitWrench: readonly Float64Array[];
  readonly columns: Float64Array;
  /** Generalized forces that a wrench of a descendant takes. */
  readonly share: Float64Array;
}

/**
 * Makes the dynamics of a robot.
 * @param table the robot.
 * @param gravity gravitational acceleration in world axes, m/s²; read at every update and one-call function.
 */
export function createDynamics(table: RobotTable, gravity: Float64Array): Dynamics {
  const n = table.links.reduce((total, link) => total + link.module.coordinates, 0);
  const widest = table.links.reduce((most, link) => Math.max(most, link.module.coordinates), 0);
  const shared = 4 * n + 3 + 12 + 12 * table.frames.length + 18 + 10 + 2 + widest * (widest + 13);
  const own = table.links.map(({ module }) => BLOCK + module.bodyWrench + module.constants + module.slot);
  const run = table.links
    .filter((link) => link.constants === null)
    .reduce((total, link) => total + link.module.parameters, 0);
  const workspace = new Float64Array(shared + run + BLOCK + own.reduce((a, b) => a + b, 0));
  let next = 0;
  const take = (size: number): Float64Array => workspace.subarray(next, (next += size));

  const takeBlock = (): Block => {
    const velocity = take(3);
    const passed = take(PASSED);
    return {
      velocity,
      acceleration: passed.subarray(0, 6),
      gravity: passed.subarray(0, 3),
      pose: passed,
      travel: passed.subarray(0, 10),
      wrench: take(6),
      composite: take(10),
    };
  };

  const q = take(n);
  const qd = take(n);
  const qdd = take(n);
  const tau = take(n);
  const basePose = take(12);
  const frameOffsets = take(12 * table.frames.length);
  const point = take(3);
  const wrenchA = take(6);
  const wrenchB = take(6);
  const wrenchSum = take(6);
  const compositeSum = take(10);
  const linkEnergy = take(2);
  const unitWrenches = take(6 * widest);
  const columns = take(6 * widest);
  const massBlock = take(widest * widest);
  const share = take(widest);
  const linkParameters = take(run);
  const base = takeBlock();
  const links: LinkState[] = [];
  const parametersOf: Float64Array[] = [];
  let first = 0;
  let firstParameter = 0;
  table.links.forEach(({ module, parent, constants }, index) => {
    const count = module.coordinates;
    const view = (whole: Float64Array): Float64Array => whole.subarray(first, first + count);
    const state: LinkState = {
      ...takeBlock(),
      module,
      index,
      parentIndex: parent,
      parent: parent < 0 ? base : links[parent]!,
      writesFirst: !table.links.some((other, i) => i > index && other.parent === parent),
      isLeaf: !table.links.some((other) => other.parent === index),
      first,
      count,
      q: view(q),
      qd: view(qd),
      qdd: view(qdd),
      force: view(tau),
      bodyWrench: take(module.bodyWrench),
      constants: take(module.constants),
      slot: take(module.slot),
      massBlock: massBlock.subarray(0, count * count),
      unitWrenches: unitWrenches.subarray(0, 6 * count),
      unitWrench: Array.from({ length: count }, (_, k) => unitWrenches.subarray(6 * k, 6 * k + 6)),
      columns: columns.subarray(0, 6 * count),
      share: share.subarray(0, count),
    };
    if (constants) state.constants.set(constants);
    parametersOf.push(
      constants
        ? linkParameters.subarray(0, 0)
        : linkParameters.subarray(firstParameter, (firstParameter += module.parameters)),
    );
    links.push(state);
    first += count;
  });
  basePose.set(table.base);
  table.frames.forEach((frame, i) => frameOffsets.set(frame.offset, 12 * i));

  /** Evaluates run-time parameters. */
  function prepare(): void {
    if (!table.setup) return;
    table.setup(basePose, frameOffsets, linkParameters);
    for (let i = 0; i < links.length; i++)
      if (table.links[i]!.constants === null) links[i]!.module.prepare(parametersOf[i]!, links[i]!.constants);
  }

  function configure(): void {
    for (let i = 0; i < links.length; i++) {
      const link = links[i]!;
      link.module.configure(link.constants, link.q, link.slot);
    }
  }

  /** Gravity in base axes, times `sign`, to out[at … at + 2]. */
  function baseGravity(sign: number, out: Float64Array, at: number): void {
    for (let i = 0; i < 3; i++) {
      const value = basePose[i]! * gravity[0]! + basePose[3 + i]! * gravity[1]! + basePose[6 + i]! * gravity[2]!;
      out[at + i] = sign * value;
    }
  }

  /** Accelerations and body wrenches of all links, outwards. @param sign −1: with gravity, 0: without. */
  function accelerate(sign: number): void {
    base.velocity.fill(0);
    base.acceleration.fill(0);
    if (sign !== 0) baseGravity(sign, base.acceleration, 3);
    for (let i = 0; i < links.length; i++) {
      const l = links[i]!;
      const { parent } = l;
      l.module.accelerate(
        l.constants,
        l.slot,
        l.q,
        l.qd,
        l.qdd,
        parent.velocity,
        parent.acceleration,
        l.acceleration,
        l.bodyWrench,
      );
    }
  }

  /** Weights of all links, outwards. */
  function weigh(): void {
    baseGravity(-1, base.gravity, 0);
    for (let i = 0; i < links.length; i++) {
      const l = links[i]!;
      l.module.weigh(l.constants, l.slot, l.q, l.parent.gravity, l.gravity, l.bodyWrench);
    }
  }

  /** Generalized force of link i from its body wrench and from what hangs on it; hands its wrench to the parent. */
  function backwardStep(l: LinkState): void {
    if (l.isLeaf) l.wrench.fill(0);
    const target = l.writesFirst ? l.parent.wrench : wrenchSum;
    l.module.backward(l.constants, l.slot, l.q, l.wrench, l.bodyWrench, l.force, target);
    if (!l.writesFirst) accumulate(l.parent.wrench, wrenchSum);
  }

  function backward(out: Float64Array): void {
    for (let i = links.length - 1; i >= 0; i--) backwardStep(links[i]!);
    for (let i = 0; i < n; i++) out[i] = tau[i]!;
  }

  /** Columns of the mass matrix of link i: its own block, then its unit wrenches carried to every ancestor. */
  function compositeStep(l: LinkState, M: Float64Array): void {
    if (l.isLeaf) l.composite.fill(0);
    const target = l.writesFirst ? l.parent.composite : compositeSum;
    l.module.composite(l.constants, l.slot, l.q, l.composite, target, l.massBlock, l.unitWrenches);
    if (!l.writesFirst) accumulate(l.parent.composite, compositeSum);
    for (let a = 0; a < l.count; a++) {
      for (let b = 0; b < l.count; b++) M[(l.first + a) * n + l.first + b] = l.massBlock[a * l.count + b]!;
      const column = l.first + a;
      let wrench = l.unitWrench[a]!;
      let spare = wrenchA;
      for (let j = l.parentIndex; j >= 0; j = links[j]!.parentIndex) {
        const ancestor = links[j]!;
        ancestor.module.propagate(ancestor.constants, ancestor.slot, ancestor.q, wrench, ancestor.share, spare);
        for (let b = 0; b < ancestor.count; b++) {
          M[(ancestor.first + b) * n + column] = ancestor.share[b]!;
          M[column * n + ancestor.first + b] = ancestor.share[b]!;
        }
        wrench = spare;
        spare = wrench === wrenchA ? wrenchB : wrenchA;
      }
    }
  }

  function massMatrix(M: Float64Array): void {
    M.fill(0, 0, n * n);
    for (let i = links.length - 1; i >= 0; i--) compositeStep(links[i]!, M);
  }

  /** World poses of links 0 … last. */
  function poses(last: number): void {
    base.pose.set(basePose);
    for (let i = 0; i <= last; i++) {
      const l = links[i]!;
      l.module.pose(l.constants, l.slot, l.q, l.parent.pose, l.pose);
    }
  }

  /** Columns of the Jacobian of a point that moves with link `index`; zero for coordinates that do not move it. */
  function jacobian(index: number, point: Float64Array, J: Float64Array): void {
    for (let i = 0; i < 6 * n; i++) J[i] = 0;
    for (let j = index; j >= 0; j = links[j]!.parentIndex) {
      const l = links[j]!;
      l.module.jacobian(l.constants, l.slot, l.q, l.parent.pose, l.columns);
      for (let a = 0; a < l.count; a++) {
        const at = 6 * a;
        const x = l.columns[at]!;
        const y = l.columns[at + 1]!;
        const z = l.columns[at + 2]!;
        const column = l.first + a;
        J[column] = x;
        J[n + column] = y;
        J[2 * n + column] = z;
        J[3 * n + column] = l.columns[at + 3]! + (y * point[2]! - z * point[1]!);
        J[4 * n + column] = l.columns[at + 4]! + (z * point[0]! - x * point[2]!);
        J[5 * n + column] = l.columns[at + 5]! + (x * point[1]! - y * point[0]!);
      }
    }
  }

  /** Copies n finite numbers. @returns false when one is not finite. */
  function copy(from: ArrayLike<number>, to: Float64Array): boolean {
    if (from.length !== n) throw new RangeError(`expected ${n} numbers, one per coordinate, not ${from.length}`);
    let finite = true;
    for (let i = 0; i < n; i++) {
      const value = from[i]!;
      to[i] = value;
      if (!Number.isFinite(value)) finite = false;
    }
    return finite;
  }

  return {
    coordinates: n,
    update(newQ, newQd) {
      if (!copy(newQ, q) || !copy(newQd, qd)) return 1;
      prepare();
      configure();
      base.velocity.fill(0);
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        l.module.move(l.constants, l.q, l.qd, l.parent.velocity, l.slot, l.velocity);
      }
      return 0;
    },
    inverseDynamics(newQdd, out) {
      copy(newQdd, qdd);
      accelerate(-1);
      backward(out);
    },
    inertialInverseDynamics(newQdd, out) {
      copy(newQdd, qdd);
      accelerate(0);
      backward(out);
    },
    inverseDynamicsAndMassMatrix(newQdd, out, M) {
      copy(newQdd, qdd);
      accelerate(-1);
      M.fill(0, 0, n * n);
      for (let i = links.length - 1; i >= 0; i--) {
        const l = links[i]!;
        backwardStep(l);
        compositeStep(l, M);
      }
      for (let i = 0; i < n; i++) out[i] = tau[i]!;
    },
    terms(c, g, elastic, damping) {
      if (c) {
        qdd.fill(0);
        accelerate(0);
        backward(c);
      }
      if (g) {
        weigh();
        backward(g);
      }
      elastic?.fill(0, 0, n);
      damping?.fill(0, 0, n);
    },
    massMatrix,
    frame(index, R, t, J) {
      const { link } = table.frames[index]!;
      poses(link);
      const { pose } = link < 0 ? base : links[link]!;
      const at = 12 * index;
      for (let i = 0; i < 3; i++) {
        const x = pose[3 * i]!;
        const y = pose[3 * i + 1]!;
        const z = pose[3 * i + 2]!;
        for (let j = 0; R && j < 3; j++)
          R[3 * i + j] = x * frameOffsets[at + j]! + y * frameOffsets[at + 3 + j]! + z * frameOffsets[at + 6 + j]!;
        point[i] = pose[9 + i]! + (x * frameOffsets[at + 9]! + y * frameOffsets[at + 10]! + z * frameOffsets[at + 11]!);
        if (t) t[i] = point[i]!;
      }
      if (J) jacobian(link, point, J);
    },
    energies(energy) {
      base.travel.fill(0);
      baseGravity(1, base.travel, 6);
      base.travel[9] = -(gravity[0]! * basePose[9]! + gravity[1]! * basePose[10]! + gravity[2]! * basePose[11]!);
      let kinetic = 0;
      let potential = 0;
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        l.module.energy(l.constants, l.slot, l.q, l.qd, l.parent.travel, l.travel, linkEnergy);
        kinetic += linkEnergy[0]!;
        potential += linkEnergy[1]!;
      }
      energy[0] = kinetic;
      energy[1] = potential;
    },
    inverseDynamicsAt(newQ, newQd, newQdd, out) {
      if (!copy(newQ, q) || !copy(newQd, qd) || !copy(newQdd, qdd)) return 1;
      prepare();
      base.velocity.fill(0);
      base.acceleration.fill(0);
      baseGravity(-1, base.acceleration, 3);
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        const { parent } = l;
        l.module.forward(
          l.constants,
          l.q,
          l.qd,
          l.qdd,
          parent.velocity,
          parent.acceleration,
          l.slot,
          l.velocity,
          l.acceleration,
          l.bodyWrench,
        );
      }
      backward(out);
      return 0;
    },
    massMatrixAt(newQ, M) {
      if (!copy(newQ, q)) return 1;
      prepare();
      configure();
      massMatrix(M);
      return 0;
    },
    gravityAt(newQ, g) {
      if (!copy(newQ, q)) return 1;
      prepare();
      configure();
      weigh();
      backward(g);
      return 0;
    },
  };
}

/** total += part */
function accumulate(total: Float64Array, part: Float64Array): void {
  for (let i = 0; i < total.length; i++) total[i] = total[i]! + part[i]!;
}

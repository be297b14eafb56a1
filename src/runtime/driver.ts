/**
 * The generic O(N) driver: sequences the functions of link modules along a tree of links and owns every buffer.
 *
 * All that a link computes stands together in its block of one array, the workspace: a call runs through memory once
 * outwards and once back. On the way out each link takes the motion (velocity, acceleration, gravity or pose) from its
 * parent's block and leaves its own in its block; on the way back it puts its wrench or its composite mass into its
 * parent's block. Nothing is allocated in a call. All quantities in SI units; q, q̇, q̈, τ in the order of the
 * coordinates; matrices row-major; poses and Jacobians in world axes, angular part first.
 * This file is copied beside generated modules; it imports nothing.
 */

/** Functions of a link module on the blocks of its parent and of the link. */
export interface LinkModule {
  readonly name: string;
  readonly coordinates: number;
  readonly parameters: number;
  readonly constants: number;
  /** Numbers in the block of a link. */
  readonly block: number;
  prepare(parameters: Float64Array, constants: Float64Array): void;
  configure(constants: Float64Array, own: Float64Array): void;
  move(constants: Float64Array, parent: Float64Array, own: Float64Array): void;
  accelerate(constants: Float64Array, parent: Float64Array, own: Float64Array): void;
  forward(constants: Float64Array, parent: Float64Array, own: Float64Array): void;
  weigh(constants: Float64Array, parent: Float64Array, own: Float64Array): void;
  backward(constants: Float64Array, parent: Float64Array, own: Float64Array): void;
  propagate(
    constants: Float64Array,
    own: Float64Array,
    distalWrench: Float64Array,
    generalizedForce: Float64Array,
    parentWrench: Float64Array,
  ): void;
  composite(
    constants: Float64Array,
    parent: Float64Array,
    own: Float64Array,
    massBlock: Float64Array,
    unitWrenches: Float64Array,
  ): void;
  pose(constants: Float64Array, parent: Float64Array, own: Float64Array): void;
  jacobian(constants: Float64Array, parent: Float64Array, own: Float64Array, jacobianColumns: Float64Array): void;
  energy(constants: Float64Array, parent: Float64Array, own: Float64Array, energy: Float64Array): void;
  /** Null without elasticity, without damping. */
  readonly elastic: ((constants: Float64Array, own: Float64Array) => void) | null;
  readonly damping: ((constants: Float64Array, own: Float64Array) => void) | null;
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
  /** KG_OK, or why the run-time parameters cannot be used. */
  readonly check?: () => Status;
}

/** All outputs are finite numbers. */
export const KG_OK = 0;
/** An input, a parameter or gravity is infinite or not a number. */
export const KG_NON_FINITE = 1;
/** A parameter lies outside its minimum and maximum. */
export const KG_OUT_OF_RANGE = 2;
/** The result is not finite (overflow, a pole): all outputs are set to NaN. */
export const KG_UNDEFINED = 3;
/** There is no frame of this index. */
export const KG_NO_FRAME = 4;
/** No state is staged: no update yet, or a function that ends in `At` was called since. */
export const KG_NO_STATE = 5;

/**
 * What every function that computes something returns: one of the numbers above. Outputs are written by KG_OK, set to
 * NaN by KG_UNDEFINED, left alone by all others; nothing is thrown.
 */
export type Status = 0 | 1 | 2 | 3 | 4 | 5;

/** Are the first `count` numbers all finite? Null holds no numbers. */
export function areFinite(numbers: ArrayLike<number> | null, count: number): boolean {
  let nothing = 0;
  if (numbers) for (let i = 0; i < count; i++) nothing += 0 * numbers[i]!;
  return nothing === 0;
}

/** Sets the first `count` numbers to NaN. */
export function mark(numbers: Float64Array | null, count: number): void {
  if (numbers) numbers.fill(NaN, 0, count);
}

/** The status of a call with one output, which is marked when it is not finite. */
export function finished(out: Float64Array, count: number): Status {
  if (areFinite(out, count)) return KG_OK;
  mark(out, count);
  return KG_UNDEFINED;
}

/**
 * After an update that failed, functions that refer to the staged state return what it returned, until one succeeds.
 * Arrays of a wrong length are a mistake in the program: RangeError.
 */
export interface Dynamics {
  /** Number of coordinates. */
  readonly coordinates: number;
  /** Stages a state: everything below except the one-call functions refers to it. Results are checked there. */
  update(q: ArrayLike<number>, qd: ArrayLike<number>): Status;
  /** tau = M q̈ + c + g. */
  inverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): Status;
  /** tau = M q̈ + c, without gravity. */
  inertialInverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): Status;
  /** tau and the mass matrix (n × n, row-major) in one sweep. */
  inverseDynamicsAndMassMatrix(qdd: ArrayLike<number>, tau: Float64Array, M: Float64Array): Status;
  /** Coriolis and centrifugal terms, gravity, elastic and viscous forces apart; null skips a term. */
  terms(
    c: Float64Array | null,
    g: Float64Array | null,
    elastic: Float64Array | null,
    damping: Float64Array | null,
  ): Status;
  /** n × n, row-major, symmetric. */
  massMatrix(M: Float64Array): Status;
  /** Pose of frame `index` and its Jacobian (6 × n, row-major, angular first), world axes; null skips an output. */
  frame(index: number, R: Float64Array | null, t: Float64Array | null, J: Float64Array | null): Status;
  /** energy[0] kinetic, energy[1] potential (zero for mass at the world origin), in J. */
  energies(energy: Float64Array): Status;
  /** The same without staging, for callers that want one result of a state; afterwards no state is staged. */
  inverseDynamicsAt(q: ArrayLike<number>, qd: ArrayLike<number>, qdd: ArrayLike<number>, tau: Float64Array): Status;
  massMatrixAt(q: ArrayLike<number>, M: Float64Array): Status;
  gravityAt(q: ArrayLike<number>, g: Float64Array): Status;
}

/**
 * Places in every block: mass, first moment and inertia of all that hangs on the frame (10); motion or pose handed to
 * the children, where acceleration, gravity, pose and travel share their places as none outlives a call (12); angular
 * velocity (3); wrench of all that hangs on the frame (6).
 */
const COMPOSITE = 0;
const MOTION = 10;
const WRENCH = 25;
/** From here on: q, q̇, q̈ and generalized forces of the link, then what its module keeps. */
const BLOCK = 31;

/** Which of the arrays of coordinates in a block. */
const Q = 0;
const QD = 1;
const QDD = 2;
const FORCE = 3;

interface LinkState {
  readonly module: LinkModule;
  readonly constants: Float64Array;
  /** Block of the parent. */
  readonly parent: Float64Array;
  /** Block of the link. */
  readonly own: Float64Array;
  /** Visited first among its siblings on the way back: writes to the parent's block, the others add. */
  readonly writesFirst: boolean;
  /** Index of its first coordinate, and how many. */
  readonly first: number;
  readonly count: number;
  readonly parentIndex: number;
}

/**
 * Makes the dynamics of a robot.
 * @param table the robot.
 * @param gravity gravitational acceleration in world axes, m/s²; read at every update and one-call function.
 */
export function createDynamics(table: RobotTable, gravity: Float64Array): Dynamics {
  const n = table.links.reduce((total, link) => total + link.module.coordinates, 0);
  const widest = table.links.reduce((most, link) => Math.max(most, link.module.coordinates), 0);
  const basePose = Float64Array.from(table.base);
  const frameOffsets = Float64Array.from(table.frames.flatMap((frame) => frame.offset));
  /** As it was at the last update or one-call function. */
  const stagedGravity = new Float64Array(3);
  let staged: Status = KG_NO_STATE;
  const point = new Float64Array(3);
  const wrenchA = new Float64Array(6);
  const wrenchB = new Float64Array(6);
  const linkEnergy = new Float64Array(2);
  const columns = new Float64Array(6 * widest);
  const massBlock = new Float64Array(widest * widest);
  const share = new Float64Array(widest);
  const unitWrenches = new Float64Array(6 * widest);
  const unitWrench = Array.from({ length: widest }, (_, k) => unitWrenches.subarray(6 * k, 6 * k + 6));

  const workspace = new Float64Array(table.links.reduce((total, { module }) => total + module.block, 2 * BLOCK));
  let next = 0;
  const takeBlock = (size: number): Float64Array => workspace.subarray(next, (next += size));
  /** The base moves like a link that nothing moves; its wrench and composite are what holds the robot. */
  const base = takeBlock(BLOCK);
  /** Takes what a link adds to a parent that has something already. */
  const addend = takeBlock(BLOCK);

  const run = table.links.filter((link) => link.constants === null).map((link) => link.module.parameters);
  const linkParameters = new Float64Array(run.reduce((a, b) => a + b, 0));
  const tables = new Map<readonly number[], Float64Array>();
  const constantsOf = ({ module, constants }: RobotTable['links'][number]): Float64Array => {
    if (constants === null) return new Float64Array(module.constants);
    const values = tables.get(constants) ?? Float64Array.from(constants);
    tables.set(constants, values);
    return values;
  };
  const links: LinkState[] = [];
  const lastChild = new Map(table.links.map((link, index) => [link.parent, index]));
  let first = 0;
  table.links.forEach((link, index) => {
    const { module, parent } = link;
    links.push({
      module,
      constants: constantsOf(link),
      parent: parent < 0 ? base : links[parent]!.own,
      own: takeBlock(module.block),
      writesFirst: lastChild.get(parent) === index,
      first,
      count: module.coordinates,
      parentIndex: parent,
    });
    first += module.coordinates;
  });

  let firstParameter = 0;
  /** Links whose constants depend on run-time parameters, with those of the link. */
  const open = links
    .filter((_, i) => table.links[i]!.constants === null)
    .map((link) => ({
      link,
      parameters: linkParameters.subarray(firstParameter, (firstParameter += link.module.parameters)),
    }));

  /** Takes gravity and run-time parameters. @returns why they cannot be used, otherwise KG_OK. */
  function prepare(): Status {
    if (!areFinite(gravity, 3)) return KG_NON_FINITE;
    const status = table.check ? table.check() : KG_OK;
    if (status !== KG_OK) return status;
    for (let i = 0; i < 3; i++) stagedGravity[i] = gravity[i]!;
    if (!table.setup) return KG_OK;
    table.setup(basePose, frameOffsets, linkParameters);
    for (let i = 0; i < open.length; i++) {
      const { link, parameters } = open[i]!;
      link.module.prepare(parameters, link.constants);
    }
    return KG_OK;
  }

  function expectLength(numbers: ArrayLike<number>): void {
    if (numbers.length !== n) throw new RangeError(`expected ${n} numbers, one per coordinate, not ${numbers.length}`);
  }

  /** Adds to a status what numbers of an input are. @throws RangeError when there are too many or too few. */
  function accept(status: Status, numbers: ArrayLike<number>): Status {
    expectLength(numbers);
    return status === KG_OK && !areFinite(numbers, n) ? KG_NON_FINITE : status;
  }

  /** Puts the numbers of a link into its block. */
  function put(l: LinkState, which: number, from: ArrayLike<number>): void {
    const { own, first, count } = l;
    const at = BLOCK + which * count;
    for (let a = 0; a < count; a++) own[at + a] = from[first + a]!;
  }

  /** Takes a configuration. */
  function configure(q: ArrayLike<number>): void {
    for (let i = 0; i < links.length; i++) {
      const l = links[i]!;
      put(l, Q, q);
      l.module.configure(l.constants, l.own);
    }
  }

  /** Gravity in base axes, times `sign`, to out[at … at + 2]. */
  function baseGravity(sign: number, out: Float64Array, at: number): void {
    for (let i = 0; i < 3; i++) {
      const value =
        basePose[i]! * stagedGravity[0]! + basePose[3 + i]! * stagedGravity[1]! + basePose[6 + i]! * stagedGravity[2]!;
      out[at + i] = sign * value;
    }
  }

  /** Acceleration of the base. @param sign −1: with gravity, 0: without. */
  function accelerateBase(sign: number): void {
    for (let i = 0; i < 6; i++) base[MOTION + i] = 0;
    if (sign !== 0) baseGravity(sign, base, MOTION + 3);
  }

  /**
   * Accelerations and body wrenches of all links, outwards.
   * @param qdd q̈, null for zeros.
   * @param sign −1: with gravity, 0: without.
   */
  function accelerate(qdd: ArrayLike<number> | null, sign: number): void {
    accelerateBase(sign);
    for (let i = 0; i < links.length; i++) {
      const l = links[i]!;
      if (qdd) put(l, QDD, qdd);
      else l.own.fill(0, BLOCK + QDD * l.count, BLOCK + FORCE * l.count);
      l.module.accelerate(l.constants, l.parent, l.own);
    }
  }

  /** Weights of all links, outwards. */
  function weigh(): void {
    baseGravity(-1, base, MOTION);
    for (let i = 0; i < links.length; i++) {
      const l = links[i]!;
      l.module.weigh(l.constants, l.parent, l.own);
    }
  }

  /** Generalized force of a link from its body wrench and from what hangs on it; hands its wrench to the parent. */
  function backwardStep(l: LinkState, out: Float64Array): void {
    const { own, first, count } = l;
    if (l.writesFirst) l.module.backward(l.constants, l.parent, own);
    else {
      l.module.backward(l.constants, addend, own);
      for (let i = WRENCH; i < WRENCH + 6; i++) l.parent[i] = l.parent[i]! + addend[i]!;
    }
    const at = BLOCK + FORCE * count;
    for (let a = 0; a < count; a++) out[first + a] = own[at + a]!;
  }

  function backward(out: Float64Array): void {
    for (let i = links.length - 1; i >= 0; i--) backwardStep(links[i]!, out);
  }

  /** Columns of the mass matrix of link i: its own block, then its unit wrenches carried to every ancestor. */
  function compositeStep(l: LinkState, M: Float64Array): void {
    const target = l.writesFirst ? l.parent : addend;
    l.module.composite(l.constants, target, l.own, massBlock, unitWrenches);
    if (!l.writesFirst) for (let i = COMPOSITE; i < COMPOSITE + 10; i++) l.parent[i] = l.parent[i]! + addend[i]!;
    for (let a = 0; a < l.count; a++) {
      for (let b = 0; b < l.count; b++) M[(l.first + a) * n + l.first + b] = massBlock[a * l.count + b]!;
      const column = l.first + a;
      let wrench = unitWrench[a]!;
      let spare = wrenchA;
      for (let j = l.parentIndex; j >= 0; j = links[j]!.parentIndex) {
        const ancestor = links[j]!;
        ancestor.module.propagate(ancestor.constants, ancestor.own, wrench, share, spare);
        for (let b = 0; b < ancestor.count; b++) {
          M[(ancestor.first + b) * n + column] = share[b]!;
          M[column * n + ancestor.first + b] = share[b]!;
        }
        wrench = spare;
        spare = wrench === wrenchA ? wrenchB : wrenchA;
      }
    }
  }

  /** Of a configuration that the blocks hold. */
  function massMatrix(M: Float64Array): Status {
    M.fill(0, 0, n * n);
    for (let i = links.length - 1; i >= 0; i--) compositeStep(links[i]!, M);
    return finished(M, n * n);
  }

  /** tau = M q̈ + c, and g with sign −1. */
  function stagedInverseDynamics(qdd: ArrayLike<number>, sign: number, out: Float64Array): Status {
    const status = accept(staged, qdd);
    if (status !== KG_OK) return status;
    accelerate(qdd, sign);
    backward(out);
    return finished(out, n);
  }

  /** Forces that bodies exert on their own coordinates. */
  function ownForces(kind: 'elastic' | 'damping', out: Float64Array): void {
    out.fill(0, 0, n);
    for (let i = 0; i < links.length; i++) {
      const { module, constants, own, first, count } = links[i]!;
      const force = module[kind];
      if (!force) continue;
      force(constants, own);
      for (let a = 0; a < count; a++) out[first + a] = own[BLOCK + FORCE * count + a]!;
    }
  }

  /** World poses of links 0 … last. */
  function poses(last: number): void {
    base.set(basePose, MOTION);
    for (let i = 0; i <= last; i++) {
      const l = links[i]!;
      l.module.pose(l.constants, l.parent, l.own);
    }
  }

  /** Columns of the Jacobian of a point that moves with link `index`; zero for coordinates that do not move it. */
  function jacobian(index: number, J: Float64Array): void {
    J.fill(0, 0, 6 * n);
    for (let j = index; j >= 0; j = links[j]!.parentIndex) {
      const l = links[j]!;
      l.module.jacobian(l.constants, l.parent, l.own, columns);
      for (let a = 0; a < l.count; a++) {
        const at = 6 * a;
        const x = columns[at]!;
        const y = columns[at + 1]!;
        const z = columns[at + 2]!;
        const column = l.first + a;
        J[column] = x;
        J[n + column] = y;
        J[2 * n + column] = z;
        J[3 * n + column] = columns[at + 3]! + (y * point[2]! - z * point[1]!);
        J[4 * n + column] = columns[at + 4]! + (z * point[0]! - x * point[2]!);
        J[5 * n + column] = columns[at + 5]! + (x * point[1]! - y * point[0]!);
      }
    }
  }

  return {
    coordinates: n,
    update(q, qd) {
      staged = KG_NO_STATE;
      staged = accept(accept(prepare(), q), qd);
      if (staged !== KG_OK) return staged;
      configure(q);
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        put(l, QD, qd);
        l.module.move(l.constants, l.parent, l.own);
      }
      return KG_OK;
    },
    inverseDynamics: (qdd, out) => stagedInverseDynamics(qdd, -1, out),
    inertialInverseDynamics: (qdd, out) => stagedInverseDynamics(qdd, 0, out),
    inverseDynamicsAndMassMatrix(qdd, out, M) {
      const status = accept(staged, qdd);
      if (status !== KG_OK) return status;
      accelerate(qdd, -1);
      M.fill(0, 0, n * n);
      for (let i = links.length - 1; i >= 0; i--) {
        const l = links[i]!;
        backwardStep(l, out);
        compositeStep(l, M);
      }
      if (areFinite(out, n) && areFinite(M, n * n)) return KG_OK;
      mark(out, n);
      mark(M, n * n);
      return KG_UNDEFINED;
    },
    terms(c, g, elastic, damping) {
      if (staged !== KG_OK) return staged;
      if (c) {
        accelerate(null, 0);
        backward(c);
      }
      if (g) {
        weigh();
        backward(g);
      }
      if (elastic) ownForces('elastic', elastic);
      if (damping) ownForces('damping', damping);
      if (areFinite(c, n) && areFinite(g, n) && areFinite(elastic, n) && areFinite(damping, n)) return KG_OK;
      mark(c, n);
      mark(g, n);
      mark(elastic, n);
      mark(damping, n);
      return KG_UNDEFINED;
    },
    massMatrix: (M) => (staged === KG_OK ? massMatrix(M) : staged),
    frame(index, R, t, J) {
      const frame = table.frames[index];
      if (!frame) return KG_NO_FRAME;
      if (staged !== KG_OK) return staged;
      const { link } = frame;
      poses(link);
      const block = link < 0 ? base : links[link]!.own;
      const at = 12 * index;
      for (let i = 0; i < 3; i++) {
        const x = block[MOTION + 3 * i]!;
        const y = block[MOTION + 3 * i + 1]!;
        const z = block[MOTION + 3 * i + 2]!;
        for (let j = 0; R && j < 3; j++)
          R[3 * i + j] = x * frameOffsets[at + j]! + y * frameOffsets[at + 3 + j]! + z * frameOffsets[at + 6 + j]!;
        const offset = x * frameOffsets[at + 9]! + y * frameOffsets[at + 10]! + z * frameOffsets[at + 11]!;
        point[i] = block[MOTION + 9 + i]! + offset;
        if (t) t[i] = point[i]!;
      }
      if (J) jacobian(link, J);
      if (areFinite(R, 9) && areFinite(t, 3) && areFinite(J, 6 * n)) return KG_OK;
      mark(R, 9);
      mark(t, 3);
      mark(J, 6 * n);
      return KG_UNDEFINED;
    },
    energies(energy) {
      if (staged !== KG_OK) return staged;
      base.fill(0, MOTION, MOTION + 10);
      baseGravity(1, base, MOTION + 6);
      const x = stagedGravity[0]!;
      const y = stagedGravity[1]!;
      const z = stagedGravity[2]!;
      base[MOTION + 9] = -(x * basePose[9]! + y * basePose[10]! + z * basePose[11]!);
      let kinetic = 0;
      let potential = 0;
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        l.module.energy(l.constants, l.parent, l.own, linkEnergy);
        kinetic += linkEnergy[0]!;
        potential += linkEnergy[1]!;
      }
      energy[0] = kinetic;
      energy[1] = potential;
      return finished(energy, 2);
    },
    inverseDynamicsAt(q, qd, qdd, out) {
      staged = KG_NO_STATE;
      const status = accept(accept(accept(prepare(), q), qd), qdd);
      if (status !== KG_OK) return status;
      accelerateBase(-1);
      for (let i = 0; i < links.length; i++) {
        const l = links[i]!;
        put(l, Q, q);
        put(l, QD, qd);
        put(l, QDD, qdd);
        l.module.forward(l.constants, l.parent, l.own);
      }
      backward(out);
      return finished(out, n);
    },
    massMatrixAt(q, M) {
      staged = KG_NO_STATE;
      const status = accept(prepare(), q);
      if (status !== KG_OK) return status;
      configure(q);
      return massMatrix(M);
    },
    gravityAt(q, g) {
      staged = KG_NO_STATE;
      const status = accept(prepare(), q);
      if (status !== KG_OK) return status;
      configure(q);
      weigh();
      backward(g);
      return finished(g, n);
    },
  };
}

/** What functions of robots are made of, and what callers give to them. */
import type { BaseMotion } from '../../kane/equations/base-and-frames.ts';
import type { FormulaName, ReachName } from './actuator-functions.ts';
import type { Input, Output } from './arrays.ts';
import type { DerivativeKind } from './sweep-steps.ts';
import type { SweepName } from './sweeps.ts';

/** What a function of a robot does, one after the other. */
export type Action =
  /** The base is given a motion, which its children find. */
  | { readonly base: BaseMotion }
  /** A sweep on arrays of the caller. */
  | { readonly sweep: SweepName; readonly at?: string; readonly arrays?: readonly string[] }
  | { readonly clear: string }
  /** No section to an output. */
  | { readonly section: 'none'; readonly to: string }
  /** Where links have this to do, where there is water, where there are fields or contacts; what else where it is not so. */
  | {
      readonly afloat: 'dragAndBuoyancy' | 'contacts' | 'addedMassWrench' | 'wet' | 'placed';
      readonly actions: readonly Action[];
      readonly otherwise?: readonly Action[];
    }
  /** Where steps of Newton's method form the tangent of inverse dynamics as a matrix, and where they do not. */
  | { readonly tangent: 'as a matrix'; readonly actions: readonly Action[]; readonly otherwise: readonly Action[] }
  /** Once for each coordinate, the last one first: `coordinate` of the link `link`, its column of the matrix `S` from `at` on. */
  | { readonly eachCoordinate: readonly Action[] }
  /** Factors of the matrix, and its answer to the residual. */
  | { readonly matrix: 'factor' | 'solve' }
  /** Factors of a tangent of inverse dynamics are void; complete; and the status where they are not. */
  | { readonly factors: 'forget' | 'keep' | 'require' }
  /** No link is remembered for its pivots; and the status where one is, before outputs are written. */
  | { readonly pivots: 'forget' | 'require' }
  /** Changes of what a wrench does, in these axes, or of actuators that reach from link to link, by coordinates or by rates, added to dtau. */
  | { readonly loads: 'world' | 'frame' | 'reaching' | 'rubbing' }
  /**
   * Loads of actuators between links, and what they do as coordinates change, ready for the elimination; factors from the answers to their
   * columns; the answer to the residual, at the state of the factors, or at any by what `reach` has kept.
   */
  | { readonly border: 'hold' | 'factor' | 'reach' | 'solve' | 'solve by factors' }
  /** The same of the caller's wrench on a frame, in axes of the world or of the frame, which it follows; after `border: 'hold'`. */
  | { readonly load: 'hold' | 'factor' | 'solve'; readonly axes: 'world' | 'frame' }
  /** What by_tau weighs of changes of B u by actuators between links, off by_q, or off by_p where run-time parameters move them. */
  | { readonly deduct: 'links' | 'places' }
  /** A direction of the run-time parameters: what it changes of parameters of links and of the base. */
  | { readonly along: 'parameters' }
  /** Derivatives by run-time parameters, from those by parameters of links. */
  | { readonly by: 'parameters' }
  /** Zeros: the base does not change along directions; no link does; no link has wrenches by motions of its frame yet. */
  | { readonly blank: 'baseTangent' | 'tangents' | 'loads' }
  /** Once for each column of arrays that hold several. */
  | { readonly eachColumn: readonly Action[] }
  /** What actuators have of coordinates of several links. */
  | { readonly formulas: FormulaName }
  /** What they have between and on links. */
  | { readonly reach: ReachName }
  /**
   * Of forces between frames, where there are any: generalized forces less them; what they take added, or their energies; changes of
   * that along a direction of the coordinates or of the run-time parameters, to an array from `at` on; what else where parameters move them.
   */
  | { readonly varied: readonly Action[] }
  | { readonly forces: 'net' | 'energies' }
  /** What is reported of contacts between links, to the outputs. */
  | { readonly forces: 'pairs' }
  /** `push`: what contacts between links take. */
  | { readonly forces: 'add' | 'push'; readonly to: string }
  | { readonly forces: 'changes'; readonly direction: string; readonly to: string; readonly at: string }
  | { readonly forces: 'variations'; readonly to: string; readonly at: string }
  /** Of contacts between links: changes of what they take along dq and dqd, added; the transpose, to by_q and by_qd. */
  | { readonly pushes: 'change'; readonly to: string }
  | { readonly pushes: 'weigh'; readonly weights: string; readonly at: string }
  /** Pose of the frame from that of its link; columns of the Jacobian of its origin. */
  | { readonly frame: 'pose' | 'jacobian' }
  /** What the sweep `drift` left at the link of the frame, set aside; with its pose, the motion of the frame. */
  | { readonly motion: 'keep' | 'of frame' }
  /** The caller's point to `point`; of all bodies, from what they hand to the base: momentum, mass and its centre; Jacobian of that from linear momenta. */
  | { readonly momentum: 'about' | 'whole' | 'centre' | 'jacobian' }
  /** A wrench on the frame, in these axes, to its link; what it does on the coordinates from there to the base. */
  | { readonly apply: 'world' | 'frame' }
  | { readonly transmit: string }
  /** Place of a material point of a link, and its Jacobian; or its motion. */
  | { readonly point: 'locate' | 'track' }
  | LoopAction
  | LoopDerivativeAction
  /** Where the caller wants an output, or one of several. */
  | { readonly wanted: string | readonly string[]; readonly actions: readonly Action[] };

/**
 * Of robots with loops. Their residuals, rates or Jacobian to outputs; their rows reduced, beside the quotients of a right-hand side
 * (`moving`: rates are asked for later); after that its multipliers: for accelerations along the loops, with feedback of alpha and beta, for a step of h that ends on them,
 * for a solution that does not move rigid rows (`factor` before: what others give way by);
 * or, with no right-hand side, for a correction of coordinates or of rates. `target`: the output that takes them.
 * `ropes`: states of these from an input; `distribute`: generalized forces in tau to lambda and what is left.
 */
export interface LoopAction {
  readonly loops:
    | 'residuals'
    | 'rates'
    | 'jacobian'
    | 'reduce'
    | 'accelerate'
    | 'stabilise'
    | 'step'
    | 'factor'
    | 'solve'
    | 'place'
    | 'turn'
    | 'distribute'
    | 'ropes';
  readonly target?: string;
  readonly moving?: true;
}

/**
 * In each column of derivatives of constrained forward dynamics. `change`: changes of what rows ask of accelerations to dlambda, and of
 * forces of multipliers off dqdd; `weigh`: the transpose, off by_q and by_qd; `solve`: multipliers of the right-hand side whose quotients
 * stand in the links, what rows ask in the first array, multipliers to the second; `negate`: arrays. Of an implicit step: `slopeStep`, before
 * columns: derivatives of what rows ask; `changeStep`, as `change`; `solveStep`, what rows ask in an array that takes the multipliers,
 * or nothing, multipliers kept; `weighStep`: what these and `lambda` add to by_q and by_qd.
 */
export interface LoopDerivativeAction {
  readonly loopDerivatives:
    'change' | 'weigh' | 'solve' | 'negate' | 'slopeStep' | 'changeStep' | 'solveStep' | 'weighStep';
  readonly arrays?: readonly string[];
}

/** What a function is about that not all robots have; `trees`: robots without loops; `prescribed`: coordinates that follow the time. */
export type Owned =
  | 'actuators'
  | 'rubbing tendons'
  | 'damping'
  | 'elasticity'
  | 'solved strain'
  | 'water'
  | 'contacts'
  | 'loops'
  | 'ropes'
  | 'trees'
  | 'prescribed';

/** A function of a robot. */
export interface RobotFunction {
  readonly purpose: string;
  /** Only of robots that have this. */
  readonly about?: Owned;
  /** Code has it unless functions are chosen. */
  readonly usual?: true;
  /**
   * `stages` a state for others; needs one that is `staged`; `at` a state of its own, after which none is staged. The first
   * and the last take gravity and run-time parameters.
   */
  readonly state: 'stages' | 'staged' | 'at';
  readonly inputs: readonly Input[];
  /** Takes the index of a frame. */
  readonly ofFrame?: true;
  /** Takes the index of a link; only of robots that are compiled with material points. */
  readonly ofLink?: true;
  /** Only of robots whose bodies do not depend on the time: what moves with it has a momentum without rates. */
  readonly timeless?: true;
  /** Takes a number of columns, which inputs and outputs have. */
  readonly ofColumns?: true;
  /** Numbers that it takes: a step of time h, and the like. */
  readonly numbers?: readonly string[];
  readonly outputs: readonly Output[];
  /** Outputs may be left out. */
  readonly optional?: true;
  /** Results are added to what outputs hold. */
  readonly adds?: true;
  /** Refers to what this function, called before at the same state, has left. */
  readonly after?: string;
  /** Only of robots that are compiled with derivatives, of this kind. */
  readonly derivative?: DerivativeKind;
  readonly actions: readonly Action[];
}

/** Among the numbers that functions take: a step of time, which leads forwards. */
export const STEP_TIME = 'h';

/** Stands for generalized forces of the caller, less those between frames. */
export const NET_FORCE = '(net force)';

/** Stands for an array that is left out. */
export const NOTHING = '(nothing)';

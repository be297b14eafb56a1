/**
 * A whole robot as straight-line functions: the recursion traced over the robot's tree of frames, in the cheapest of a few
 * equivalent forms.
 */
import { rubs, type Actuator } from '../description/model/actuator.ts';
import type { Robot } from '../description/model/robot.ts';
import { waterOf } from '../description/model/what-acts.ts';
import { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import { substitute } from '../symbolic/graph/traverse.ts';
import {
  decimal,
  minus,
  negate,
  plus,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../symbolic/graph/expr.ts';
import { foldConstant } from '../symbolic/evaluation/evaluate.ts';
import { multiplyTransposed, zeroVector, type Vector3, vector3 } from '../symbolic/graph/vector.ts';
import { alignAxes } from './mechanism/align.ts';
import type { ForceKind } from '../kane/body/force-terms.ts';
import { functionText, OUTPUTS } from './function-texts.ts';
import { demandWritten, exactFrame, mechanismOf, type Mechanism } from './mechanism/mechanism.ts';
import { differentiated, inverseDynamicsDerivatives } from './functions/derivatives.ts';
import { pushingForces } from './functions/frame-terms.ts';
import { FormSearch, GIVEN, type Form } from './form-search.ts';
import type { FrameTree } from './mechanism/frame-tree.ts';
import {
  optionName,
  STRAIGHT_FUNCTIONS,
  valuesOf,
  type StraightFunction,
  type StraightFunctionName,
  type StraightInput,
  type StraightOutput,
  type StraightParameter,
  type StraightRobot,
} from './straight-robot.ts';
import { robotActuation, type RobotActuation } from './functions/actuation.ts';
import { robotForces, totalForces, totalMatrix, type RobotForce } from './functions/forces.ts';
import { eliminated, motionless } from './functions/forward-dynamics.ts';
import {
  columnsOf,
  regressor,
  requireLinear,
  rolesIn,
  type ParameterRoles,
  type RegressorChoice,
} from './functions/regressor.ts';
import { factoriseSymmetric, type Elimination } from './functions/dense-solution.ts';
import { closingOf, robotRows, type RobotRow, type RowDemand } from './functions/loop-rows.ts';
import { gravityForces, inverseDynamics, massMatrix, waterForces, type Names } from './functions/trace.ts';

export type CountOperations = (
  outputs: readonly Expr[],
  inputs: readonly SymbolExpr[],
  accuracy: 'estimate' | 'exact',
) => number;

export interface StraightOptions {
  /** Default: `STRAIGHT_FUNCTIONS`, and those of elastic and damping forces where there are any. */
  readonly functions?: readonly StraightFunctionName[];
  /** Keeps gravity as a run-time parameter, in the directions in which the robot file has any, or in all. */
  readonly keepGravity?: boolean | 'every axis';
  /** Adds `regressor`. */
  readonly regressor?: RegressorChoice;
  /** Operations that a set of outputs costs as generated code: decides between forms. An estimate may skip optimising. */
  readonly count: CountOperations;
  /** Operations that bodies whose sums are written out may take; any number when missing. */
  readonly mostOperations?: number;
  /** Called for every function that is traced; may throw to stop before anything is optimised for good. */
  readonly admit?: (f: StraightFunction) => void;
  /** Called between pieces of work; may throw to stop. */
  readonly checkpoint?: () => void;
}

const LARGEST: StraightFunctionName = 'inverseDynamicsDerivatives';

/** @throws what `checkpoint` throws; KanegenError of the Kane compiler, and `wrong-shape` where options are none. */
export function compileStraight(robot: Robot, options: StraightOptions): StraightRobot {
  demandOptions(options);
  demandStraight(robot);
  const checkpoint = options.checkpoint ?? ((): void => undefined);
  const compiler = new Compiler(robot, options, checkpoint);
  const names = [...new Set(options.functions ?? compiler.usualFunctions)];
  // The largest first: what is too large as a whole is mostly so because of it.
  const made = new Map<StraightFunctionName, StraightFunction>();
  for (const name of [...names].sort((a, b) => Number(b === LARGEST) - Number(a === LARGEST))) {
    const own = compiler.function(name);
    options.admit?.(own);
    made.set(name, own);
  }
  const functions = names.map((name) => made.get(name)!);
  const { regressor: choice } = options;
  const open = choice && new Compiler(choice.robot, options, checkpoint);
  if (open) {
    functions.push(open.function('regressor'));
    options.admit?.(functions.at(-1)!);
  }
  return {
    parameters: compiler.parameters,
    inputs: compiler.inputs,
    functions,
    hints: new Map([...(open?.names ?? []), ...compiler.names]),
    ...(choice && { columns: columnsOf(choice) }),
    method: "recursion of Kane's equations, traced; inertial parameters lumped",
  };
}

/** @throws KanegenError `not-supported` at what straight-line code does not know, as the description tells. */
export function demandStraight(robot: Robot): void {
  refuseEquilibria(robot);
  demandWritten(robot);
}

/** Their Newton steps are loops of the driver. @throws KanegenError `not-supported` at the body type. */
function refuseEquilibria({ links }: Robot): void {
  for (const { body } of links)
    if (body.kind === 'deformable' && body.type.kinematics.kind === 'strain' && body.type.kinematics.equilibrium)
      throw new KanegenError(
        'not-supported',
        `straight-line functions of rods whose strain is an equilibrium are not supported, and ${body.type.name} is one`,
        { remedy: 'leave out --straight: the driver has all functions' },
      ).at(body.type.locations.kinematics);
}

/** Those of some parameters of a robot in which its forces are linear together: what it may have a regressor of. */
export function linearParameters(
  robot: Robot,
  parameters: readonly StraightParameter[],
  options: StraightOptions,
): readonly StraightParameter[] {
  return parameterRoles(robot, parameters, options).linear;
}

/** The same, with those of them that no force depends on. */
export function parameterRoles<P extends StraightParameter>(
  robot: Robot,
  parameters: readonly P[],
  options: StraightOptions,
): ParameterRoles<P> {
  return new Compiler(robot, options, options.checkpoint ?? ((): void => undefined)).roles(parameters);
}

class Compiler {
  readonly parameters: readonly StraightParameter[];
  readonly inputs: Readonly<Record<StraightInput, readonly SymbolExpr[]>>;
  readonly names: Names = new Map();
  private readonly symbols: Mechanism['symbols'];
  private readonly forms: FormSearch;
  private readonly coordinates: readonly string[];
  private readonly forces: readonly RobotForce[];
  private readonly baseAcceleration: Vector3;
  private readonly options: StraightOptions;
  private readonly checkpoint: () => void;
  private readonly found = new Map<StraightFunctionName, Found>();
  private readonly robot: Robot;
  private knownActuation: RobotActuation | undefined;
  private knownRows: readonly RobotRow[] | undefined;
  private knownPushes: readonly Expr[] | undefined;

  constructor(robot: Robot, options: StraightOptions, checkpoint: () => void) {
    this.robot = robot;
    this.options = options;
    this.coordinates = robot.coordinates.map((c) => c.name);
    this.checkpoint = checkpoint;
    const mechanism = alignAxes(mechanismOf(robot, options.mostOperations));
    this.symbols = mechanism.symbols;
    this.forms = new FormSearch(mechanism, checkpoint);
    this.forces = robotForces(robot, this.symbols);
    this.parameters = keptParameters(robot, options.keepGravity);
    const { q, qd, qdd } = this.symbols;
    const tau = q.map((_, i) => symbol(`load.${i + 1}`));
    const u = robot.actuators.map((_, j) => symbol(`input.${j + 1}`));
    const [h, alpha, beta] = [[symbol('step.time')], [symbol('feedback.alpha')], [symbol('feedback.beta')]];
    this.inputs = { parameters: this.parameters.map((p) => p.symbol), h, alpha, beta, q, qd, qdd, u, tau };
    const gravity = vector3(
      robot.gravity.map((g, i) => (isKept(g, options.keepGravity) ? gravitySymbols[i]! : decimal(g))),
    );
    this.baseAcceleration = multiplyTransposed(exactFrame(robot.base).rotation, vector3(gravity.map(negate)));
  }

  get usualFunctions(): readonly StraightFunctionName[] {
    // Forces between frames have no matrices, as in the driver.
    const hasMatrix = (kind: ForceKind): boolean =>
      this.forces.some((force) => force.kind === kind && force.matrix.some((entry) => entry !== zero));
    // Where some coordinate moves no mass at all there is nothing to derive.
    const isMassive = motionless(this.forms.tree(GIVEN)).length === 0;
    // Straight-line code has no time.
    const isClosable = !this.robot.loops?.some(({ time }) => time);
    return [
      ...STRAIGHT_FUNCTIONS.filter((name) => (isMassive && isClosable) || name !== 'forwardDynamics'),
      ...(this.robot.loops && isClosable ? LOOP_FUNCTIONS.filter((name) => isMassive || !isForward(name)) : []),
      ...(this.forces.length > 0 ? (['passiveForces'] as const) : []),
      ...(this.forces.length > 0 || this.isPushed ? (['activeInverseDynamics'] as const) : []),
      ...(hasMatrix('elastic') ? (['stiffness'] as const) : []),
      ...(hasMatrix('damping') ? (['dissipation'] as const) : []),
      ...(this.isPushed ? (['fluid', 'fluidDerivatives'] as const) : []),
      ...(this.robot.actuators.length > 0 ? (['actuation', 'actuate'] as const) : []),
    ];
  }

  /** By water, beside what moves with bodies. */
  private get isPushed(): boolean {
    return waterOf(this.robot).forces;
  }

  function(name: StraightFunctionName): StraightFunction {
    const { summary, reads } = functionText(name, waterOf(this.robot));
    if (isOfLoops(name)) this.requireLoops();
    if (isForward(name)) this.requireMass(name);
    if (name === 'regressor') requireLinear(this.activeForces(GIVEN, new Map()), this.options.regressor!.parameters);
    if (name === 'actuation' || name === 'actuate') this.requireActuation();
    if (name === 'fluid' || name === 'fluidDerivatives') this.requireWater();
    const kept = this.parameters.length > 0 ? (['parameters'] as const) : [];
    const { outputs, closing } = this.cheapest(name);
    const closed = closing?.isStrict ? ' Loops are closed; rows that contradict each other are refused.' : '';
    const way = this.found.get(name)?.isWhole
      ? ' By the mass matrix as a whole, which costs less here than elimination.'
      : '';
    return {
      name,
      summary: `${summary}${closed}${way}`,
      reads: [...kept, ...reads],
      outputs,
      ...(closing && { closing }),
    };
  }

  roles<P extends StraightParameter>(parameters: readonly P[]): ParameterRoles<P> {
    return rolesIn(this.activeForces(GIVEN, new Map()), parameters);
  }

  /** @throws KanegenError `no-mass` naming a coordinate whose motion moves none. */
  private requireMass(name: ForwardFunction): void {
    const [coordinate] = motionless(this.forms.tree(GIVEN), this.addend(name));
    if (coordinate === undefined) return;
    const left = name === 'implicitStep' ? 'the implicit step' : optionName(name).replaceAll('-', ' ');
    throw new KanegenError('no-mass', `the coordinate ${this.coordinates[coordinate]!} moves no mass`, {
      remedy: `give the bodies that it moves a mass, or leave out ${left} (--functions)`,
    });
  }

  /** @throws KanegenError `no-actuators`, `not-supported` for actuators that depend on the time, and tendons with friction. */
  private requireActuation(): void {
    const isTimed = (actuator: Actuator): boolean =>
      actuator.terms.some((term) => term.kind === 'field' && term.field.time !== undefined);
    const timed = this.robot.actuators.find(isTimed);
    if (timed)
      throw new KanegenError('not-supported', `straight-line code has no time, on which \`${timed.name}\` depends`, {
        location: timed.location,
        remedy: 'leave out actuation and actuate (--functions), or write what depends on the time as the input',
      });
    const rubbing = this.robot.actuators.find(rubs);
    if (rubbing)
      throw new KanegenError(
        'not-supported',
        `straight-line code has no friction of tendons, as \`${rubbing.name}\` has`,
        {
          location: rubbing.location,
          remedy: 'leave out actuation and actuate (--functions), or use the driver',
        },
      );
    if (this.robot.actuators.length > 0) return;
    throw new KanegenError('no-actuators', 'the robot has no actuators', { remedy: 'leave out these (--functions)' });
  }

  /** @throws KanegenError `no-loops`. */
  private requireLoops(): void {
    if (this.robot.loops) return;
    throw new KanegenError('no-loops', 'the robot has no loops', {
      remedy: 'leave out functions of loops (--functions), or describe `loops`',
    });
  }

  /** @throws KanegenError `no-water`. */
  private requireWater(): void {
    if (this.isPushed) return;
    throw new KanegenError('no-water', 'the robot has no drag, no buoyancy and no fields', {
      remedy: 'leave out fluid and fluid-derivatives (--functions), or describe `water` or fields under `forces`',
    });
  }

  private get actuation(): RobotActuation {
    this.knownActuation ??= robotActuation(this.robot, this.symbols);
    return this.knownActuation;
  }

  /** What tau has to overcome of contacts of bodies that move. */
  private get pushes(): readonly Expr[] {
    this.knownPushes ??= pushingForces(this.robot, this.symbols, this.checkpoint);
    return this.knownPushes;
  }

  private get rows(): readonly RobotRow[] {
    this.knownRows ??= robotRows(this.robot, this.symbols, () => this.actuation);
    return this.knownRows;
  }

  /** The form that inverse dynamics are written in serves them with other forces as well. */
  private cheapest(name: StraightFunctionName): Traced {
    if (name !== 'activeInverseDynamics') return this.searched(name);
    return this.trace(name, this.searched('inverseDynamics').form, this.names);
  }

  private searched(name: StraightFunctionName): Found {
    const found = this.found.get(name) ?? (isForward(name) ? this.forward(name) : this.search(name));
    this.found.set(name, found);
    return found;
  }

  /** Coordinates eliminated over the tree, or the mass matrix solved as a whole: what costs less. */
  private forward(name: ForwardFunction): Found {
    const overTree = this.search(name);
    if (this.coordinates.length > MOST_DENSE) return overTree;
    const { form } = this.searched('inverseDynamicsAndMassMatrix');
    const tree = this.forms.tree(form);
    const bias = substitute(inverseDynamics(tree, this.baseAcceleration, undefined, 'all'), atRest(tree));
    const rest = this.load(name).map((force, a) => plus(force, negate(bias[a]!)));
    const addend = this.addend(name);
    const n = rest.length;
    const M = massMatrix(tree).map((row, a) => row.map((entry, b) => plus(entry, addend[a * n + b] ?? zero)));
    const whole = factoriseSymmetric(M);
    const traced = this.solved(name, whole, whole.reduce(rest));
    const isDense = this.count(traced, 'exact') < this.count(overTree, 'exact');
    return isDense ? { form, ...traced, isWhole: true } : overTree;
  }

  private search(name: StraightFunctionName): Found {
    const { form, traced } = this.forms.cheapest<Traced>(
      {
        trace: (own, names) => this.trace(name, own, names),
        count: (own, accuracy) => this.count(own, accuracy),
        // Forces within links do not know how frames are written.
        lumped: WITHIN_LINKS.has(name) ? undefined : name === 'massMatrix' ? 'diagonal' : 'second-moment',
        turns: name !== 'inverseDynamicsDerivatives' && name !== 'regressor',
      },
      this.names,
    );
    return { form, ...traced };
  }

  private count(traced: Traced, accuracy: 'estimate' | 'exact'): number {
    this.checkpoint();
    const left = traced.closing ? Object.values(traced.closing.results).flat() : [];
    return this.options.count(valuesOf(traced), [...this.allInputs, ...left], accuracy);
  }

  /** What becomes of a right-hand side on its way to accelerations: its quotients, and where loops are closed what rows add to them. */
  private solved(name: ForwardFunction, elimination: Elimination, quotients: readonly Expr[]): Traced {
    if (!this.robot.loops) return { outputs: this.forwardOutputs(name, elimination.restore(quotients)) };
    const closing = closingOf(this.rows, elimination, quotients, this.demandOf(name));
    const { freeQuotients, loopMultipliers, loopRank } = closing.results;
    const ofRows = [outputOf('lambda', loopMultipliers, true), outputOf('rank', loopRank, true)];
    const outputs = this.forwardOutputs(name, elimination.restore(freeQuotients));
    return { outputs: [...outputs, ...(name === 'constrainedForwardDynamics' ? ofRows : [])], closing };
  }

  /** Of rows of loops. */
  private demandOf(name: ForwardFunction): RowDemand {
    const [h, alpha, beta] = [this.inputs.h[0]!, this.inputs.alpha[0]!, this.inputs.beta[0]!];
    switch (name) {
      case 'forwardDynamics':
        return { kind: 'accelerations' };
      case 'constrainedForwardDynamics':
        return { kind: 'feedback', alpha, beta };
      case 'implicitStep':
        return { kind: 'step', h };
    }
  }

  /** What drives the coordinates when springs and dampers have taken theirs; in a step those of its end, to first order. */
  private load(name: ForwardFunction): readonly Expr[] {
    const { tau, qd, h } = this.inputs;
    const n = tau.length;
    const [elastic, damping] = (['elastic', 'damping'] as const).map((kind) => totalForces(this.forces, kind, n));
    const load = tau.map((force, a) =>
      plus(force, negate(elastic![a]!), negate(damping![a]!), negate(this.pushes[a]!)),
    );
    if (name !== 'implicitStep') return load;
    const K = totalMatrix(this.forces, 'elastic', n);
    return load.map((force, a) =>
      minus(force, times(h[0]!, plus(zero, ...qd.map((rate, b) => times(K[a * n + b]!, rate))))),
    );
  }

  /** What a step adds to M: h D + h² K. */
  private addend(name: ForwardFunction): readonly Expr[] {
    if (name !== 'implicitStep') return [];
    const [h] = this.inputs.h;
    const [D, K] = (['damping', 'elastic'] as const).map((kind) =>
      totalMatrix(this.forces, kind, this.coordinates.length),
    );
    return D!.map((damping, k) => times(h!, plus(damping, times(h!, K![k]!))));
  }

  private forwardOutputs(name: ForwardFunction, accelerations: readonly Expr[]): readonly StraightOutput[] {
    if (name !== 'implicitStep') return [outputOf('qdd', accelerations)];
    const { q, qd, h } = this.inputs;
    const rates = qd.map((rate, a) => plus(rate, times(h[0]!, accelerations[a]!)));
    const coordinates = q.map((place, a) => plus(place, times(h[0]!, rates[a]!)));
    return [outputOf('q_next', coordinates), outputOf('qd_next', rates)];
  }

  private get allInputs(): readonly SymbolExpr[] {
    return Object.values(this.inputs).flat();
  }

  /** M q̈ + c + g + elastic + damping + fluid. */
  private activeForces(form: Form, names: Names): readonly Expr[] {
    const forces = inverseDynamics(this.forms.tree(form), this.baseAcceleration, names, 'all');
    const passive = (['elastic', 'damping'] as const).map((kind) => totalForces(this.forces, kind, forces.length));
    return forces.map((force, a) => plus(force, ...passive.map((own) => own[a]!), this.pushes[a]!));
  }

  /** What tau has to overcome of drag, buoyancy, fields and contacts. Kinks of drag at rest are rounded: |v| is √(v·v + ε²). */
  private fluid(tree: FrameTree): readonly Expr[] {
    const ofWater = waterForces(tree, this.baseAcceleration, 'drag and buoyancy');
    return ofWater.map((force, a) => plus(force, this.pushes[a]!));
  }

  private trace(name: StraightFunctionName, form: Form, names: Names): Traced {
    this.checkpoint();
    if (!isForward(name)) return { outputs: this.outputs(name, form, names) };
    const elimination = eliminated(this.forms.tree(form), this.baseAcceleration, this.addend(name));
    return this.solved(name, elimination, elimination.reduceMoving(this.load(name)));
  }

  private outputs(
    name: Exclude<StraightFunctionName, ForwardFunction>,
    form: Form,
    names: Names,
  ): readonly StraightOutput[] {
    const tree = this.forms.tree(form);
    const a0 = this.baseAcceleration;
    switch (name) {
      case 'inverseDynamics':
        return [outputOf('tau', inverseDynamics(tree, a0, names))];
      case 'constraint':
        return (['residual', 'rate', 'bias'] as const).map((part) =>
          outputOf(
            part === 'residual' ? 'phi' : part,
            this.rows.map((row) => row[part]),
            true,
          ),
        );
      case 'constraintJacobian':
        return [outputOf('J', this.rows.map(({ gradient }) => gradient).flat())];
      case 'massMatrix':
        return [outputOf('M', massMatrix(tree, names).flat())];
      case 'inverseDynamicsAndMassMatrix':
        return [outputOf('tau', inverseDynamics(tree, a0, names)), outputOf('M', massMatrix(tree, names).flat())];
      case 'gravity':
        return [outputOf('g', gravityForces(tree, a0))];
      case 'passiveForces':
        return (['elastic', 'damping'] as const).map((kind) =>
          outputOf(kind, totalForces(this.forces, kind, tree.symbols.q.length), true),
        );
      case 'fluid':
        return [outputOf('fluid', this.fluid(tree))];
      case 'fluidDerivatives': {
        const { byPosition, byVelocity } = differentiated(tree, this.fluid(tree));
        return [outputOf('dfluid_dq', byPosition.flat(), true), outputOf('dfluid_dqd', byVelocity.flat(), true)];
      }
      case 'activeInverseDynamics':
        return [outputOf('tau', this.activeForces(form, names))];
      case 'regressor': {
        const { Y, offset } = regressor(this.activeForces(form, names), this.options.regressor!);
        return [outputOf('Y', Y), outputOf('offset', offset, true)];
      }
      case 'stiffness':
        return [outputOf('K', totalMatrix(this.forces, 'elastic', tree.symbols.q.length))];
      case 'dissipation':
        return [outputOf('D', totalMatrix(this.forces, 'damping', tree.symbols.q.length))];
      case 'actuation': {
        const { y, yd, ydd0, B } = this.actuation;
        return Object.entries({ y, yd, ydd0, B: B.flat() }).map(([buffer, values]) => outputOf(buffer, values, true));
      }
      case 'actuate': {
        const { u, tau } = this.inputs;
        const driven = this.actuation.B.map((row, a) => plus(tau[a]!, ...row.map((e, j) => times(e, u[j]!))));
        return [{ ...outputOf('tau', driven), summary: 'generalized forces, B u added' }];
      }
      case 'massMatrixAndForcing': {
        const bias = substitute(inverseDynamics(tree, a0, names), atRest(tree));
        return [outputOf('M', massMatrix(tree, names).flat()), outputOf('forcing', bias.map(negate))];
      }
      case 'dynamicsTerms': {
        const c = substitute(inverseDynamics(tree, zeroVector, names), atRest(tree));
        return [
          outputOf('M', massMatrix(tree, names).flat(), true),
          outputOf('c', c, true),
          outputOf('g', gravityForces(tree, a0), true),
        ];
      }
      case 'inverseDynamicsDerivatives': {
        const { byPosition, byVelocity } = inverseDynamicsDerivatives(tree, a0);
        return [outputOf('dtau_dq', byPosition.flat(), true), outputOf('dtau_dqd', byVelocity.flat(), true)];
      }
    }
  }
}

function outputOf(buffer: string, values: readonly Expr[], optional = false): StraightOutput {
  return { buffer, values, optional, summary: OUTPUTS[buffer]! };
}

/** No accelerations. */
function atRest(tree: FrameTree): Map<Expr, Expr> {
  return new Map(tree.symbols.qdd.map((s) => [s, zero]));
}

const WITHIN_LINKS: ReadonlySet<StraightFunctionName> = new Set<StraightFunctionName>([
  ...(['passiveForces', 'stiffness', 'dissipation', 'actuation', 'actuate'] as const),
  // Rows of loops are found along the links as the robot file has them.
  ...(['constraint', 'constraintJacobian'] as const),
]);

/** Functions that solve with M, or with what a step makes of it. */
type ForwardFunction = 'forwardDynamics' | 'constrainedForwardDynamics' | 'implicitStep';

const isForward = (name: StraightFunctionName): name is ForwardFunction =>
  name === 'forwardDynamics' || name === 'constrainedForwardDynamics' || name === 'implicitStep';

const LOOP_FUNCTIONS = ['constraint', 'constraintJacobian', 'constrainedForwardDynamics'] as const;

const isOfLoops = (name: StraightFunctionName): boolean => LOOP_FUNCTIONS.some((own) => own === name);

/** What a function computes. */
type Traced = Pick<StraightFunction, 'outputs' | 'closing'>;

/** A function in its cheapest form; `isWhole`: by the mass matrix, solved as a whole. */
type Found = Traced & { readonly form: Form; readonly isWhole?: true };

/** Coordinates up to which the mass matrix may be solved as a whole: beyond, elimination over the tree costs less. */
const MOST_DENSE = 8;
const gravitySymbols = ['x', 'y', 'z'].map((axis) => symbol(`robot.gravity_${axis}`));

function isKept(gravity: number, keepGravity: StraightOptions['keepGravity'] = false): boolean {
  return keepGravity === 'every axis' || (keepGravity && gravity !== 0);
}

function keptParameters(robot: Robot, keepGravity: StraightOptions['keepGravity']): StraightParameter[] {
  const gravity = robot.gravity.map((value, i) => ({
    name: `gravity_${'xyz'[i]!}`,
    symbol: gravitySymbols[i]!,
    unit: 'm/s^2',
    value,
  }));
  return [
    ...gravity.filter(({ value }) => isKept(value, keepGravity)),
    ...robot.parameters.map((p) => ({ name: p.name, symbol: p.symbol, unit: p.unit, value: foldConstant(p.value) })),
  ];
}

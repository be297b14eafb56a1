/** Rollouts of packages for Python: functions in C over those of the robot, in the form in which the interface has others. */
import type { RobotInterface } from '../../interface/robot-interface.ts';

type FunctionInterface = RobotInterface['functions'][number];
type Argument = FunctionInterface['arguments'][number];

export interface Rollouts {
  /** What templates of C ask for. */
  readonly data: {
    readonly n: number;
    readonly nu: number;
    readonly rubs: boolean;
    /** Run-time parameters that derivatives are by. */
    readonly np: number;
    readonly rows: number;
    /** The parameter that is the time. */
    readonly time: string | undefined;
    /** Steps return the multipliers of loops. */
    readonly constrained: boolean;
    readonly adjoint: 'gradient' | 'adjoint' | undefined;
    readonly gradientTakesInputs: boolean;
  };
  readonly functions: readonly FunctionInterface[];
}

/**
 * Columns are steps. Where friction sticks, steps change parameters, and there are no rollouts.
 * @returns undefined for robots without steps.
 */
export function rolloutsOf(of: RobotInterface): Rollouts | undefined {
  const has = (name: string): boolean => of.functions.some((own) => own.name === name);
  const { coordinates: n, rows } = of.sizes;
  const isStuck = of.parameters.some(({ bristle }) => bristle !== undefined);
  if (n === 0 || isStuck || !has('update') || !has('implicit_step')) return undefined;
  const nu = has('actuate') ? of.sizes.inputs : 0;
  const constrained = rows > 0 && has('constrained_implicit_step_adjoint') && has('constrained_implicit_step_tangent');
  const gradient = of.functions.find(({ name }) => name === 'implicit_step_gradient');
  const isGradient = rows === 0 && gradient !== undefined;
  const isStep = rows > 0 ? constrained : (isGradient || has('implicit_step_adjoint')) && has('implicit_step_tangent');
  const rubs = nu > 0 && of.inputs.some((own) => own.rubs);
  const changesInputs = nu === 0 || (has('actuation') && has('actuate_tangent'));
  const isReverse = isStep && changesInputs && (!rubs || has('actuate_rate_tangent'));
  const np = isGradient ? of.parameters.filter(({ kind }) => kind === 'parameter').length : 0;
  const data = {
    n,
    nu,
    rubs,
    np,
    rows,
    time: of.parameters.find(({ kind }) => kind === 'time')?.name,
    constrained,
    adjoint: isReverse ? (isGradient ? ('gradient' as const) : ('adjoint' as const)) : undefined,
    gradientTakesInputs: gradient?.arguments.some(({ name }) => name === 'u') ?? false,
  };
  return { data, functions: functionsOf(of, data) };
}

function functionsOf(of: RobotInterface, { n, nu, np, adjoint }: Rollouts['data']): FunctionInterface[] {
  const call: readonly Argument[] = [
    { name: 'workspace', role: 'workspace' },
    { name: 'p', role: 'parameters' },
    { name: 'columns', role: 'columns' },
    { name: 'h', role: 'number' },
  ];
  const array =
    (role: 'input' | 'output', optional?: true) =>
    (name: string, ...shape: NonNullable<Argument['shape']>): Argument => ({
      name,
      role,
      shape,
      ...(optional && { optional }),
    });
  const [given, maybe, found, wanted] = [
    array('input'),
    array('input', true),
    array('output'),
    array('output', true),
  ] as const;
  const driven = [given('q', n), given('qd', n), maybe('u', 'columns', nu), maybe('tau', 'columns', n)];
  const along = [given('path', 'columns', n), given('rates', 'columns', n)];
  const record = (name: string, purpose: string, ...own: readonly Argument[]): FunctionInterface => ({
    name,
    method: name,
    symbol: `${of.robot.identifier}_${name}`,
    purpose,
    state: 'at',
    arguments: [...call, ...driven, ...own],
    statuses: of.functions.find((f) => f.name === 'implicit_step')!.statuses,
  });
  const path = [found('path', 'columns', n), found('rates', 'columns', n)];
  if (!adjoint) return [record('rollout', 'States after linearly implicit Euler steps.', ...path)];
  return [
    record('rollout', 'States after linearly implicit Euler steps.', ...path),
    record(
      'rollout_adjoint',
      'Derivatives of a weighted sum of these states by all that leads there.',
      ...along,
      maybe('weights_path', 'columns', n),
      maybe('weights_rates', 'columns', n),
      found('by_q', n),
      found('by_qd', n),
      wanted('by_u', 'columns', nu),
      wanted('by_tau', 'columns', n),
      wanted('by_p', np),
    ),
    record(
      'rollout_tangent',
      'Changes of these states along a direction.',
      ...along,
      maybe('dq', n),
      maybe('dqd', n),
      maybe('du', 'columns', nu),
      maybe('dtau', 'columns', n),
      maybe('dp', np),
      found('dpath', 'columns', n),
      found('drates', 'columns', n),
    ),
  ];
}

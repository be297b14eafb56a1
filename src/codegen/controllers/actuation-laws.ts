/** The law that leads actuation coordinates: partial feedback linearisation. */
import type { Robot } from '../../description/model/robot.ts';
import { forcesOf } from '../../description/model/what-acts.ts';
import { demand, each, solvedByFactor, type LawText } from './law-text.ts';
import type { StraightCalls } from './straight-calls.ts';

export function linearisation(robot: Robot, outputs: readonly number[], straight?: StraightCalls): LawText {
  const [n, u, m] = [robot.coordinates.length, robot.actuators.length, outputs.length];
  const isWhole = outputs.every((output, k) => output === k);
  /** Once for each output: in a loop where all inputs are outputs in their order. */
  const eachOutput = (lines: (k: number | 'k', output: number | 'k') => readonly string[]): string[] =>
    isWhole ? [`for (let k = 0; k < ${m}; k++) {`, ...lines('k', 'k'), '}'] : outputs.flatMap((own, k) => lines(k, own));
  const column = (output: number | 'k'): string => `state.B[${u} * i${output === 0 ? '' : ` + ${output}`}]!`;
  const row = (size: number, k: number | 'k'): string => (k === 'k' ? `${size} * k` : String(size * k));
  // Rows of B' M^-1 B and of B' M^-1 n, output by output: the lower triangle is all that is read of the first.
  const rows = eachOutput((k, output) => [
    `for (let j = 0; j <= ${k}; j++) {`,
    'let sum = 0;',
    each(n, `sum += ${column(output)} * state.solved[${n} * j + i]!;`),
    `state.coupling[${row(m, k)} + j] = sum;`,
    '}',
    `state.right[${k}] = ydd[${k}]! + parameters.kd[${k}]! * (yd[${k}]! - state.yd[${output}]!) + parameters.kp[${k}]! * (y[${k}]! - state.y[${output}]!) - state.ydd0[${output}]!;`,
    each(n, `state.right[${k}] = state.right[${k}]! + ${column(output)} * state.solved[${n * m} + i]!;`),
  ]);
  const stagedTerms = [
    ...demand('robot.update(q, qd)'),
    ...demand('robot.actuation(state.y, state.yd, state.ydd0, state.B)'),
    ...demand('robot.activeInverseDynamics(state.rest, state.tau)'),
  ];
  const passive = passiveKinds(robot);
  return {
    purpose:
      "Partial feedback linearisation: (B' M^-1 B) u = v - ydd0 + B' M^-1 (c + g + elastic + damping) with v = ydd + kd (yd - rate) + kp (y - position) of the actuation coordinates, which then accelerate by v.",
    working: [
      { name: 'y', size: u },
      { name: 'yd', size: u },
      { name: 'ydd0', size: u },
      { name: 'B', size: n * u },
      { name: 'rest', size: n },
      { name: 'columns', size: n * (m + 1) },
      { name: 'solved', size: n * (m + 1) },
      { name: 'coupling', size: m * m },
      { name: 'right', size: m },
      { name: 'tau', size: n },
      ...(straight
        ? [{ name: 'M', size: n * n }, { name: 'column', size: n }, ...passive.map((name) => ({ name, size: n }))]
        : []),
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...(straight ? wholeTerms(robot, straight) : stagedTerms),
      `// Columns of B, and all forces but inertia: M^-1 of all of them with one factorisation.`,
      ...eachOutput((k, output) => [each(n, `state.columns[${row(n, k)} + i] = ${column(output)};`)]),
      each(n, `state.columns[${n * m} + i] = state.tau[i]!;`),
      ...(straight
        ? solvedByFactor(n, m + 1, 'columns', 'solved')
        : demand(`robot.solveMass(${m + 1}, state.columns, state.solved)`)),
      ...rows,
      `if (!factorise(${m}, state.coupling)) return KG_SINGULAR;`,
      `solveFactored(${m}, state.coupling, state.right);`,
      ...(isWhole && m === u
        ? [each(u, 'state.demand[i] = state.right[i]!;')]
        : robot.actuators.map((_, i) => {
            const k = outputs.indexOf(i);
            return `state.demand[${i}] = ${k < 0 ? '0' : `state.right[${k}]!`};`;
          })),
      'return KG_OK;',
    ],
  };
}

const passiveKinds = (robot: Robot): ('elastic' | 'damping')[] =>
  (['elastic', 'damping'] as const).filter((kind) => forcesOf(robot)[kind]);

/** Actuation, `state.M`, and all forces but inertia in `state.tau`. */
function wholeTerms(robot: Robot, straight: StraightCalls): string[] {
  const n = robot.coordinates.length;
  const passive = passiveKinds(robot);
  const outputs = Object.fromEntries(passive.map((kind) => [kind, `state.${kind}`]));
  const forces = passive.map((kind) => ` + state.${kind}[i]!`).join('');
  return [
    ...demand(
      straight.call('actuation', ['q', 'qd'], { y: 'state.y', yd: 'state.yd', ydd0: 'state.ydd0', B: 'state.B' }),
    ),
    ...demand(straight.call('massMatrixAndForcing', ['q', 'qd'], { M: 'state.M', forcing: 'state.tau' })),
    ...(passive.length > 0 ? demand(straight.call('passiveForces', ['q', 'qd'], outputs)) : []),
    each(n, `state.tau[i] = -state.tau[i]!${forces};`),
  ];
}

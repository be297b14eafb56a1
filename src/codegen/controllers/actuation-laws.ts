/** Laws by what actuators hold on to: partial feedback linearisation of their coordinates, and shapes of rods that their tensions hold. */
import type { ControlLaw } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import { forcesOf } from '../../description/model/what-acts.ts';
import { demand, each, type LawText } from './law-text.ts';
import type { StraightCalls } from './straight-calls.ts';

export function linearisation(robot: Robot, outputs: readonly number[], straight?: StraightCalls): LawText {
  const [n, u, m] = [robot.coordinates.length, robot.actuators.length, outputs.length];
  const isWhole = outputs.every((output, k) => output === k);
  /** Once for each output: in a loop where all inputs are outputs in their order. */
  const eachOutput = (lines: (k: number | 'k', output: number | 'k') => readonly string[]): string[] =>
    isWhole
      ? [`for (let k = 0; k < ${m}; k++) {`, ...lines('k', 'k'), '}']
      : outputs.flatMap((own, k) => lines(k, own));
  const column = (output: number | 'k'): string => `state.B[${u} * i${output === 0 ? '' : ` + ${output}`}]!`;
  const row = (size: number, k: number | 'k'): string => (k === 'k' ? `${size} * k` : String(size * k));
  const ofRight = (k: number | 'k', output: number | 'k'): string =>
    `state.right[${k}] = ydd[${k}]! + parameters.kd[${k}]! * (yd[${k}]! - state.yd[${output}]!) + parameters.kp[${k}]! * (y[${k}]! - state.y[${output}]!) - state.ydd0[${output}]!;`;
  /** Row k of B' M^-1 B: the lower triangle is all that is read. */
  const coupled = (k: number | 'k', product: string): string[] => [
    `for (let j = 0; j <= ${k}; j++) {`,
    'let sum = 0;',
    each(n, `sum += ${product};`),
    `state.coupling[${row(m, k)} + j] = sum;`,
    '}',
  ];
  /** Where a row below M begins. */
  const rowOfM = (k: number | 'k' | 'j'): string =>
    typeof k === 'number' ? String(n * (n + k)) : `${n * n} + ${n} * ${k}`;
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
      { name: 'coupling', size: m * m },
      { name: 'right', size: m },
      { name: 'tau', size: n },
      ...(straight
        ? [{ name: 'M', size: n * (n + m + 1) }, ...passive.map((name) => ({ name, size: n }))]
        : [
            { name: 'rest', size: n },
            { name: 'columns', size: n * (m + 1) },
            { name: 'solved', size: n * (m + 1) },
          ]),
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...(straight
        ? [
            ...wholeTerms(robot, straight),
            '// Below M the columns of B, and all forces but inertia. Products of what becomes of them are those with M^-1.',
            ...eachOutput((k, output) => [each(n, `state.M[${rowOfM(k)} + i] = ${column(output)};`)]),
            each(n, `state.M[${rowOfM(m)} + i] = state.tau[i]!;`),
            `if (!factoriseAbove(${n}, ${n + m + 1}, state.M)) return KG_SINGULAR;`,
            ...eachOutput((k, output) => [
              ...coupled(k, `state.M[${rowOfM(k)} + i]! * state.M[${rowOfM('j')} + i]!`),
              ofRight(k, output),
              each(
                n,
                `state.right[${k}] = state.right[${k}]! + state.M[${rowOfM(k)} + i]! * state.M[${rowOfM(m)} + i]!;`,
              ),
            ]),
          ]
        : [
            ...stagedTerms,
            '// Columns of B, and all forces but inertia: M^-1 of all of them with one factorisation.',
            ...eachOutput((k, output) => [each(n, `state.columns[${row(n, k)} + i] = ${column(output)};`)]),
            each(n, `state.columns[${n * m} + i] = state.tau[i]!;`),
            ...demand(`robot.solveMass(${m + 1}, state.columns, state.solved)`),
            ...eachOutput((k, output) => [
              ...coupled(k, `${column(output)} * state.solved[${n} * j + i]!`),
              ofRight(k, output),
              each(n, `state.right[${k}] = state.right[${k}]! + ${column(output)} * state.solved[${n * m} + i]!;`),
            ]),
          ]),
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

/** Tensions of the equilibrium that is the shape, and errors of the shape through them. */
export function shape(robot: Robot, law: Extract<ControlLaw, { kind: 'shape' }>): LawText {
  const { actuators, tensions, all } = law;
  const [n, u] = [robot.coordinates.length, robot.actuators.length];
  const kOf = (a: number): number => actuators.indexOf(a);
  const direct = (a: number): string => {
    const k = kOf(a);
    const c = tensions[k]!;
    return `y[${k}]! + parameters.kp[${k}]! * (y[${k}]! - q[${c}]!) + parameters.kd[${k}]! * (yd[${k}]! - qd[${c}]!)`;
  };
  const led = 'y of the tensions that the actuators drive';
  if (all)
    return {
      purpose: `Shape of a rod in equilibrium: u = y + kp (y - q) + kd (yd - qd), ${led}: all coordinates of the robot.`,
      working: [],
      lines: [
        ...robot.actuators.map((_, a) => `state.demand[${a}] = ${kOf(a) < 0 ? '0' : direct(a)};`),
        'return KG_OK;',
      ],
    };
  return {
    purpose: `Shape of a rod in equilibrium: u = y + kp B' (y - q) + kd B' (yd - qd), ${led}; the reference of all other coordinates is zero.`,
    working: [
      { name: 'B', size: n * u },
      { name: 'error', size: n },
      { name: 'rate', size: n },
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...demand('robot.update(q, qd)'),
      ...demand('robot.actuation(null, null, null, state.B)'),
      '// Errors of all coordinates, of which those without a tendon are led to zero.',
      each(n, 'state.error[i] = -q[i]!;'),
      each(n, 'state.rate[i] = -qd[i]!;'),
      ...tensions.flatMap((c, k) => [
        `state.error[${c}] = y[${k}]! - q[${c}]!;`,
        `state.rate[${c}] = yd[${k}]! - qd[${c}]!;`,
      ]),
      'let sum = 0;',
      ...robot.actuators.flatMap((_, a) => {
        const k = kOf(a);
        if (k < 0) return [`state.demand[${a}] = 0;`];
        const entry = `state.B[${u === 1 ? 'i' : `${u} * i${a === 0 ? '' : ` + ${a}`}`}]!`;
        return [
          `sum = y[${k}]!;`,
          each(
            n,
            `sum += ${entry} * (parameters.kp[${k}]! * state.error[i]! + parameters.kd[${k}]! * state.rate[i]!);`,
          ),
          `state.demand[${a}] = sum;`,
        ];
      }),
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

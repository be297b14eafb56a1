/** The text of a law, and the lines that all laws are made of. */

/** Numbers that a law keeps from one line to the next, in the state of the controller. */
export interface Working {
  readonly name: string;
  readonly size: number;
}

export interface LawText {
  /** What the step does, with its formula; ASCII. */
  readonly purpose: string;
  readonly working: readonly Working[];
  /** Statements that write `state.demand`, or return why there is none. */
  readonly lines: readonly string[];
  /** Statements that mark in `state.held` coordinates on which an input acts that is at its limit; of laws with integrals. */
  readonly holding?: readonly string[];
}

/** `for (let i = 0; i < count; i++) …` */
export const each = (count: number, line: string): string => `for (let i = 0; i < ${count}; i++) ${line}`;
export const demand = (call: string): string[] => [`status = ${call};`, 'if (status !== KG_OK) return status;'];

/** Too large numbers on the way are no inputs of the caller's: functions of the robot would say so of them. */
export const within = (name: string, count: number): string =>
  `if (!areFinite(state.${name}, ${count})) return KG_UNDEFINED;`;

/** Solutions of M x = b with a factor of M: `count` right-hand sides of n numbers, one after the other; needs `state.M`, `state.column`. */
export const solvedByFactor = (n: number, count: number, from: string, to: string): string[] => [
  `if (!factorise(${n}, state.M)) return KG_SINGULAR;`,
  `for (let j = 0; j < ${count}; j++) {`,
  each(n, `state.column[i] = state.${from}[${n} * j + i]!;`),
  `solveFactored(${n}, state.M, state.column);`,
  each(n, `state.${to}[${n} * j + i] = state.column[i]!;`),
  '}',
];

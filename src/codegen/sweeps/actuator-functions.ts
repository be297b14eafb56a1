/** Functions of the driver for what actuators have of several links: formulas that mix coordinates, terms from link to link. */

/** Functions of the driver for formulas that mix coordinates of several links, by what they write. */
export const FORMULAS = {
  values: {
    purpose: 'Actuation coordinates that mix links, and their gradients; where they are wanted.',
    reads: ['q'],
    writes: ['y', 'B'],
    optional: true,
  },
  rates: {
    purpose: 'Their rates and second derivatives; where they are wanted.',
    reads: ['q', 'qd'],
    writes: ['yd', 'ydd0'],
    optional: true,
  },
  forces: { purpose: 'Their generalized forces added.', reads: ['q', 'u', 'tau'], writes: ['tau'], optional: false },
  changes: {
    purpose: 'Changes of these forces along a direction added, where its column begins.',
    reads: ['q', 'dq', 'u', 'dtau'],
    writes: ['dtau'],
    optional: false,
  },
  gradients: {
    purpose: 'Derivatives of these forces, weighed by by_tau, by run-time parameters taken off.',
    reads: ['q', 'u', 'by_tau', 'by_p'],
    writes: ['by_p'],
    optional: false,
  },
} as const;

export type FormulaName = keyof typeof FORMULAS;

/** How a parameter of a function of the driver is passed; `handed`: numbers of the workspace that are read. */
export type ParameterKind = 'index' | 'number' | 'read' | 'handed' | 'direction' | 'written' | 'wanted';

/** Functions of the driver for terms of actuators that reach from link to link, by what they write. */
export const REACHES = {
  values: {
    purpose: 'Coordinates of actuators that reach from link to link, and their gradients; where wanted.',
    parameters: { y: 'wanted', B: 'wanted' },
  },
  rates: {
    purpose: 'Their rates and second derivatives; where wanted.',
    parameters: { yd: 'wanted', ydd0: 'wanted' },
  },
  forces: {
    purpose: 'Their generalized forces added.',
    parameters: { u: 'read', tau: 'written' },
  },
} as const satisfies Record<string, { purpose: string; parameters: Readonly<Record<string, ParameterKind>> }>;

export type ReachName = keyof typeof REACHES;

/** Arrays of the caller that the function takes. */
export function formulaArrays(name: FormulaName): readonly string[] {
  const { reads, writes } = FORMULAS[name];
  const arrays = [...new Set<string>([...reads, ...writes])].filter((array) => !/^d?qd?$/.test(array));
  return name === 'changes' ? ['at', ...arrays] : arrays;
}

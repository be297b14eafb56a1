/** Kinds of sources of expected values: printed by a paper, another code, a closed form, true by the law of the run itself, kanegen before. */
export const EXPECTATION_KINDS = ['paper', 'independent', 'exact', 'identity', 'regression'] as const;
export type ExpectationKind = (typeof EXPECTATION_KINDS)[number];

/** How many operations of each kind there are. */

/** Operations of a program, by what they cost; sign changes cost nothing. */
export interface OperationCounts {
  readonly add: number;
  readonly multiply: number;
  readonly divide: number;
  readonly sqrt: number;
  /** sin, cos, exp, … */
  readonly call: number;
  /** Calls that evaluate all Stumpff functions of one argument, with the highest order of each. */
  readonly stumpff: readonly number[];
  /** Loops, with what one row costs; not contained in the numbers above. */
  readonly loops: readonly { readonly rows: number; readonly row: OperationCounts }[];
}

export const NO_OPERATIONS: OperationCounts = {
  add: 0,
  multiply: 0,
  divide: 0,
  sqrt: 0,
  call: 0,
  stumpff: [],
  loops: [],
};

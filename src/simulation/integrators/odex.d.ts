/** What is used of the package, which is CommonJS with sources in place of declarations. */
interface Solver {
  absoluteTolerance: number | number[];
  relativeTolerance: number | number[];
  denseOutput: boolean;
  initialStepSize: number;
  maxSteps: number;
  solve(
    f: (t: number, y: readonly number[]) => number[],
    from: number,
    y: readonly number[],
    to: number,
    step: (
      count: number,
      from: number,
      to: number,
      y: readonly number[],
      dense: (component: number, t: number) => number,
    ) => boolean | undefined,
  ): { readonly outcome: number; readonly nReject: number };
}
declare const odex: { readonly Solver: new (size: number) => Solver };
export default odex;

/**
 * Errors that depend on those before them, e_i = Σ φ_l e_{i−l} + white noise: what friction that a model does not have, filters and drives leave.
 * Rows from which the same share of the rows before them is taken have white errors (Cochrane & Orcutt 1949, J. American Statistical Association 44(245)).
 */

/** Longest memory, in instants, and as a share of all. */
export const MOST_ORDER = 8;
const MOST_SHARE = 0.1;

/**
 * Coefficients φ_1 … φ_m by the equations of Yule and Walker (recursion of Levinson and Durbin: Brockwell & Davis 1991, Time series,
 * 5.2), m with the least of Schwarz's criterion; none where errors are white.
 * @param series of errors of the same length and kind.
 */
export function autoregression(series: readonly (readonly number[])[]): number[] {
  const count = series[0]!.length;
  const covariance = (lag: number): number => {
    let sum = 0;
    for (const errors of series) for (let i = lag; i < count; i++) sum += errors[i]! * errors[i - lag]!;
    return sum / (count * series.length);
  };
  let phi: number[] = [];
  let variance = covariance(0);
  let best = phi;
  let least = count * Math.log(variance);
  for (let order = 1; order <= Math.min(MOST_ORDER, MOST_SHARE * count) && variance > 0; order++) {
    const foretold = phi.reduce((sum, own, l) => sum + own * covariance(order - 1 - l), 0);
    const partial = (covariance(order) - foretold) / variance;
    phi = [...phi.map((own, l) => own - partial * phi[order - 2 - l]!), partial];
    variance *= 1 - partial ** 2;
    const criterion = count * Math.log(variance) + order * Math.log(count);
    if (criterion < least) [best, least] = [phi, criterion];
  }
  return best;
}

/** What is new in errors, from the first on that has enough before it. */
export function innovations(errors: readonly number[], phi: readonly number[]): number[] {
  return errors
    .slice(phi.length)
    .map((e, i) => phi.reduce((sum, own, l) => sum - own * errors[phi.length + i - 1 - l]!, e));
}

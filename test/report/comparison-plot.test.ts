import { describe, expect, it } from 'vitest';
import type { Comparison, FormulationReport } from '../../src/report/comparison.ts';
import { comparisonPlot } from '../../src/report/comparison-plot.ts';

const counts = { add: 1, multiply: 1, divide: 0, sqrt: 0, call: 0, stumpff: [], loops: [] };

function report(
  formulation: FormulationReport['formulation'],
  total: number,
  nanoseconds: number,
  c: boolean,
): FormulationReport {
  return {
    formulation,
    derivationSeconds: 1e-5 * total,
    generationSeconds: 2e-5 * total,
    operations: { ...counts, total },
    bytes: { typescript: 1, c: 1 },
    compileSeconds: null,
    evaluation: { typescript: nanoseconds, c: c ? nanoseconds / 2 : null },
    difference: 0,
    stopped: null,
  };
}

/** Two formulations whose curves end in nearly the same place, and one that stops early. */
function comparisons(c: boolean): Comparison[] {
  return [1, 2, 4].map((links) => ({
    robot: `arm-${links}`,
    links,
    coordinates: links,
    states: 5,
    integralSeconds: 0.01,
    formulations: [
      report('recursion', 100 * links, 50 * links, c),
      report('lagrange', 102 * links, 51 * links, c),
      links < 4
        ? report('christoffel', 100 * links ** 3, 50 * links ** 3, c)
        : {
            ...report('christoffel', 0, 0, c),
            derivationSeconds: null,
            generationSeconds: null,
            operations: null,
            evaluation: { typescript: null, c: null },
            stopped: 'the derivation passed its limit of 60 s',
          },
    ],
  }));
}

describe('the picture of a comparison', () => {
  it('has a panel for each quantity, axes with units, curves with names, and says what ended where', async () => {
    const picture = await comparisonPlot('arm', comparisons(true));
    for (const text of [
      'arm',
      'Derivation and code generation',
      'time, s',
      'Operations of inverse dynamics',
      'One call in C',
      'One call in TypeScript',
      'time, µs',
      'links',
      'recursion (Kane)',
      'Lagrange, Christoffel',
      'Lagrange, Christoffel ends before 4 links: the derivation passed its limit of 60 s',
    ])
      expect(picture).toContain(`>${text}</text>`);
  });

  it('has no panel for what was not measured', async () => {
    const picture = await comparisonPlot('arm', comparisons(false));
    expect(picture).not.toContain('One call in C');
    expect(picture).toContain('One call in TypeScript');
  });

  it('keeps the names of curves that end together apart', async () => {
    const picture = await comparisonPlot('arm', comparisons(true));
    const height = (name: string): number[] =>
      [...picture.matchAll(/<text [^>]*translate\(([\d.-]+),([\d.-]+)\)[^>]*>([^<]*)<\/text>/g)]
        .filter((match) => match[3] === name)
        .map((match) => Number(match[2]));
    const [recursion, lagrange] = [height('recursion (Kane)'), height('Lagrange, algorithmic')];
    expect(recursion).toHaveLength(4);
    recursion.forEach((y, i) => expect(Math.abs(y - lagrange[i]!)).toBeGreaterThanOrEqual(12.9));
  });

  it('is the same for the same numbers', async () => {
    expect(await comparisonPlot('arm', comparisons(true))).toBe(await comparisonPlot('arm', comparisons(true)));
  });
});

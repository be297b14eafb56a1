import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { antiderivative, describeOutcome, reportOf } from '../../src/integration/exact/nerdamer-integral.ts';
import { askNerdamer } from '../../src/host/nerdamer-process.ts';
import { fromNerdamer, toNerdamer } from '../../src/integration/exact/nerdamer-text.ts';
import { differentiate } from '../../src/symbolic/graph/differentiate.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { call, stumpff, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { formulaValue } from '../../src/symbolic/formulas/formula.ts';
import { KanegenError } from '../../src/common/error.ts';
import { parseFormula } from '../../src/symbolic/formulas/parse.ts';
import { allowSeconds, DEFAULT_SECONDS, millisecondsLeft, withinTime } from '../../src/common/work-limit.ts';

const s = symbol('material.s');
const names = new Map<string, Expr>([['s', s], ...['a', 'b', 'L'].map((n) => [n, symbol(`body.${n}`)] as const)]);
const scope = { value: (name: string) => names.get(name), macro: () => undefined, names: () => [...names.keys()] };
const formula = (text: string): Expr => formulaValue(parseFormula(text), scope) as Expr;

/** Processes that this one has started and that still run. */
function children(): string[] {
  const list = execFileSync('ps', ['--no-headers', '-o', 'pid=,args=', '--ppid', `${process.pid}`], {
    encoding: 'utf8',
  });
  return list.split('\n').filter((line) => line.includes('nerdamer') || line.includes('max-old-space-size'));
}

describe('antiderivatives by nerdamer', () => {
  it.each(['exp(a*s)', 'exp(a*s)*cos(b*s)', 's^2*exp(-a*s)', 's*exp(-a*s^2)', '1/(1 + a*s)', 'cosh(a*s)'])(
    'are accepted where they are right: %s',
    (text) => {
      const integrand = formula(text);
      const outcome = antiderivative(integrand, s);
      expect(outcome.kind).toBe('confirmed');
      if (outcome.kind !== 'confirmed') return;
      expect(outcome.points).toBeGreaterThanOrEqual(5);
      // Differentiation shares nothing with the quadrature that confirmed it.
      const values = new Map<Expr, number>([...names.values()].map((e, i) => [e, 0.37 + 0.41 * i]));
      const [slope, value] = evaluate([differentiate(outcome.antiderivative, s), integrand], values);
      expect(Math.abs(slope! - value!)).toBeLessThan(1e-12 * Math.abs(value!));
    },
  );

  it.each(['sin(a*s)*cos(b*s)', 'sin(a*s)*sin(b*s)', 'log(1 + a*s)', '1/(1 + a*s^2)^2'])(
    'are discarded where it answers wrongly: %s',
    (text) => {
      const outcome = antiderivative(formula(text), s);
      expect(outcome).toMatchObject({ kind: 'wrong' });
      expect(describeOutcome(reportOf(formula(text), outcome))).toMatch(/wrong .* discarded/);
    },
  );

  it.each(['s*exp(-(s - L/2)^2)', 'cos(a*s^2 + b)', 's^2*exp(-a*s)*sin(b*s)', 'exp(-a*s^2)'])(
    'are not made up where it leaves the integral standing or answers with other functions: %s',
    (text) => expect(antiderivative(formula(text), s)).toMatchObject({ kind: 'unsolved' }),
  );

  it('are given up when the process does not answer in time, and nothing is left running', () => {
    expect(askNerdamer('((1-cos(q*s))/q)^2', 's', 1500)).toEqual({ kind: 'killed', milliseconds: 1500 });
    expect(children()).toEqual([]);
  });

  it('take their time from the limit of the work that asks for them, and nothing is concluded from a lack of it', () => {
    const late = new KanegenError('too-slow', 'late');
    const integrand = formula('s^3*exp(-a*s)');
    allowSeconds(0.05);
    try {
      expect(() =>
        withinTime(
          () => late,
          () => antiderivative(integrand, s),
        ),
      ).toThrow(late);
    } finally {
      allowSeconds(DEFAULT_SECONDS);
    }
    const spent = withinTime(
      () => late,
      () => {
        const before = millisecondsLeft();
        const used = process.cpuUsage();
        expect(antiderivative(integrand, s)).toMatchObject({ kind: 'confirmed' });
        const { user, system } = process.cpuUsage(used);
        return before - millisecondsLeft() - (user + system) / 1000;
      },
    );
    // Starting the process and loading nerdamer alone takes longer than that.
    expect(spent).toBeGreaterThan(50);
  });

  it('are never asked for in any words but our own', () => {
    for (const text of ['s; process.exit()', 'require("fs")', "s'", '…', 's=1'])
      expect(askNerdamer(text, 's', 1500)).toMatchObject({ kind: 'failed', reason: 'not in its language' });
  });
});

describe("the way to nerdamer's language and back", () => {
  it('replaces all names by letters and puts them back', () => {
    const question = toNerdamer(times(symbol('body.process'), call('exp', times(symbol('scalar.0'), s))), s)!;
    expect(question.text).toMatch(/^[ab]\*exp\([ab]\*s\)$/);
    expect(fromNerdamer(question.text, question)).toBe(
      times(symbol('body.process'), call('exp', times(symbol('scalar.0'), s))),
    );
  });

  it('has no words for Stumpff functions and conditions', () => {
    expect(toNerdamer(stumpff(2, s), s)).toBeUndefined();
    expect(toNerdamer(formula('select(s < a, s, 1)'), s)).toBeUndefined();
  });

  it('reads e^x as the exponential and refuses names it did not send', () => {
    const question = toNerdamer(formula('exp(a*s)'), s)!;
    expect(fromNerdamer('e^(a*s)', question)).toBe(formula('exp(a*s)'));
    expect(fromNerdamer('z*s', question)).toBeUndefined();
    expect(fromNerdamer('integrate(e^(a*s),s)', question)).toBeUndefined();
    expect(fromNerdamer('erf(s)', question)).toBeUndefined();
  });
});

/**
 * Formulas that read 0/0, in bodies of every sort, by the independent evaluation: what a body is must not depend on how it
 * is cut into panels, steps of density or volumes.
 */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import type { AlembertResult } from '../../src/verify/independent/alembert-result.ts';

const arc = {
  parameters: { L: 0.2, R: 0.02, rho: 1000 },
  coordinates: { q: { unit: 'rad' } },
  position: ['L*(1 - cos(q*s/L))/q + x*cos(q*s/L)', 'y', 'L*sin(q*s/L)/q - x*sin(q*s/L)'],
  distal: { pivot: { s: 'L' }, 'x-axis': { s: 'L', x: 'R' }, 'y-axis': { s: 'L', y: 'R' } },
};
const whole = { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' };

/** The same body, written otherwise. */
const others: Record<string, object> = {
  'with a break inside': { ...arc, volume: { ...whole, breaks: { s: ['L/3'] } } },
  'in two volumes': {
    ...arc,
    volumes: {
      core: { ...whole, section: { disc: 'R/2' } },
      cover: { ...whole, section: { annulus: ['R/2', 'R'] } },
    },
  },
  'with a distal frame that the material carries': {
    ...arc,
    volume: { ...whole, breaks: { s: ['L/3'] } },
    distal: { at: { s: 'L' } },
  },
  'in polar coordinates': {
    ...arc,
    volume: { ...whole, section: { disc: 'R', polar: ['r', 'phi'] } },
    position: ['L*(1 - cos(q*s/L))/q + r*cos(phi)*cos(q*s/L)', 'r*sin(phi)', 'L*sin(q*s/L)/q - r*cos(phi)*sin(q*s/L)'],
    distal: { pose: { xyz: ['L*(1 - cos(q))/q', 0, 'L*sin(q)/q'], rpy: [0, 'q', 0] } },
  },
  'with a fraction over everything': {
    ...arc,
    volume: { ...whole, breaks: { s: ['L/3'] } },
    position: ['(L*(1 - cos(q*s/L)) + q*x*cos(q*s/L))/q', 'y', '(L*sin(q*s/L) - q*x*sin(q*s/L))/q'],
  },
};

const evaluation = (body: object) =>
  prepareAlembert(
    loadRobotObject({
      kanegen: 1,
      name: 'check',
      'body-types': { own: body },
      links: [{ joint: { revolute: 'x' }, body: 'own' }],
    }),
  );

const numbers = ({ massMatrix, coriolis, gravity, tip }: AlembertResult): number[] =>
  [...massMatrix.flat(), ...coriolis, ...gravity, ...tip!.position, ...tip!.rotation, ...tip!.jacobian.flat()].map(
    Number,
  );

describe('formulas that read 0/0', () => {
  const right = evaluation({ ...arc, volume: whole });
  const states = [0, 1e-6, 0.7].map((q) => ({ q: [0.4, q], qd: [0.3, -1.1], qdd: [0.5, 2] }));
  const expected = states.map((state) => numbers(right.evaluate(state)));

  it('with a step of density inside, as with a volume for either density', () => {
    const step = evaluation({ ...arc, volume: { ...whole, density: 'rho*select(s < L/2, 1, 3)' } });
    const added = { ...whole, rod: { s: ['L/2', 'L'] }, density: '2*rho' };
    const volumes = evaluation({ ...arc, volumes: { all: whole, added } });
    const [found, other] = [step, volumes].map((check) => numbers(check.evaluate(states[0]!)));
    found!.forEach((x, k) => expect(Math.abs(x - other![k]!)).toBeLessThan(2e-11 * Math.max(Math.abs(x), 1e-2)));
    // M of the bending itself is not that of the body without the step.
    expect(Math.abs(found![3]! / expected[0]![3]! - 1)).toBeGreaterThan(0.1);
  });

  it.each(Object.entries(others))('%s', (_, body) => {
    const check = evaluation(body);
    states.forEach((state, i) =>
      numbers(check.evaluate(state)).forEach((value, k) =>
        expect(Math.abs(value - expected[i]![k]!)).toBeLessThan(2e-11 * Math.max(Math.abs(expected[i]![k]!), 1e-2)),
      ),
    );
  });
});

/** A check is ok when something was compared and agreed; nothing else is. */
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/verify/laws/ledger.ts';

const only = (fill: (ledger: Ledger) => void) => {
  const ledger = new Ledger();
  fill(ledger);
  const [check] = ledger.checks();
  return check!;
};

describe('checks', () => {
  it('pass with the worst error within the tolerance', () => {
    const check = only((ledger) => {
      ledger.note('law', 1e-9, 1e-12, 'there');
      ledger.note('law', 1e-9, 3e-10, 'here');
      ledger.note('law', 1e-9, 1e-11, 'there');
    });
    expect(check).toMatchObject({ outcome: 'passed', passed: true, where: 'here', figure: '3.0e-10 of 1e-9' });
  });

  it.each([
    ['beyond the tolerance', 1e-9, 2e-9],
    ['not a number', 1e-9, NaN],
    ['infinite', 1e-9, Infinity],
    ['infinite against an infinite tolerance', Infinity, Infinity],
    ['small against an infinite tolerance', Infinity, 1e-16],
    ['small against no tolerance', NaN, 1e-16],
  ])('fail with an error that is %s', (_, tolerance, error) => {
    const check = only((ledger) => {
      ledger.note('law', tolerance, error, 'here');
      ledger.note('law', tolerance, 0, 'there');
    });
    expect(check).toMatchObject({ outcome: 'failed', passed: false, where: 'here' });
  });

  it('are unchecked when nothing was compared, or not all of what there is', () => {
    expect(only((ledger) => ledger.expect('law'))).toMatchObject({ outcome: 'unchecked', passed: false });
    const partly = only((ledger) => {
      ledger.note('law', 1e-9, 1e-12, 'here');
      ledger.cannot('law', 'no room');
      ledger.cannot('law', 'later reason');
    });
    expect(partly).toMatchObject({ outcome: 'unchecked', passed: false, where: 'no room' });
  });

  it('of what a robot does not have are not applicable, unless it has some of it or something is wrong with it', () => {
    const absent = (then: (ledger: Ledger) => void) =>
      only((ledger) => {
        ledger.absent('law', 'no frame');
        ledger.absent('law', 'later reason');
        then(ledger);
      });
    expect(absent(() => undefined)).toMatchObject({ outcome: 'not applicable', passed: true, where: 'no frame' });
    expect(absent((ledger) => ledger.note('law', 1e-9, 1e-12, 'here'))).toMatchObject({ outcome: 'passed' });
    expect(absent((ledger) => ledger.note('law', 1e-9, 1, 'here'))).toMatchObject({ outcome: 'failed' });
    expect(absent((ledger) => ledger.cannot('law', 'no room'))).toMatchObject({ outcome: 'unchecked', passed: false });
  });

  it('that fail somewhere have failed, whatever else could not be checked', () => {
    const check = only((ledger) => {
      ledger.cannot('law', 'no room');
      ledger.note('law', 1e-9, 1, 'here');
    });
    expect(check).toMatchObject({ outcome: 'failed', where: 'here' });
  });
});

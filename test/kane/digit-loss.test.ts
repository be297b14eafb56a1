/** Digits that are lost near poles that were not removed: measured, refused around the defaults, said elsewhere. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { BodyType } from '../../src/description/model/robot.ts';
import { compileBody, type CompiledBody } from '../../src/kane/compile-body.ts';
import { describeLoss } from '../../src/kane/kinematics/digit-loss.ts';

function compiled(theta: string, q: object, sine = 'L*sin(theta)/q', more = '0'): CompiledBody {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'losing',
    'body-types': {
      body: {
        parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' },
        coordinates: { q: { unit: 'rad', ...q } },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' },
        let: { theta },
        position: [`L*(1 - cos(theta) + ${more})/q + x*cos(theta)`, 'y', `${sine} - x*sin(theta)`],
        distal: 'none',
        integration: { tolerance: 1e-8 },
      },
    },
    links: [{ body: 'body' }],
  });
  const { body } = robot.links[0]!;
  return compileBody((body as { type: BodyType }).type);
}

/** With a term that is no analytic function of q, so that its pole stays. */
const kinked = (q: object): CompiledBody => compiled('q*s/L', q, undefined, 'abs(q)^3*s/L');

describe('digits near poles', () => {
  it('are all there where the poles are removed', () => {
    expect(compiled('q*s/L', {}).losses).toEqual([]);
    expect(compiled('q*(s + 0.3*s^2/L)/L', { default: 0.5 }).losses).toEqual([]);
  });

  it('that are lost away from the defaults are said, with the range', () => {
    const { losses } = kinked({ default: 0.5, limits: [-1, 1] });
    expect(losses).toMatchObject([{ coordinate: 'q', value: 0, atDefault: false, error: Infinity, distance: 0 }]);
    const [loss] = losses;
    expect(loss!.reach).toBeGreaterThan(1e-5);
    expect(loss!.reach).toBeLessThan(0.1);
    expect(describeLoss(loss!)).toMatch(/^is not finite at q = 0 and loses digits for q within .* of 0$/);
  });

  it('do not matter outside of the limits', () => {
    expect(kinked({ default: 0.5, limits: [0.2, 1] }).losses).toEqual([]);
  });

  it('that a guard loses around the defaults are refused', () => {
    const guarded = 'abs(q) < 1e-7 ? s : L*sin(theta)/q';
    const refused = expect.objectContaining({
      code: 'irregular-kinematics',
      message: expect.stringMatching(/loses digits for q within .* of 0 .*around the default values/) as string,
      remedy: expect.stringContaining('without conditions') as string,
    }) as Error;
    expect(() => compiled('q*s/L', {}, guarded)).toThrow(refused);
  });
});

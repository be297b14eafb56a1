/** Contact areas that deform: what deforms them is named, and the frame that can be had instead. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

const atEnd = { pivot: { s: 'L' }, 'x-axis': { s: 'L', x: 'R' }, 'y-axis': { s: 'L', y: 'R' } };

function compile(kinematics: object, section: object = { cartesian: ['x', 'y'] }): void {
  const body = {
    parameters: { L: '0.2 m', R: '20 mm' },
    volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', ...section }, density: 1000 },
    coordinates: { q: {}, a: { unit: 'm' } },
    distal: atEnd,
    ...kinematics,
  };
  compileRobot(loadRobotObject({ kanegen: 1, name: 'contact', 'body-types': { body }, links: [{ body: 'body' }] }));
}

function refusal(message: string, remedy: string): Error {
  return expect.objectContaining({
    code: 'singular-contact',
    message: expect.stringContaining(message) as string,
    remedy: expect.stringContaining(remedy) as string,
    location: expect.objectContaining({ path: 'body-types.body.distal' }) as object,
  }) as Error;
}

const twist = { twist: { axis: 'z', angle: 'q*s/L' } };
const elongation = { elongation: { axis: 'z', displacement: 'a*s/L' } };

describe('a contact area that is not rigid', () => {
  it.each([
    ['the step that stretches it', { compose: [twist, elongation] }, '`compose[1].elongation` stretches'],
    ['the step before one that does no harm', { compose: [elongation, twist] }, '`compose[0].elongation` stretches'],
    ['a step that is a formula', { compose: [twist, { map: ['x + q*y', 'y', 's'] }] }, '`compose[1].map` stretches'],
    ['a formula', { position: ['x*(1 + q)', 'y', 's'] }, '`position` stretches'],
    ['a formula that shears', { position: ['x', 'y*cos(q) + x*sin(q)', 's + y*sin(q)'] }, '`position` '],
  ])('names %s, and proposes the frame of the material there', (_, kinematics, message) => {
    expect(() => compile(kinematics)).toThrow(refusal(message, '`distal: { at: { s: L } }`'));
  });

  it('compiles with what is proposed', () => {
    expect(() => compile({ compose: [twist, elongation], distal: { at: { s: 'L' } } })).not.toThrow();
  });

  it('is not told of a frame that polar coordinates do not have', () => {
    const distal = { pivot: { s: 'L' }, 'x-axis': { s: 'L', r: 'R' }, 'y-axis': { s: 'L', r: 'R', phi: '90 deg' } };
    const kinematics = { position: ['r*cos(phi)*(1 + q)', 'r*sin(phi)', 's'], distal };
    expect(() => compile(kinematics, { polar: ['r', 'phi'] })).toThrow(refusal('stretches', '`distal: { pose: … }`'));
  });
});

it('the same point for two axes is named as such', () => {
  const distal = { ...atEnd, 'y-axis': { x: 'R', s: 'L', y: 0 } };
  const message = 'the x-axis and the y-axis are given by the same point';
  expect(() => compile({ position: ['x', 'y', 's + a'], distal })).toThrow(refusal(message, 'perpendicular'));
});

it('points in directions that are not perpendicular are told apart from areas that shear', () => {
  const distal = { ...atEnd, 'y-axis': { x: 'R', s: 'L', y: 'R' } };
  expect(() => compile({ position: ['x', 'y', 's + a'], distal })).toThrow(
    refusal('its axes are not perpendicular', 'on perpendicular lines'),
  );
});

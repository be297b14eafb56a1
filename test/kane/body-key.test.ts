/** Which body types are one and the same to the compiler. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { BodyType } from '../../src/description/model/robot.ts';
import { bodyKey } from '../../src/kane/body-key.ts';
import { compileBody } from '../../src/kane/compile-body.ts';
import { defaultParameters } from '../../src/kane/kinematics/sample-configurations.ts';

const body = {
  summary: 'a segment',
  parameters: { L: 0.2, k: 2, E: 1e6 },
  coordinates: { q: { unit: 'rad', limits: [-1, 1] } },
  volume: { rod: { s: [0, 'L'] }, section: { disc: 0.01, cartesian: ['x', 'y'] }, density: 1000 },
  strain: { 'bend-x': 'q/L' },
  rest: { 'bend-x': 0.5 },
  material: { 'rod-elasticity': { E: 'E', nu: 0.4 }, viscosity: 100 },
  potential: 'k*q^2',
  dissipation: 'k*q_dot^2',
  integration: { tolerance: 1e-8 },
};

function typeOf(change: object, name: string): BodyType {
  const source = { kanegen: 1, name: 'r', 'body-types': { [name]: { ...body, ...change } }, links: [{ body: name }] };
  const { body: own } = loadRobotObject(source).links[0]!;
  return own.kind === 'deformable' ? own.type : expect.fail('no body type');
}

function keyOf(change: object, name = 'segment'): string {
  const type = typeOf(change, name);
  return bodyKey(type, [defaultParameters(type)]);
}

describe('the key of a body type', () => {
  it('does not change with names and summaries', () => {
    expect(keyOf({ summary: 'something else' }, 'other')).toBe(keyOf({}));
  });

  it('is that of the formulas alone: a type compiled before under another name keeps its own', () => {
    const [first, second] = [typeOf({}, 'segment'), typeOf({ summary: 'something else' }, 'other')];
    const before = compileBody(first);
    expect(before.type).toBe(first);
    expect(compileBody(second).type).toBe(second);
    expect(compileBody(second).chosen).toBe(before.chosen);
  });

  it.each<[string, object]>([
    ['a parameter', { parameters: { L: 0.3, k: 2, E: 1e6 } }],
    ['the unit of a coordinate, which the assumed range depends on', { coordinates: { q: { limits: [-1, 1] } } }],
    ['limits', { coordinates: { q: { unit: 'rad', limits: [-1, 2] } } }],
    ['the section', { volume: { ...body.volume, section: { disc: 0.02, cartesian: ['x', 'y'] } } }],
    ['the density', { volume: { ...body.volume, density: 1200 } }],
    ['breaks', { volume: { ...body.volume, breaks: { s: ['L/2'] } } }],
    ['the strain', { strain: { 'bend-x': '2*q/L' } }],
    ['the rest shape', { rest: {} }],
    ['a modulus', { material: { 'rod-elasticity': { E: 'E', nu: 0.3 }, viscosity: 100 } }],
    ['damping', { material: { 'rod-elasticity': { E: 'E', nu: 0.4 }, 'retardation-time': 100 } }],
    ['the potential', { potential: 'k*q^4' }],
    ['the dissipation', { dissipation: '2*k*q_dot^2' }],
    ['the tolerance', { integration: { tolerance: 1e-6 } }],
  ])('changes with %s', (_, change) => {
    expect(keyOf(change)).not.toBe(keyOf({}));
  });
});

/** `loops:` of robot files: what they close, and mistakes with their places. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';

const robot = (loops: string, more = ''): string => `kanegen: 1
name: closed
parameters: { l: { value: 0.3 m, runtime: true } }
links:
  - { name: crank, joint: { revolute: z }, rigid: { mass: 1 kg, inertia: { xx: 1, yy: 1, zz: 1 }, distal: { xyz: [0.1, 0, 0] } } }
  - { name: rod, joint: { revolute: z }, rigid: { mass: 1 kg, inertia: { xx: 1, yy: 1, zz: 1 }, distal: { xyz: [0.3, 0, 0] } } }
  - { name: tip, rigid: { mass: 1 kg, inertia: { xx: 1, yy: 1, zz: 1 } } }
  - { name: slider, parent: base, joint: { prismatic: x }, rigid: { mass: 1 kg, inertia: { xx: 1, yy: 1, zz: 1 } } }
${more}loops:
  own: ${loops}
`;

const rowsOf = (loops: string): string[] =>
  loadRobotText(robot(loops), 'closed.yaml').loops!.flatMap(({ rows }) =>
    rows.map(({ name, forceUnit }) => `${name} ${forceUnit}`),
  );

function problemOf(loops: string, more?: string): KanegenError {
  try {
    loadRobotText(robot(loops, more), 'closed.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('there is no problem');
}

describe('loops', () => {
  it.each([
    ['{ weld: { a: tip, b: slider } }', ['x N', 'y N', 'z N', 'rx N m', 'ry N m', 'rz N m']],
    ['{ spherical: { a: tip, b: slider } }', ['x N', 'y N', 'z N']],
    ['{ revolute: { a: tip, b: slider, axis: x } }', ['x N', 'y N', 'z N', 'ry N m', 'rz N m']],
    ['{ prismatic: { a: base, b: tip, axis: x } }', ['y N', 'z N', 'rx N m', 'ry N m', 'rz N m']],
    ['{ cylindrical: { a: base, b: tip, axis: z } }', ['x N', 'y N', 'rx N m', 'ry N m']],
    ['{ universal: { a: tip, b: slider, axes: [x, z] } }', ['x N', 'y N', 'z N', 'perpendicular N m']],
    ['{ point-on-line: { a: slider, b: { on: tip, at: [0, 1 cm, 0] }, axis: z } }', ['x N', 'y N']],
    ['{ point-on-plane: { a: slider, b: tip, axis: y } }', ['y N']],
    ['{ weld: { a: tip, b: slider, rows: [x, rz] } }', ['x N', 'rz N m']],
    ['{ distance: { a: { on: base, at: [0, 0, 1] }, b: tip, length: l } }', ['length N']],
  ])('close rows: %s', (loop, rows) => {
    expect(rowsOf(loop)).toEqual(rows.map((row) => `own.${row}`));
  });

  it('are formulas of coordinates and frames', () => {
    expect(rowsOf('{ constraint: "crank.angle - 2*rod.angle" }')).toEqual(['own N m']);
    expect(rowsOf('{ constraint: "distance(tip, slider) - l + slider.displacement" }')).toEqual(['own N']);
  });

  it.each([
    ['{ summary: nothing }', 'missing-key', 'own'],
    ['{ spherical: { a: tip, b: slider }, constraint: "crank.angle" }', 'several-kinds', 'constraint'],
    ['{ spherical: { a: tip, b: rod } }', 'wrong-value', 'spherical'],
    ['{ spherical: { a: base, b: base } }', 'wrong-value', 'spherical'],
    ['{ spherical: { a: tipp, b: slider } }', 'unknown-frame', 'tipp'],
    ['{ weld: { a: tip, b: slider, rows: [x, q] } }', 'wrong-value', 'q]'],
    ['{ weld: { a: tip, b: slider, rows: [x, x] } }', 'wrong-value', 'x]'],
    ['{ revolute: { a: tip, b: slider } }', 'missing-key', '{ a: tip'],
    ['{ distance: { a: tip, b: slider, length: -1 } }', 'wrong-value', '-1'],
    ['{ distance: { a: tip, b: slider, length: 1 kg } }', 'wrong-unit', '1 kg'],
    ['{ constraint: "2*l" }', 'wrong-value', '"2*l"'],
    ['{ constraint: "crank.angle*distance(tip, base)" }', 'not-supported', '"crank'],
    ['{ constraint: "sqrt(crank.angle)" }', 'not-finite', '"sqrt'],
    ['{ spherical: { a: tip, b: slider }, frames: { x: { on: base } } }', 'unknown-key', 'frames'],
  ])('tell what is wrong, and where: %s', (loop, code, at) => {
    const problem = problemOf(loop);
    expect(problem.code).toBe(code);
    expect(problem.location).toBeDefined();
    const { line, column } = problem.location!;
    expect(
      robot(loop)
        .split('\n')
        [line - 1]!.slice(column - 1),
    ).toMatch(new RegExp(`^${at.replace(/[*(]/g, '\\$&')}`));
    expect(problem.remedy).toBeDefined();
  });

  it('are closed by coordinates, not by joints that follow the time', () => {
    const driven = robot('{ spherical: { a: driver, b: { on: base, at: [0.1, 0, 0] } } }').replace(
      'links:\n',
      'links:\n  - { name: driver, joint: { revolute: y, prescribed: "sin(t)" }, rigid: { mass: 1 kg } }\n',
    );
    const closed = (loop: string): unknown =>
      loadRobotText(driven.replace(/own: .*/, `own: ${loop}`), 'closed.yaml').loops;
    for (const [loop, column] of [
      ['{ spherical: { a: driver, b: { on: base, at: [0.1, 0, 0] } } }', 10],
      ['{ constraint: "dot([1, 0, 0], position(driver))" }', 22],
    ] as const)
      expect(() => closed(loop)).toThrow(
        expect.objectContaining({
          code: 'wrong-value',
          location: expect.objectContaining({ line: 11, column }),
          message: expect.stringContaining('follow the time: no coordinate closes it'),
        }),
      );
    expect(closed('{ spherical: { a: driver, b: tip } }')).toHaveLength(1);
    expect(closed('{ constraint: "distance(driver, tip) - l" }')).toHaveLength(1);
  });

  it('are no more than 64 rows', () => {
    const many = Array.from({ length: 11 }, (_, k) => `  own${k}: { weld: { a: tip, b: slider } }\n`).join('');
    const text = robot('{ weld: { a: tip, b: slider } }').trimEnd();
    expect(() => loadRobotText(`${text}\n${many}`, 'closed.yaml')).toThrow(/72 rows, at most 64/);
  });

  it('are not for observers yet', () => {
    const more = `observers: { eye: { kalman: { measurements: [ { coordinate: crank.angle, noise: 1e-3 rad } ], process: 1 N m, uncertainty: 1e-2, period: 1 ms } } }
`;
    expect(() => loadRobotText(robot('{ spherical: { a: tip, b: slider } }', more), 'closed.yaml')).toThrow(
      'observers: the robot has loops',
    );
  });
});

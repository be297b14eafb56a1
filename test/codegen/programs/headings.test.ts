/** Comments of generated code: what groups of statements are for, and that nothing else changes by them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateFolder } from '../../../src/codegen/folder.ts';
import { labelOf } from '../../../src/codegen/programs/headings.ts';
import type { GeneratedFile } from '../../../src/codegen/modules/robot-model.ts';
import { generatedCost } from '../../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { compileStraight } from '../../../src/straight/compile.ts';

describe('labels', () => {
  it.each([
    ['alpha_x_wrist_2', 'alpha of wrist_2'],
    ['minus_force_x_per_q_ddot', 'force'],
    ['moment_z_from_rates', 'moment'],
    ['own_omega_y', 'omega of the own frame'],
    ['parent_force_z', 'force at the parent frame'],
    ['reaction12_z', 'reaction'],
    ['gram_2_13', 'gram'],
    ['distal_R_xx', 'distal_R'],
    ['tau_q1', 'tau_q1'],
    ['a_distal_x', 'a of distal'],
  ])('%s: %s', (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});

describe('generated code', () => {
  let files: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const robot = loadRobotFile('examples/planar-cc.robot.yaml');
    const compiled = compileRobot(robot, { derivatives: true });
    const straight = compileStraight(robot, {
      functions: ['inverseDynamics'],
      keepGravity: true,
      count: generatedCost,
    });
    const all: readonly GeneratedFile[] = await generateFolder(robot, compiled, ['ts', 'c'], straight);
    files = new Map(all.map(({ path, text }) => [path, text]));
  });

  const text = (path: string): string => files.get(path)!;
  const functionOf = (path: string, head: string): string[] => {
    const lines = text(path).split('\n');
    const from = lines.findIndex((line) => line.includes(head));
    return lines.slice(from, lines.indexOf('}', from));
  };

  it('names all that passes through tables', () => {
    const links = [text('c/planar_cc_link_segment.c'), text('typescript/link_segment.ts')];
    for (const link of links) expect(link).not.toMatch(/(?:slot|constants|linearised)_\d+ = /);
    for (const link of links) expect(link).toMatch(/ d_omega_y = /);
  });

  it('says beside a number in a table what it is, as those call it who read it', () => {
    const configured = functionOf('c/planar_cc_link_segment.c', 'segment_configure(');
    expect(configured.find((line) => line.includes('own[SLOT + 4] ='))).toMatch(/\/\* distal_t_z \*\/$/);
    const read = functionOf('c/planar_cc_link_segment.c', 'segment_backward(').find((line) =>
      line.includes('own[SLOT + 4]'),
    );
    expect(read).toContain('distal_t_z = own[SLOT + 4]');
  });

  it('groups arithmetic under lines that name what it is for, where the names of places do not say it', () => {
    const comments = (lines: readonly string[], pattern: RegExp): string[] =>
      lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
    const c = functionOf('c/planar_cc_link_segment.c', 'segment_forward(');
    const ts = comments(functionOf('typescript/link_segment.ts', 'function forward('), /^ {2}\/\/ (.*)$/);
    expect(ts.length).toBeGreaterThan(3);
    expect(ts.some((comment) => comment.includes('force'))).toBe(true);
    expect(comments(c, /^ {2}\/\* (.*) \*\/$/)).toEqual([]);
    expect(c.some((line) => /^ {2}own\[BODY_WRENCH(?: \+ \d+)?\] = /.test(line))).toBe(true);
    const straight = functionOf('c/planar_cc_straight.c', '_inverse_dynamics(');
    const headings = comments(straight, /^ {2}\/\* (.*) \*\/$/);
    expect(headings.some((comment) => /^(force|moment|a) of seg\d/.test(comment))).toBe(true);
    expect(headings.length).toBeLessThan(straight.length / 5);
  });
});

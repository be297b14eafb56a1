/** What commands say about a robot file before they work on it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRobot, reportNotes } from '../../src/cli/files/load.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('robots out of URDF files', () => {
  it('report the angles that were made exact, with their places', () => {
    let text = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    });
    const robot = openRobot('examples/iiwa.robot.yaml').model;
    expect(text).toBe('');
    reportNotes(robot);
    expect(text).toMatch(
      /examples\/iiwa\.urdf:\d+:\d+: note: angles within 1e-9 of a multiple of pi\/2 [^\n]*: iiwa_joint_2, iiwa/,
    );
    expect(text.trim().split('\n')).toHaveLength(1);
  });
});

/** What commands say about a robot file before they work on it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRobot, reportNotes } from '../../src/cli/files/load.ts';
import { runInProcess } from './in-process.ts';

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

describe('robots whose terms take longer than is allowed', () => {
  it.each([['explain'], ['identify', '--data', 'none.csv']])('are refused by an option of %s', async (...words) => {
    const late = await runInProcess('examples', [...words, 'planar-cc.robot.yaml', '--max-seconds', '1e-9']);
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining('with --max-seconds') as string });
  });
});

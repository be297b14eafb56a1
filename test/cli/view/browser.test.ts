/** `kanegen view` in headless Chromium: no complaint of the page, a slider that moves the robot, a typed mistake and its repair. In `test:full`. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { serveView } from '../../../src/cli/view/server.ts';
import { WatchedRobot } from '../../../src/cli/view/watched-robot.ts';
import { barriersIn, focusJumps } from '../../barriers.ts';
import { Browser, CHROMIUM } from '../../browser.ts';
import { builtCommand } from '../../built-command.ts';

const isWanted = CHROMIUM !== undefined && process.env['KANEGEN_FULL'] === '1';

it.skipIf(!isWanted)(
  'shows a robot, its mistake and its repair (skipped where there is no Chromium)',
  async () => {
    // The page has a script that is bundled.
    await builtCommand();
    const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-page-'));
    const file = path.join(folder, 'arm.robot.yaml');
    copyFileSync('examples/planar-cc.robot.yaml', file);
    writeFileSync(
      path.join(folder, 'fall.scenario.yaml'),
      'kanegen-scenario: 1\nrobot: arm.robot.yaml\nduration: 0.2 s\noutputs: { every: 20 ms }\n',
    );
    const robot = await WatchedRobot.open(file, { set: [], silence: [], cache: false });
    const server = await serveView(robot);
    robot.start();
    const browser = await Browser.open(server.link);
    try {
      const text = (id: string): string => `document.getElementById('${id}').textContent`;
      await browser.until(`${text('facts')}.startsWith('tip ')`);
      const before = await browser.value(text('facts'));
      // A picture clears the shadows and the canvas, once for all that changes with it.
      await browser.value(
        `{ const { clear } = WebGL2RenderingContext.prototype; window.cleared = 0; WebGL2RenderingContext.prototype.clear = function (mask) { window.cleared++; clear.call(this, mask); }; }`,
      );
      await browser.value(
        `{ const range = document.querySelector('.slider input[type=range]'); range.value = 40; range.dispatchEvent(new Event('input')); }`,
      );
      await browser.until(`${text('facts')} !== ${JSON.stringify(before)} && window.cleared > 0`);
      expect(await browser.value('window.cleared')).toBeLessThanOrEqual(2);
      const good = readFileSync(file, 'utf8');
      writeFileSync(file, `${good}\nlink: []\n`);
      await browser.until(`!document.getElementById('mistake').hidden`);
      expect(await browser.value(text('mistake'))).toMatch(/arm\.robot\.yaml:\d+:\d+: /);
      writeFileSync(file, good);
      await browser.until(`document.getElementById('mistake').hidden`);
      // Strain as colours, and a scenario of the folder.
      await browser.value(`document.querySelector('.check input').click()`);
      await browser.until(`${text('legend')}.includes('strain')`);
      await browser.value(`[...document.querySelectorAll('button')].find((own) => own.textContent === 'fall').click()`);
      await browser.until(`${text('state')}.includes('0.2 s in ')`);
      await browser.until(`${text('motion')}.includes('0.200 s')`);
      expect(await barriersIn(browser)).toEqual([]);
      expect(await focusJumps(browser, 12)).toEqual([]);
      expect(browser.complaints).toEqual([]);
      expect((await browser.picture()).length).toBeGreaterThan(10_000);
    } finally {
      await browser.close();
      robot.close();
      await server.close();
      rmSync(folder, { recursive: true });
    }
  },
  480_000,
);

it.skipIf(!isWanted)(
  'draws by outlines where the browser has no WebGL, and says so',
  async () => {
    await builtCommand();
    const robot = await WatchedRobot.open('examples/planar-cc.robot.yaml', { set: [], silence: [], cache: false });
    const server = await serveView(robot);
    const browser = await Browser.open(server.link, { hasWebGl: false });
    try {
      await browser.until(`document.querySelectorAll('#soft path').length > 3`);
      expect(await browser.value(`document.getElementById('no-view').hidden`)).toBe(false);
      const drawing = `document.getElementById('soft').innerHTML`;
      const before = await browser.value(drawing);
      await browser.value(
        `{ const range = document.querySelector('.slider input[type=range]'); range.value = 40; range.dispatchEvent(new Event('input')); }`,
      );
      await browser.until(`${drawing} !== ${JSON.stringify(before)}`);
      expect(browser.complaints).toEqual([]);
    } finally {
      await browser.close();
      robot.close();
      await server.close();
    }
  },
  480_000,
);

/** `kanegen view` in headless Chromium: no complaint of the page, a slider that moves the robot, a typed mistake and its repair. In `test:full`. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { serveView } from '../../../src/cli/view/server.ts';
import { WatchedRobot } from '../../../src/cli/view/watched-robot.ts';
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
    const robot = await WatchedRobot.open(file, { set: [], silence: [], cache: false });
    const server = await serveView(robot);
    robot.start();
    const browser = await Browser.open(server.link);
    try {
      const text = (id: string): string => `document.getElementById('${id}').textContent`;
      await browser.until(`${text('facts')}.startsWith('tip ')`);
      const before = await browser.value(text('facts'));
      await browser.value(
        `{ const range = document.querySelector('.slider input[type=range]'); range.value = 40; range.dispatchEvent(new Event('input')); }`,
      );
      await browser.until(`${text('facts')} !== ${JSON.stringify(before)}`);
      const good = readFileSync(file, 'utf8');
      writeFileSync(file, `${good}\nlink: []\n`);
      await browser.until(`!document.getElementById('mistake').hidden`);
      expect(await browser.value(text('mistake'))).toMatch(/arm\.robot\.yaml:\d+:\d+: /);
      writeFileSync(file, good);
      await browser.until(`document.getElementById('mistake').hidden`);
      expect(browser.complaints).toEqual([]);
      expect((await browser.picture()).length).toBeGreaterThan(10_000);
    } finally {
      await browser.close();
      robot.close();
      await server.close();
      rmSync(folder, { recursive: true });
    }
  },
  180_000,
);

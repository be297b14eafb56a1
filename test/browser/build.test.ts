/** The browser build in headless Chromium: the code that Node makes, diagnostics, the element with its view. Skipped where there is no Chromium. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../scripts/serve.mjs';
import { formatError, KanegenError, load } from '../../src/index.ts';
import { Browser, CHROMIUM } from '../browser.ts';
import { builtCommand } from '../built-command.ts';

/** A robot with links of both kinds, and one with loops. */
const ROBOTS = ['examples/planar-cc.robot.yaml', 'examples/mechanisms/four-bar.robot.yaml'];
const MISTAKEN = 'kanegen: 1\nrobot: arm\nlinks:\n  - { name: one, joint: revolut }\n';

beforeAll(builtCommand, 120_000);

describe('the browser build', () => {
  it('is small, and knows nothing of Node', () => {
    const files = readdirSync('dist/browser').map((name) => readFileSync(path.join('dist/browser', name), 'utf8'));
    expect(files.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(2.5e6);
    expect(files.filter((text) => /(?:from|import)\s*\(?"node:/.test(text)).length).toBe(0);
  });

  it('makes the same C of controllers as Node, by the TypeScript compiler that it is given', async () => {
    const robot = {
      kanegen: 1,
      name: 'led',
      links: [{ name: 'arm', joint: { revolute: 'y' }, rigid: { mass: 1, com: [0, 0, 0.1] } }],
      actuators: { drive: { motor: 'arm.angle', limits: [-5, 5] } },
      controllers: { track: { 'computed-torque': { kp: 100, kd: 20 } } },
    };
    const contents = (files: readonly { readonly path: string; readonly text: string }[]): unknown =>
      files.map(({ path: name, text }) => [name, text]);
    const script = `
      const { load } = await import(${JSON.stringify(pathToFileURL('dist/browser/index.js').href)});
      const code = await (await load(${JSON.stringify(robot)})).compile();
      process.stdout.write(JSON.stringify(await code.files({ target: 'c' })));`;
    const found = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const expected = await (await (await load(robot)).compile()).files({ target: 'c' });
    expect(expected.map((file) => file.path)).toContain('c/led_track.c');
    expect(contents(JSON.parse(found) as typeof expected)).toEqual(contents(expected));
  });

  describe.skipIf(!CHROMIUM)('in Chromium (skipped where there is none)', () => {
    let server: Awaited<ReturnType<typeof serve>>;
    let browser: Browser;
    beforeAll(async () => {
      server = await serve('.');
      browser = await Browser.open(`${server.link}test/browser/page.html`);
      await browser.until('window.kanegen');
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await server.close();
    });

    it.each(ROBOTS)(
      'makes the same C of %s as Node',
      async (file) => {
        const own = await (await load(file)).compile();
        const expected = (await own.files({ target: 'c' })).map(({ path: name, text }) => [name, text]);
        const made = await browser.value(`(async () => {
          const robot = await kanegen.load(new URL('/${file}', location.href));
          const files = await (await robot.compile()).files({ target: 'c' });
          return files.map(({ path, text }) => [path, text]);
        })()`);
        expect(expected.length).toBeGreaterThan(5);
        expect(made).toEqual(expected);
      },
      120_000,
    );

    it('runs the code that it makes, and explains', async () => {
      const [file] = ROBOTS;
      const robot = await load(file!);
      const state = { q: robot.coordinates.map((_, i) => 0.3 + 0.1 * i) };
      const [expected] = await robot.evaluate([state]);
      const made = await browser.value(`(async () => {
        const robot = await kanegen.load(new URL('/${file}', location.href));
        const [found] = await robot.evaluate([${JSON.stringify(state)}]);
        return [JSON.stringify(found), JSON.stringify(await robot.explain({ format: 'latex' }))];
      })()`);
      expect(made).toEqual([JSON.stringify(expected), JSON.stringify(await robot.explain({ format: 'latex' }))]);
    }, 120_000);

    it('says what is wrong with a robot as Node does, and what is not to be had in a page', async () => {
      const said = await load(MISTAKEN, { fileName: 'arm.yaml' }).catch((error: KanegenError) => error);
      const text = `kanegen.load(${JSON.stringify(MISTAKEN)}, { fileName: 'arm.yaml' }).catch((e) => e.problems.map((p) => [p.code, p.message, p.location]))`;
      expect(said).toBeInstanceOf(KanegenError);
      const { problems } = said as KanegenError;
      expect(await browser.value(text)).toEqual(
        problems.map(({ code, message, location }) => [code, message, location]),
      );
      expect(formatError(problems[0]!)).toMatch(/^arm\.yaml:\d+:\d+: /);
      expect(
        await browser.value(`(async () => {
          const robot = await kanegen.load(new URL('/${ROBOTS[0]}', location.href));
          return robot.verify().catch((error) => error.code);
        })()`),
      ).toBe('not-in-browser');
    }, 120_000);

    it('has an element that shows a robot, moves it, and keeps it through a mistake', async () => {
      const inPage = `document.querySelector('kanegen-robot').shadowRoot.querySelector('iframe').contentDocument`;
      const text = (id: string): string => `${inPage}.getElementById('${id}')?.textContent`;
      await browser.value(`{
        const robot = document.createElement('kanegen-robot');
        robot.setAttribute('src', '/${ROBOTS[0]}');
        robot.toggleAttribute('controls');
        document.body.append(robot);
      }`);
      await browser.until(`${text('facts')}?.startsWith('tip ')`);
      const before = await browser.value(text('facts'));
      await browser.value(`{
        const range = ${inPage}.querySelector('.slider input[type=range]');
        range.value = 40;
        range.dispatchEvent(new Event('input'));
      }`);
      await browser.until(`${text('facts')} !== ${JSON.stringify(before)}`);
      await browser.value(`document.querySelector('kanegen-robot').source = { text: ${JSON.stringify(MISTAKEN)} }`);
      await browser.until(`!${inPage}.getElementById('mistake').hidden`);
      expect(await browser.value(text('mistake'))).toMatch(/robot\.yaml:\d+:\d+: /);
      expect(await browser.value(text('name'))).toBe('planar-cc');
      await browser.value(`document.querySelector('kanegen-robot').source = undefined`);
      await browser.until(`${inPage}.getElementById('mistake').hidden`);
      expect(browser.complaints).toEqual([]);
    }, 180_000);
  });
});

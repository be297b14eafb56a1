/** The site: links that lead somewhere, pages that everybody can use, the playground in headless Chromium (in `test:full`, skipped where there is none). */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../scripts/serve.mjs';
import { buildSite } from '../../scripts/site.mjs';
import { barriersIn, focusJumps } from '../barriers.ts';
import { Browser, CHROMIUM } from '../browser.ts';

let site = '';
beforeAll(async () => {
  site = mkdtempSync(path.join(tmpdir(), 'kanegen-site-'));
  await buildSite(site);
}, 240_000);
afterAll(() => rmSync(site, { recursive: true }));

const filesOf = (ending: string): string[] =>
  readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort();
const textOf = (file: string): string => readFileSync(path.join(site, file), 'utf8');

function brokenLinks(page: string): string[] {
  return [...textOf(page).matchAll(/(?:href|src)="([^"]*)"/g)].flatMap(([, link]) => {
    if (/^(https?|data|mailto):/.test(link!)) return [];
    const [way, anchor = ''] = link!.replaceAll('&amp;', '&').split('#') as [string, string?];
    const file = way === '' ? page : path.posix.join(path.posix.dirname(page), decodeURIComponent(way));
    if (!existsSync(path.join(site, file))) return [link!];
    const example = /^example=([^&]*)/.exec(anchor)?.[1];
    if (example !== undefined) return existsSync(path.join(site, decodeURIComponent(example))) ? [] : [link!];
    if (anchor === '' || textOf(file).includes(`id="${decodeURIComponent(anchor)}"`)) return [];
    return [link!];
  });
}

/** What keeps people from using a page, as far as its text tells. */
function barriers(page: string): string[] {
  const text = textOf(page);
  const found: string[] = [];
  if (!/<html lang="en">/.test(text)) found.push('no language');
  if (!/<title>[^<]+<\/title>/.test(text)) found.push('no title');
  if (!text.includes('name="viewport"')) found.push('no viewport');
  if ([...text.matchAll(/<main\b/g)].length !== 1) found.push('not one main part');
  const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  if (new Set(ids).size < ids.length) found.push('an id twice');
  for (const [image] of text.matchAll(/<img\b[^>]*>/g))
    if (!/\balt="[^"]+"/.test(image)) found.push(`no words: ${image}`);
  for (const [, id] of text.matchAll(/<(?:select|input)\b[^>]*\bid="([^"]*)"/g))
    if (!text.includes(`<label for="${id}"`)) found.push(`no label: ${id}`);
  for (const [link, inner] of text.matchAll(/<(?:a|button)\b[^>]*>(.*?)<\/(?:a|button)>/gs))
    if (inner!.replace(/<(?!img)[^>]*>/g, '').trim() === '') found.push(`no words: ${link}`);
  const levels = [...text.slice(text.indexOf('<main')).matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
  levels.forEach((level, i) => {
    if (i > 0 && level > levels[i - 1]! + 1) found.push(`a heading of level ${level} below one of ${levels[i - 1]}`);
  });
  return found;
}

describe('pages', () => {
  it('have links that lead somewhere, and no barriers', () => {
    const pages = filesOf('.html').filter((name) => !/^(examples|test)\/.*index\.html$/.test(name));
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.flatMap((page) => brokenLinks(page).map((link) => `${page}: ${link}`))).toEqual([]);
    expect(pages.flatMap((page) => barriers(page).map((reason) => `${page}: ${reason}`))).toEqual([]);
  });

  it('open every picture of a robot of the gallery in the playground', () => {
    const text = textOf('docs/gallery.html');
    const pictures = [...text.matchAll(/<img src="[^"]*gallery\//g)].length;
    expect(pictures).toBeGreaterThan(15);
    expect([...text.matchAll(/playground\/index\.html#example=/g)].length).toBe(pictures);
  });

  it('ask nobody else for anything', () => {
    for (const page of filesOf('.html')) expect(textOf(page)).not.toMatch(/(?:src|<link[^>]* href)="(?:https?:)?\/\//);
  });
});

it('has a playground below four megabytes, compressed', () => {
  const parts = [...filesOf('.js'), ...filesOf('.css'), ...filesOf('.woff2')];
  const bytes = parts.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(site, file))).length, 0);
  expect(bytes).toBeLessThan(4e6);
});

/** A pointer on the volume of a body lights lines of the link's code, and one on such a line lights its place in the file. */
async function lightsLines(browser: Browser): Promise<void> {
  const point = async (line: string): Promise<void> => {
    const place = `(() => { const r = ${line}.getBoundingClientRect(); return [r.left + 30, r.top + r.height / 2]; })()`;
    const [x, y] = (await browser.value(place)) as [number, number];
    await browser.call('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  };
  await browser.value(`{ const choice = document.getElementById('file');
    choice.selectedIndex = [...choice.options].findIndex(({ value }) => /_link_.*\\.c$/.test(value)); choice.onchange(); }`);
  const line = `[...document.querySelectorAll('#editor .cm-line')].find((own) => own.textContent.includes('volume:'))`;
  await point(line);
  await browser.until(`document.querySelectorAll('#code .cm-line.lit').length > 0`);
  expect(await browser.value(`document.getElementById('origin').textContent`)).toMatch(
    /^line \d+ of the robot file: \d+ statements here/,
  );
  await point(`document.querySelector('#code .cm-line.lit')`);
  await browser.until(`document.querySelector('#editor .cm-line.lit')?.textContent.includes('volume:')`);
}

const isWanted = CHROMIUM !== undefined && process.env['KANEGEN_FULL'] === '1';

describe.skipIf(!isWanted)('the playground in Chromium (in `test:full`, skipped where there is none)', () => {
  it('shows robot, code and mathematics, marks a mistake, and keeps all in its link', async () => {
    const server = await serve(site);
    const link = `${server.link}playground/index.html`;
    const browser = await Browser.open(`${link}#example=examples%2Fplanar-cc.robot.yaml&view=view`);
    try {
      const inView = `document.getElementById('robot').shadowRoot.querySelector('iframe').contentDocument`;
      const text = (query: string): string => `document.querySelector('${query}')?.textContent`;
      const open = (tab: string): Promise<unknown> => browser.value(`document.getElementById('tab-${tab}').click()`);
      await browser.until(`${inView}?.getElementById('facts')?.textContent.startsWith('tip ')`);
      await open('c');
      await browser.until(`${text('#code .cm-content')}?.includes('#ifndef PLANAR_CC_H')`);
      await lightsLines(browser);
      expect(await barriersIn(browser)).toEqual([]);
      await open('explain');
      await browser.until(`document.querySelectorAll('#text-panel .katex').length > 3`);
      await open('operations');
      await browser.until(`document.getElementById('compare')`);
      expect(await browser.value(text('#text-panel'))).toContain('Estimate for a Cortex-M4F');
      await browser.value(`document.getElementById('compare').click()`);
      await browser.until(`document.querySelectorAll('#text-panel [role=status] tr').length === 4`);
      expect(await browser.value(text('#text-panel [role=status]'))).toMatch(/Lagrange, Christoffel[\d,]+[\d.]+/);
      expect(await barriersIn(browser)).toEqual([]);
      expect(await focusJumps(browser, 8)).toEqual([]);
      await browser.value(`{ const view = document.querySelector('#editor .cm-content').cmTile?.view ?? document.querySelector('#editor .cm-content').cmView.view;
        const at = view.state.doc.toString().indexOf('position:'); view.dispatch({ changes: { from: at, to: at + 8, insert: 'positoin' } }); }`);
      await browser.until(`${text('#problem')}?.startsWith('line 16: ')`);
      await browser.until(`document.querySelector('#editor .cm-lint-marker-error')`);
      await browser.until(`location.hash.includes('robot=')`);
      expect(browser.complaints).toEqual([]);
      // The same page anew: what was typed is there.
      const hash = String(await browser.value('location.hash'));
      await browser.call('Page.navigate', { url: 'about:blank' });
      await browser.call('Page.navigate', { url: `${link}${hash}` });
      await browser.until(`${text('#editor .cm-content')}?.includes('positoin')`);
      await browser.until(`${text('#problem')}?.startsWith('line 16: ')`);
      await browser.call('Page.navigate', { url: 'about:blank' });
      await browser.call('Page.navigate', { url: `${link}#robot=AAAA` });
      await browser.until(`${text('#busy')}?.startsWith('this link is damaged')`);
      expect(await browser.value(text('#editor .cm-content'))).toContain('kanegen: 1');
      const hosts = `performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith(location.origin) && !name.startsWith('data:') && !name.startsWith('about:')).map(({ name }) => name)`;
      expect(await browser.value(hosts)).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  }, 600_000);
});

/**
 * What keeps people from using a page in a browser: controls without names, roles without what belongs to them, text that is hard to read, and an order of
 * focus that jumps. A small set of our own; contrast as WCAG 2.1 has it, 4.5, and 3 for large text.
 */
import type { Browser } from './browser.ts';

/** Runs in the page. @returns what is wrong. */
const LOOK = `(() => {
  const found = [];
  const isShown = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getClientRects().length > 0;
  const told = (e) => '<' + e.tagName.toLowerCase() + (e.id ? ' id=' + e.id : '') + (e.className && typeof e.className === 'string' ? ' class=' + e.className : '') + '> ' + (e.textContent ?? '').trim().slice(0, 30);
  const nameOf = (e) =>
    e.getAttribute('aria-label') ||
    (e.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('') ||
    [...(e.labels ?? [])].map((l) => l.textContent).join('') ||
    (/^(BUTTON|A|SUMMARY)$/.test(e.tagName) || e.getAttribute('role') === 'tab' ? e.textContent : '') ||
    e.getAttribute('title') || '';
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe, canvas, [role=tab], [role=radio], [contenteditable=true], [tabindex="0"]')].filter(isShown);
  for (const e of controls) if (nameOf(e).trim() === '' && !(e.shadowRoot)) found.push('no name: ' + told(e));
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((own) => own === id).length > 1) found.push('an id twice: ' + id);
  if (document.querySelectorAll('main').length !== 1) found.push('not one main part');
  if (document.querySelectorAll('h1').length > 1) found.push('more than one h1');
  for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) found.push('an order of its own: ' + told(e));
  const within = { radio: ['radiogroup', 'aria-checked'], tab: ['tablist', 'aria-selected'] };
  for (const [role, [group, state]] of Object.entries(within)) {
    for (const e of document.querySelectorAll('[role=' + role + ']')) {
      if (!e.closest('[role=' + group + '][aria-label]')) found.push('a ' + role + ' in no named ' + group + ': ' + told(e));
      if (!e.hasAttribute(state)) found.push('a ' + role + ' without ' + state + ': ' + told(e));
      if (role === 'tab' && !document.getElementById(e.getAttribute('aria-controls'))) found.push('a tab of nothing: ' + told(e));
    }
    for (const e of document.querySelectorAll('[role=' + group + ']')) {
      const chosen = [...e.querySelectorAll('[' + state + '=true]')].length;
      if (isShown(e) && chosen !== 1) found.push(chosen + ' chosen of ' + e.getAttribute('aria-label'));
    }
  }
  // Colours as numbers, whatever notation a style has.
  const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => { pixel.clearRect(0, 0, 1, 1); pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1); return [...pixel.getImageData(0, 0, 1, 1).data]; };
  const groundOf = (e) => { for (let own = e; own; own = own.parentElement) { const c = rgba(getComputedStyle(own).backgroundColor); if (c[3] > 250) return c; } return [255, 255, 255, 255]; };
  const light = ([r, g, b]) => [r, g, b].map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const { parentElement: e, data } = walker.currentNode;
    if (data.trim() === '' || seen.has(e) || /^(SCRIPT|STYLE|OPTION)$/.test(e.tagName) || !isShown(e) || e.closest('[disabled], .katex')) continue;
    seen.add(e);
    const style = getComputedStyle(e);
    const [a, b] = [light(rgba(style.color)), light(groundOf(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < wanted) found.push('contrast ' + ratio.toFixed(2) + ': ' + told(e));
  }
  return found;
})()`;

/** In both colour schemes. */
export async function barriersIn(browser: Browser): Promise<string[]> {
  const found: string[] = [];
  for (const scheme of ['light', 'dark']) {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await browser.call('Emulation.setEmulatedMedia', { features });
    // The page hears of it.
    await browser.value('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))');
    const own = (await browser.value(LOOK)) as string[];
    found.push(...own.map((barrier) => `${scheme}: ${barrier}`));
  }
  return found;
}

/** The tab key goes through the controls of a page from its top in the order in which they stand. @param steps how often it is pressed. */
export async function focusJumps(browser: Browser, steps: number): Promise<string[]> {
  await browser.value(`{ document.activeElement?.blur(); getSelection()?.removeAllRanges(); window.visited = []; }`);
  for (let k = 0; k < steps; k++) {
    for (const type of ['keyDown', 'keyUp'])
      await browser.call('Input.dispatchKeyEvent', { type, key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
    await browser.value(
      `window.visited.push([document.activeElement, getComputedStyle(document.activeElement).outlineStyle !== 'none'])`,
    );
  }
  return (await browser.value(`(() => {
    const told = (e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' ' + (e.textContent ?? '').trim().slice(0, 20);
    const visited = window.visited.filter(([e]) => e && e !== document.body);
    const own = visited.map(([e]) => e);
    const found = own.length < ${steps} / 2 ? ['the focus leaves the page after ' + own.length + ' steps'] : [];
    visited.forEach(([e, isSeen], i) => {
      if (i > 0 && own[i - 1] !== e && !(own[i - 1].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)) found.push(told(own[i - 1]) + ' before ' + told(e));
      if (!e.shadowRoot && !isSeen && !e.closest('.cm-editor')) found.push('focus is not seen: ' + told(e));
    });
    return found;
  })()`)) as string[];
}

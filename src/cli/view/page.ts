/** The page of `kanegen view`: its frame and looks; what it shows is made by its script (`report/viewer/live.ts`). */
import { packageFile } from '../../codegen/modules/assets.ts';
import type { KeptView } from '../../report/viewer/live-messages.ts';

export const liveScript = (): string => packageFile('dist/viewer.js');

/** As the server sends it. */
export const livePage = (): string => page('<script type="module" src="live.js"></script>');

/** Within another page, which sends a port to whoever answers. */
export const framedPage = (script: string): string =>
  page(`<script id="framed" type="application/json">{}</script>\n<script type="module" src="${script}"></script>`);

/** In one file that needs nothing else. */
export function keptPage(view: KeptView): string {
  const text = inScript(JSON.stringify(view));
  return page(
    `<script id="kept" type="application/json">${text}</script>\n<script type="module">${inScript(liveScript())}</script>`,
  );
}

/** Nothing in a script may look like its end. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, '\\u003c');
}

const page = (scripts: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kanegen view</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<canvas id="view" tabindex="0" role="img" aria-label="the robot in space: drag to turn, wheel to zoom, shift and drag to push"></canvas>
<header><h1 id="name"></h1><p id="summary"></p></header>
<p id="no-view" hidden>Drawn without WebGL, which this browser does not have here: by outlines, and slower.</p>
<pre id="mistake" role="alert" hidden></pre>
<footer><span id="state" role="status"></span><span id="facts"></span><span id="around"></span><span id="scale"></span></footer>
<div id="legend" hidden></div>
</main>
<aside aria-label="what moves the robot">
<div id="how" role="radiogroup" aria-label="what the sliders do"></div>
<div id="motion" hidden></div>
<div id="panel"></div>
<p id="help" hidden>p pose · e equilibrium · r back to the default state · 1–9 named states · h whole view · d dark or light<span
id="help-motion"> · space plays and pauses · shift and drag pushes the tip in motion</span></p>
</aside>
${scripts}
</body>
</html>
`;

const STYLE = `
:root { color-scheme: light; --ground: #f6f7f9; --panel: #ffffff; --ink: #1d2430; --faint: #667085; --line: #e2e6ec; --accent: #2f6fb2; --bad: #b3261e; }
:root[data-theme=dark] { color-scheme: dark; --ground: #14181f; --panel: #1b212b; --ink: #e6eaf0; --faint: #98a2b3; --line: #2d3542; --accent: #6ba6e0; --bad: #ff8a80; }
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; font: 14px/1.4 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: var(--ground); }
main { position: relative; flex: 1; min-width: 0; overflow: hidden; }
#view { width: 100%; height: 100%; display: block; touch-action: none; }
#view:focus-visible { outline-offset: -2px; }
header { position: absolute; left: 20px; top: 16px; pointer-events: none; max-width: 60%; }
h1 { font-size: 19px; font-weight: 650; margin: 0; letter-spacing: -0.01em; }
header p { margin: 2px 0 0; color: var(--faint); }
footer { position: absolute; left: 20px; right: 20px; bottom: 12px; display: flex; flex-wrap: wrap; gap: 4px 18px; color: var(--faint); font-variant-numeric: tabular-nums; pointer-events: none; }
#state { color: var(--ink); font-weight: 600; }
footer span:empty { display: none; }
#state.bad { color: var(--bad); }
#around { margin-left: auto; }
#scale { border: solid var(--faint); border-width: 0 1px 1px; text-align: center; white-space: nowrap; }
#legend { position: absolute; right: 20px; top: 22px; color: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums; pointer-events: none; }
#legend[hidden] { display: none; }
#legend div { display: flex; gap: 6px; align-items: center; justify-content: flex-end; }
#legend i { width: 90px; height: 6px; border-radius: 3px; }
.check { display: flex; gap: 8px; align-items: center; padding: 2px 0; }
#motion input[type=range] { flex: 1; min-width: 0; accent-color: var(--accent); }
select { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: 3px 6px; }
#mistake { position: absolute; left: 20px; right: 20px; bottom: 44px; margin: 0; max-height: 45%; overflow: auto; padding: 12px 14px; white-space: pre-wrap; font: 12.5px/1.5 ui-monospace, Menlo, Consolas, monospace; color: var(--ink); background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px; box-shadow: 0 6px 24px rgb(0 0 0 / 0.15); }
#no-view { position: absolute; left: 20px; top: 70px; margin: 0; color: var(--faint); font-size: 12.5px; pointer-events: none; }
#soft { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; }
aside { width: 330px; overflow-y: auto; padding: 16px; background: var(--panel); border-left: 1px solid var(--line); }
#how { display: grid; grid-auto-columns: auto; grid-auto-flow: column; gap: 2px; padding: 3px; background: var(--ground); border-radius: 8px; margin-bottom: 12px; }
button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; cursor: pointer; }
button:hover { border-color: var(--accent); }
button:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#how button { border: 0; background: none; padding: 5px 4px; color: var(--faint); }
#how button[aria-checked=true] { background: var(--panel); color: var(--ink); font-weight: 600; box-shadow: 0 1px 3px rgb(0 0 0 / 0.18); }
.chips, #motion { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 10px; }
#motion[hidden] { display: none; }
h2, summary { font-size: 12px; font-weight: 650; color: var(--faint); margin: 14px 0 6px; }
summary { cursor: pointer; }
.slider { display: grid; grid-template-columns: 1fr auto auto; gap: 0 8px; align-items: baseline; padding: 3px 0; }
.slider label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.slider .value { display: flex; gap: 4px; align-items: baseline; color: var(--faint); }
.slider input[type=number] { width: 72px; font: inherit; font-variant-numeric: tabular-nums; text-align: right; color: var(--ink); background: none; border: 1px solid transparent; border-radius: 4px; appearance: textfield; }
.slider input[type=number]:hover, .slider input[type=number]:focus { border-color: var(--line); }
.slider input[type=range] { grid-column: 1 / -1; width: 100%; margin: 2px 0 0; accent-color: var(--accent); }
.slider.outside input[type=number] { color: var(--bad); }
.slider button { padding: 0 6px; font-size: 12px; color: var(--faint); }
.note { color: var(--faint); font-size: 12.5px; }
#help { color: var(--faint); font-size: 12.5px; border-top: 1px solid var(--line); padding-top: 10px; }
@media (max-width: 760px) {
  body { flex-direction: column; }
  main { flex: none; height: 56vh; }
  aside { width: auto; flex: 1; border-left: 0; border-top: 1px solid var(--line); }
  header p { display: none; }
}
`;

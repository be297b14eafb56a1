/**
 * A run of a scenario as one page that needs nothing else: what came out, plots, and the moving robot in space. The script of
 * the page is bundled when kanegen is built (`viewer/`).
 */
import { packageFile } from '../codegen/modules/assets.ts';
import { VERSION } from '../codegen/modules/version.ts';
import { escaped } from '../common/markup.ts';
import { countsText } from '../simulation/integrators/integrator.ts';
import { PANEL, runPlots } from '../simulation/run/run-plot.ts';
import { outsideOfLimits, outsideText } from '../simulation/run/outside.ts';
import type { Scenario } from '../simulation/scenario/scenario.ts';
import { failureText, type Run } from '../simulation/run/simulate.ts';
import { animate } from './animation.ts';

/** @returns HTML. */
export async function runReport(scenario: Scenario, run: Run): Promise<string> {
  const { robot, frames, summary } = scenario;
  const tip = frames.indexOf(robot.tip);
  const [hasSamples, moves] = [run.samples.length > 0, run.samples.length > 1];
  const failure = run.failure
    ? `<p class="failure">This run is incomplete: ${escaped(failureText(run.failure))}</p>`
    : '';
  const animation = hasSamples && animate(scenario, run.samples, (index) => run.samples[index]!.frames[tip], PANEL);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="kanegen ${VERSION}">
<title>${escaped(robot.name)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(robot.name)}</h1>
<p>${escaped(summary)}</p>
${failure}
${hasSamples ? space(moves) : ''}
${outcome(scenario, run)}
${limits(scenario, run)}${moves ? `<section id="plots">${(await runPlots(scenario, run)).join('\n')}</section>` : ''}
${animation ? scripts(animation) : ''}
</body>
</html>
`;
}

const scripts = (animation: object): string =>
  `<script id="animation" type="application/json">${inScript(JSON.stringify(animation))}</script>
<script type="module">${inScript(packageFile('dist/viewer.js'))}</script>`;

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** The robot in space; one that rests has nothing to play. */
const space = (moves: boolean): string => `<section id="space">
<div id="frame"><canvas id="view"></canvas><div id="legend" hidden></div><span id="scale"></span></div>
<p id="no-view" hidden>Drawn without WebGL, which this browser does not have here: by outlines, and slower.</p>
<div id="controls"${moves ? '' : ' style="display: none"'}>
<button id="play" type="button">Play</button>
<input id="time" type="range" min="0" max="1" step="any" aria-label="time">
<output id="shown"></output>
<label>speed <select id="speed">${SPEEDS.map((x) => `<option${x === 1 ? ' selected' : ''}>${x}</option>`).join('')}</select></label>
</div>
<div id="looks"></div>
</section>`;

const STYLE = `
body { font: 15px/1.45 Helvetica, Arial, sans-serif; color: #222; margin: 24px auto; max-width: 1320px; padding: 0 20px; }
h1 { font-size: 22px; margin: 0 0 4px; }
p { margin: 0 0 12px; }
.failure, .FAILED { color: #b3261e; font-weight: bold; }
.outside { color: #b3261e; }
#view { width: 100%; height: 520px; display: block; border: 1px solid #ddd; touch-action: none; }
#frame { position: relative; }
#soft { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; }
#frame:has(#soft) { height: 520px; border: 1px solid #ddd; }
#legend { position: absolute; right: 14px; bottom: 34px; color: #667085; font-size: 12px; font-variant-numeric: tabular-nums; pointer-events: none; }
#legend[hidden] { display: none; }
#legend div { display: flex; gap: 6px; align-items: center; justify-content: flex-end; }
#legend i { width: 90px; height: 6px; border-radius: 3px; }
#scale { position: absolute; right: 14px; bottom: 10px; color: #667085; font-size: 12px; border: solid #667085; border-width: 0 1px 1px; text-align: center; white-space: nowrap; }
#looks { display: flex; gap: 18px; margin: -12px 0 18px; }
#looks label { display: flex; gap: 6px; align-items: center; }
#controls { display: flex; gap: 12px; align-items: center; margin: 8px 0 20px; }
#time { flex: 1; }
#shown { min-width: 5em; text-align: right; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; margin: 0 0 20px; }
th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid #e4e4e4; font-variant-numeric: tabular-nums; }
#plots { display: flex; flex-wrap: wrap; gap: 18px 28px; }
#plots svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16191d; color: #d7dbe0; }
  th, td, #view { border-color: #343a42; }
  .failure, .FAILED, .outside { color: #ff8a80; }
}
`;

/** What left its limits, a line each; nothing where all stayed within. */
function limits(scenario: Scenario, run: Run): string {
  const lines = outsideOfLimits(scenario, run).map((own) => escaped(outsideText(own, scenario.statics)));
  return lines.length > 0 ? `<p class="outside">Beyond limits:<br>${lines.join('<br>')}</p>\n` : '';
}

function outcome({ statics, start }: Scenario, run: Run): string {
  const { samples, integrator, counts, balance, comparisons, events } = run;
  const facts = [
    statics
      ? `${integrator}: ${counts.steps} iterations`
      : `${start} s to ${samples.at(-1)?.t ?? start} s, ${integrator}: ${countsText(counts)}`,
    ...(balance
      ? [`balance of energy closes to ${balance.defect.toExponential(1)} J of ${balance.exchanged.toExponential(1)} J`]
      : []),
    ...events.map(({ name, t }) => `${name} at ${t} s`),
  ];
  const rows = comparisons.map(({ at, name, expected, found, within, outcome, kind, source, notMet }) =>
    [
      `<tr class="${outcome.replace(' ', '-')}">`,
      ...[
        statics ? name : `${name} at ${at} s`,
        found,
        expected,
        Math.abs(found - expected).toExponential(1),
        within,
        outcome,
        kind ?? '',
        notMet === undefined ? source : `${source}; not met: ${notMet}`,
      ].map((cell) => `<td>${escaped(`${cell}`)}</td>`),
      '</tr>',
    ].join(''),
  );
  const head = ['', 'found', 'expected', 'difference', 'allowed', 'outcome', 'kind', 'source']
    .map((name) => `<th>${name}</th>`)
    .join('');
  const table = rows.length > 0 ? `<table><tr>${head}</tr>${rows.join('\n')}</table>` : '';
  return `<p>${facts.map(escaped).join('<br>')}</p>\n${table}`;
}

/** Nothing in a script may look like its end. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, '\\u003c');
}

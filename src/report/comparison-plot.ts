/**
 * The picture of a comparison over chains of growing length: time to code, operations and time of evaluation against the
 * number of links, both axes logarithmic, so that a power law is a straight line and its exponent the slope. Drawn by
 * Vega-Lite without a browser.
 */
import type { TopLevelSpec } from 'vega-lite';
import type { Comparison, FormulationReport } from './comparison.ts';
import { FORMULATIONS } from './formulation.ts';

type Name = FormulationReport['formulation'];
type PanelSpecification = Extract<TopLevelSpec, { concat: unknown }>['concat'][number];

/** Colours that stay apart for the colour-blind (Okabe and Ito). */
const COLOURS: Readonly<Record<Name, string>> = {
  recursion: '#0072B2',
  lagrange: '#D55E00',
  christoffel: '#CC79A7',
  driver: '#009E73',
};
const LABELS: Readonly<Record<Name, string>> = { ...FORMULATIONS, driver: 'recursion, generic driver' };

const WIDTH = 330;
const HEIGHT = 250;
/** Least distance of two labels at the ends of curves, px. */
const LABEL_DISTANCE = 13;

interface Panel {
  readonly title: string;
  readonly axis: string;
  readonly value: (report: FormulationReport) => number | null;
}

const PANELS: readonly Panel[] = [
  {
    title: 'Derivation and code generation',
    axis: 'time, s',
    value: (r) =>
      r.derivationSeconds === null || r.generationSeconds === null ? null : r.derivationSeconds + r.generationSeconds,
  },
  { title: 'Operations of inverse dynamics', axis: 'operations', value: (r) => r.operations?.total ?? null },
  { title: 'One call in C', axis: 'time, µs', value: (r) => (r.evaluation.c === null ? null : r.evaluation.c / 1000) },
  {
    title: 'One call in TypeScript',
    axis: 'time, µs',
    value: (r) => (r.evaluation.typescript === null ? null : r.evaluation.typescript / 1000),
  },
];

interface Point {
  readonly links: number;
  readonly formulation: string;
  readonly value: number;
}

/** @param comparisons of one robot at different lengths, ascending. @returns SVG text. */
export async function comparisonPlot(title: string, comparisons: readonly Comparison[]): Promise<string> {
  const { compile } = await import('vega-lite');
  const { parse, View } = await import('vega');
  const view = new View(parse(compile(specification(title, comparisons)).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

function specification(title: string, comparisons: readonly Comparison[]): TopLevelSpec {
  const panels = PANELS.map((panel) => ({ panel, points: pointsOf(panel, comparisons) })).filter(
    ({ points }) => points.length > 0,
  );
  const names = (Object.keys(LABELS) as Name[]).filter((name) =>
    panels.some(({ points }) => points.some((p) => p.formulation === LABELS[name])),
  );
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    padding: { left: 20, top: 20, bottom: 20, right: 20 },
    title: {
      text: title,
      subtitle: stopsOf(comparisons),
      anchor: 'start',
      fontSize: 16,
      subtitleFontSize: 12,
      offset: 18,
    },
    columns: 2,
    // From plot to plot: room for axis titles on one side and for the names of the curves on the other.
    bounds: 'flush',
    spacing: { row: 90, column: 240 },
    concat: panels.map(({ panel, points }) => panelSpecification(panel, points, comparisons, names)),
    config: {
      font: 'Helvetica, Arial, sans-serif',
      axis: {
        labelFontSize: 11,
        titleFontSize: 12,
        titleFontWeight: 'normal',
        gridColor: '#e4e4e4',
        domainColor: '#888',
      },
      view: { stroke: null },
    },
  };
}

function pointsOf({ value }: Panel, comparisons: readonly Comparison[]): Point[] {
  return comparisons.flatMap(({ links, formulations }) =>
    formulations.flatMap((report) => {
      const measured = value(report);
      return measured === null ? [] : [{ links, formulation: LABELS[report.formulation], value: measured }];
    }),
  );
}

/** Where formulations ended, one line each. */
function stopsOf(comparisons: readonly Comparison[]): string[] {
  return comparisons.flatMap(({ links, formulations }) =>
    formulations.flatMap(({ formulation, stopped }) =>
      stopped === null ? [] : [`${LABELS[formulation]} ends before ${links} links: ${stopped}`],
    ),
  );
}

function panelSpecification(
  panel: Panel,
  points: readonly Point[],
  comparisons: readonly Comparison[],
  names: readonly Name[],
): PanelSpecification {
  const lengths = comparisons.map((c) => c.links);
  const domain = domainOf(points.map((p) => p.value));
  const x = {
    field: 'links',
    type: 'quantitative' as const,
    scale: { type: 'log' as const, domain: [lengths[0]!, lengths[lengths.length - 1]!], nice: false },
    axis: { title: 'links', values: ticksOf(lengths), format: 'd', labelFlush: false },
  };
  const y = {
    field: 'value',
    type: 'quantitative' as const,
    scale: { type: 'log' as const, domain: [...domain], nice: false },
    axis: { title: panel.axis, format: '~g', values: decades(domain) },
  };
  const color = {
    field: 'formulation',
    type: 'nominal' as const,
    scale: { domain: names.map((name) => LABELS[name]), range: names.map((name) => COLOURS[name]) },
    legend: null,
  };
  return {
    title: { text: panel.title, anchor: 'start' as const, frame: 'group' as const, offset: 10, fontSize: 13 },
    width: WIDTH,
    height: HEIGHT,
    data: { values: [...points] },
    encoding: { x, y, color },
    layer: [
      { mark: { type: 'line' as const, strokeWidth: 2 } },
      { mark: { type: 'point' as const, filled: true, size: 28, opacity: 1, tooltip: true } },
      ...endLabels(points, domain).map(({ point, shift }) => ({
        data: { values: [point] },
        mark: { type: 'text' as const, align: 'left' as const, dx: 8, dy: shift, fontSize: 11.5 },
        encoding: { text: { field: 'formulation', type: 'nominal' as const } },
      })),
    ],
  };
}

/** The last point of every curve, and how far its label moves down to keep clear of the others, px. */
function endLabels(points: readonly Point[], domain: readonly [number, number]): { point: Point; shift: number }[] {
  const last = new Map(points.map((p) => [p.formulation, p]));
  const height = ({ value }: Point): number => (HEIGHT * Math.log(domain[1] / value)) / Math.log(domain[1] / domain[0]);
  const sorted = [...last.values()].sort((a, b) => height(a) - height(b));
  let lowest = -Infinity;
  return sorted.map((point) => {
    const place = Math.max(height(point), lowest + LABEL_DISTANCE);
    lowest = place;
    return { point, shift: place - height(point) };
  });
}

/** From just below the least value to just above the greatest, on a logarithmic axis. */
function domainOf(values: readonly number[]): [number, number] {
  return [Math.min(...values) / 1.3, Math.max(...values) * 1.3];
}

/** 1, 2, 5, 10, … among the lengths, or all of them when they are few. */
function ticksOf(lengths: readonly number[]): number[] {
  if (lengths.length <= 6) return [...lengths];
  const round = lengths.filter((n) => /^[125]0*$/.test(String(n)));
  return round.length >= 3 ? round : [...lengths];
}

/** Powers of ten inside a domain, with 2 and 5 between them when there are few. */
function decades([low, high]: readonly [number, number]): number[] {
  const steps = high / low > 300 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low)); exponent <= Math.log10(high); exponent++)
    for (const step of steps) ticks.push(Number(`${step}e${exponent}`));
  return ticks.filter((tick) => tick >= low && tick <= high);
}

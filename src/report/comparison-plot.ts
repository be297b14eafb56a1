/**
 * The picture of a comparison over chains of growing length: time to code, operations and time of evaluation against the
 * number of links, both axes logarithmic, so that a power law is a straight line and its exponent the slope.
 */
import type { GroupMark, Spec } from 'vega';
import { COLOURS, FONT, framed, svgOf } from '../common/picture.ts';
import type { Comparison, FormulationReport } from './comparison.ts';
import { FORMULATIONS } from './formulation.ts';

type Name = FormulationReport['formulation'];

const COLOUR_OF: Readonly<Record<Name, string>> = {
  recursion: COLOURS.blue,
  lagrange: COLOURS.vermilion,
  christoffel: COLOURS.purple,
  driver: COLOURS.green,
};
const LABELS: Readonly<Record<Name, string>> = { ...FORMULATIONS, driver: 'recursion, driver' };

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
export function comparisonPlot(title: string, comparisons: readonly Comparison[]): Promise<string> {
  return svgOf(specification(title, comparisons));
}

function specification(title: string, comparisons: readonly Comparison[]): Spec {
  const panels = PANELS.map((panel) => ({ panel, points: pointsOf(panel, comparisons) })).filter(
    ({ points }) => points.length > 0,
  );
  const lengths = comparisons.map((c) => c.links);
  const names = Object.keys(LABELS) as Name[];
  return framed(title, stopsOf(comparisons), {
    // From plot to plot: room for axis titles on one side and for the names of the curves on the other.
    layout: { columns: 2, bounds: 'flush', padding: { row: 90, column: 240 } },
    scales: [
      {
        name: 'colour',
        type: 'ordinal',
        domain: names.map((name) => LABELS[name]),
        range: names.map((name) => COLOUR_OF[name]),
      },
    ],
    marks: panels.map(({ panel, points }) => panelMark(panel, points, lengths)),
  });
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

function panelMark(panel: Panel, points: readonly Point[], lengths: readonly number[]): GroupMark {
  const domain = domainOf(points.map((p) => p.value));
  const x = { scale: 'x', field: 'links' };
  const y = { scale: 'y', field: 'value' };
  const colour = { scale: 'colour', field: 'formulation' };
  return {
    type: 'group',
    title: { text: panel.title, anchor: 'start', frame: 'group', offset: 10, fontSize: 13 },
    encode: { enter: { width: { value: WIDTH }, height: { value: HEIGHT } } },
    data: [
      { name: 'points', values: [...points] },
      { name: 'ends', values: endLabels(points, domain) },
    ],
    scales: [
      { name: 'x', type: 'log', domain: [lengths[0]!, lengths[lengths.length - 1]!], range: [0, WIDTH] },
      { name: 'y', type: 'log', domain: [...domain], range: [HEIGHT, 0] },
    ],
    axes: [
      { scale: 'x', orient: 'bottom', grid: true, title: 'links', values: ticksOf(lengths), format: 'd' },
      { scale: 'y', orient: 'left', grid: true, title: panel.axis, values: decades(domain), format: '~g' },
    ],
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'curve', data: 'points', groupby: 'formulation' } },
        marks: [
          {
            type: 'line',
            from: { data: 'curve' },
            encode: { enter: { x, y, stroke: colour, strokeWidth: { value: 2 } } },
          },
        ],
      },
      { type: 'symbol', from: { data: 'points' }, encode: { enter: { x, y, fill: colour, size: { value: 28 } } } },
      {
        type: 'text',
        from: { data: 'ends' },
        encode: {
          enter: {
            x,
            y,
            dx: { value: 8 },
            dy: { field: 'shift' },
            baseline: { value: 'middle' },
            text: { field: 'formulation' },
            fill: colour,
            font: { value: FONT },
            fontSize: { value: 11.5 },
          },
        },
      },
    ],
  };
}

/** The last point of every curve, and how far its label moves down to keep clear of the others, px. */
function endLabels(points: readonly Point[], domain: readonly [number, number]): (Point & { shift: number })[] {
  const last = new Map(points.map((p) => [p.formulation, p]));
  const height = ({ value }: Point): number => (HEIGHT * Math.log(domain[1] / value)) / Math.log(domain[1] / domain[0]);
  const sorted = [...last.values()].sort((a, b) => height(a) - height(b));
  let lowest = -Infinity;
  return sorted.map((point) => {
    const place = Math.max(height(point), lowest + LABEL_DISTANCE);
    lowest = place;
    return { ...point, shift: place - height(point) };
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

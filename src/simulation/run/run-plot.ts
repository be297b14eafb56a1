/** The picture of a run: coordinates by unit, positions of frames and energies over time. */
import type { GroupMark, Spec } from 'vega';
import { COLOURS, FONT, framed, svgOf } from '../../common/picture.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { failureText, type Run } from './simulate.ts';

/** Of one set of axes, in units of the picture. */
export const PANEL = { width: 420, height: 230 } as const;
/** One for each curve, then again. */
const PALETTE = [
  COLOURS.blue,
  COLOURS.vermilion,
  COLOURS.green,
  COLOURS.purple,
  COLOURS.orange,
  COLOURS.sky,
  COLOURS.black,
];
/** Beyond, curves cannot be told apart. */
const MOST_CURVES = 14;
const AXES = ['x', 'y', 'z'] as const;
const ENERGIES = ['kinetic', 'potential', 'elastic', 'dissipated', 'work'] as const;

interface Curve {
  readonly name: string;
  readonly values: readonly number[];
}

/** Curves over time in one set of axes. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
  /** Linear when missing; what is not above zero has no place on a logarithmic one. */
  readonly scale?: 'log';
}

interface Heading {
  readonly title: string;
  readonly subtitle: string;
}

/** @returns SVG text. */
export function runPlot(scenario: Scenario, run: Run): Promise<string> {
  const { robot, summary } = scenario;
  const subtitle = run.failure ? failureText(run.failure) : summary;
  const times = run.samples.map(({ t }) => t);
  return panelsPlot({ title: robot.name, subtitle }, times, panelsOf(scenario, run));
}

/**
 * Panels over the same times in s, two beside each other.
 * @returns SVG text.
 */
export function panelsPlot(heading: Heading, times: readonly number[], panels: readonly Panel[]): Promise<string> {
  return svgOf(specification(heading, times, panels));
}

/** A panel per unit. */
function byUnit(
  title: string,
  all: readonly { readonly name: string; readonly unit: string }[],
  valuesOf: (index: number) => number[],
): Panel[] {
  return [...new Set(all.map(({ unit }) => unit))].map((unit) => {
    const own = all.flatMap(({ name, unit: of }, i) => (of === unit ? [{ name, i }] : []));
    const shown = own.slice(0, MOST_CURVES);
    const more = own.length > shown.length ? `, the first ${shown.length} of ${own.length}` : '';
    return {
      title: `${title}${more}`,
      unit: unit === '1' ? '' : unit,
      curves: shown.map(({ name, i }) => ({ name, values: valuesOf(i) })),
    };
  });
}

function panelsOf({ robot, frames }: Scenario, { samples }: Run): Panel[] {
  const coordinates = byUnit('Coordinates', robot.coordinates, (i) => samples.map(({ q }) => q[i]!));
  const inputs = byUnit('Inputs', robot.actuators, (i) => samples.map(({ u }) => u[i]!));
  const positions = frames.map((frame, k): Panel => ({
    title: `Position of ${robot.frames[frame]!.name}`,
    unit: 'm',
    curves: AXES.map((name, axis) => ({ name, values: samples.map((sample) => sample.frames[k]![axis]!) })),
  }));
  const energies = ENERGIES.map((name): Curve => ({ name, values: samples.map(({ energy }) => energy[name]) }));
  const present = energies.filter(({ values }) => values.some((value) => value !== 0));
  return [...coordinates, ...inputs, ...positions, { title: 'Energies', unit: 'J', curves: present }];
}

function specification(heading: Heading, times: readonly number[], panels: readonly Panel[]): Spec {
  return framed(heading.title, heading.subtitle, {
    layout: { columns: 2, bounds: 'flush', padding: { row: 80, column: 200 } },
    marks: panels.map((panel, i) => panelMark(panel, times, i)),
  });
}

function panelMark({ title, unit, curves, scale }: Panel, times: readonly number[], index: number): GroupMark {
  const name = (part: string): string => `${part}${index}`;
  const values = curves.flatMap((curve) =>
    curve.values
      .map((y, i) => ({ t: times[i]!, y, curve: curve.name }))
      .filter(({ y }) => scale === undefined || y > 0),
  );
  return {
    type: 'group',
    // Its class in the picture, with its number.
    name: name('panel'),
    title: { text: title, font: FONT, fontSize: 13, anchor: 'start', frame: 'group', offset: 8 },
    encode: { update: { width: { value: PANEL.width }, height: { value: PANEL.height } } },
    data: [{ name: name('points'), values }],
    scales: [
      {
        name: name('x'),
        type: 'linear',
        domain: [times[0]!, times[times.length - 1]!],
        range: [0, PANEL.width],
        zero: false,
      },
      {
        name: name('y'),
        type: scale ?? 'linear',
        domain: { data: name('points'), field: 'y' },
        range: [PANEL.height, 0],
        nice: true,
        ...(scale === undefined && { zero: false }),
      },
      { name: name('colour'), type: 'ordinal', domain: curves.map((curve) => curve.name), range: PALETTE },
    ],
    axes: [
      { orient: 'bottom', scale: name('x'), title: 'time, s', grid: true, tickCount: 6 },
      { orient: 'left', scale: name('y'), title: unit, grid: true, tickCount: 6 },
    ],
    legends: [{ stroke: name('colour'), orient: 'right', offset: 12 }],
    marks: [
      {
        type: 'group',
        from: { facet: { name: name('curve'), data: name('points'), groupby: 'curve' } },
        marks: [
          {
            type: 'line',
            from: { data: name('curve') },
            encode: {
              update: {
                x: { scale: name('x'), field: 't' },
                y: { scale: name('y'), field: 'y' },
                stroke: { scale: name('colour'), field: 'curve' },
                strokeWidth: { value: 1.6 },
              },
            },
          },
        ],
      },
    ],
  };
}

/**
 * The picture of a run: coordinates by link and unit with their limits, inputs, positions of frames, and energies as differences from the
 * start, over time.
 */
import type { GroupMark, Mark, Spec } from 'vega';
import { CURVE_COLOURS, FONT, framed, styled, svgOf } from '../../common/picture.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { failureText, type Run } from './simulate.ts';

/** Of one set of axes, in units of the picture. */
export const PANEL = { width: 330, height: 190 } as const;
/** In one panel. */
const MOST_CURVES = CURVE_COLOURS.length;
/** Of one kind; what is beyond is named in the last one. */
const MOST_PANELS = 6;
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
  /** What all curves are meant to stay between; the rest is shaded where it is in the picture. */
  readonly limits?: { readonly lower: number; readonly upper: number };
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

/**
 * The panels of a run each in a picture of its own, for pages of any width.
 * @returns SVG texts.
 */
export async function runPlots(scenario: Scenario, run: Run): Promise<string[]> {
  const times = run.samples.map(({ t }) => t);
  const panels = panelsOf(scenario, run);
  return Promise.all(panels.map((panel) => svgOf(styled(panelLayout([panel], times, 1)))));
}

interface Signal {
  readonly name: string;
  readonly unit: string;
  readonly lower?: number;
  readonly upper?: number;
  /** Signals of one group stand together. */
  readonly group: string;
  readonly index: number;
}

/** Panels of one unit each; groups that fit share one. */
function byGroup(title: string, all: readonly Signal[], valuesOf: (index: number) => number[]): Panel[] {
  const panels: Signal[][] = [];
  for (const signal of all) {
    const last = panels[panels.length - 1];
    const group = all.filter((other) => other.group === signal.group && other.unit === signal.unit);
    const isNew = group[0] === signal;
    const fits = last?.[0]?.unit === signal.unit && last.length + (isNew ? group.length : 1) <= MOST_CURVES;
    const isNext = last?.[0]?.unit === signal.unit && !isNew && last.length < MOST_CURVES;
    if (last && (fits || isNext)) last.push(signal);
    else panels.push([signal]);
  }
  const shown = panels.slice(0, MOST_PANELS);
  const hidden = panels.slice(MOST_PANELS).flat().length;
  return shown.map((own, k) => {
    const groups = [...new Set(own.map(({ group }) => group))].filter((group) => group !== '');
    const of =
      groups.length === 0 || panels.length === 1
        ? ''
        : ` of ${groups[0]}${groups.length > 1 ? ` to ${groups[groups.length - 1]}` : ''}`;
    const more = hidden > 0 && k === shown.length - 1 ? `, and ${hidden} more` : '';
    const { lower = -Infinity, upper = Infinity, unit } = own[0]!;
    const isShared = own.every((other) => (other.lower ?? -Infinity) === lower && (other.upper ?? Infinity) === upper);
    return {
      title: `${title}${of}${more}`,
      unit: unit === '1' ? '' : unit,
      curves: own.map(({ name, index }) => ({ name, values: valuesOf(index) })),
      ...(isShared && (lower > -Infinity || upper < Infinity) && { limits: { lower, upper } }),
    };
  });
}

/** In the order of units, so that those of one unit may share a panel. */
function byUnit(signals: readonly Signal[]): Signal[] {
  const units = [...new Set(signals.map(({ unit }) => unit))];
  return units.flatMap((unit) => signals.filter((signal) => signal.unit === unit));
}

function panelsOf({ robot, frames }: Scenario, { samples }: Run): Panel[] {
  const signals = (all: readonly Omit<Signal, 'group' | 'index'>[], groupOf: (name: string) => string): Signal[] =>
    byUnit(all.map((one, index) => ({ ...one, index, group: groupOf(one.name) })));
  const linkOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('.')));
  const coordinates = byGroup('Coordinates', signals(robot.coordinates, linkOf), (i) => samples.map(({ q }) => q[i]!));
  const inputs = byGroup(
    'Inputs',
    signals(robot.actuators, () => ''),
    (i) => samples.map(({ u }) => u[i]!),
  );
  const positions = frames.map((frame, k): Panel => ({
    title: `Position of ${robot.frames[frame]!.name}`,
    unit: 'm',
    curves: AXES.map((name, axis) => ({ name, values: samples.map((sample) => sample.frames[k]![axis]!) })),
  }));
  const energies = ENERGIES.map((name): Curve => {
    const start = samples[0]?.energy[name] ?? 0;
    return { name, values: samples.map(({ energy }) => energy[name] - start) };
  });
  const changing = energies.filter(({ values }) => values.some((value) => value !== 0));
  return [...coordinates, ...inputs, ...positions, { title: 'Energies, since the start', unit: 'J', curves: changing }];
}

function specification(heading: Heading, times: readonly number[], panels: readonly Panel[]): Spec {
  return framed(heading.title, heading.subtitle, panelLayout(panels, times, 2));
}

function panelLayout(
  panels: readonly Panel[],
  times: readonly number[],
  columns: number,
): Pick<Spec, 'layout' | 'marks'> {
  return {
    layout: { columns, bounds: 'full', align: 'each', padding: { row: 30, column: 40 } },
    marks: panels.map((panel, i) => panelMark(panel, times, i)),
  };
}

function panelMark({ title, unit, curves, scale, limits }: Panel, times: readonly number[], index: number): GroupMark {
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
    // Lines of the grid are as long as these.
    signals: [
      { name: 'width', value: PANEL.width },
      { name: 'height', value: PANEL.height },
    ],
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
      { name: name('colour'), type: 'ordinal', domain: curves.map((curve) => curve.name), range: [...CURVE_COLOURS] },
    ],
    axes: [
      { orient: 'bottom', scale: name('x'), title: 'time, s', grid: true, tickCount: 5 },
      { orient: 'left', scale: name('y'), title: unit, grid: true, tickCount: 5 },
    ],
    legends: [
      { stroke: name('colour'), orient: 'bottom', direction: 'horizontal', columns: 4, columnPadding: 8, offset: 4 },
    ],
    marks: [
      ...(limits ? bandsOf(limits, name('y')) : []),
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

/** What lies beyond limits, as far as it is in the picture. */
function bandsOf({ lower, upper }: NonNullable<Panel['limits']>, y: string): Mark[] {
  const band = (from: string, to: string): Mark => ({
    type: 'rect',
    encode: {
      update: {
        x: { value: 0 },
        x2: { value: PANEL.width },
        y: { signal: from },
        y2: { signal: to },
        fill: { value: '#d1495b' },
        fillOpacity: { value: 0.13 },
      },
    },
  });
  const within = (limit: number): string => `clamp(scale('${y}', ${limit}), 0, ${PANEL.height})`;
  return [
    ...(upper < Infinity ? [band('0', within(upper))] : []),
    ...(lower > -Infinity ? [band(within(lower), `${PANEL.height}`)] : []),
  ];
}

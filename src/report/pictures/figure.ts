/**
 * Figures for papers: a robot at several times in one SVG, later times in front, with the way of its tip, world axes and a scale.
 * Nothing but text and lines changes with the colour scheme of the reader; the ground is transparent.
 */
import { escaped } from '../../common/markup.ts';
import type { Robot } from '../../description/model/robot.ts';
import { pointsOf, posturesOf, type Sample } from './bodies.ts';
import type { Posture } from './posture.ts';
import {
  cameraFor,
  roundLength,
  upOf,
  viewFor,
  viewOf,
  type Camera,
  type Margins,
  type Size,
  type View,
} from './camera.ts';
import { curvePath, drawn, TRAIL } from './drawing.ts';

/** What a picture shows, beside its robot. */
export interface Look {
  /** `front`, `side`, `top`, `iso`, `back`, or two angles in degrees; by the motion when missing. */
  readonly view?: string;
  readonly size?: Size;
}

/** Where the tip was: x, y, z in m for every time in s. */
export interface Trail {
  readonly times: readonly number[];
  readonly points: Float64Array;
}

const FIGURE_WIDTH = 720;
/** Room for axes, times and the scale. */
const FOOT = 64;
const MARGINS: Margins = { left: 18, right: 18, top: 18, bottom: FOOT + 12 };
/** How much of the earliest posture is seen. */
const FAINTEST = 0.28;
const INK = '#333333';

/** Style of SVG by class: `ink` for text, `line` for lines; presentation attributes are there for readers without style sheets. */
const STYLE =
  '<style>@media (prefers-color-scheme: dark){.ink{fill:#e6e6e6}.line{stroke:#e6e6e6}.trail{stroke:#ff8fa0}}</style>';

/** @param samples at rising times. @returns SVG text. @throws KanegenError `unknown-view` */
export function stroboscopicFigure(
  robot: Robot,
  samples: readonly Sample[],
  trail: Trail | undefined,
  look: Look = {},
): string {
  const postures = posturesOf(robot, samples);
  const camera = cameraOf(robot, postures, trail, look, { width: FIGURE_WIDTH }, MARGINS);
  const count = postures.length;
  const shown = postures.map((posture, k) => {
    const opacity = opacityOf(k, count);
    return `<g${opacity < 1 ? ` opacity="${opacity}"` : ''}>\n<title>${escaped(timeText(posture.t))}</title>\n${drawn(posture, camera)}\n</g>`;
  });
  const times = count > 1 ? [legendOf(postures, camera)] : [];
  return svgDocument(camera, robot.name, [...shown, trailOf(camera, trail), ...furniture(camera), ...times]);
}

/** Whole elements, the size and the title around them. */
export function svgDocument({ width, height }: Camera, title: string, elements: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="13" role="img">
<title>${escaped(title)}</title>
${STYLE}
${elements.filter((element) => element !== '').join('\n')}
</svg>
`;
}

/** The view that is asked for, and a camera that sees all postures. */
export function cameraOf(
  robot: Robot,
  postures: readonly Posture[],
  trail: Trail | undefined,
  look: Look,
  size: Size,
  margins: Margins,
): Camera {
  const points = [...pointsOf(postures), ...(trail ? [trail.points] : [])];
  const up = upOf(robot.gravity);
  const view = look.view === undefined ? viewFor(points, up) : viewOf(look.view, up);
  return cameraFor(points, view, { ...size, ...look.size }, margins);
}

export function trailOf(camera: Camera, trail: Trail | undefined): string {
  if (!trail || trail.points.length < 6) return '';
  return `<path class="trail" fill="none" stroke="${TRAIL}" stroke-width="1.1" stroke-dasharray="4 3" d="${curvePath(camera, trail.points)}"/>`;
}

/** Earlier postures are fainter. */
function opacityOf(k: number, count: number): number {
  return count < 2 ? 1 : Number((FAINTEST + ((1 - FAINTEST) * k) / (count - 1)).toFixed(2));
}

const timeText = (t: number): string => `${Number(t.toPrecision(3))} s`;

/** World axes at the lower left, the scale at the lower right. */
export function furniture(camera: Camera): string[] {
  return [axesOf(camera), scaleBar(camera)];
}

/** Arrows of the world axes as the camera sees them; those that point to the eye are dots. */
function axesOf({ view, height }: Camera): string {
  const [x, y, length] = [34, height - 30, 24];
  const arms = (['x', 'y', 'z'] as const).map((name, axis) => ({ name, at: component(view, axis) }));
  const origin = shifted(arms, length);
  const parts = arms.map(({ name, at: [right, top] }) => {
    const [dx, dy] = [length * right, -length * top];
    const size = Math.hypot(dx, dy);
    if (size < 0.15 * length) return '';
    const [toX, toY] = [rounded(dx), rounded(dy)];
    const [labelX, labelY] = [rounded(dx * (1 + 8 / size)), rounded(dy * (1 + 8 / size) + 4)];
    return `<path class="line" stroke="${INK}" stroke-width="1.3" d="M0 0L${toX} ${toY}"/><path class="ink" fill="${INK}" d="${arrowHead(dx, dy)}"/><text class="ink" fill="${INK}" font-size="11" font-style="italic" text-anchor="middle" x="${labelX}" y="${labelY}">${name}</text>`;
  });
  return `<g transform="translate(${rounded(x + origin[0])} ${rounded(y + origin[1])})">${parts.join('')}</g>`;
}

/** So that the arrows fill a square of the same place, wherever they point. */
function shifted(arms: readonly { readonly at: readonly [number, number] }[], length: number): [number, number] {
  const xs = [0, ...arms.map(({ at }) => at[0] * length)];
  const ys = [0, ...arms.map(({ at }) => -at[1] * length)];
  return [-(Math.min(...xs) + Math.max(...xs)) / 2, -(Math.min(...ys) + Math.max(...ys)) / 2];
}

function component({ right, top }: View, axis: number): [number, number] {
  return [right[axis]!, top[axis]!];
}

function arrowHead(dx: number, dy: number): string {
  const size = Math.hypot(dx, dy);
  const [ux, uy] = [dx / size, dy / size];
  const [baseX, baseY] = [dx - 5 * ux, dy - 5 * uy];
  const corners = [[dx + ux, dy + uy], [baseX - 2.4 * uy, baseY + 2.4 * ux], [baseX + 2.4 * uy, baseY - 2.4 * ux]]; // prettier-ignore
  return `M${corners.map((corner) => corner.map(rounded).join(' ')).join('L')}z`;
}

const rounded = (value: number): number => Math.round(10 * value) / 10 + 0;

/** A round length of about a sixth of the picture. */
function scaleBar({ scale, width, height }: Camera): string {
  const length = roundLength(width / 6 / scale);
  const [from, to, y] = [rounded(width - 18 - length * scale), width - 18, height - 16];
  return `<path class="line" fill="none" stroke="${INK}" stroke-width="1.3" d="M${from} ${y - 4}V${y}H${to}V${y - 4}"/><text class="ink" fill="${INK}" text-anchor="middle" x="${rounded((from + to) / 2)}" y="${y - 8}">${lengthText(length)}</text>`;
}

/** m, mm or µm, without digits that a binary number adds. */
function lengthText(length: number): string {
  const [value, unit] =
    length >= 0.999 ? [length, 'm'] : length >= 0.999e-3 ? [1e3 * length, 'mm'] : [1e6 * length, 'µm'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** Times as they appear, first to last, between axes and scale. */
function legendOf(postures: readonly Posture[], { width, height }: Camera): string {
  const [left, right] = [66, width - 18 - width / 6 - 8];
  const step = Math.min(76, (right - left) / postures.length);
  const needed = 22 + 6 * Math.max(...postures.map(({ t }) => timeText(t).length));
  // Where there is no room for all, the first and the last.
  const isShown = (k: number): boolean => step >= needed || k === 0 || k === postures.length - 1;
  const entries = postures.map(({ t }, k) => {
    const x = rounded(left + k * step);
    const swatch = `<rect x="${x}" y="${height - 26}" width="11" height="11" rx="2" fill="#3b76ad" opacity="${opacityOf(k, postures.length)}"/>`;
    if (!isShown(k)) return swatch;
    return `${swatch}<text class="ink" fill="${INK}" font-size="11.5" x="${x + 15}" y="${height - 16}">${timeText(t)}</text>`;
  });
  return `<g>${entries.join('')}</g>`;
}

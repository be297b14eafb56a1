/** Films of a moving robot, and shaded pictures of one: what is shown when, then by pixels or, as SVG, by outlines. */
import type { Robot } from '../../description/model/robot.ts';
import { pointsOf, posturesOf, type Sample } from './bodies.ts';
import type { Posture } from './posture.ts';
import { upOf, type Margins } from './camera.ts';
import { drawn } from './drawing.ts';
import type { Frames } from './encoders.ts';
import { cameraOf, furniture, svgDocument, trailOf, type Look, type Trail } from './figure.ts';
import { Painter, type Pixels } from './pixels.ts';

const FILM_WIDTH = 480;
const MARGINS: Margins = { left: 24, right: 24, top: 24, bottom: 24 };
/** Of films as SVG, for axes and scale. */
const SVG_MARGINS: Margins = { ...MARGINS, bottom: 70 };

/** @param samples one for each frame. @param rate frames a second. @throws KanegenError `unknown-view` */
export function filmOf(
  robot: Robot,
  samples: readonly Sample[],
  trail: Trail | undefined,
  rate: number,
  look: Look = {},
): Frames {
  const { postures, painter } = stage(robot, samples, trail, look);
  return {
    rate,
    frames: postures.map((posture) => painter.paint([{ posture, strength: 1 }], trail && upTo(trail, posture.t))),
  };
}

/** A robot at several times in one picture, earlier ones paler. */
export function shadedFigure(
  robot: Robot,
  samples: readonly Sample[],
  trail: Trail | undefined,
  look: Look = {},
): Pixels {
  const { postures, painter } = stage(robot, samples, trail, look);
  const strength = (k: number): number => (postures.length < 2 ? 1 : 0.3 + (0.7 * k) / (postures.length - 1));
  const layers = postures.map((posture, k) => ({ posture, strength: strength(k) }));
  return painter.paint(layers, trail?.points);
}

function stage(
  robot: Robot,
  samples: readonly Sample[],
  trail: Trail | undefined,
  look: Look,
): { readonly postures: readonly Posture[]; readonly painter: Painter } {
  const postures = posturesOf(robot, samples);
  const camera = cameraOf(robot, postures, trail, look, { width: FILM_WIDTH }, MARGINS);
  return { postures, painter: new Painter(camera, upOf(robot.gravity), pointsOf(postures)) };
}

/** The beginning of a trail. */
function upTo({ times, points }: Trail, t: number): Float64Array {
  const later = times.findIndex((time) => time > t + 1e-9);
  return later < 0 ? points : points.subarray(0, 3 * later);
}

/** A film whose frames are groups of one SVG, shown one after the other for ever; readers that want no motion see the last one. */
export function vectorFilm(
  robot: Robot,
  samples: readonly Sample[],
  trail: Trail | undefined,
  rate: number,
  look: Look = {},
): string {
  const postures = posturesOf(robot, samples);
  const camera = cameraOf(robot, postures, trail, look, { width: FILM_WIDTH }, SVG_MARGINS);
  const count = postures.length;
  const frames = postures.map((posture, k) => {
    const delay = Number((k / rate - count / rate).toFixed(3));
    return `<g class="frame" style="animation-delay:${delay}s">${drawn(posture, camera)}</g>`;
  });
  // Each group is there for its share of the time; without motion the last one is.
  const style =
    `<style>.frame{visibility:hidden;animation:f ${Number((count / rate).toFixed(3))}s step-end infinite}` +
    `@keyframes f{0%{visibility:visible}${Number((100 / count).toFixed(4))}%{visibility:hidden}}` +
    '@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame:last-of-type{visibility:visible}}</style>';
  return svgDocument(camera, robot.name, [
    style,
    trailOf(camera, trail),
    ...furniture(camera),
    `<g>${frames.join('\n')}</g>`,
  ]);
}

/** Whoever can draw a robot in this browser. */
import type { Bounds, Structure } from '../animation-data.ts';
import { OutlineRobot } from './outline-robot.ts';
import { RobotScene } from './robot-scene.ts';
import type { ShownRobot } from './shown-robot.ts';

/** By three.js; without WebGL by outlines, which the page says. @param before who showed it until now: the eye stays. */
export function openSpace(
  canvas: HTMLCanvasElement,
  structure: Structure,
  bounds: Bounds,
  before?: ShownRobot,
): ShownRobot {
  const hasWebGl = canvas.hidden ? false : isWebGlThere();
  const note = document.getElementById('no-view');
  if (note) note.hidden = hasWebGl;
  if (!hasWebGl) return new OutlineRobot(canvas, structure, bounds);
  const scene = new RobotScene(canvas, structure, bounds);
  if (before instanceof RobotScene) scene.lookAs(before);
  return scene;
}

/** Asked of another canvas: a canvas keeps the first context that it is asked for. */
function isWebGlThere(): boolean {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}

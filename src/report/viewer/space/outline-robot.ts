/** The robot by outlines, where a browser has no WebGL: drawn by the renderer of figures, turned by dragging, without perspective. */
import { eachAxis } from '../../../common/tuples.ts';
import { cross, dot } from '../../../common/poses.ts';
import { roundLength, seen, unit, viewFor, type Camera, type View } from '../../pictures/camera.ts';
import { drawn } from '../../pictures/drawing.ts';
import { postureOf } from '../../pictures/posture.ts';
import type { Arrow, Bounds, Structure, Triple } from '../animation-data.ts';
import type { ShownRobot } from './shown-robot.ts';

/** Radians that a pixel turns. */
const TURN = 0.008;
const MARGIN = 0.16;

export class OutlineRobot implements ShownRobot {
  readonly mostStrain = 0;
  private readonly structure: Structure;
  private readonly bounds: Bounds;
  private readonly svg: SVGSVGElement;
  private readonly resized: ResizeObserver;
  private view: View;
  private zoom = 1;
  private numbers: ArrayLike<number> | undefined;
  private arrows: readonly Arrow[] = [];
  private mostForce = 0;
  private colourOf: (actuator: string) => string | undefined = () => undefined;
  private trace: Float32Array = new Float32Array(0);
  private shown = 0;
  private scaled: (pixels: number) => void = () => undefined;
  private isDue = false;

  /** Takes the place of the canvas. */
  constructor(canvas: HTMLCanvasElement, structure: Structure, bounds: Bounds) {
    this.structure = structure;
    this.bounds = bounds;
    this.view = this.firstView();
    document.getElementById('soft')?.remove();
    this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    this.svg.id = 'soft';
    canvas.hidden = true;
    canvas.after(this.svg);
    this.listen();
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.svg);
  }

  private firstView(): View {
    return viewFor([Float64Array.from(cornersOf(this.bounds).flat())], this.structure.up);
  }

  private listen(): void {
    let from: readonly [number, number] | undefined;
    this.svg.addEventListener('pointerdown', (event) => {
      this.svg.setPointerCapture(event.pointerId);
      from = [event.clientX, event.clientY];
    });
    this.svg.addEventListener('pointermove', (event) => {
      if (!from) return;
      this.turn(event.clientX - from[0], event.clientY - from[1]);
      from = [event.clientX, event.clientY];
    });
    for (const name of ['pointerup', 'pointercancel'] as const)
      this.svg.addEventListener(name, () => (from = undefined));
    this.svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom *= Math.exp(-event.deltaY / 600);
      this.draw();
    });
  }

  private turn(dx: number, dy: number): void {
    const { up } = this.structure;
    const about = turnAbout(up, -TURN * dx);
    const out = unit(about(this.view.out));
    const right = unit(about(this.view.right));
    const height = Math.asin(Math.min(1, Math.max(-1, dot(out, up))));
    const risen = Math.min(1.5, Math.max(-1.5, height + TURN * dy)) - height;
    const tilted = unit(turnAbout(right, -risen)(out));
    this.view = { right, top: cross(tilted, right), out: tilted };
    this.draw();
  }

  place(numbers: ArrayLike<number>, arrows: readonly Arrow[] = []): void {
    this.numbers = numbers;
    this.arrows = arrows;
    this.mostForce = Math.max(this.mostForce, ...arrows.map(({ force }) => Math.hypot(...force)));
    this.draw();
  }

  paint(colourOf: (actuator: string) => string | undefined): void {
    this.colourOf = colourOf;
    this.draw();
  }

  setColouring(): void {
    // Outlines have the colours of their bodies.
  }

  setFrames(): void {
    // Nor are there frames.
  }

  setSurroundings(): void {
    // They are told by text.
  }

  setGround(colour: string): void {
    this.svg.style.background = colour;
  }

  setTrace(points: Float32Array): void {
    this.trace = points;
  }

  showTrace(count: number): void {
    this.shown = count;
  }

  screenAxes(): readonly [Triple, Triple] {
    return [this.view.right, this.view.top];
  }

  home(): void {
    this.view = this.firstView();
    this.zoom = 1;
    this.draw();
  }

  onScale(listener: (pixels: number) => void): void {
    this.scaled = listener;
    this.draw();
  }

  dispose(): void {
    this.resized.disconnect();
    this.svg.remove();
  }

  /** Once a frame. */
  private draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.drawNow();
    });
  }

  private drawNow(): void {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!this.numbers || width === 0 || height === 0) return;
    const { structure, bounds, arrows, mostForce, colourOf } = this;
    const camera = cameraOf(bounds, this.view, width, height, this.zoom);
    const size = Math.max(1e-6, ...bounds.extent);
    const posture = postureOf(structure, this.numbers, { t: 0, size, colourOf, arrows, mostForce });
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    // The renderer writes paths from numbers and colours, no text of anybody.
    this.svg.innerHTML = `${floorOf(camera, bounds, structure.up)}${drawn(posture, camera)}${this.traceOf(camera)}`;
    this.scaled(camera.scale);
  }

  private traceOf(camera: Camera): string {
    const points = Array.from({ length: this.shown }, (_, i) =>
      seen(camera, [this.trace[3 * i]!, this.trace[3 * i + 1]!, this.trace[3 * i + 2]!])
        .slice(0, 2)
        .join(' '),
    );
    return points.length > 1 ? `<path fill="none" stroke="#c0392b" d="M${points.join('L')}"/>` : '';
  }
}

const cornersOf = ({ least, extent }: Bounds): Triple[] =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((k): Triple => [
    least[0] + (k & 1 ? extent[0] : 0),
    least[1] + (k & 2 ? extent[1] : 0),
    least[2] + (k & 4 ? extent[2] : 0),
  ]);

function cameraOf(bounds: Bounds, view: View, width: number, height: number, zoom: number): Camera {
  const { least, extent } = bounds;
  const reach = Math.hypot(...extent) || 1e-6;
  const scale = (zoom * (1 - MARGIN) * Math.min(width, height)) / reach;
  const centre: Triple = [least[0] + extent[0] / 2, least[1] + extent[1] / 2, least[2] + extent[2] / 2];
  const origin = [width / 2 - scale * dot(view.right, centre), height / 2 + scale * dot(view.top, centre)] as const;
  return { view, scale, width, height, origin };
}

/** A level grid below the robot. */
function floorOf(camera: Camera, bounds: Bounds, up: Triple): string {
  const size = Math.max(1e-6, ...bounds.extent);
  const cell = roundLength(size / 5);
  const { least, extent, low } = bounds;
  const centre: Triple = [least[0] + extent[0] / 2, least[1] + extent[1] / 2, least[2] + extent[2] / 2];
  const first: Triple = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const u = unit(cross(up, first));
  const v = cross(u, up);
  const drop = low - 0.01 * size - dot(up, centre);
  const at = (a: number, b: number): string => {
    const place = eachAxis((axis) => centre[axis] + drop * up[axis] + cell * (a * u[axis] + b * v[axis]));
    return seen(camera, place)
      .slice(0, 2)
      .map((x) => x.toFixed(1))
      .join(' ');
  };
  const reach = 5;
  const lines = Array.from({ length: 2 * reach + 1 }, (_, k) => k - reach);
  const d = lines.map((k) => `M${at(k, -reach)}L${at(k, reach)}M${at(-reach, k)}L${at(reach, k)}`).join('');
  return `<path fill="none" stroke="#9a9a9a" stroke-opacity=".35" d="${d}"/>`;
}

/** Rotation about a unit vector. */
function turnAbout(axis: Triple, angle: number): (vector: Triple) => Triple {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return (x) => {
    const [along, across] = [dot(axis, x), cross(axis, x)];
    return eachAxis((i) => c * x[i] + s * across[i] + (1 - c) * along * axis[i]);
  };
}

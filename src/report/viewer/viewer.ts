/**
 * Runs in the page of a report: the moving robot, its controls, and the line that shows the time in the plots. Bundled
 * with three.js into `dist/report-viewer.js`, which `run-report.ts` writes into every page.
 */
import type { Animation } from './animation-data.ts';
import { picturesAsNumbers } from './pictures.ts';
import { RobotScene } from './robot-scene.ts';

const element = <T extends Element>(id: string): T => document.getElementById(id) as unknown as T;

const animation = JSON.parse(element<HTMLScriptElement>('animation').textContent) as Animation;
const { times, tip } = animation;
const pictures = picturesAsNumbers(animation, animation.count);
const slider = element<HTMLInputElement>('time');
const play = element<HTMLButtonElement>('play');
const speed = element<HTMLSelectElement>('speed');
const shown = element<HTMLOutputElement>('shown');
const start = times[0]!;
const end = times[times.length - 1]!;

/** Undefined where the browser has no WebGL: the plots are there all the same. */
let scene: RobotScene | undefined;
try {
  scene = new RobotScene(element<HTMLCanvasElement>('view'), animation, animation);
  if (tip !== undefined)
    scene.setTrace(Float32Array.from(pictures.flatMap((points) => [...points.subarray(3 * tip, 3 * tip + 3)])));
} catch (error) {
  element<HTMLElement>('no-view').hidden = false;
  console.warn(error);
}

const cursors = [...document.querySelectorAll<SVGGElement>('g[class*=" panel"] > g')].map((panel) => {
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  for (const [name, value] of Object.entries({ y1: 0, y2: animation.panel.height, stroke: '#888' }))
    line.setAttribute(name, `${value}`);
  panel.append(line);
  return line;
});

let time = start;

function show(t: number): void {
  time = t;
  let index = times.findIndex((later) => later >= t);
  if (index < 0) index = times.length - 1;
  if (index > 0 && t - times[index - 1]! < times[index]! - t) index--;
  slider.value = `${end > start ? (t - start) / (end - start) : 0}`;
  shown.textContent = `${t.toFixed(3)} s`;
  const x = `${animation.panel.width * Number(slider.value)}`;
  for (const line of cursors) {
    line.setAttribute('x1', x);
    line.setAttribute('x2', x);
  }
  scene?.showTrace(tip === undefined ? 0 : index + 1);
  scene?.place(pictures[index]!);
}

let last: number | undefined;

function tick(now: number): void {
  if (last === undefined) return;
  const reached = time + (Number(speed.value) * (now - last)) / 1000;
  last = now;
  show(Math.min(end, reached));
  if (reached < end) requestAnimationFrame(tick);
  else pause();
}

function pause(): void {
  last = undefined;
  play.textContent = 'Play';
}

play.addEventListener('click', () => {
  if (last !== undefined) return pause();
  if (time >= end) show(start);
  last = performance.now();
  play.textContent = 'Pause';
  requestAnimationFrame(tick);
});
slider.addEventListener('input', () => {
  pause();
  show(start + Number(slider.value) * (end - start));
});

// `report.html#t=0.4` opens at that time.
const asked = Number(/^#t=([\d.]+)$/.exec(location.hash)?.[1] ?? start);
show(Math.min(end, Math.max(start, asked)));

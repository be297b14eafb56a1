/**
 * Runs in the page of a report: the moving robot, its controls, and the line that shows the time in the plots.
 */
import type { Animation } from './animation-data.ts';
import { inputScales, showLegend, showScale, strainScale } from './legend.ts';
import { checkbox } from './panel.ts';
import { numbersOf, picturesAsNumbers } from './pictures.ts';
import { InputColours, reachOf } from './space/input-colours.ts';
import { openSpace } from './space/open-space.ts';

const element = <T extends Element>(id: string): T => document.getElementById(id) as unknown as T;

const animation = JSON.parse(element<HTMLScriptElement>('animation').textContent) as Animation;
const { times, tip } = animation;
const points = picturesAsNumbers(animation, animation.count);
const drawnCount = animation.count - (tip === undefined ? 0 : 1);
const poses = numbersOf(animation.poses);
const perPicture = 12 * animation.frames.length;
/** Points of the structure, then poses: the tip stands behind the points. */
const numbers = points.map((own, k) => {
  const placed = new Float32Array(3 * drawnCount + perPicture);
  placed.set(own.subarray(0, 3 * drawnCount));
  placed.set(poses.subarray(perPicture * k, perPicture * (k + 1)), 3 * drawnCount);
  return placed;
});
const slider = element<HTMLInputElement>('time');
const play = element<HTMLButtonElement>('play');
const speed = element<HTMLSelectElement>('speed');
const shown = element<HTMLOutputElement>('shown');
const start = times[0]!;
const end = times[times.length - 1]!;

const space = openSpace(element<HTMLCanvasElement>('view'), { ...animation, count: drawnCount }, animation);
if (tip !== undefined)
  space.setTrace(Float32Array.from(points.flatMap((own) => [...own.subarray(3 * tip, 3 * tip + 3)])));
const { gravity, current, inputs, actuators } = animation;
space.setSurroundings({ gravity, ...(current && { current }) });
space.onScale((pixels) => showScale(element('scale'), pixels));
const colours = new InputColours(animation, actuators, reachOf(inputs));
let isStrained = false;
const looks = [
  ...(animation.surfaces.length > 0
    ? [
        checkbox('strain as colours', false, (isOn) => {
          isStrained = isOn;
          space.setColouring(isOn ? 'strain' : 'body');
          show(time);
        }),
      ]
    : []),
  checkbox('frames', false, (isOn) => space.setFrames(isOn)),
];
element<HTMLElement>('looks').append(...looks);

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
  space.showTrace(tip === undefined ? 0 : index + 1);
  space.place(numbers[index]!, animation.arrows[index]!);
  space.paint(colours.colourOf(inputs[index]!));
  const strains = isStrained ? [strainScale(space.mostStrain)] : [];
  showLegend(element('legend'), [...inputScales(colours), ...strains], animation.arrows[index]!);
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

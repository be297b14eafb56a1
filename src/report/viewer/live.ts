/**
 * Runs in the page of `kanegen view`: the robot in space, and a panel that moves it by its coordinates, finds its equilibrium under inputs, or lets
 * it move. Bundled with three.js into `dist/live-viewer.js`.
 */
import type { Triple } from './animation-data.ts';
import type { Acting, Description, KeptView, News, Placed, Question } from './live-messages.ts';
import { Latest } from './latest.ts';
import { button, chips, folded, heading, short, shownUnit, SliderRow } from './panel.ts';
import { RobotScene } from './robot-scene.ts';
import { framed, KeptSource, LiveSource, numbersOf, Refused, type Source } from './sources.ts';

const element = <T extends Element>(id: string): T => document.getElementById(id) as unknown as T;

type How = 'pose' | 'equilibrium' | 'motion';
const HOW: Readonly<Record<How, string>> = {
  pose: 'sliders set coordinates',
  equilibrium: 'the robot rests under its inputs and gravity',
  motion: 'the robot moves in time',
};
const GROUND = { light: '#f6f7f9', dark: '#14181f' } as const;
/** Coordinates that are listed without being grouped by links. */
const FEW = 8;
/** m/s² at the tip per pixel that the mouse pulls. */
const PULL = 2;
/** A mode that is shown swings no faster; Hz. */
const FASTEST = 1;

const keptText = document.getElementById('kept')?.textContent;
const source: Source = keptText
  ? new KeptSource(JSON.parse(keptText) as KeptView)
  : document.getElementById('framed')
    ? await framed()
    : new LiveSource();
const canvas = element<HTMLCanvasElement>('view');
const panel = element<HTMLElement>('panel');

class View {
  private scene: RobotScene | undefined;
  private how: How = 'pose';
  private q: readonly number[];
  private qd: readonly number[];
  private acting: Acting;
  private readonly robot: Description;
  private readonly coordinates: readonly SliderRow[];
  private readonly inputs: readonly SliderRow[];
  private readonly latest = new Latest(() => this.compute());
  private playing = false;
  private push: Triple = [0, 0, 0];
  private time = 0;
  private swinging = 0;
  private readonly modes = document.createElement('div');

  /** @param before what was shown of an earlier version of the file. */
  constructor(robot: Description, before?: View) {
    this.robot = robot;
    const kept = (
      rows: readonly { readonly name: string; readonly value: number }[],
      of?: ReadonlyMap<string, number>,
    ) => rows.map(({ name, value }) => of?.get(name) ?? value);
    const old = before?.values();
    this.q = kept(robot.coordinates, old?.coordinates);
    this.qd = this.q.map(() => 0);
    this.acting = {
      inputs: kept(robot.inputs, old?.inputs),
      parameters: robot.parameters.map(({ value }) => value),
      gravity: robot.gravity,
    };
    if (before && before.how !== 'motion') this.how = before.how;
    document.title = `${robot.name} · kanegen view`;
    element('name').textContent = robot.name;
    element('summary').textContent = robot.summary;
    before?.leave();
    this.coordinates = robot.coordinates.map(
      (own, i) => new SliderRow({ ...own, value: this.q[i]! }, (x) => this.setCoordinate(i, x)),
    );
    this.inputs = robot.inputs.map(
      (own, i) =>
        new SliderRow(
          { ...own, value: this.acting.inputs[i]! },
          (x) => this.act({ inputs: withEntry(this.acting.inputs, i, x) }),
          'release',
        ),
    );
    this.furnish();
    this.openScene(before?.scene);
    this.latest.ask();
  }

  private values(): { coordinates: ReadonlyMap<string, number>; inputs: ReadonlyMap<string, number> } {
    const { coordinates, inputs } = this.robot;
    return {
      coordinates: new Map(coordinates.map(({ name }, i) => [name, this.q[i]!])),
      inputs: new Map(inputs.map(({ name }, i) => [name, this.acting.inputs[i]!])),
    };
  }

  private leave(): void {
    this.stop();
    this.latest.end();
    this.scene?.dispose();
  }

  private openScene(before: RobotScene | undefined): void {
    try {
      this.scene = new RobotScene(canvas, this.robot.structure, this.robot.bounds);
      if (before) this.scene.lookAs(before);
    } catch (error) {
      element<HTMLElement>('no-view').hidden = false;
      console.warn(error);
    }
    this.setTheme();
    if (this.scene)
      element('grid').textContent =
        `grid ${short(this.scene.cell / (this.scene.cell < 1 ? 1e-3 : 1))} ${this.scene.cell < 1 ? 'mm' : 'm'}`;
  }

  setTheme(): void {
    this.scene?.setGround(GROUND[theme]);
  }

  // ---------------------------------------------------------------------------------------------- the panel

  private furnish(): void {
    const { robot } = this;
    const states = robot.states.map(({ name, q }, i) => button(name, () => this.takeState(q), `key ${i + 1}`));
    const byLink = new Map<string, HTMLElement[]>();
    robot.coordinates.forEach(({ name }, i) => {
      const link = name.split('.')[0]!;
      byLink.set(link, [...(byLink.get(link) ?? []), this.coordinates[i]!.element]);
    });
    const rows = this.coordinates.map((row) => row.element);
    const grouped = robot.coordinates.length > FEW && byLink.size > 1;
    panel.replaceChildren(
      ...(robot.states.length > 1 ? [heading('States')] : []),
      chips(...states),
      ...(robot.inputs.length > 0 ? [heading('Inputs'), ...this.inputs.map((row) => row.element)] : []),
      ...(grouped
        ? [heading('Coordinates'), ...[...byLink].map(([link, own], i) => folded(link, i === 0, own))]
        : [heading('Coordinates'), ...rows]),
      ...(robot.parameters.length > 0 && !source.isKept ? [heading('Parameters'), ...this.parameterRows()] : []),
      ...(source.isKept ? [] : [folded('Gravity', false, this.gravityRows()), heading('Modes'), this.modes]),
      ...[...robot.notes, ...(source.isKept ? ['One slider at a time: these pictures were made beforehand.'] : [])].map(
        (text) => {
          const note = document.createElement('p');
          note.className = 'note';
          note.textContent = text;
          return note;
        },
      ),
    );
    this.modes.replaceChildren(chips(button('find modes', () => void this.findModes(), 'about the equilibrium')));
    element<HTMLElement>('legend').hidden = !this.pulls();
    this.showHow();
  }

  private parameterRows(): HTMLElement[] {
    return this.robot.parameters.map(
      (own, i) =>
        new SliderRow(own, (x) => this.act({ parameters: withEntry(this.acting.parameters, i, x) }, false)).element,
    );
  }

  private gravityRows(): HTMLElement[] {
    const most = Math.max(9.81, ...this.robot.gravity.map(Math.abs));
    return (['x', 'y', 'z'] as const).map((axis, i) => {
      const slider = { name: axis, unit: 'm/s²', value: this.robot.gravity[i]!, lower: -most, upper: most };
      return new SliderRow(slider, (g) =>
        this.act({ gravity: withEntry(this.acting.gravity, i, g) as unknown as Triple }),
      ).element;
    });
  }

  private showHow(): void {
    const ways = (Object.keys(HOW) as How[]).filter((own) => own !== 'motion' || !source.isKept);
    element('how').replaceChildren(
      ...ways.map((own) => {
        const made = button(own[0]!.toUpperCase() + own.slice(1), () => this.setHow(own), HOW[own]);
        made.setAttribute('role', 'radio');
        made.setAttribute('aria-checked', `${own === this.how}`);
        return made;
      }),
    );
    const motion = element<HTMLElement>('motion');
    motion.hidden = this.how !== 'motion';
    motion.replaceChildren(
      button(this.playing ? 'Pause' : 'Play', () => this.togglePlay(), 'space'),
      button('Rest', () => this.rest(), 'no velocities'),
      button('Back', () => this.takeState(this.robot.states[0]!.q), 'to the default state: r'),
    );
  }

  setHow(how: How): void {
    this.stop();
    this.how = how;
    this.showHow();
    this.latest.ask();
  }

  // ---------------------------------------------------------------------------------------------- what is set

  private setCoordinate(index: number, value: number): void {
    if (source.isKept) this.takeState(this.robot.states[0]!.q);
    this.q = withEntry(this.q, index, value);
    if (this.how === 'motion') this.rest();
    else if (this.how === 'pose') this.stop();
    else this.setHow('pose');
    this.latest.ask();
  }

  /** @param balances whether it shows at rest only. */
  private act(change: Partial<Acting>, balances = true): void {
    this.acting = { ...this.acting, ...change };
    this.paint();
    if (this.how === 'pose' && balances) this.setHow('equilibrium');
    this.latest.ask();
  }

  takeState(q: readonly number[]): void {
    this.q = q;
    this.rest();
    this.time = 0;
    if (this.how === 'equilibrium') this.setHow('pose');
    this.showCoordinates();
    this.latest.ask();
  }

  state(index: number): void {
    const state = this.robot.states[index];
    if (state) this.takeState(state.q);
  }

  private rest(): void {
    this.qd = this.q.map(() => 0);
  }

  // ---------------------------------------------------------------------------------------------- what is shown

  private async compute(): Promise<void> {
    try {
      const { q, acting, how } = this;
      if (how === 'motion' && this.playing) return;
      if (how === 'equilibrium') {
        const found = await source.ask({ ask: 'statics', q, ...acting } satisfies Question);
        if (!source.isKept) this.q = found.q;
        this.show(found);
        this.say(
          source.isKept ? '' : found.stable ? 'stable equilibrium' : 'NOT stable',
          !found.stable && !source.isKept,
        );
      } else {
        this.show(await source.ask({ ask: 'place', q, ...acting }));
        this.say('');
      }
    } catch (error) {
      this.refuse(error);
    }
  }

  private refuse(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error), true);
    if (!(error instanceof Refused)) console.warn(error);
  }

  private show(placed: Placed): void {
    this.scene?.place(numbersOf(placed.points));
    if (this.how !== 'pose') this.showCoordinates();
    element('facts').textContent = placed.tip
      ? `tip ${placed.tip.map((x) => short(Math.round(1e6 * x) / 1e3)).join(', ')} mm`
      : '';
    this.paint();
  }

  private showCoordinates(): void {
    this.coordinates.forEach((row, i) => row.show(this.q[i]!));
  }

  private say(text: string, isBad = false): void {
    const state = element<HTMLElement>('state');
    state.textContent = text;
    state.className = isBad ? 'bad' : '';
  }

  /** Tendons whose inputs are forces. */
  private pulls(): boolean {
    const names = new Set(this.robot.structure.tendons.map(({ name }) => name));
    return this.robot.inputs.some(({ name }) => names.has(name));
  }

  private paint(): void {
    const { inputs } = this.robot;
    const names = new Set(this.robot.structure.tendons.map(({ name }) => name));
    const own = inputs.filter(({ name }) => names.has(name));
    if (own.length === 0) return;
    const most = Math.max(...own.map(({ lower, upper }) => Math.max(Math.abs(lower), Math.abs(upper))));
    this.scene?.paint((name) => {
      const index = inputs.findIndex((input) => input.name === name);
      return index < 0 ? undefined : tensionColour(Math.abs(this.acting.inputs[index]!) / most);
    });
    const [unit, size] = shownUnit(own[0]!.unit);
    element('most').textContent = `${short(most / size)} ${unit}`;
  }

  /** What is shown, computed again. */
  refresh(): void {
    this.say('');
    this.latest.ask();
  }

  home(): void {
    this.scene?.home(this.robot.bounds);
  }

  // ---------------------------------------------------------------------------------------------- motion

  togglePlay(): void {
    if (this.how !== 'motion') this.setHow('motion');
    if (this.how !== 'motion') return;
    this.playing = !this.playing;
    this.showHow();
    if (this.playing) void this.run();
  }

  private stop(): void {
    this.playing = false;
    this.swinging++;
    this.showHow();
  }

  private async run(): Promise<void> {
    let last = performance.now();
    while (this.playing) {
      const now = await nextFrame();
      const seconds = Math.min(0.1, (now - last) / 1000);
      last = now;
      try {
        const { q, qd, acting, push } = this;
        const moved = await source.ask({ ask: 'move', q, qd, seconds, push, ...acting });
        // Something was set in the meantime: that counts.
        if (this.q !== q || this.qd !== qd) continue;
        this.q = moved.q;
        this.qd = moved.qd;
        this.time += moved.seconds;
        this.show(moved);
        const pace = seconds > 0 ? moved.seconds / seconds : 1;
        this.say(
          `${this.time.toFixed(2)} s${pace < 0.9 ? `, ${pace.toFixed(2)} of real time` : ''}, ${short(moved.energy)} J`,
        );
      } catch (error) {
        this.playing = false;
        this.showHow();
        this.refuse(error);
      }
    }
  }

  /** Pulls the tip in the plane of the picture. @param dx to the right, @param dy downwards, pixels. */
  pull(dx: number, dy: number): void {
    const axes = this.scene?.screenAxes();
    if (!axes) return;
    const [right, upwards] = axes;
    this.push = [0, 1, 2].map((i) => PULL * (dx * right[i]! - dy * upwards[i]!)) as unknown as Triple;
  }

  // ---------------------------------------------------------------------------------------------- modes

  private async findModes(): Promise<void> {
    this.stop();
    try {
      const { modes } = await source.ask({ ask: 'modes', q: this.q, ...this.acting });
      this.modes.replaceChildren(
        chips(
          ...modes.map(({ frequency, damping, pictures }) =>
            button(
              `${short(frequency)} Hz`,
              () => void this.swing(frequency, pictures.map(numbersOf)),
              `damping ${short(damping)} of the critical one`,
            ),
          ),
          button('stop', () => {
            this.stop();
            this.latest.ask();
          }),
        ),
      );
    } catch (error) {
      this.refuse(error);
    }
  }

  private async swing(frequency: number, pictures: readonly Float32Array[]): Promise<void> {
    this.stop();
    const mine = this.swinging;
    const shown = Math.min(FASTEST, frequency);
    this.say(
      `mode of ${short(frequency)} Hz${shown < frequency ? `, shown ${(frequency / shown).toFixed(1)} times as slow` : ''}`,
    );
    const began = performance.now();
    while (this.swinging === mine) {
      const phase = (((await nextFrame()) - began) / 1000) * shown;
      if (this.swinging === mine) this.scene?.place(pictures[Math.floor((phase % 1) * pictures.length)]!);
    }
  }
}

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

function withEntry(numbers: readonly number[], index: number, value: number): readonly number[] {
  return numbers.map((x, i) => (i === index ? value : x));
}

/** @param share of the largest tension. */
function tensionColour(share: number): string {
  const stops = [
    [138, 148, 163],
    [242, 177, 52],
    [209, 36, 47],
  ] as const;
  const place = 2 * Math.min(1, Math.max(0, share));
  const first = place < 1 ? 0 : 1;
  const mix = stops[first]!.map((from, i) => Math.round(from + (place - first) * (stops[first + 1]![i]! - from)));
  return `rgb(${mix.join(',')})`;
}

// ------------------------------------------------------------------------------------------------ the page

let view: View | undefined;
let theme: keyof typeof GROUND = 'light';

function setTheme(next: typeof theme): void {
  theme = next;
  document.documentElement.dataset['theme'] = next;
  view?.setTheme();
}

async function open(): Promise<void> {
  const robot = await source.ask({ ask: 'robot' });
  view = new View(robot, view);
}

function hear(news: News): void {
  const mistake = element<HTMLElement>('mistake');
  if (news.news === 'mistake') {
    mistake.textContent = news.text;
    mistake.hidden = false;
    return;
  }
  if (news.news === 'robot') mistake.hidden = true;
  const state = element<HTMLElement>('state');
  if (news.news === 'busy') state.textContent = news.text;
  else if (news.news === 'robot') void open();
  else view?.refresh();
}

const preferred = matchMedia('(prefers-color-scheme: dark)');
setTheme(preferred.matches ? 'dark' : 'light');
preferred.addEventListener('change', () => setTheme(preferred.matches ? 'dark' : 'light'));

addEventListener('keydown', (event) => {
  const { target, key } = event;
  if (target instanceof HTMLInputElement && target.type === 'number') return;
  if (event.ctrlKey || event.metaKey || event.altKey || !view) return;
  const keys: Readonly<Record<string, () => void>> = {
    ' ': () => view?.togglePlay(),
    e: () => view?.setHow('equilibrium'),
    p: () => view?.setHow('pose'),
    r: () => view?.state(0),
    h: () => view?.home(),
    d: () => setTheme(theme === 'dark' ? 'light' : 'dark'),
    '?': () => element<HTMLElement>('help').toggleAttribute('hidden'),
  };
  const found = keys[key] ?? (/^[1-9]$/.test(key) ? () => view?.state(Number(key) - 1) : undefined);
  if (!found || (key === ' ' && target instanceof HTMLButtonElement)) return;
  event.preventDefault();
  found();
});

let pulledFrom: readonly [number, number] | undefined;
canvas.addEventListener(
  'pointerdown',
  (event) => {
    if (!event.shiftKey) return;
    // The camera stays.
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    pulledFrom = [event.clientX, event.clientY];
  },
  { capture: true },
);
canvas.addEventListener('pointermove', (event) => {
  if (pulledFrom) view?.pull(event.clientX - pulledFrom[0], event.clientY - pulledFrom[1]);
});
for (const name of ['pointerup', 'pointercancel'] as const)
  canvas.addEventListener(name, () => {
    pulledFrom = undefined;
    view?.pull(0, 0);
  });

element<HTMLElement>('help').hidden = false;
source.listen(hear);
if (source.isKept) void open();

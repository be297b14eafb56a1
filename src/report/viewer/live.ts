/**
 * Runs in the page of `kanegen view`: the robot in space, and a panel that moves it by its coordinates, finds its equilibrium under inputs, or lets
 * it move.
 */
import { eachAxis, triple } from '../../common/tuples.ts';
import type { Arrow, Triple } from './animation-data.ts';
import type { Acting, Description, KeptView, News, Placed, Question } from './live-messages.ts';
import { Latest } from './latest.ts';
import { inputScales, showLegend, showScale, strainScale } from './legend.ts';
import { button, checkbox, chips, folded, heading, short, SliderRow } from './panel.ts';
import { numbersOf } from './pictures.ts';
import { Recording } from './recording.ts';
import { InputColours } from './space/input-colours.ts';
import { openSpace } from './space/open-space.ts';
import type { Colouring, ShownRobot } from './space/shown-robot.ts';
import { framed, KeptSource, LiveSource, Refused, type Source } from './sources.ts';

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
  private readonly scene: ShownRobot;
  private readonly colours: InputColours;
  private recording: Recording | undefined;
  private arrows: readonly Arrow[] = [];
  private how: How = 'pose';
  private q: readonly number[];
  private qd: readonly number[];
  private acting: Acting;
  /** The coordinate that a slider moves: where loops close, the others follow. */
  private held: readonly number[] | undefined;
  private readonly robot: Description;
  private readonly coordinates: readonly SliderRow[];
  private readonly inputs: readonly SliderRow[];
  private readonly latest = new Latest(() => this.compute());
  private playing = false;
  private push: Triple = [0, 0, 0];
  private time = 0;
  private swinging = 0;
  private readonly modes = document.createElement('div');
  /** What the buttons of the way and of the motion tell. */
  private told: readonly unknown[] = [];

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
    const { structure, bounds, inputs } = robot;
    this.colours = new InputColours(
      structure,
      inputs,
      inputs.map(({ lower, upper }) => Math.max(Math.abs(lower), Math.abs(upper))),
    );
    this.furnish();
    this.scene = openSpace(canvas, structure, bounds, before?.scene);
    this.scene.setColouring(colouring);
    this.scene.setFrames(framesAreShown);
    this.scene.onScale((pixels) => showScale(element('scale'), pixels));
    this.setTheme();
    this.showSurroundings();
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
    this.recording?.pause();
    this.scene.dispose();
  }

  setTheme(): void {
    this.scene.setGround(GROUND[theme]);
  }

  private showSurroundings(): void {
    const { current } = this.robot;
    this.scene.setSurroundings({ gravity: this.acting.gravity, ...(current && { current }) });
    element('around').textContent = [
      `gravity ${short(Math.hypot(...this.acting.gravity))} m/s²`,
      ...(current ? [`water ${short(Math.hypot(...current))} m/s`] : []),
    ].join(', ');
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
      ...(robot.recordings.length > 0 ? [heading('Motions'), this.recordingChips()] : []),
      ...(source.isKept ? [] : [folded('Gravity', false, this.gravityRows()), heading('Modes'), this.modes]),
      heading('Shown'),
      ...this.looks(),
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
    this.showHow();
  }

  private recordingChips(): HTMLElement {
    return chips(
      ...this.robot.recordings.map((name) =>
        button(name.replace(/^.*\//, '').replace(/\.scenario\.yaml$/, ''), () => void this.playRecording(name), name),
      ),
    );
  }

  /** How the robot is drawn. */
  private looks(): HTMLElement[] {
    const byStrain = checkbox('strain as colours', colouring === 'strain', (isOn) => {
      colouring = isOn ? 'strain' : 'body';
      this.scene.setColouring(colouring);
      this.showLegend();
    });
    const frames = checkbox('frames', framesAreShown, (isOn) => {
      framesAreShown = isOn;
      this.scene.setFrames(isOn);
    });
    return [...(this.robot.structure.surfaces.length > 0 ? [byStrain] : []), frames];
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
      return new SliderRow(slider, (g) => this.act({ gravity: triple(withEntry(this.acting.gravity, i, g)) })).element;
    });
  }

  /** Buttons that tell the same stay, with the focus that one of them may have. */
  private showHow(): void {
    const tell = [this.how, this.playing, this.recording];
    if (tell.every((own, i) => own === this.told[i])) return;
    this.told = tell;
    const ways = (Object.keys(HOW) as How[]).filter((own) => own !== 'motion' || !source.isKept);
    element('how').replaceChildren(
      ...ways.map((own) => {
        const made = button(own[0]!.toUpperCase() + own.slice(1), () => this.setHow(own), HOW[own]);
        made.setAttribute('role', 'radio');
        made.setAttribute('aria-checked', `${own === this.how}`);
        made.tabIndex = own === this.how ? 0 : -1;
        return made;
      }),
    );
    const motion = element<HTMLElement>('motion');
    motion.hidden = this.how !== 'motion' && !this.recording;
    if (this.recording) return motion.replaceChildren(...this.recording.elements);
    motion.replaceChildren(
      button(this.playing ? 'Pause' : 'Play', () => this.togglePlay(), 'space'),
      button('Rest', () => this.rest(), 'no velocities'),
      button('Back', () => this.takeState(this.robot.states[0]!.q), 'to the default state: r'),
    );
  }

  /** From one way to the next, as radio buttons do. */
  step(by: 1 | -1): void {
    const ways = [...element<HTMLElement>('how').children] as HTMLElement[];
    const next = (ways.findIndex((own) => own.ariaChecked === 'true') + by + ways.length) % ways.length;
    ways[next]!.click();
    // They were made anew.
    (element<HTMLElement>('how').children[next] as HTMLElement).focus();
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
    this.held = [index];
    if (this.recording) this.stop();
    if (this.how === 'motion') this.rest();
    else if (this.how === 'pose') this.stop();
    else this.setHow('pose');
    this.latest.ask();
  }

  /** @param balances whether it shows at rest only. */
  private act(change: Partial<Acting>, balances = true): void {
    if (this.recording) this.stop();
    this.acting = { ...this.acting, ...change };
    this.paint(this.acting.inputs);
    if (change.gravity) this.showSurroundings();
    if (this.how === 'pose' && balances) this.setHow('equilibrium');
    this.latest.ask();
  }

  takeState(q: readonly number[]): void {
    if (this.recording) this.stop();
    this.q = q;
    this.held = undefined;
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
        const found = await source.ask({ ask: 'place', q, held: this.held, ...acting });
        this.show(found);
        // Nothing was set in the meantime.
        if (this.q === q && !source.isKept) {
          this.q = found.q;
          this.showCoordinates();
        }
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
    this.arrows = placed.arrows ?? [];
    this.scene.place(numbersOf(placed.points), this.arrows);
    if (this.how !== 'pose') this.showCoordinates();
    write('facts', placed.tip ? `tip ${placed.tip.map((x) => short(Math.round(1e6 * x) / 1e3)).join(', ')} mm` : '');
    this.paint(this.acting.inputs);
  }

  private showCoordinates(): void {
    this.coordinates.forEach((row, i) => row.show(this.q[i]!));
  }

  private say(text: string, isBad = false): void {
    write('state', text);
    element<HTMLElement>('state').className = isBad ? 'bad' : '';
  }

  private paint(inputs: readonly number[]): void {
    this.scene.paint(this.colours.colourOf(inputs));
    this.showLegend();
  }

  private showLegend(): void {
    const strains = colouring === 'strain' ? [strainScale(this.scene.mostStrain)] : [];
    showLegend(element('legend'), [...inputScales(this.colours), ...strains], this.arrows);
  }

  /** What is shown, computed again. */
  refresh(): void {
    this.say('');
    this.latest.ask();
  }

  home(): void {
    this.scene.home(this.robot.bounds);
  }

  // ---------------------------------------------------------------------------------------------- motion

  private async playRecording(name: string): Promise<void> {
    this.stop();
    this.say(`running ${name}`);
    try {
      const played = await source.ask({ ask: 'play', name });
      const pictures = played.pictures.map(numbersOf);
      this.stop();
      this.recording = new Recording(played, (index) => {
        this.arrows = played.arrows[index]!;
        this.scene.place(pictures[index]!, this.arrows);
        this.coordinates.forEach((row, i) => row.show(played.q[index]![i]!));
        this.inputs.forEach((row, i) => row.show(played.inputs[index]![i]!));
        this.paint(played.inputs[index]!);
        this.q = played.q[index]!;
      });
      this.showHow();
      this.say(played.text);
      this.recording.play();
    } catch (error) {
      this.refuse(error);
    }
  }

  togglePlay(): void {
    if (this.recording) return this.recording.toggle();
    if (this.how !== 'motion') this.setHow('motion');
    if (this.how !== 'motion') return;
    this.playing = !this.playing;
    this.showHow();
    if (this.playing) void this.run();
  }

  private stop(): void {
    this.playing = false;
    this.swinging++;
    if (this.recording) {
      this.recording.pause();
      this.recording = undefined;
      this.inputs.forEach((row, i) => row.show(this.acting.inputs[i]!));
    }
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
    const [right, upwards] = this.scene.screenAxes();
    this.push = eachAxis((i) => PULL * (dx * right[i]! - dy * upwards[i]!));
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
      if (this.swinging === mine) this.scene.place(pictures[Math.floor((phase % 1) * pictures.length)]!);
    }
  }
}

/** Text that stays leaves the layout of the page alone. */
function write(id: string, text: string): void {
  const own = element<HTMLElement>(id);
  if (own.textContent !== text) own.textContent = text;
}

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

function withEntry(numbers: readonly number[], index: number, value: number): readonly number[] {
  return numbers.map((x, i) => (i === index ? value : x));
}

// ------------------------------------------------------------------------------------------------ the page

let view: View | undefined;
let theme: keyof typeof GROUND = 'light';
let colouring: Colouring = 'body';
let framesAreShown = false;

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

element<HTMLElement>('how').addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
  if (by === undefined) return;
  event.preventDefault();
  view?.step(by);
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
element<HTMLElement>('help-motion').hidden = source.isKept;
source.listen(hear);
if (source.isKept) void open();

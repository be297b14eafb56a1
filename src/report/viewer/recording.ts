/** Plays a motion that was computed before: controls, and which picture is due. */
import type { Played } from './live-messages.ts';
import { button } from './panel.ts';

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5];

export class Recording {
  readonly played: Played;
  private readonly show: (index: number) => void;
  private readonly slider = document.createElement('input');
  private readonly speed = document.createElement('select');
  private readonly shown = document.createElement('output');
  private readonly pressed: HTMLButtonElement;
  private time: number;
  private last: number | undefined;

  constructor(played: Played, show: (index: number) => void) {
    this.played = played;
    this.show = show;
    this.time = this.start;
    this.pressed = button('Pause', () => this.toggle(), 'space');
    Object.assign(this.slider, { type: 'range', min: '0', max: '1', step: 'any', ariaLabel: 'time' });
    this.slider.addEventListener('input', () => {
      this.pause();
      this.at(this.start + Number(this.slider.value) * (this.end - this.start));
    });
    this.speed.ariaLabel = 'speed';
    this.speed.append(...SPEEDS.map((own) => new Option(`${own} ×`, `${own}`, own === 1, own === 1)));
  }

  get elements(): readonly HTMLElement[] {
    return this.end > this.start ? [this.pressed, this.slider, this.shown, this.speed] : [];
  }

  private get start(): number {
    return this.played.times[0]!;
  }

  private get end(): number {
    return this.played.times[this.played.times.length - 1]!;
  }

  play(): void {
    if (this.time >= this.end) this.time = this.start;
    this.last = performance.now();
    this.pressed.textContent = 'Pause';
    this.at(this.time);
    if (this.end > this.start) requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.last = undefined;
    this.pressed.textContent = 'Play';
  }

  toggle(): void {
    if (this.last === undefined) this.play();
    else this.pause();
  }

  private tick(now: number): void {
    if (this.last === undefined) return;
    const reached = this.time + (Number(this.speed.value) * Math.max(0, now - this.last)) / 1000;
    this.last = now;
    this.at(Math.min(this.end, reached));
    if (reached < this.end) requestAnimationFrame((later) => this.tick(later));
    else this.pause();
  }

  private at(time: number): void {
    this.time = time;
    const { times } = this.played;
    let index = times.findIndex((later) => later >= time);
    if (index < 0) index = times.length - 1;
    if (index > 0 && time - times[index - 1]! < times[index]! - time) index--;
    this.slider.value = `${this.end > this.start ? (time - this.start) / (this.end - this.start) : 0}`;
    this.shown.textContent = `${time.toFixed(3)} s`;
    this.show(index);
  }
}

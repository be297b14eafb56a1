/**
 * `<kanegen-robot src="arm.robot.yaml" controls></kanegen-robot>`: a robot in space that a worker compiles. With `controls` it has the sliders of
 * `kanegen view`. `source` takes a text in place of an address; the event `diagnostics` says what is wrong with it.
 */
import type { Diagnostic, RobotSource } from '../messages.ts';
import { RobotWorker } from './robot-worker.ts';

const SIZE =
  ':host { display: block; height: 480px; } :host([hidden]) { display: none; } iframe { width: 100%; height: 100%; border: 0; }';
/** Without sliders the view has the whole place. */
const BARE = 'aside, header p { display: none !important; }';

export class KanegenRobot extends HTMLElement {
  static readonly observedAttributes = ['src', 'controls'];
  private own: RobotWorker | undefined;
  private given: RobotSource | undefined;
  private readonly frame = document.createElement('iframe');
  private readonly bare = document.createElement('style');

  constructor() {
    super();
    const style = document.createElement('style');
    style.textContent = SIZE;
    this.bare.textContent = BARE;
    this.frame.title = 'robot in space';
    this.attachShadow({ mode: 'open' }).append(style, this.frame);
  }

  /** The compiler of this robot. */
  get worker(): RobotWorker {
    this.own ??= new RobotWorker((news) => this.dispatchEvent(new CustomEvent('news', { detail: news })));
    return this.own;
  }

  /** The text of a robot file, with the files that it names. */
  get source(): RobotSource | undefined {
    return this.given;
  }

  set source(source: RobotSource | undefined) {
    this.given = source;
    if (this.isConnected) void this.open();
  }

  connectedCallback(): void {
    void this.furnish();
    void this.open();
  }

  disconnectedCallback(): void {
    this.own?.end();
    this.own = undefined;
  }

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (name === 'controls') this.dress();
    else void this.open();
  }

  private async furnish(): Promise<void> {
    const { worker } = this;
    const script = new URL('./live-viewer.js', import.meta.url).href;
    const page = await worker.ask({ ask: 'page', script });
    const { port1, port2 } = new MessageChannel();
    this.frame.onload = () => {
      this.dress();
      worker.connect(port2);
      // The page of the view waits for a port; it has the origin of this one.
      this.frame.contentWindow!.postMessage('kanegen', '*', [port1]);
    };
    this.frame.srcdoc = page;
  }

  private dress(): void {
    const head = this.frame.contentDocument?.head;
    if (!head) return;
    if (this.hasAttribute('controls')) this.bare.remove();
    else head.append(this.bare);
  }

  private async open(): Promise<void> {
    const src = this.getAttribute('src');
    const source = this.given ?? (src === null ? undefined : { url: new URL(src, document.baseURI).href });
    if (!source) return;
    const { name, diagnostics } = await this.worker.ask({ ask: 'open', ...source });
    if (name !== undefined) this.frame.title = `${name} in space`;
    this.dispatchEvent(new CustomEvent<readonly Diagnostic[]>('diagnostics', { detail: diagnostics }));
  }
}

customElements.define('kanegen-robot', KanegenRobot);

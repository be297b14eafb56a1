/** The playground: a robot file on the left; on the right the robot, its code, operation counts and mathematics. Everything is computed in the page. */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { cpp } from '@codemirror/lang-cpp';
import { javascript } from '@codemirror/lang-javascript';
import { yaml } from '@codemirror/lang-yaml';
import { lintGutter, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { basicSetup, EditorView } from 'codemirror';
import type { CodePlace, Diagnostic, Replies } from '../messages.ts';
import { comparisonTable, explanationPage, operationsPage } from './explanation.ts';
import type { KanegenRobot } from './kanegen-robot.ts';
import './kanegen-robot.ts';
import { lightLines, litLines } from './lit-lines.ts';
import { hashOf, stateOf, type LinkState } from './link-state.ts';
import { offersAt, placeAt, type Schema } from './schema-completion.ts';

interface Example {
  readonly name: string;
  readonly group: string;
  readonly path: string;
}

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
/** ms after the last keystroke. */
const SETTLE = 400;
/** Soft, led by tendons, and elastic: it has equilibria. */
const FIRST = 'examples/scenarios/tendon-control.robot.yaml';
const VIEWS = ['view', 'c', 'typescript', 'operations', 'explain'] as const;
type View = (typeof VIEWS)[number];

const robot = element<KanegenRobot>('robot');
const menu = element<HTMLSelectElement>('example');
const root = new URL('../', document.baseURI);
let schema: Schema | undefined;
let shown: View = 'view';
/** Of the text: where it is from, and what it was there. */
let base: { readonly path: string; readonly text: string } = { path: FIRST, text: '' };
let pending: ReturnType<typeof setTimeout> | undefined;
/** Counts texts: what comes late for an earlier one is dropped. */
let version = 0;
/** Where the code that is shown comes from, and which of its files is open. */
let places: readonly CodePlace[] = [];
let openFile = '';

const editor = new EditorView({
  parent: element('editor'),
  extensions: [
    basicSetup,
    yaml(),
    lintGutter(),
    autocompletion({ override: [complete] }),
    litLines(lightCode),
    EditorView.contentAttributes.of({ 'aria-label': 'robot file' }),
    EditorView.updateListener.of(({ docChanged }) => {
      if (!docChanged) return;
      clearTimeout(pending);
      pending = setTimeout(() => void changed(), SETTLE);
    }),
  ],
});

const code = new EditorView({ parent: element('code') });

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  schema ??= (await robot.worker.ask({ ask: 'schema' })) as Schema;
  const place = placeAt(context.state.doc.toString(), context.pos);
  if (place.from === context.pos && !context.explicit) return null;
  const options = offersAt(schema, place).map(({ label, detail, isKey }) => ({
    label,
    ...(detail && { info: detail }),
    apply: isKey ? `${label}: ` : label,
    type: isKey ? 'property' : 'enum',
  }));
  return options.length > 0 ? { from: place.from, options } : null;
}

// ------------------------------------------------------------------------------------------------ the text

async function changed(): Promise<void> {
  version++;
  const text = editor.state.doc.toString();
  robot.source = { text, url: new URL(base.path, root).href };
  await remember();
  if (shown !== 'view') await show(shown);
}

async function remember(): Promise<void> {
  const text = editor.state.doc.toString();
  const own: LinkState = text === base.text ? { example: base.path } : { text, base: base.path };
  history.replaceState(null, '', await hashOf({ ...own, view: shown }));
}

function mark(diagnostics: readonly Diagnostic[]): void {
  const { doc } = editor.state;
  const marks = diagnostics.map(({ line, column, message, remedy, severity }): Mark => {
    const place = doc.line(Math.min(Math.max(1, line), doc.lines));
    const from = Math.min(place.to, place.from + Math.max(0, column - 1));
    const word = /^[\w.-]+/.exec(place.text.slice(from - place.from));
    return { from, to: from + (word?.[0].length ?? 0), severity, message: remedy ? `${message}: ${remedy}` : message };
  });
  editor.dispatch(setDiagnostics(editor.state, marks));
  const worst = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0];
  element('problem').textContent = worst ? `${worst.line > 0 ? `line ${worst.line}: ` : ''}${worst.message}` : '';
}

async function openText(text: string): Promise<void> {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  clearTimeout(pending);
  await changed();
}

/** @throws Error where there is none. */
async function exampleAt(path: string): Promise<typeof base> {
  const response = await fetch(new URL(path, root));
  if (!response.ok) throw new Error(`there is no example ${path}`);
  return { path, text: await response.text() };
}

// ------------------------------------------------------------------------------------------------ what is shown of it

async function show(view: View): Promise<void> {
  shown = view;
  for (const name of VIEWS) {
    const tab = element(`tab-${name}`);
    tab.setAttribute('aria-selected', String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
  }
  const [isRobot, isCode] = [view === 'view', view === 'c' || view === 'typescript'];
  element('robot').hidden = !isRobot;
  element('code-panel').hidden = !isCode;
  element('text-panel').hidden = isRobot || isCode;
  element('panel').setAttribute('aria-labelledby', `tab-${view}`);
  await remember();
  if (isRobot) return;
  const mine = version;
  const busy = element('busy');
  busy.textContent = 'compiling …';
  try {
    if (isCode) {
      const found = await robot.worker.ask({ ask: 'code', target: view === 'c' ? 'c' : 'ts' });
      if (mine === version && shown === view) showCode(found, view);
    } else {
      const explanation = await robot.worker.ask({ ask: 'explain' });
      const page =
        view === 'operations'
          ? operationsPage(explanation, await robot.worker.ask({ ask: 'estimate' }), compare)
          : explanationPage(explanation);
      if (mine === version && shown === view) element('text-panel').replaceChildren(...page);
    }
    busy.textContent = '';
  } catch (error) {
    busy.textContent = (error as Error).message;
  }
}

function showCode({ files, places: found }: Replies['code'], view: View): void {
  places = found;
  const choice = element<HTMLSelectElement>('file');
  const before = choice.value;
  const names = files.map(({ path }) => path.replace(/^[^/]*\//, ''));
  choice.replaceChildren(...names.map((name) => new Option(name)));
  if (names.includes(before)) choice.value = before;
  const language = view === 'c' ? cpp() : javascript({ typescript: true });
  const open = (): void => {
    const file = files[choice.selectedIndex];
    openFile = file?.path ?? '';
    const readOnly = [basicSetup, language, EditorState.readOnly.of(true), litLines(lightRobot)];
    const label = EditorView.contentAttributes.of({ 'aria-label': 'generated code', inputmode: 'none' });
    code.setState(EditorState.create({ doc: file?.text ?? '', extensions: [...readOnly, label] }));
    element('origin').textContent = '';
  };
  choice.onchange = open;
  open();
}

/** Lines of code that come from a line of the robot file. */
function lightCode(line: number | undefined): void {
  if (element('code-panel').hidden) return;
  const own = places.filter(({ of }) => of === line);
  const here = own.filter(({ file }) => file === openFile);
  lightLines(
    code,
    here.map((place) => place.line),
  );
  const others = [...new Set(own.map(({ file }) => file).filter((file) => file !== openFile))];
  const names = others.map((file) => file.replace(/^[^/]*\//, '')).join(', ');
  element('origin').textContent =
    own.length === 0
      ? ''
      : `line ${line} of the robot file: ${here.length} statements here${names === '' ? '' : `, others in ${names}`}`;
}

/** The line of the robot file that a line of code comes from. */
function lightRobot(line: number | undefined): void {
  const own = places.filter((place) => place.file === openFile && place.line === line);
  lightLines(
    editor,
    own.map(({ of }) => of),
  );
  element('origin').textContent = own
    .slice(0, 3)
    .map(({ text, of }) => `${text} (line ${of})`)
    .join(' · ');
}

async function compare(): Promise<HTMLElement> {
  return comparisonTable(await robot.worker.ask({ ask: 'compare' }));
}

// ------------------------------------------------------------------------------------------------ the page

robot.addEventListener('diagnostics', (event) => mark((event as CustomEvent<readonly Diagnostic[]>).detail));
for (const name of VIEWS) element(`tab-${name}`).addEventListener('click', () => void show(name));
element('tabs').addEventListener('keydown', ({ key }) => {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? VIEWS.length - 1 : 0;
  if (step === 0) return;
  const next = VIEWS[(VIEWS.indexOf(shown) + step) % VIEWS.length]!;
  element(`tab-${next}`).focus();
  void show(next);
});
menu.addEventListener('change', () => {
  void exampleAt(menu.value).then((found) => {
    base = found;
    return openText(found.text);
  });
});
element('copy').addEventListener('click', () => {
  void remember()
    .then(() => navigator.clipboard.writeText(location.href))
    .then(() => (element('busy').textContent = 'the link was copied'));
});

async function start(): Promise<void> {
  const examples = (await (await fetch(new URL('examples/index.json', root))).json()) as readonly Example[];
  const groups = new Map<string, Example[]>();
  for (const own of examples) groups.set(own.group, [...(groups.get(own.group) ?? []), own]);
  for (const [label, own] of groups) {
    const group = document.createElement('optgroup');
    group.label = label;
    group.append(...own.map(({ name, path }) => new Option(name, path)));
    menu.append(group);
  }
  let state: LinkState = {};
  let problem = '';
  try {
    state = await stateOf(location.hash);
    base = await exampleAt(state.example ?? state.base ?? FIRST);
  } catch (error) {
    problem = `this link is damaged, and an example is shown in its place: ${(error as Error).message}`;
    base = await exampleAt(FIRST);
  }
  menu.value = base.path;
  shown = VIEWS.find((name) => name === state.view) ?? 'view';
  await openText(state.text ?? base.text);
  await show(shown);
  element('busy').textContent = problem;
}

void start();

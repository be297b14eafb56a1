/** The worker that compiles for a page: one robot, its view, its code. Its own messages and those of ports that it is given are questions. */
import type { SymbolicRobot } from '../api/robot.ts';
import { framedPage } from '../cli/view/page.ts';
import { NotNow } from '../cli/view/not-now.ts';
import { ViewedRobot } from '../cli/view/viewed-robot.ts';
import { KanegenError } from '../common/error.ts';
import { formatError } from '../description/source/diagnostics.ts';
import { robotFileJsonSchema } from '../description/language/json-schema.ts';
import type { MappedFunction } from '../codegen/source-map.ts';
import type { News } from '../report/viewer/live-messages.ts';
import { load } from './index.ts';
import type {
  Asked,
  CodePlace,
  ComparedFormulation,
  Diagnostic,
  Numbered,
  Replies,
  RobotSource,
  Told,
} from './messages.ts';

interface Port {
  postMessage(told: Told): void;
  onmessage: ((event: { readonly data: Numbered; readonly ports: readonly Port[] }) => void) | null;
}

const ports: Port[] = [];
let robot: SymbolicRobot | undefined;
let viewed: ViewedRobot | undefined;
let last: News | undefined;
/** Counts robots that were opened: what is done for an earlier one ends. */
let opened = 0;

function tell(news: News): void {
  last = news;
  for (const port of ports) port.postMessage(news);
}

function join(port: Port): void {
  ports.push(port);
  port.onmessage = ({ data, ports: others }) => {
    others.forEach(join);
    if ('asked' in data) void reply(port, data);
  };
  if (viewed) port.postMessage({ news: 'robot' });
  if (last) port.postMessage(last);
}

async function reply(port: Port, { id, asked }: Numbered): Promise<void> {
  try {
    port.postMessage({ id, answer: await answer(asked) });
  } catch (error) {
    const isMeant = error instanceof KanegenError || error instanceof NotNow || error instanceof RangeError;
    port.postMessage({ id, refused: error instanceof KanegenError ? formatError(error) : (error as Error).message });
    if (!isMeant) throw error;
  }
}

async function answer(asked: Asked): Promise<Replies[keyof Replies]> {
  switch (asked.ask) {
    case 'open':
      return open(asked);
    case 'page':
      return framedPage(asked.script);
    case 'schema':
      return robotFileJsonSchema();
    case 'explain':
      return await current().explain({ format: 'latex' });
    case 'estimate': {
      const { CORTEX_M4F, callEstimates } = await import('../report/call-estimate.ts');
      const own = current();
      return { processor: CORTEX_M4F, calls: callEstimates(own.model, await (await own.compile()).compiled()) };
    }
    case 'compare':
      return compare(current());
    case 'code': {
      const files = await (await current().compile()).files({ target: asked.target, sourceMap: true });
      const folder = asked.target === 'c' ? 'c/' : 'typescript/';
      const map = files.find(({ path }) => path === 'source-map.json')!;
      return { files: files.filter(({ path }) => path.startsWith(folder)), places: placesIn(map.text, current().file) };
    }
    case 'robot':
    case 'place':
    case 'statics':
    case 'modes':
    case 'move':
      if (!viewed) throw new NotNow('no robot is open');
      return viewed.answer(asked);
    case 'play':
      throw new NotNow('recordings are files: `kanegen view` plays them');
  }
}

/** Statements that come from a line of the robot file itself. */
function placesIn(map: string, robotFile: string): CodePlace[] {
  const { functions } = JSON.parse(map) as { readonly functions: readonly MappedFunction[] };
  return functions.flatMap(({ files, statements }) =>
    statements.flatMap(({ value, for: purposes = [], from, at = '', lines }) => {
      const place = /^(.*):(\d+):\d+$/.exec(at);
      if (place?.[1] !== robotFile) return [];
      const purpose = purposes.length > 0 ? `, for ${purposes.join(', ')}` : '';
      const text = `${value}${purpose}${from === undefined ? '' : `; from ${from}`}`;
      return files.flatMap((file, i) => {
        const line = lines[i];
        return typeof line === 'number' ? [{ file, line, of: Number(place[2]), text }] : [];
      });
    }),
  );
}

/** Beyond these a derivation in a page ends, and is told so. */
const LIMITS = { seconds: 15, megabytes: Infinity, operations: 8000 };

async function compare(own: SymbolicRobot): Promise<Replies['compare']> {
  const [{ formulationCost }, { FORMULATIONS }] = await Promise.all([
    import('../report/formulation-cost.ts'),
    import('../report/formulation.ts'),
  ]);
  const compiled = await (await own.compile()).compiled();
  return (Object.keys(FORMULATIONS) as (keyof typeof FORMULATIONS)[]).map((formulation): ComparedFormulation => {
    const name = FORMULATIONS[formulation];
    const found = formulationCost(formulation, own.model, compiled, LIMITS);
    if ('stopped' in found) return { name, stopped: found.stopped };
    return { name, operations: found.operations.total, seconds: found.derivationSeconds };
  });
}

function current(): SymbolicRobot {
  if (!robot) throw new NotNow('no robot is open');
  return robot;
}

async function open({ text, url, fileName, files }: RobotSource): Promise<Replies['open']> {
  const mine = ++opened;
  try {
    const base = url === undefined ? undefined : new URL(url);
    const options = { ...(fileName !== undefined && { fileName }), ...(files && { files }), ...(base && { base }) };
    const next = await load(text ?? base!, options);
    const view = new ViewedRobot(next);
    if (mine !== opened) return { name: undefined, diagnostics: [] };
    [robot, viewed] = [next, view];
    tell({ news: 'robot' });
    // The page shows the robot first.
    setTimeout(() => void compile(view, mine), 50);
    const diagnostics = next.warnings.map(({ message, location }): Diagnostic => ({
      severity: 'warning',
      line: location?.line ?? 0,
      column: location?.column ?? 0,
      message,
    }));
    return { name: next.name, diagnostics };
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    if (mine === opened) tell({ news: 'mistake', text: formatError(error) });
    return { name: undefined, diagnostics: error.problems.map(diagnosticOf) };
  }
}

function diagnosticOf({ message, remedy, location }: KanegenError): Diagnostic {
  return { severity: 'error', line: location?.line ?? 0, column: location?.column ?? 0, message, remedy };
}

async function compile(view: ViewedRobot, mine: number): Promise<void> {
  if (mine !== opened) return;
  tell({ news: 'busy', text: 'compiling' });
  try {
    await view.compile();
    if (mine === opened) tell({ news: 'ready' });
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    if (mine === opened) tell({ news: 'mistake', text: formatError(error) });
  }
}

join(globalThis as unknown as Port);

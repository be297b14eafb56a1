/** What becomes of any text that is taken for a robot file: refused with a reason and a place, or computed with. */
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { formatError, KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';

/** Of the processor, for each body type. */
const SECONDS = 4;
/** A whole robot takes no longer than this, s of the processor: several types, each with its own limit. */
const LONGEST = 40;

export interface Outcome {
  /** `accepted`, or the code of the first error. */
  readonly result: string;
  /** What should not have happened. */
  readonly problem?: string;
}

export async function outcomeOf(text: string): Promise<Outcome> {
  const start = process.cpuUsage();
  allowSeconds(SECONDS);
  try {
    return { ...(await attempt(text)), ...problemOfTime(start, LONGEST) };
  } finally {
    allowSeconds(DEFAULT_SECONDS);
  }
}

/** What becomes of a text that is read and checked, nothing more. */
export function loadingOf(text: string): Outcome {
  const start = process.cpuUsage();
  allowSeconds(SECONDS);
  try {
    loadRobotText(text, 'fuzz.yaml');
    return { result: 'loaded', ...problemOfTime(start, SECONDS) };
  } catch (error) {
    return { ...refusal(error, text), ...problemOfTime(start, SECONDS) };
  } finally {
    allowSeconds(DEFAULT_SECONDS);
  }
}

/** Is there a problem with the time that something took? */
export function problemOfTime(start: NodeJS.CpuUsage, longest: number): { problem?: string } {
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  return seconds > longest ? { problem: `took ${seconds.toFixed(0)} s` } : {};
}

async function attempt(text: string): Promise<Outcome> {
  try {
    const robot = loadRobotText(text, 'fuzz.yaml');
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const q = Float64Array.from(robot.coordinates, (c) => c.value);
    const n = q.length;
    const still = new Float64Array(n);
    // What is not written stays no number.
    const tau = new Float64Array(n).fill(NaN);
    const mass = new Float64Array(n * n).fill(NaN);
    dynamics.inverseDynamicsAt(q, still, still, tau);
    dynamics.massMatrixAt(q, mass);
    const outputs = [tau, mass, ...further(dynamics, robot.actuators.length, q)];
    const isFinite = outputs.every((own) => own.every(Number.isFinite));
    return { result: 'accepted', ...(isFinite ? {} : { problem: `outputs ${outputs.join('; ')}` }) };
  } catch (error) {
    return refusal(error, text);
  }
}

/** Elastic and viscous forces, and what actuators have. */
function further(dynamics: LoadedRobot, actuators: number, q: Float64Array): Float64Array[] {
  const n = q.length;
  const [passive, y, yd, ydd, B] = [n, actuators, actuators, actuators, n * actuators].map((size) =>
    new Float64Array(size).fill(NaN),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  dynamics.update(q, new Float64Array(n));
  dynamics.activeInverseDynamics(new Float64Array(n), passive);
  if (actuators > 0) dynamics.actuation(y, yd, ydd, B);
  return [passive, y, yd, ydd, B];
}

/** What is said of an error, which is to be one of the user. */
export function refusal(error: unknown, text: string): Outcome {
  if (!(error instanceof KanegenError)) return { result: 'internal', problem: String((error as Error).stack) };
  return { result: error.code, ...problemOf(error, text) };
}

/** Every problem has a place and is said in words that a person can read. */
function problemOf(error: KanegenError, text: string): { problem?: string } {
  const said = formatError(error, () => text);
  if (error.code === 'internal-error') return { problem: said };
  if (error.problems.some(({ location }) => !location)) return { problem: `no place: ${said}` };
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/.test(said))
    return { problem: `control characters: ${JSON.stringify(said)}` };
  for (const { message, remedy = '' } of error.problems) {
    const own = `${message} ${remedy}`.replace(/`[^`]*`/g, '').match(/\[object|undefined|\bNaN\b(?! is)|\bnull\b/);
    if (own && !text.includes(own[0])) return { problem: `${own[0]} in: ${said}` };
  }
  return {};
}

/**
 * Arbitrary files of every kind beside robot files, and what becomes of them when they are read. All inputs are strings, those of
 * binary formats a character for each byte, so that they can be kept and sent.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { onnxBytes, safetensorsBytes } from '../../scripts/network-files.ts';
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import { readUrdf } from '../../src/description/urdf/urdf-model.ts';
import { robotFileOf } from '../../src/description/urdf/urdf-robot-file.ts';
import { KanegenError } from '../../src/common/error.ts';
import { load } from '../../src/api/load.ts';
import { readMeasurements } from '../../src/identification/measurements.ts';
import { readGmsh } from '../../src/mesh/gmsh.ts';
import { readNetwork } from '../../src/network/read.ts';
import { columnSignal } from '../../src/simulation/scenario/csv-signal.ts';
import { loadScenarioText, type Scenario } from '../../src/simulation/scenario/scenario.ts';
import { readVariations } from '../../src/simulation/scenario/variation.ts';
import { ONE } from '../../src/symbolic/graph/rational.ts';
import { CUBE, binaryFile, textFile } from '../mesh/gmsh-text.ts';
import { sampleNetwork } from '../network/sample-network.ts';
import { loadingOf, outcomeOf, problemOfTime, refusal, type Outcome } from './outcome.ts';
import { calls, outcomeOfCalls } from './calls.ts';
import { outcomeInBothLanguages } from './languages.ts';
import { changedNumbers, changedTexts, robotTexts } from './robot-texts.ts';
import { robotOfFeatures } from './robots-of-features.ts';
import { outcomeOfStraight } from './straight.ts';

export interface FuzzKind {
  readonly inputs: fc.Arbitrary<string>;
  readonly outcome: (input: string) => Outcome | Promise<Outcome>;
  /** Inputs that a process takes before another one begins. */
  readonly batch: number;
}

/** Of the processor, for one input that is only read. */
const SECONDS = 4;

/** Reads an input; nothing but errors of the user may come of it, each with a place unless it stands in no text. */
const reading =
  (read: (input: string) => void, hasPlace = true): FuzzKind['outcome'] =>
  (input) => {
    const start = process.cpuUsage();
    allowSeconds(SECONDS);
    try {
      read(input);
      return { result: 'read', ...problemOfTime(start, 2 * SECONDS) };
    } catch (error) {
      if (!hasPlace && error instanceof KanegenError && error.code !== 'internal-error') return { result: error.code };
      return { ...refusal(error, input), ...problemOfTime(start, 2 * SECONDS) };
    } finally {
      allowSeconds(DEFAULT_SECONDS);
    }
  };

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const example = (name: string): string => readFileSync(path.join(root, 'examples', name), 'utf8');

// ---------------------------------------------------------------------------------------------- scenarios

const SCENARIO_PATH = path.join(root, 'examples/scenarios/fuzz.scenario.yaml');
const scenarios = [
  ...['swing', 'stiff-rod', 'tendon-control', 'ur10e-track'].map((name) => example(`scenarios/${name}.scenario.yaml`)),
  `kanegen-scenario: 1
robot: ur10e-motors.robot.yaml
duration: 2 s
initial: { rates: { shoulder_pan.angle: 0.1 rad/s } }
forces: { shoulder_pan.angle: "3*sin(t)", wrist_1.angle: { table: [[0, 0], [1 s, 2]] } }
loads: { wrist_3: { force: [1 N, 0, "t"], axes: frame } }
integrator: { method: generalized-alpha, step: 1 ms, spectral-radius: 0.5 }
outputs: { every: 10 ms, frames: [wrist_3] }
events: { down: { frame: wrist_3, axis: z, reaches: 0.1 m, stop: false } }
expect: [{ at: 1 s, coordinates: { wrist_1.angle: 0 }, within: 1, source: nobody }]
`,
];

// ---------------------------------------------------------------------------------------------- tables

const arm = (): string => path.join(root, 'examples/identification/soft-arm.robot.yaml');
let known: { readonly robot: ReturnType<typeof loadRobotFile>; readonly scenario: Scenario } | undefined;
/** Read once for all tables. */
function ofTables(): NonNullable<typeof known> {
  known ??= {
    robot: loadRobotFile(arm()),
    scenario: loadScenarioText(example('scenarios/swing.scenario.yaml'), SCENARIO_PATH),
  };
  return known;
}
const log = example('identification/soft-arm.csv').split('\n').slice(0, 40).join('\n');
const cells = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '0.5',
    '1e308',
    '1e-308',
    '1e999',
    'NaN',
    '',
    ' ',
    '1,5',
    '1;5',
    '"1"',
    't',
    '０',
    '-0',
  ),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
);
const heads = fc.constantFrom(
  't',
  't,a',
  'upper.q,lower.q',
  't,upper.q,',
  'E',
  'upper.E,upper.q',
  '\ufefft,a',
  '__proto__,t',
  't,t',
);
const tables = fc.oneof(
  changedTexts(fc.constant(log)),
  fc
    .tuple(heads, fc.array(fc.array(cells, { minLength: 1, maxLength: 3 }), { maxLength: 8 }))
    .map(([head, rows]) => [head, ...rows.map((row) => row.join(','))].join('\n')),
);

function readTable(text: string): void {
  const { robot, scenario } = ofTables();
  const readers = [
    () => readMeasurements(robot, text, 'fuzz.csv'),
    () => readVariations('fuzz.csv', text, scenario),
    () => columnSignal('fuzz.csv', text, { time: 't', column: 'a' }),
  ];
  const errors = readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      return [error];
    }
  });
  const raw = errors.find((error) => !(error instanceof KanegenError)) ?? errors[0];
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- as it was thrown
  if (raw !== undefined) throw raw;
}

// ---------------------------------------------------------------------------------------------- bytes

export const bytesOf = (input: string): Uint8Array => Buffer.from(input, 'latin1');
const inputOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Bytes with some of them replaced, cut out, doubled or cut off. */
function changedBytes(originals: readonly Uint8Array[]): fc.Arbitrary<string> {
  const share = fc.double({ min: 0, max: 0.999999, noNaN: true });
  const piece = fc.oneof(
    fc.constantFrom('\0', '\xff', '\xff\xff\xff\xff', '\x7f', '\0\0\0\0\0\0\xf0\x7f', '\x80'),
    fc.uint8Array({ minLength: 1, maxLength: 8 }).map(inputOf),
  );
  type Change = (text: string) => string;
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(share, piece).map(([at, bytes]): Change => (text) => {
      const from = Math.floor(at * text.length);
      return text.slice(0, from) + bytes + text.slice(from + bytes.length);
    }),
    fc.tuple(share, piece).map(([at, bytes]): Change => (text) => {
      const from = Math.floor(at * text.length);
      return text.slice(0, from) + bytes + text.slice(from);
    }),
    fc.tuple(share, share).map(([a, b]): Change => (text) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)].map((x) => Math.floor(x * text.length));
      return text.slice(0, from) + text.slice(to);
    }),
    share.map(
      (at): Change =>
        (text) =>
          text.slice(0, Math.floor(at * text.length)),
    ),
  );
  return fc
    .tuple(fc.constantFrom(...originals.map(inputOf)), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([text, list]) => list.reduce((result, own) => own(result), text));
}

const meshes = fc.oneof(
  changedBytes([textFile(CUBE), binaryFile(CUBE, true), binaryFile(CUBE, false)]),
  changedTexts(fc.constant(inputOf(textFile(CUBE)))),
);

const layers = sampleNetwork([3, 4, 3], 'tanh').layers;
const networks = changedBytes([safetensorsBytes(layers), onnxBytes(layers)]);

/** As either format, whatever it is. */
function readNetworkBytes(input: string): void {
  const isSafetensors = input.slice(0, 40).includes('{');
  const given = isSafetensors ? { file: 'fuzz.safetensors', activation: 'tanh' } : { file: 'fuzz.onnx' };
  for (const layer of readNetwork(bytesOf(input), given).layers)
    if (![...layer.weights, ...layer.biases].every(Number.isFinite)) throw new Error('a weight is not finite');
}

function readMeshBytes(input: string): void {
  const { nodes } = readGmsh(bytesOf(input), { file: 'fuzz.msh', scale: ONE });
  if (!nodes.every(Number.isFinite)) throw new Error('a node is not finite');
}

// ---------------------------------------------------------------------------------------------- all

const urdf = example('iiwa.urdf');
const short = `<robot name="r" version="1.1"><link name="base"/><link name="tip"><inertial><origin xyz="0 0 0.1" quat_xyzw="0 0 0 1"/>
<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint></robot>`;

function readUrdfText(text: string): void {
  const read = readUrdf(text, 'fuzz.urdf');
  loadRobotText(robotFileOf(read, { free: text.length % 2 === 0 }).text, 'fuzz.yaml');
}

export const KINDS: Readonly<Record<string, FuzzKind>> = {
  robots: { inputs: robotTexts, outcome: outcomeOf, batch: 100 },
  'robots-read': { inputs: robotTexts, outcome: loadingOf, batch: 1000 },
  languages: {
    inputs: fc.oneof(changedNumbers, changedNumbers, robotTexts),
    outcome: outcomeInBothLanguages,
    batch: 100,
  },
  scenarios: {
    inputs: changedTexts(fc.constantFrom(...scenarios)),
    outcome: reading((text) => loadScenarioText(text, SCENARIO_PATH)),
    batch: 500,
  },
  tables: { inputs: tables, outcome: reading(readTable), batch: 2000 },
  urdf: { inputs: changedTexts(fc.constantFrom(urdf, short)), outcome: reading(readUrdfText), batch: 500 },
  meshes: { inputs: meshes, outcome: reading(readMeshBytes, false), batch: 5000 },
  networks: { inputs: networks, outcome: reading(readNetworkBytes, false), batch: 5000 },
  calls: { inputs: calls, outcome: outcomeOfCalls, batch: 2000 },
  features: {
    inputs: fc.nat().map((seed) => JSON.stringify(robotOfFeatures(seed), null, 1)),
    outcome: verified,
    batch: 10,
  },
  straight: {
    inputs: fc.nat().map((seed) => JSON.stringify(robotOfFeatures(seed), null, 1)),
    outcome: outcomeOfStraight,
    batch: 20,
  },
};

/** Robots are valid, and their code with all derivatives is what independent computations give. */
async function verified(input: string): Promise<Outcome> {
  try {
    const robot = await load(JSON.parse(input) as Record<string, unknown>);
    const { checks } = await robot.verify({ derivatives: true, states: 1, c: false });
    const failed = checks.filter(({ passed }) => !passed);
    if (failed.length === 0) return { result: 'verified' };
    return {
      result: 'failed',
      problem: failed.map(({ name, figure, where }) => `${name}: ${figure}, ${where}`).join('; '),
    };
  } catch (error) {
    return { result: 'error', problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

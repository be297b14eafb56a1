/**
 * What generated C takes of a small processor: `npx tsx bench/embedded.ts` builds single calls in single precision for a Cortex-M4F with
 * the GNU toolchain (`arm-none-eabi-gcc` and newlib) and prints what the linker keeps of code and constants, sines and
 * cosines of the library included; the workspace; the largest frame on the stack.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildC, CompilerError } from '../src/codegen/c/build-c.ts';
import { generateC } from '../src/codegen/c/c.ts';
import { generateStraightC } from '../src/codegen/c/straight-c.ts';
import { robotModel, type GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import { layOutWorkspace } from '../src/codegen/modules/workspace.ts';
import { generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../src/codegen/whole-robot/straight-model.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';

const ROBOTS = ['planar-cc', 'ur10e', 'pcs', 'tendon-arm', 'elastic-rod'];
const TOOLS = 'arm-none-eabi-';
const FLAGS =
  '-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -ffunction-sections -fdata-sections -fstack-usage ' +
  '-Wl,--gc-sections --specs=nosys.specs -Wl,--no-warnings';

/** Statements of a main function; `ROBOT` is the name of the robot, arrays have a row of coordinates each. */
const CALLS = {
  driver: {
    'inverse dynamics': 'ROBOT_inverse_dynamics_at(&w, &ROBOT_defaults, q, qd, qdd, tau);',
    several:
      'ROBOT_update(&w, &ROBOT_defaults, q, qd); ROBOT_inverse_dynamics(&w, qdd, tau); ROBOT_mass_matrix(&w, M); ' +
      'ROBOT_frame(&w, 0, R, t, J); ROBOT_forward_dynamics(&w, tau, qdd);',
  },
  straight: {
    'inverse dynamics': 'ROBOT_straight_inverse_dynamics(q, qd, qdd, tau);',
    'forward dynamics': 'ROBOT_straight_forward_dynamics(q, qd, tau, qdd);',
  },
};

function mainFile(name: string, coordinates: number, form: keyof typeof CALLS, call: string): GeneratedFile {
  const header = form === 'driver' ? `${name}.h` : `${name}_straight.h`;
  const text = `#include "${header}"
extern kg_real q[], qd[], qdd[], tau[], M[], R[], t[], J[];
kg_real q[${coordinates}], qd[${coordinates}], qdd[${coordinates}], tau[${coordinates}], M[${coordinates ** 2}];
kg_real R[9], t[3], J[${6 * coordinates}];
${form === 'driver' ? 'extern ROBOT_workspace w;\nROBOT_workspace w;\n' : ''}int main(void)
{
  ${call}
  return 0;
}
`;
  return { path: 'main.c', text: text.replaceAll('ROBOT', name) };
}

function tool(name: string, ...parameters: string[]): string {
  return execFileSync(TOOLS + name, parameters, { encoding: 'utf8', maxBuffer: 1 << 26 });
}

/** Bytes of code and constants without the start of an empty program, of the workspace, of the largest frame. */
async function sizes(files: readonly GeneratedFile[], empty: number): Promise<[number, number, number]> {
  const program = await buildC(files, { compiler: `${TOOLS}gcc`, precision: 'single', flags: FLAGS.split(' ') });
  try {
    const [text] = tool('size', program.executable).split('\n')[1]!.trim().split(/\s+/).map(Number);
    const symbols = tool('nm', '--print-size', program.executable)
      .split('\n')
      .map((line) => line.split(' '));
    const workspace = symbols.find((symbol) => symbol.at(-1) === 'w')?.[1] ?? '0';
    const kept = new Set(symbols.map((symbol) => symbol.at(-1)));
    const frames = readdirSync(program.directory)
      .filter((path) => path.endsWith('.su'))
      .flatMap((path) => readFileSync(join(program.directory, path), 'utf8').trim().split('\n'))
      .map((line) => line.split('\t'))
      .filter(([place]) => kept.has(place!.split(':').at(-1)));
    return [text! - empty, parseInt(workspace, 16), Math.max(0, ...frames.map(([, bytes]) => Number(bytes)))];
  } finally {
    await program.dispose();
  }
}

async function run(): Promise<void> {
  const [empty] = await sizes([{ path: 'main.c', text: 'int main(void) { return 0; }\n' }], 0);
  console.log('| robot | coordinates | form | call | code and constants | workspace | largest frame |');
  console.log('|---|---|---|---|---|---|---|');
  for (const example of ROBOTS) {
    const robot = loadRobotFile(`examples/${example}.robot.yaml`);
    const compiled = compileRobot(robot);
    const model = robotModel(robot, compiled);
    const { n } = layOutWorkspace(model);
    const driver = (await generateC(robot, compiled)).filter(({ path }) => !path.endsWith('_selftest.c'));
    const functions = ['inverseDynamics', 'forwardDynamics'] as const;
    const straight = await generateStraightC(
      straightModel(robot, compiled, compileStraight(robot, { functions, count: generatedCost })),
    );
    for (const form of ['driver', 'straight'] as const) {
      for (const [title, call] of Object.entries(CALLS[form])) {
        const files = [...driver, ...(form === 'straight' ? straight : []), mainFile(model.name, n, form, call)];
        const bytes = (await sizes(files, empty)).map((n) => n.toLocaleString('en-US'));
        console.log(`| ${[example, n, form, title, ...bytes].join(' | ')} |`);
      }
    }
  }
}

run().catch((error: unknown) => {
  if (!(error instanceof CompilerError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});

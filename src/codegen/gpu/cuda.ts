/**
 * The straight-line functions of a robot in CUDA C++: the C as functions of a device, a thread for each state; kernels and what
 * launches them over arrays of states; rollouts. Operations are those of the C, in the same order.
 */
import { loopsC } from '../c/elimination-c.ts';
import { runtimeFiles } from '../c/c.ts';
import { parameterCheck } from '../c/robot-module.ts';
import { straightFilesC } from '../c/straight-c.ts';
import { braced } from '../c-language/braces.ts';
import { commentBlock, commentLine, withinColumns } from '../c-language/source-text.ts';
import { signedLiteral } from '../c-language/target.ts';
import { loadTemplates } from '../c-language/templates.ts';
import { provenance } from '../modules/header.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { commentText } from '../naming/identifiers.ts';
import { inColumns } from '../naming/statement-lines.ts';
import { outputLines } from '../whole-robot/straight-header.ts';
import { callStumpff, type StraightModel } from '../whole-robot/straight-model.ts';
import { deviceText, withoutGuard, withPrefix } from './device-text.ts';
import { isActuated, kernelsOf, steppersOf, type Kernel, type Stepper } from './kernels.ts';

export async function cudaFiles(given: StraightModel): Promise<GeneratedFile[]> {
  // What the columns of a regressor are multiplied with is a table of texts, which devices do not read.
  const model = { ...given, columns: [] };
  const { robot } = model;
  const [render, ofC] = [await loadTemplates('cuda'), await loadTemplates('c')];
  const [header, source] = straightFilesC(model, 'straight', ofC);
  const loops = model.functions.some(({ closing }) => closing);
  const keeps = model.parameters.length > 0;
  const file = `${robot.name}_straight`;
  const data = {
    name: robot.name,
    file,
    guard: file.toUpperCase(),
    provenance: provenance(robot),
    n: robot.robot.coordinates.length,
    nu: robot.robot.actuators.length,
    keeps,
    actuated: isActuated(model),
    kernels: kernelsOf(model).map((kernel) => kernelData(model, kernel)),
    steppers: steppersOf(model).map((stepper) => ({ ...stepper, ...stepperData(model, stepper) })),
    parameters: keeps ? parametersData(model) : undefined,
    stumpff: callStumpff(model),
    loops,
  };
  const functions = [header!, source!].map(({ text }) => {
    const own = withPrefix(withoutGuard(text).replace(/^#include .*\n+/gm, ''), `${robot.name}_`);
    return deviceText(own.replace(/^\/\*\n(?: \*.*\n)*? \* Do not edit[\s\S]*?\*\/\n/m, ''));
  });
  const text = (template: string, more: object = {}): string =>
    braced(withinColumns(render(template, { ...data, ...more })));
  return [
    ...runTime(runtimeFiles(ofC, callStumpff(model)), loops).map((own) => ({ ...own, text: braced(own.text) })),
    {
      path: `${file}.cuh`,
      text: text('straight.cuh', {
        functions: functions.join('\n'),
        about: header!.text.match(/^\/\*[\s\S]*?\*\/\n/)![0],
      }),
    },
    { path: `${file}_batch.h`, text: text('straight_batch.h') },
    { path: `${file}_batch.cu`, text: text('straight_batch.cu') },
    { path: 'CMakeLists.txt', text: render('CMakeLists.txt', data) },
  ];
}

/** `kanegen_runtime.cuh` and what belongs to it, the same for all robots. */
function runTime(ofC: readonly GeneratedFile[], hasLoops: boolean): GeneratedFile[] {
  const text = (path: string): string | undefined => ofC.find((own) => own.path === path)?.text;
  const runtime = deviceText(text('kanegen_runtime.h')!).replace(
    '#define KANEGEN_RUNTIME_H\n',
    `#define KANEGEN_RUNTIME_H\n\n${DEVICE}\n`,
  );
  const stumpff = text('kanegen_stumpff.c');
  const source = stumpff && deviceText(withPrefix(stumpff.replace(/^[\s\S]*?#include .*\n+/, ''), 'kg_stumpff_'));
  return [
    { path: 'kanegen_runtime.cuh', text: apart(runtime) },
    ...(source
      ? [
          {
            path: 'kanegen_stumpff.cuh',
            text: apart(deviceText(text('kanegen_stumpff.h')!).replace(/#endif\s*$/, () => `${source}\n#endif\n`)),
          },
        ]
      : []),
    ...(hasLoops ? [{ path: 'kanegen_loops.cuh', text: apart(deviceText(loopsC().text)) }] : []),
  ];
}

/** Headers of C and of devices do not stand in for each other. */
const apart = (text: string): string => withinColumns(text.replace(/\bKANEGEN_(\w+)_H\b/g, 'KANEGEN_$1_CUH'));

const DEVICE = `/* Compilers of CUDA make functions of the device; others, of the host. */
#if defined(__CUDACC__) || defined(__CUDA__)
#define KG_DEVICE __device__
#else
#define KG_DEVICE
#endif`;

function kernelData(model: StraightModel, kernel: Kernel): object {
  const { of, keeps, numbers, inputs, written } = kernel;
  const file = `${model.robot.name}_straight`;
  // Buffers without numbers are parameters of the function all the same.
  const passed = of.outputs.map(({ name, size, optional }) => {
    if (size === 0) return 'NULL';
    return optional ? `${name} == NULL ? NULL : ${name}_one` : `${name}_one`;
  });
  return {
    ...kernel,
    comment: commentBlock(`Of count states: ${commentText(kernel.summary)}`, ...outputLines(of, 'NULL')),
    call: `${file}_${kernel.name}(${[...(keeps ? [OWN] : []), ...numbers, ...inputs.map(({ name }) => `${name}_one`), ...passed].join(', ')})`,
    ...launching(`${file}_${kernel.name}_batch`, `${kernel.name}_kernel`, [
      ...kept(model, keeps),
      ...numbers.map(realOf),
      ...inputs.map(({ name }) => givenArray(name)),
      ...written.map(({ name }) => resultArray(name)),
      STATUS,
    ]),
  };
}

function stepperData(model: StraightModel, { name, about }: Stepper): object {
  const { robot } = model.robot;
  const file = `${model.robot.name}_straight`;
  const keeps = model.parameters.length > 0;
  const [force, size, forces] = isActuated(model)
    ? (['u', robot.actuators.length, 'Input'] as const)
    : (['tau', robot.coordinates.length, 'Generalized force'] as const);
  const n = robot.coordinates.length;
  const own = keeps ? `${OWN}, ` : '';
  return {
    comment: commentBlock(
      `${about}: so many steps of time h from q and qd to q_next and qd_next. ${forces} i of state s in step k stands at ` +
        `${force}[(k * ${size} + i) * count + s] and is constant within the step; NULL: zero. Coordinates after step k go to ` +
        `path[(k * ${n} + i) * count + s], and so do rates; NULL leaves them out. The status is that of the first step ` +
        'without a result; what follows is not-a-number.',
    ),
    actuate: `${file}_actuate(${own}place, input, force)`,
    step: `${file}_${name}_step(${own}h, place, rate, force, to, speed)`,
    ...launching(`${file}_${name}_rollout_batch`, `${name}_rollout_kernel`, [
      ...kept(model, keeps),
      { name: 'steps', text: 'size_t steps' },
      realOf('h'),
      ...['q', 'qd', force].map(givenArray),
      ...['q_next', 'qd_next', 'path', 'rates'].map(resultArray),
      STATUS,
    ]),
  };
}

interface Parameter {
  readonly name: string;
  readonly text: string;
}

/** Parameters of the state of a thread. */
const OWN = 'p + state * each';
const COUNT: Parameter = { name: 'count', text: 'size_t count' };
const STATUS: Parameter = { name: 'status', text: 'kg_status *status' };
const realOf = (name: string): Parameter => ({ name, text: `kg_real ${name}` });
const givenArray = (name: string): Parameter => ({ name, text: `const kg_real *${name}` });
const resultArray = (name: string): Parameter => ({ name, text: `kg_real *${name}` });

function kept({ robot }: StraightModel, keeps: boolean): Parameter[] {
  if (!keeps) return [];
  return [
    { name: 'p', text: `const ${robot.name}_parameters *p` },
    { name: 'each', text: 'size_t each' },
  ];
}

/** A kernel, and the function that launches it. */
function launching(launcher: string, kernel: string, own: readonly Parameter[]): object {
  const parameters = [COUNT, ...own];
  const list = (more: readonly string[], end: string): string =>
    `(\n${inColumns([...parameters.map(({ text }) => text), ...more], 112)
      .map((line) => `    ${line}`)
      .join('\n')})${end}`;
  return {
    kernel: `static __global__ void ${kernel}${list([], '')}`,
    prototype: `cudaError_t ${launcher}${list(['cudaStream_t stream'], ';')}`,
    launcher: `cudaError_t ${launcher}${list(['cudaStream_t stream'], '')}`,
    launch: `${kernel}<<<blocks(count), KG_THREADS, 0, stream>>>(${parameters.map(({ name }) => name).join(', ')});`,
  };
}

/** Members of the struct of kept parameters, gravity as a whole. */
function parametersData({ robot, parameters }: StraightModel): object {
  const members = robot.members.filter(({ name }) => parameters.some(({ member }) => member === name));
  const gravity = parameters.some(({ member }) => member === 'gravity');
  return {
    members: [
      ...(gravity ? [{ name: 'gravity[3]', text: 'world axes [m/s^2]' }] : []),
      ...members.map((own) => ({
        name: own.name,
        text: commentLine(`${commentText(own.summary) || own.name} [${commentText(own.unit)}]`),
      })),
    ],
    defaults: [
      ...(gravity ? [`{${robot.robot.gravity.map(signedLiteral).join(', ')}}`] : []),
      ...members.map(({ value }) => signedLiteral(value)),
    ],
    check: parameterCheck(members, gravity),
  };
}

/** Robots put together of link modules in C, against the same in TypeScript: all functions, to the bit where no library function is called. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../../src/codegen/c/build-c.ts';
import { assembledC } from '../../../src/codegen/assembled/assembled-c.ts';
import { modulesOfRobot } from '../../../src/codegen/assembled/link-interface.ts';
import { INPUTS, sizeOf, type Size } from '../../../src/codegen/sweeps/arrays.ts';
import { robotFunction, type RobotFunctionName } from '../../../src/codegen/sweeps/robot-functions.ts';
import { snakeCase, snakeCaseOf } from '../../../src/codegen/naming/identifiers.ts';
import type { Robot } from '../../../src/description/model/robot.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { COMPILERS, SANITIZERS, UNOPTIMISED } from '../../compilers.ts';
import { assemble, FUNCTIONS, numbers, outputsOf, ROBOTS } from './assembled-robots.ts';

const IN_C = FUNCTIONS.filter((name) => !['actuation', 'actuate', 'fluid'].includes(name));
const STATES = [0, 1];

/** Statements that call a function as `outputsOf` does and print its status and outputs. */
function callOf(name: RobotFunctionName, n: number, index: number): string {
  const { state, inputs, outputs, numbers: scalars = [], ofFrame, ofColumns } = robotFunction(name);
  const count = (size: Size): number => {
    const found = sizeOf(size, { n, u: 0, p: 0, r: 0, s: 0, k: 0 });
    return typeof found === 'number' ? found : n;
  };
  const arrays = outputs.map(
    ({ name: output, size }) =>
      `kg_real ${output}_out[${count(size)}]; for (k = 0; k < ${count(size)}; k++) ${output}_out[k] = ${output === 'tau' && ofFrame ? 0.1 : 0};`,
  );
  const given = [
    '&robot',
    ...(ofColumns ? ['1'] : []),
    ...scalars.map(() => '0.01'),
    ...(ofFrame ? [index] : []),
    ...inputs.map((input, k) => `(const kg_real[]){${numbers(count(INPUTS[input]), k + index).join(', ')}}`),
    ...outputs.map((output) => `${output.name}_out`),
  ];
  const ready = `kg_robot_update(&robot, (const kg_real[]){${numbers(n, index).join(', ')}}, (const kg_real[]){${numbers(n, 2 + index).join(', ')}});`;
  return `{
    ${arrays.join('\n    ')}
    ${state === 'staged' ? ready : ''}
    ${name === 'implicitSolve' ? 'kg_robot_implicit_factor(&robot, 0.01);' : ''}
    printf("%d ", (int)kg_robot_${snakeCaseOf(name)}(${given.join(', ')}));
    ${outputs.map(({ name: output, size }) => `print(${output}_out, ${count(size)});`).join('\n    ')}
    printf("\\n");
  }`;
}

/** A program that puts the robot together, in memory of exactly the size that it asks for. */
function programOf(robot: Robot): string {
  const { model, instances, links } = modulesOfRobot(robot, compileRobot(robot));
  const moduleOf = (i: number): string => `&${model.name}_link_${instances[i]!.link.name}`;
  const n = robot.coordinates.length;
  return `${links.map((link) => `#include "${model.name}_link_${link.name}.h"`).join('\n')}
#include <stdio.h>
#include <stdlib.h>
static void print(const kg_real x[], int count)
{
  int i;
  for (i = 0; i < count; i++)
    printf("%.17g ", x[i]);
}
int main(void)
{
  static kg_robot robot;
  size_t bytes = KG_ROBOT_BYTES;
  void *memory;
  int k;
  ${instances.map((_, i) => `bytes += kg_robot_link_bytes(${moduleOf(i)});`).join('\n  ')}
  memory = malloc(bytes);
  kg_robot_start(&robot, memory, bytes);
  ${robot.gravity.map((g, i) => `robot.gravity[${i}] = ${g};`).join('\n  ')}
  ${model.base.map((x, i) => `robot.base_pose[${i}] = ${x};`).join('\n  ')}
  ${instances.map(({ parent, name }, i) => `if (kg_robot_add(&robot, ${moduleOf(i)}, ${parent}, &${model.name}_${snakeCase(name)}) != ${i}) return 1;`).join('\n  ')}
  ${STATES.flatMap((index) => IN_C.map((name) => callOf(name, n, index))).join('\n  ')}
  free(memory);
  return 0;
}
`;
}

/** Others of their kind are among the rest. */
const IN_TYPESCRIPT_ALONE = ['a tree with a base of its own', 'twenty planar segments'];

/** Compilers in turn, unless everything is asked for. */
const robotsFor = (compiler: string): typeof ROBOTS =>
  ROBOTS.filter(
    ([what], i) =>
      process.env['KANEGEN_FULL'] === '1' ||
      (COMPILERS[i % COMPILERS.length]!.compiler === compiler && !IN_TYPESCRIPT_ALONE.includes(what)),
  );

describe.each(COMPILERS)('a robot of modules in C ($compiler)', ({ compiler, missing, unsanitary }) => {
  it.skipIf(missing).each(robotsFor(compiler))('has the numbers of TypeScript: %s', async (what, load) => {
    const robot = load();
    const compiled = compileRobot(robot);
    const assembled = await assemble(robot, compiled);
    const files = [...(await assembledC(robot, compiled)), { path: 'main.c', text: programOf(robot) }];
    // Of one robot, what is read and written where nothing stands, too.
    const flags = unsanitary || what !== 'a tree of segments' ? UNOPTIMISED : SANITIZERS;
    const program = await buildC(files, { compiler, flags });
    const lines = (await runProgram(program)).trim().split('\n');
    await program.dispose();
    const expected = STATES.flatMap((index) => IN_C.map((name) => outputsOf(assembled, name, index)));
    expect(lines).toHaveLength(expected.length);
    lines.forEach((line, i) => expect(line.trim().split(' ').map(Number)).toEqual(expected[i]));
  });
});

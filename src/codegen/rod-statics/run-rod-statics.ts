/** Generated statics of a rod, running in either language: for comparison with what does not know how they are made. */
import { KG_OK } from '../../runtime/driver.ts';
import { buildC, runProgram, type BuildOptions } from '../c/build-c.ts';
import { runtimeFiles } from '../c/c.ts';
import { loadTemplates } from '../c-language/templates.ts';
import { runTimeFile } from '../typescript/typescript.ts';
import { evaluator } from '../typescript/evaluate-modules.ts';
import { modulesOf } from '../typescript/stripped.ts';
import { rodStaticsC } from './rod-statics-c.ts';
import type { RodStaticsModel } from './rod-statics-model.ts';
import { rodStaticsTypeScript } from './rod-statics-typescript.ts';

/** World axes; a wrench is moment, then force. */
export interface RodAsked {
  readonly gravity: readonly number[];
  readonly u: readonly number[];
  readonly wrench: readonly number[];
}

export interface RodAnswer {
  readonly status: number;
  /** By rows: 3 × 3, 3, 6 × inputs, 6 × 6. */
  readonly R: readonly number[];
  readonly t: readonly number[];
  readonly byInputs: readonly number[];
  readonly byWrench: readonly number[];
  /** Moment and force of all beyond the start; zeros without an equilibrium. */
  readonly base: readonly number[];
  readonly sweeps: number;
}

interface RunningRod {
  readonly rod: Readonly<Record<'momentNodes' | 'forceNodes', Float64Array>> & { readonly sweeps: number };
  statics(u: readonly number[], wrench: readonly number[], ...outputs: readonly Float64Array[]): number;
}

/** Generated TypeScript. @param steps along the rod; as generated when missing. */
export async function rodAnswersInTypeScript(
  model: RodStaticsModel,
  asked: readonly RodAsked[],
  steps?: number,
): Promise<readonly RodAnswer[]> {
  const files = [...(await rodStaticsTypeScript(model)), { path: 'runtime/driver.ts', text: runTimeFile('driver') }];
  const create = evaluator(modulesOf(files))(`${model.name}.js`)[`create${model.pascal}`] as (
    gravity: readonly number[],
    steps?: number,
  ) => RunningRod;
  return asked.map(({ gravity, u, wrench }) => {
    const { rod, statics } = create(gravity, steps);
    const outputs = [9, 3, 6 * model.inputs, 36].map((size) => new Float64Array(size));
    const status = statics(u, wrench, ...outputs);
    const [R, t, byInputs, byWrench] = outputs.map((own) => [...own]) as [number[], number[], number[], number[]];
    const isFound = status === KG_OK;
    const base = isFound ? [...rod.momentNodes.slice(0, 3), ...rod.forceNodes.slice(0, 3)] : [0, 0, 0, 0, 0, 0];
    return { status, R, t, byInputs, byWrench, base, sweeps: isFound ? rod.sweeps : 0 };
  });
}

/** Generated C, built here. @throws CompilerError */
export async function rodAnswersInC(
  model: RodStaticsModel,
  asked: readonly RodAsked[],
  options: BuildOptions = {},
): Promise<readonly RodAnswer[]> {
  const render = await loadTemplates();
  const { name, inputs, robot } = model;
  const main = render('rod-statics-evaluate.c', { name, inputs, type: `${robot.name}_rod` });
  const files = [
    ...(await rodStaticsC(model)).files,
    ...runtimeFiles(render, false),
    { path: 'evaluate.c', text: main },
  ];
  const program = await buildC(files, options);
  try {
    const lines = asked.map(({ gravity, u, wrench }) => [...gravity, ...u, ...wrench].join(' '));
    const output = await runProgram(program, `${lines.join('\n')}\n`);
    return output
      .trim()
      .split('\n')
      .map((line) => {
        const numbers = line.split(' ').map(Number);
        let next = 1;
        const take = (size: number): number[] => numbers.slice(next, (next += size));
        const [R, t, byInputs, byWrench, base] = [9, 3, 6 * inputs, 36, 6].map(take) as [
          number[],
          number[],
          number[],
          number[],
          number[],
        ];
        return { status: numbers[0]!, R, t, byInputs, byWrench, base, sweeps: numbers.at(-1)! };
      });
  } finally {
    await program.dispose();
  }
}

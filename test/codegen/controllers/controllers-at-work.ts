/** Robots compiled with their controllers, whose steps are called in TypeScript and in C. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import { buildC } from '../../../src/codegen/c/build-c.ts';
import { generateC } from '../../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import type { Robot } from '../../../src/description/model/robot.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import type { CompiledRobot } from '../../../src/kane/kernels/link-type.ts';
import { COMPILERS } from '../../compilers.ts';

export const numbers = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));

export interface Prepared {
  readonly compiled: CompiledRobot;
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
  readonly c: Awaited<ReturnType<typeof generateC>>;
}

export async function prepare(robot: Robot): Promise<Prepared> {
  const compiled = compileRobot(robot);
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
  return { robot, compiled, dynamics, c: await generateC(robot, compiled) };
}

export interface Reference {
  readonly y: readonly number[];
  readonly yd: readonly number[];
  readonly ydd: readonly number[];
}

export type Controller = (
  q: readonly number[],
  qd: readonly number[],
  r: Reference,
) => Promise<{ status: number; u: number[] }>;

export function inTypeScript({ robot, dynamics }: Prepared, name: string): Controller {
  const controller = dynamics.controllers.get(`${robot.name.replace(/-/g, '_')}_${name}`)!;
  const [state, parameters] = [controller.createState(), controller.createParameters()];
  const u = new Float64Array(robot.actuators.length);
  return async (q, qd, { y, yd, ydd }) => {
    const status = controller.step(dynamics, state, parameters, q, qd, y, yd, ydd, u);
    return { status, u: [...u] };
  };
}

/** One is enough: what is generated compiles with all of them elsewhere. */
export const COMPILER = COMPILERS.find(({ missing }) => !missing);

type Sizes = readonly [y: number, yd: number, ydd: number];

/**
 * A program with all of these controllers that reads the place of one, q, q̇, y, ẏ, ÿ and writes status and u, line by line.
 */
async function buildInC({ robot, c }: Prepared, controllers: Readonly<Record<string, Sizes>>) {
  const [own, n] = [robot.name.replace(/-/g, '_'), robot.coordinates.length];
  const cases = Object.entries(controllers).map(([name, sizes], k) => {
    const controller = `${own}_${name}`;
    const takes = ['y', 'yd', 'ydd'].map((part, i) => `take(${part}, ${sizes[i]})`).join(' && ');
    return `    case ${k}: {
      static ${controller}_state state;
      if (!started[${k}])
        ${controller}_reset(&state);
      started[${k}] = 1;
      if (!(${takes}))
        return 1;
      printf("%d", (int)${controller}_step(&w, &${own}_defaults, &state, &${controller}_defaults, q, qd, y, yd, ydd, u));
      for (i = 0; i < (int)(sizeof state.u / sizeof state.u[0]); i++)
        printf(" %.17g", u[i]);
      break;
    }`;
  });
  const names = Object.keys(controllers);
  const text = `${names.map((name) => `#include "${own}_${name}.h"`).join('\n')}
#include <stdio.h>
static int take(kg_real x[], int count)
{
  int i;
  for (i = 0; i < count; i++)
    if (scanf("%lf", x + i) != 1)
      return 0;
  return 1;
}
int main(void)
{
  static ${own}_workspace w;
  kg_real q[${n}], qd[${n}], y[12], yd[12], ydd[12], u[${Math.max(n, robot.actuators.length)}];
  int i, which, started[${names.length}] = {0};
  while (scanf("%d", &which) == 1 && take(q, ${n}) && take(qd, ${n})) {
    switch (which) {
${cases.join('\n')}
    default:
      return 1;
    }
    printf("\\n");
    fflush(stdout);
  }
  return 0;
}
`;
  const program = await buildC(
    [...c, { path: 'loop.c', text }],
    { compiler: COMPILER!.compiler, flags: ['-O0'] },
    (path) => path.endsWith('_selftest.c'),
  );
  const child = spawn(program.executable, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const controller =
    (name: string): Controller =>
    async (q, qd, { y, yd, ydd }) => {
      child.stdin.write(`${[names.indexOf(name), ...q, ...qd, ...y, ...yd, ...ydd].join(' ')}\n`);
      const [status, ...u] = ((await lines.next()).value as string).split(' ').map(Number);
      return { status: status!, u };
    };
  const close = async (): Promise<void> => {
    child.stdin.end();
    await program.dispose();
  };
  return { controller, close };
}

/** Built when first asked for. */
export function inC(
  prepared: () => Prepared,
  controllers: Readonly<Record<string, Sizes>>,
): (name: string) => Promise<Controller> {
  let built: ReturnType<typeof buildInC> | undefined;
  afterAll(async () => (await built)?.close());
  return async (name) => (await (built ??= buildInC(prepared(), controllers))).controller(name);
}

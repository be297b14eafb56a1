/** Runs whose steps the generated C takes, against those of the generated TypeScript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { motionProgram } from '../../src/codegen/c/motion-program.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import {
  integrateInC,
  motionOf,
  replayed,
  stepsOf,
  SUNDIALS,
  type CIntegrator,
} from '../../src/simulation/run/run-in-c.ts';
import { loadScenario, type Scenario } from '../../src/simulation/scenario/scenario.ts';
import { simulate, type Run } from '../../src/simulation/run/simulate.ts';
import { isInstalled, supports, UNOPTIMISED } from '../compilers.ts';

/** Springs, dampers, a motor, a body that moves with the time, a tail in water. */
const ROBOT = `kanegen: 1
name: swaying-arm
gravity: [0, 0, -9.81]
body-types:
  shaker:
    parameters: { L: 0.2 m, a: 10 mm, w: 3 rad/s, k: 20 J }
    coordinates: { u: {} }
    volume: { box: { x: [0, 0.1 m], y: [0, 0.1 m], z: [0, 0.2 m] }, density: 500 kg/m^3 }
    position: [x + u*z + a*sin(w*t), y, z]
    distal: { pose: { xyz: [L*u + a*sin(w*t), 0, L], rpy: [0, 0, 0] } }
    potential: k*u^2
links:
  - { name: root, body: shaker }
  - { name: upper, joint: { revolute: y, stiffness: 3 N m/rad, damping: 0.05 N m s/rad },
      rigid: { mass: 1, com: [0, 0, 0.2], inertia: { xx: 0.02, yy: 0.02, zz: 0.01 }, distal: { xyz: [0, 0, 0.4] } } }
  - { name: lower, joint: { revolute: x, stiffness: 1 N m/rad, damping: 0.02 N m s/rad },
      rigid: { mass: 0.5, com: [0, 0.02, 0.1], inertia: { xx: 0.01, yy: 0.01, zz: 0.01 }, distal: { xyz: [0, 0, 0.3] } } }
  - { name: tail, body: planar-cc }
water: { density: 1000 kg/m^3, drag: { normal: 1.1, tangential: 0.1 }, on: [tail] }
actuators: { elbow: { motor: lower.angle, ratio: 2 } }
`;

const SCENARIO = `kanegen-scenario: 1
robot: arm.robot.yaml
initial: { coordinates: { upper.angle: 0.4 }, rates: { lower.angle: -0.5 rad/s } }
inputs: { elbow: 0.1*sin(5*t) }
forces: { upper.angle: { table: [[0, 0], [0.3 s, 0.5], [0.7 s, -0.2]] } }
loads: { lower: { force: [0.2, 0, t*0.3], axes: frame } }
duration: 1 s
integrator: { method: rosenbrock, tolerance: 1e-7 }
events: { across: { coordinate: upper.angle, reaches: 0.5 } }
expect: [{ at: 0.45 s, coordinates: { upper.angle: 0 }, within: 10, source: none }]
`;

/** With an input that jumps, and a strong load that turns with its frame. */
const JUMPING = SCENARIO.replace('0.1*sin(5*t)', '"select(t < 0.3, 0, select(t <= 0.6, 2, -1))"').replace(
  '[0.2, 0, t*0.3]',
  '[9, -4, 6]',
);

const folder = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const hasCompiler = isInstalled('cc');
const hasSundials = hasCompiler && supports('cc', '-include', 'cvode/cvode.h', '-lsundials_cvode', '-lsundials_ida');

function scenarioOf(text: string): Scenario {
  writeFileSync(join(folder, 'arm.robot.yaml'), ROBOT);
  writeFileSync(join(folder, 'arm.scenario.yaml'), text);
  return loadScenario(join(folder, 'arm.scenario.yaml'));
}

/**
 * What the Jacobian of the program differs from central differences by, relative to the largest entry, but for what is dissipated;
 * and what the program prints.
 */
async function jacobianError(
  scenario: Scenario,
  generated: readonly GeneratedFile[],
  integrator: 'cvode' | 'ida',
): Promise<{ error: number; output: string }> {
  const { path, text } = await motionProgram(scenario.robot, motionOf(scenario), integrator, true);
  const isIda = integrator === 'ida';
  const difference = isIda
    ? `for (k = 0; k < SIZE; k++)
        NV_Ith_S(slope, k) = slopes[k] + sign * c * (k == j ? eps : 0.0);
      residual(0.4, y, slope, left, NULL);`
    : 'derivative(0.4, y, left, NULL);';
  const main = `
int main(void)
{
  const double eps = 1e-6, c = 70.0;
  double slopes[SIZE], column[SIZE], worst = 0.0, largest = 0.0;
  SUNContext context;
  N_Vector y, slope, left;
  SUNMatrix matrix;
  int i, j, k, sign;
  SUNContext_Create(NULL, &context);
  y = N_VNew_Serial(SIZE, context), slope = N_VNew_Serial(SIZE, context), left = N_VNew_Serial(SIZE, context);
  matrix = SUNDenseMatrix(SIZE, SIZE, context);
  parameters = swaying_arm_defaults;
  first_time = 0.0, last_time = 1.0;
  for (i = 0; i < N; i++)
    unit[N * i + i] = 1.0;
  for (i = 0; i < SIZE; i++) {
    NV_Ith_S(y, i) = 0.3 + 0.1 * sin(3.0 * i);
    NV_Ith_S(slope, i) = slopes[i] = cos(2.0 * i);
  }
  jacobian(0.4, ${isIda ? 'c, y, slope' : 'y'}, left, matrix, NULL, NULL, NULL, NULL);
  for (j = 0; j < SIZE; j++) {
    for (i = 0; i < SIZE; i++)
      column[i] = 0.0;
    for (sign = -1; sign <= 1; sign += 2) {
      NV_Ith_S(y, j) += sign * eps;
      ${difference}
      NV_Ith_S(y, j) -= sign * eps;
      for (i = 0; i < SIZE; i++)
        column[i] += sign * NV_Ith_S(left, i) / (2.0 * eps);
    }
    for (i = 0; i < 2 * N + 1; i++) {
      worst = fmax(worst, fabs(column[i] - SM_ELEMENT_D(matrix, i, j)));
      largest = fmax(largest, fabs(column[i]));
    }
  }
  (void)k, (void)c, (void)slopes;
  printf("%g\\n", worst / largest);
  evaluations = 0;
  for (i = 0; i < N; i++)
    unit[N * i + i] = 0.0;
  return run();
}
`;
  const file = {
    path,
    text: `${text.replace('int main(void)', 'static int run(void)')}${main}`,
  };
  const libraries = [integrator, 'nvecserial', 'sunlinsoldense', 'sunmatrixdense'].map((name) => `sundials_${name}`);
  const program = await buildC([...generated, file], { libraries, flags: ['-O0', '-Wno-error'] }, (name) =>
    name.endsWith('_selftest.c'),
  );
  const [error, ...lines] = (await runProgram(program).finally(() => program.dispose())).split('\n');
  return { error: Number(error), output: lines.join('\n') };
}

describe('a run in C', () => {
  let create: () => LoadedRobot;
  let generated: readonly GeneratedFile[];
  let differentiated: readonly GeneratedFile[] | undefined;
  beforeAll(async () => {
    const { robot } = scenarioOf(SCENARIO);
    const compiled = compileRobot(robot);
    create = await loadGenerated(await generateTypeScript(robot, compiled));
    generated = await generateC(robot, compiled);
  });

  const runs = async (integrator: CIntegrator, text: string): Promise<{ c: Run; ts: Run }> => {
    const scenario = scenarioOf(text);
    const inC = await integrateInC(scenario, generated, integrator);
    return { c: simulate(scenario, create(), { integrator: inC }), ts: simulate(scenario, create()) };
  };

  /** Largest difference of coordinates, rates, positions and energies at any sample. */
  const distance = (a: Run, b: Run): number => {
    expect(a.samples.map(({ t }) => t)).toEqual(b.samples.map(({ t }) => t));
    const all = ({ samples }: Run): number[] =>
      samples.flatMap(({ q, qd, frames, energy }) => [...q, ...qd, ...frames.flat(), ...Object.values(energy)]);
    const others = all(b);
    return Math.max(...all(a).map((x, i) => Math.abs(x - others[i]!)));
  };

  it.skipIf(!hasCompiler)('takes the steps of one in TypeScript (needs a C compiler)', async () => {
    const { c, ts } = await runs('rosenbrock', SCENARIO);
    expect(c.failure).toBeUndefined();
    expect(c.counts).toEqual(ts.counts);
    expect(distance(c, ts)).toBeLessThan(1e-11);
    expect(c.events[0]!.t).toBeCloseTo(ts.events[0]!.t, 10);
    expect(c.comparisons).toHaveLength(1);
    expect(c.samples.length).toBeGreaterThan(200);
  });

  it.skipIf(!hasCompiler)('ends steps where inputs jump, as in TypeScript (needs a C compiler)', async () => {
    const { c, ts } = await runs('rosenbrock', JUMPING);
    expect(c.failure).toBeUndefined();
    expect(c.counts).toEqual(ts.counts);
    expect(ts.counts.rejected).toBeLessThan(5);
    expect(distance(c, ts)).toBeLessThan(1e-11);
  });

  it.skipIf(!hasCompiler)('says when it gives up, and keeps what it has (needs a C compiler)', async () => {
    const { c, ts } = await runs('rosenbrock', SCENARIO.replace('1e-7', '1e-7, most-steps: 20'));
    // Sines are those of each language: steps differ in their last digits.
    expect(Math.abs(c.failure!.t! / ts.failure!.t! - 1)).toBeLessThan(1e-9);
    expect(ts.failure!.message).toBe('more than 20 steps');
    expect(c.failure!.message).toBe('more than 20 steps');
    expect(c.samples.length).toBeGreaterThan(2);
  });

  const endless = SCENARIO.replace('duration: 1 s', 'duration: 5e4 s\noutputs: { every: 0.1 s }').replace(
    /expect.*/,
    '',
  );
  it.skipIf(!hasCompiler).each(['rosenbrock', ...(hasSundials ? (['cvode', 'ida'] as const) : [])] as const)(
    'that is ended has its steps until then: %s (needs a C compiler)',
    async (integrator) => {
      const scenario = scenarioOf(endless);
      const files = [...generated, await motionProgram(scenario.robot, motionOf(scenario), integrator)];
      const isSundials = integrator !== 'rosenbrock';
      const libraries = isSundials ? [`sundials_${integrator}`, ...SUNDIALS] : [];
      const program = await buildC(files, { flags: UNOPTIMISED, libraries }, (path) => path.endsWith('_selftest.c'));
      const run = ({ output, reason }: { output: string; reason: string | undefined }): Run =>
        simulate(scenario, create(), {
          integrator: replayed(output, integrator, 2 * 4 + 2, scenario.integrator, reason),
        });
      const long = await stepsOf(program, undefined, 1 << 17);
      expect(long.output).toMatch(/\nend -2 \d+ \d+ \d+ \d+ \S+\n$/);
      const first = run(long);
      expect(first.failure!.message).toBe('its steps in C take more than 1 MB');
      expect(first.failure!.t).toBeLessThan(1000);
      expect(first.counts.evaluations).toBeGreaterThan(first.counts.steps);
      expect(first.samples.length).toBeGreaterThan(2);
      // Killed within a line, the last one is left out.
      const whole = long.output.split('\n').slice(0, 100);
      const cut = run({ output: `${whole.join('\n')}\n0.3 0.2`, reason: undefined });
      expect(cut.failure!.message).toBe('interrupted');
      expect(cut.failure!.t).toBe(Number(whole.at(-1)!.split(' ')[0]));
      expect(cut.failure!.fastest).toBeUndefined();
      const none = run(await stepsOf(program, AbortSignal.abort()));
      expect(none.failure!.message).toBe('interrupted');
      await program.dispose();
    },
    60_000,
  );

  it.skipIf(!hasSundials).each(['cvode', 'ida'] as const)('agrees with %s (needs SUNDIALS)', async (integrator) => {
    const { c, ts } = await runs(integrator, SCENARIO.replace('1e-7', '1e-9'));
    expect(c.failure).toBeUndefined();
    expect(c.integrator).toBe(`${integrator} in C`);
    expect(distance(c, ts)).toBeLessThan(1e-5);
  });

  it.skipIf(!hasSundials).each([
    ['cvode', 2.5],
    ['ida', 2.8],
  ] as const)(
    'gives %s the Jacobian, so that a step takes less than %d evaluations (needs SUNDIALS)',
    async (integrator, evaluations) => {
      const scenario = scenarioOf(JUMPING);
      differentiated ??= await generateC(scenario.robot, compileRobot(scenario.robot, { derivatives: true }));
      const { error, output } = await jacobianError(scenario, differentiated, integrator);
      expect(error).toBeLessThan(1e-7);
      const found = simulate(scenario, create(), {
        integrator: replayed(output, integrator, 2 * 4 + 2, scenario.integrator),
      });
      expect(distance(found, simulate(scenario, create()))).toBeLessThan(3e-4);
      expect(found.counts.evaluations).toBeLessThan(evaluations * found.counts.steps);
    },
    30_000,
  );

  it('refuses functions that are no data', async () => {
    const scenario = { ...scenarioOf(SCENARIO), inputs: [() => 0] };
    await expect(integrateInC(scenario, [], 'rosenbrock')).rejects.toThrow('cannot run in C');
  });

  it('refuses controllers and phases', async () => {
    const scenario = scenarioOf(SCENARIO);
    const message = 'controllers, observers and phases need a run in TypeScript';
    for (const more of [
      { control: { controller: 0, period: undefined, references: [] } },
      { phases: [{ from: 0.1, inputs: [undefined] }] },
    ])
      await expect(integrateInC({ ...scenario, ...more }, [], 'rosenbrock')).rejects.toThrow(message);
  });
});

/**
 * Times of gradients of rollouts over those of the rollouts: an arm of two rods of six strains and two discs, eight tendons, fifty
 * run-time parameters, a thousand implicit steps, in TypeScript and, as a loop over `implicit_step_gradient`, in C.
 */
import { buildC, CompilerError, runProgram } from '../src/codegen/c/build-c.ts';
import { generateC } from '../src/codegen/c/c.ts';
import { loadRobotObject } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { C_COMPILER } from './machine.ts';
import { loadRobot } from '../src/index.ts';
import { rolloutGradient } from '../src/simulation/integrators/rollout-gradient.ts';
import { median, type MeasuredRow, type Measurement, type RowName } from './row.ts';

const WORKLOAD = 'pcs-arm-50-parameters';
const METRICS = { without: 'gradient of a rollout / rollout', with: 'gradient by parameters, too / rollout' };

const IN_C = 'gradient by parameters, too / rollout, C';

const TENDONS = [0, 1, 2, 3];
/** Names and values of the parameters of a rod, of its disc and of the routes of its tendons, half of the fifty. */
const ROD = { L: '0.3 m', R: '25 mm', rho: '1000 kg/m^3', E: '1 MPa', nu: '0.45', eta: '5 kPa s', k: '0.9' };
const DISC = { m: '0.05 kg', cx: '1 mm', cy: '2 mm', cz: '3 mm' };
const INERTIA = { xx: 2e-5, yy: 3e-5, zz: 4e-5, xy: 1e-6, xz: -2e-6, yz: 3e-6 };
const ROUTES = Object.fromEntries(
  TENDONS.flatMap((t) => [
    [`x${t}`, `${(0.015 * Math.cos(1.6 * t + 0.2)).toFixed(5)} m`],
    [`y${t}`, `${(0.015 * Math.sin(1.6 * t + 0.2)).toFixed(5)} m`],
  ]),
);

function arm(): object {
  const halves = ['lower', 'upper'];
  const of = (half: string, names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, `${half}_${name}`]));
  const inertia = Object.fromEntries(Object.entries(INERTIA).map(([axes, x]) => [`I${axes}`, `${x} kg m^2`]));
  return {
    kanegen: 1,
    name: WORKLOAD,
    gravity: [0, -9.81, 0],
    parameters: Object.fromEntries(
      halves.flatMap((half) =>
        Object.entries({ ...ROD, ...ROUTES, ...DISC, ...inertia }).map(([name, value]) => [
          `${half}_${name}`,
          { value, runtime: true },
        ]),
      ),
    ),
    'body-types': {
      rod: {
        parameters: ROD,
        coordinates: {
          ...Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { unit: 'rad' }])),
          ...Object.fromEntries(['u', 'w', 'e'].map((name) => [name, { unit: 'm' }])),
        },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
        strain: {
          ...{ 'bend-x': 'a/L', 'bend-y': 'b/L', twist: 'c/L', 'shear-x': 'u/L', 'shear-y': 'w/L', stretch: 'e/L' },
        },
        material: { 'rod-elasticity': { E: 'E', nu: 'nu', 'shear-factor': 'k' }, viscosity: 'eta' },
      },
    },
    links: halves.flatMap((half) => [
      { name: half, body: 'rod', parameters: of(half, Object.keys(ROD)) },
      {
        name: `${half}_disc`,
        rigid: {
          mass: `${half}_m`,
          com: ['cx', 'cy', 'cz'].map((name) => `${half}_${name}`),
          inertia: Object.fromEntries(Object.keys(INERTIA).map((axes) => [axes, `${half}_I${axes}`])),
        },
      },
    ]),
    actuators: Object.fromEntries(
      halves.flatMap((half) =>
        TENDONS.map((t) => [
          `${half}_${t}`,
          { tendon: { through: [half], route: { x: `${half}_x${t}`, y: `${half}_y${t}` } } },
        ]),
      ),
    ),
  };
}

const STEPS = 1000;
const TIME = 1e-3;
const ROUNDS = 9;
/** Runs before: V8 takes that long to compile all of it. */
const WARMING = 8;

export function rolloutTimes(wanted: (name: RowName) => boolean): Measurement {
  const names = [...Object.values(METRICS), IN_C].map((metric) => ({ workload: WORKLOAD, metric }));
  const inC = names.filter(({ metric }) => metric === IN_C).filter(wanted);
  const others = names.filter(({ metric }) => metric !== IN_C).filter(wanted);
  return {
    names: [...others, ...inC],
    measure: async () => [
      ...(others.length > 0 ? (await measure()).filter(wanted) : []),
      ...(inC.length > 0 ? [await measureInC()] : []),
    ],
  };
}

async function measure(): Promise<MeasuredRow[]> {
  const { robot, dynamics } = await loadRobot(arm(), { derivatives: true });
  const [n, u] = [dynamics.coordinates, dynamics.actuators];
  const start = { q: new Float64Array(n), qd: new Float64Array(n), h: TIME, steps: STEPS };
  const inputs = Float64Array.from({ length: u * STEPS }, (_, i) => 2 + Math.sin(0.01 * i));
  const cost = {
    final: (q: Float64Array, _: Float64Array, byQ: Float64Array) => {
      q.forEach((x, i) => (byQ[i] = 2 * x));
      return q.reduce((sum, x) => sum + x * x, 0);
    },
  };
  const rollout = (): void => {
    const [q, qd, tau] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    for (let k = 0; k < STEPS; k++) {
      tau.fill(0);
      dynamics.update(q, qd);
      dynamics.actuate(inputs.subarray(u * k, u * k + u), tau);
      dynamics.implicitStep(TIME, tau, q, qd);
    }
  };
  const gradient = (parameters: number) => (): void =>
    void rolloutGradient(dynamics, { ...start, inputs, parameters }, cost);
  const forms = [rollout, gradient(0), gradient(robot.parameters.length)];
  for (let i = 0; i < WARMING; i++) forms.forEach((form) => form());
  const rounds = Array.from({ length: ROUNDS }, () => forms.map(timeOf));
  return Object.values(METRICS).map((metric, i) => ({
    ...{ workload: WORKLOAD, metric, unit: 'ratio' as const },
    value: median(rounds.map((times) => times[i + 1]! / times[0]!)),
  }));
}

const NAME = WORKLOAD.replaceAll('-', '_');
const SOURCE = `#define _POSIX_C_SOURCE 199309L
#include "${NAME}.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
enum { N = 12, U = 8, P = 50, STEPS = ${STEPS} };
static const double h = ${TIME};
static ${NAME}_workspace w;
static double q[STEPS + 1][N], qd[STEPS + 1][N], u[STEPS][U], by_u[STEPS][U], by_q[N], by_qd[N], by_p[P];
static int status;
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void rollout(void)
{
  for (int k = 0; k < STEPS; k++) {
    double tau[N] = { 0 };
    status |= ${NAME}_update(&w, &${NAME}_defaults, q[k], qd[k]);
    status |= ${NAME}_actuate(&w, u[k], tau);
    memcpy(q[k + 1], q[k], sizeof q[k]);
    memcpy(qd[k + 1], qd[k], sizeof qd[k]);
    status |= ${NAME}_implicit_step(&w, h, tau, q[k + 1], qd[k + 1]);
  }
}
static void gradient(void)
{
  rollout();
  memset(by_qd, 0, sizeof by_qd);
  memset(by_p, 0, sizeof by_p);
  for (int i = 0; i < N; i++)
    by_q[i] = 2 * q[STEPS][i];
  for (int k = STEPS - 1; k >= 0; k--) {
    double qdd[N], seed[N], by_tau[N], less_q[N], less_qd[N], less_p[P], B[N * U];
    for (int i = 0; i < N; i++) {
      qdd[i] = (qd[k + 1][i] - qd[k][i]) / h;
      by_qd[i] += h * by_q[i];
      seed[i] = h * by_qd[i];
    }
    status |= ${NAME}_update(&w, &${NAME}_defaults, q[k], qd[k]);
    status |= ${NAME}_implicit_step_gradient(&w, h, qdd, u[k], seed, by_tau, less_q, less_qd, less_p);
    status |= ${NAME}_actuation(&w, NULL, NULL, NULL, B);
    for (int i = 0; i < N; i++) {
      by_q[i] -= less_q[i];
      by_qd[i] -= less_qd[i];
    }
    for (int p = 0; p < P; p++)
      by_p[p] -= less_p[p];
    for (int j = 0; j < U; j++) {
      by_u[k][j] = 0;
      for (int i = 0; i < N; i++)
        by_u[k][j] += B[i * U + j] * by_tau[i];
    }
  }
}
static double cost(void)
{
  double sum = 0;
  rollout();
  for (int i = 0; i < N; i++)
    sum += q[STEPS][i] * q[STEPS][i];
  return sum;
}
int main(void)
{
  for (int i = 0; i < STEPS * U; i++)
    u[0][i] = 2 + 0.01 * (i % 100);
  for (int round = 0; round < ${ROUNDS}; round++) {
    double t[3];
    t[0] = now();
    rollout();
    t[1] = now();
    gradient();
    t[2] = now();
    printf("%.17g\\n", (t[2] - t[1]) / (t[1] - t[0]));
  }
  /* The gradient by an input of all steps against a quotient of differences. */
  double by = 0, between;
  for (int k = 0; k < STEPS; k++)
    by += by_u[k][1];
  for (int k = 0; k < STEPS; k++)
    u[k][1] += 1e-4;
  between = cost();
  for (int k = 0; k < STEPS; k++)
    u[k][1] -= 2e-4;
  between = (between - cost()) / 2e-4;
  return status != 0 || !(kg_abs(by - between) <= 1e-5 * kg_abs(between));
}
`;

async function measureInC(): Promise<MeasuredRow> {
  const row = { workload: WORKLOAD, metric: IN_C, unit: 'ratio' as const };
  const robot = loadRobotObject(arm());
  const files = await generateC(robot, compileRobot(robot, { derivatives: true }));
  try {
    const program = await buildC(
      [...files, { path: 'rollout.c', text: SOURCE }],
      { flags: ['-O3', '-march=native', '-Wno-error'] },
      (name) => name.endsWith('_selftest.c'),
    );
    const printed = await runProgram(program).finally(() => program.dispose());
    return { ...row, value: median(printed.trim().split('\n').map(Number)) };
  } catch (error) {
    if (!(error instanceof CompilerError && error.message.includes('ENOENT'))) throw error;
    return { ...row, value: null, note: `no C compiler (${C_COMPILER})` };
  }
}

/** Of the processor. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

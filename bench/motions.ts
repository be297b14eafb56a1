/**
 * Three published motions of soft rods (examples/scenarios/two-rods-*.scenario.yaml), 3 s each, in generated C on one core:
 * accuracy against time of the generated Rosenbrock method and of an explicit one (Dormand & Prince 1980, order 5, error
 * control). `npx tsx bench/motions.ts [--svg FILE]` prints a table for docs/simulation.md and draws the figure.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildC, type BuiltProgram } from '../src/codegen/c/build-c.ts';
import { generateC } from '../src/codegen/c/c.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { loadScenario } from '../src/simulation/scenario/scenario.ts';
import { accuracyPlot, type MotionResult, type Point } from './motions-plot.ts';

/** Seconds that others report for these motions, in MATLAB and in JAX. */
const MOTIONS = [
  { name: 'planar', about: 'three strains a rod, in the plane', others: [75.7, 4.2], goal: 20 },
  { name: 'spatial', about: 'six strains a rod', others: [78.7, 13.3], goal: 20 },
  { name: 'legendre', about: 'bendings and stretch linear', others: [55.5, 36.3], goal: 100 },
] as const;

const TOLERANCES = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7];

function source(name: string): string {
  return `
#define _POSIX_C_SOURCE 199309L
#include "${name}_rosenbrock.h"
#include <stdio.h>
#include <time.h>
enum { N = ${name.toUpperCase()}_NQ, SIZE = 2 * N, SAMPLES = 300 };
static ${name}_motion m;
static ${name}_workspace w, own;
static double curve[SAMPLES][3], converged[SAMPLES][3];
static long steps;
static void tip(int sample, const double y[])
{
  ${name}_update(&own, &${name}_defaults, y, y + N);
  ${name}_frame(&own, ${name.toUpperCase()}_TIP, NULL, curve[sample], NULL);
}
static int implicit(double tolerance, int keep)
{
  static const double q[N], qd[N];
  double y[${name.toUpperCase()}_STATE];
  int sample = 1, status = (int)${name}_motion_start(&m, NULL, NULL, NULL, 0, tolerance, 0.0, q, qd);
  while (status == KG_OK && m.t < 3.0) {
    status = (int)${name}_motion_step_towards(&m, 3.0);
    for (; keep && sample <= SAMPLES && 0.01 * sample <= m.t + 1e-12; sample++) {
      ${name}_motion_between(&m, 0.01 * sample, y);
      tip(sample - 1, y);
    }
  }
  steps = m.steps + m.rejected;
  return status;
}
static void f(const double y[], double out[])
{
  static const double tau[N];
  ${name}_update(&w, &${name}_defaults, y, y + N);
  ${name}_forward_dynamics(&w, tau, out + N);
  memcpy(out, y + N, N * sizeof y[0]);
}
static const double A[7][6] = {
  {0}, {1.0 / 5}, {3.0 / 40, 9.0 / 40}, {44.0 / 45, -56.0 / 15, 32.0 / 9},
  {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
  {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}
};
static const double E[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static int dormand_prince(double tolerance, int keep)
{
  static double k[7][SIZE], y[SIZE], next[SIZE];
  double t = 0.0, h = 1e-4;
  int i, j, s, sample = 1;
  steps = 0;
  memset(y, 0, sizeof y);
  f(y, k[0]);
  while (sample <= SAMPLES) {
    const double end = keep ? 0.01 * sample : 3.0, left = end - t;
    const double step = h < left ? h : left;
    double sum = 0.0, error;
    for (s = 1; s < 7; s++) {
      for (i = 0; i < SIZE; i++) {
        double x = 0.0;
        for (j = 0; j < s; j++)
          x += A[s][j] * k[j][i];
        next[i] = y[i] + step * x;
      }
      f(next, k[s]);
    }
    for (i = 0; i < SIZE; i++) {
      const double size = fabs(y[i]) > fabs(next[i]) ? fabs(y[i]) : fabs(next[i]);
      double x = 0.0;
      for (j = 0; j < 7; j++)
        x += E[j] * k[j][i];
      x *= step / (tolerance * (1.0 + size));
      sum += x * x;
    }
    error = sqrt(sum / SIZE);
    steps++;
    if (error <= 1.0) {
      t = step >= left ? end : t + step;
      memcpy(y, next, sizeof y);
      memcpy(k[0], k[6], sizeof k[0]);
      if (t >= end) {
        if (!keep)
          return 0;
        tip(sample++ - 1, y);
      }
    }
    if (error <= 1.0 && step < h)
      continue;
    h = step * fmin(5.0, fmax(0.2, 0.9 * pow(fmax(error, 1e-8), -0.2)));
    if (!(h > 1e-12))
      return 1;
  }
  return 0;
}
static double distance(void)
{
  double worst = 0.0;
  int i;
  for (i = 0; i < SAMPLES; i++) {
    const double x = curve[i][0] - converged[i][0], y = curve[i][1] - converged[i][1], z = curve[i][2] - converged[i][2];
    worst = fmax(worst, sqrt(x * x + y * y + z * z));
  }
  return worst;
}
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
int main(void)
{
  static const double tolerances[] = {${TOLERANCES.join(', ')}};
  const int count = (int)(sizeof tolerances / sizeof tolerances[0]);
  int i, method, run;
  if (dormand_prince(1e-11, 1) != 0)
    return 1;
  memcpy(converged, curve, sizeof curve);
  if (implicit(1e-9, 1) != 0)
    return 1;
  printf("%.3e\\n", distance());
  for (method = 0; method < 2; method++)
    for (i = 0; i < count; i++) {
      int (*const integrate)(double, int) = method == 0 ? implicit : dormand_prince;
      double best = 1e9;
      int status = integrate(tolerances[i], 1);
      const double error = distance();
      for (run = 0; run < 3 && status == 0; run++) {
        const double begin = now();
        status = integrate(tolerances[i], 0);
        best = fmin(best, now() - begin);
      }
      if (status == 0)
        printf("%s %g %ld %.6f %.3e\\n", method == 0 ? "implicit" : "explicit", tolerances[i], steps, best, error);
    }
  return 0;
}
`;
}

async function measure({ name, about }: (typeof MOTIONS)[number]): Promise<MotionResult> {
  const file = path.join(import.meta.dirname, `../examples/scenarios/two-rods-${name}.scenario.yaml`);
  const { robot } = loadScenario(file);
  const own = `two_rods_${name}`;
  const files = [...(await generateC(robot, compileRobot(robot))), { path: 'main.c', text: source(own) }];
  const program: BuiltProgram = await buildC(files, { flags: ['-O3', '-march=native', '-Wno-error', '-w'] }, (one) =>
    one.endsWith('_selftest.c'),
  );
  const lines = execFileSync(program.executable, { encoding: 'utf8' }).trim().split('\n');
  await program.dispose();
  const points = lines.slice(1).map((line): Point => {
    const [method, tolerance, steps, seconds, error] = line.split(' ');
    return {
      method: method as Point['method'],
      tolerance: Number(tolerance),
      steps: Number(steps),
      seconds: Number(seconds),
      error: Number(error),
    };
  });
  return { name, about, points, agreement: Number(lines[0]) };
}

/** The cheapest run whose tip stays within 1e-4 m. */
function cheapest(points: readonly Point[], method: Point['method']): Point | undefined {
  return points
    .filter((point) => point.method === method && point.error <= 1e-4)
    .sort((a, b) => a.seconds - b.seconds)[0];
}

const cell = (point: Point | undefined): string =>
  point === undefined ? 'none' : `${(1000 * point.seconds).toFixed(1)} ms, ${point.steps} steps`;

const results: MotionResult[] = [];
for (const motion of MOTIONS) results.push(await measure(motion));
console.log('| motion | implicit | explicit | others, MATLAB and JAX |\n|---|---|---|---|');
results.forEach(({ name, about, points }, i) =>
  console.log(
    `| ${name}: ${about} | ${cell(cheapest(points, 'implicit'))} | ${cell(cheapest(points, 'explicit'))} | ${MOTIONS[i]!.others.join(' s, ')} s |`,
  ),
);
for (const { name, agreement, points } of results) {
  console.log(`\n${name}: tightest runs of both methods agree to ${agreement} m`);
  for (const p of points) console.log(`  ${p.method} ${p.tolerance} ${p.steps} ${p.seconds} s ${p.error} m`);
}
const svg = process.argv.indexOf('--svg');
if (svg >= 0) writeFileSync(process.argv[svg + 1]!, accuracyPlot(results));

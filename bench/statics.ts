/**
 * Statics in C of an arm of three rods of six strains that four tendons pull: Newton's method with Jacobians from generated derivatives, which
 * are kept while corrections shrink tenfold. `npx tsx bench/statics.ts` prints times from rest, and from the equilibrium of other
 * pulls with its factors, with iterations and, in brackets, Jacobians.
 */
import { generateC } from '../src/codegen/c/c.ts';
import { buildC, runProgram } from '../src/codegen/c/build-c.ts';
import { loadRobotObject } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';

const ARM = {
  kanegen: 1,
  name: 'arm18',
  gravity: [0, -9.81, 0],
  'body-types': {
    rod: {
      parameters: { L: '0.1 m', R: '15 mm' },
      coordinates: {
        a: { unit: 'rad' },
        b: { unit: 'rad' },
        c: { unit: 'rad' },
        u: { unit: 'm' },
        w: { unit: 'm' },
        e: { unit: 'm' },
      },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: '1000 kg/m^3' },
      strain: { 'bend-x': 'a/L', 'bend-y': 'b/L', twist: 'c/L', 'shear-x': 'u/L', 'shear-y': 'w/L', stretch: 'e/L' },
      material: { 'rod-elasticity': { E: '1 MPa', nu: '0.5' } },
    },
  },
  links: [{ name: 's', body: 'rod', repeat: 3 }],
  actuators: Object.fromEntries(
    [0, 1, 2, 3].map((k) => [
      't' + k,
      {
        tendon: {
          through: 's',
          route: {
            x: (0.01 * Math.cos((k * Math.PI) / 2)).toFixed(4) + ' m',
            y: (0.01 * Math.sin((k * Math.PI) / 2)).toFixed(4) + ' m',
          },
        },
      },
    ]),
  ),
};

const SOURCE = `#define _POSIX_C_SOURCE 199309L
#include "arm18.h"
#include <stdio.h>
#include <time.h>
enum { N = ARM18_NQ, U = 4 };
static arm18_workspace w;
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static int status; static double size;
static double J[N * N]; static int pivot[N];
static int factor(void)
{
  for (int k = 0; k < N; k++) {
    int p = k;
    for (int i = k + 1; i < N; i++) if (kg_abs(J[i * N + k]) > kg_abs(J[p * N + k])) p = i;
    pivot[k] = p;
    if (p != k) for (int j = 0; j < N; j++) { double x = J[k * N + j]; J[k * N + j] = J[p * N + j]; J[p * N + j] = x; }
    for (int i = k + 1; i < N; i++) { double f = J[i * N + k] /= J[k * N + k]; for (int j = k + 1; j < N; j++) J[i * N + j] -= f * J[k * N + j]; }
  }
  return 0;
}
static void solve(double x[])
{
  for (int k = 0; k < N; k++) { int p = pivot[k]; double t = x[k]; x[k] = x[p]; x[p] = t; }
  for (int k = 0; k < N; k++) for (int i = k + 1; i < N; i++) x[i] -= J[i * N + k] * x[k];
  for (int k = N - 1; k >= 0; k--) { x[k] /= J[k * N + k]; for (int i = 0; i < k; i++) x[i] -= J[i * N + k] * x[k]; }
}
static double unit[N * N], cols[N * N], cu[N * N];
static void jacobian(const double u[])
{
  static const double zero[N];
  status |= arm18_inverse_dynamics_tangent(&w, N, zero, unit, NULL, NULL, cols);
  memset(cu, 0, sizeof cu);
  status |= arm18_actuate_tangent(&w, N, u, unit, cu);
  for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) J[i * N + j] = cols[j * N + i] - cu[j * N + i];
  factor();
}
static int made;
static int statics(const double u[], double q[], int fresh)
{
  static const double zero[N];
  double before = 1e300;
  for (int k = 0; k < 50; k++) {
    double left[N], tau[N] = {0};
    status = arm18_update(&w, &arm18_defaults, q, zero);
    status |= arm18_active_inverse_dynamics(&w, zero, left);
    status |= arm18_actuate(&w, u, tau);
    for (int i = 0; i < N; i++) left[i] -= tau[i];
    if (fresh) { jacobian(u); made++; }
    solve(left);
    size = 0;
    for (int i = 0; i < N; i++) { q[i] -= left[i]; size = kg_abs(left[i]) > size ? kg_abs(left[i]) : size; }
    if (size < 1e-10 || status) return k + 1;
    fresh = size > 0.1 * before; before = size;
  }
  return -1;
}
int main(void)
{
  double cold = 1e9, warm = 1e9; int nc = 0, nw = 0, mc = 0, mw = 0; for (int i = 0; i < N; i++) unit[i * N + i] = 1; double q[N];
  for (int r = 0; r < 2000; r++) {
    double u[U] = {8, 1, 0, 3};
    for (int i = 0; i < N; i++) q[i] = 0;
    double t = now(); made = 0; nc = statics(u, q, 1); mc = made; t = now() - t; if (t < cold) cold = t;
    u[0] = 8.2; u[3] = 2.9;
    t = now(); made = 0; nw = statics(u, q, 0); mw = made; t = now() - t; if (t < warm) warm = t;
  }
  printf("cold %.1f us in %d (%d), warm %.1f us in %d (%d); status %d size %g; q %g %g %g\\n", cold * 1e6, nc, mc, warm * 1e6, nw, mw, status, size, q[0], q[1], q[7]);
  return 0;
}
`;

const robot = loadRobotObject(ARM);
const files = await generateC(robot, compileRobot(robot, { derivatives: true }));
for (const flags of [[], ['-O3', '-march=native']]) {
  const program = await buildC(
    [...files, { path: 'statics.c', text: SOURCE }],
    { flags: [...flags, '-Wno-error'] },
    (name) => name.endsWith('_selftest.c'),
  );
  console.log(`${flags.join(' ') || '-O2'}: ${(await runProgram(program).finally(() => program.dispose())).trim()}`);
}

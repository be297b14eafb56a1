/**
 * Tendons of generated code against reference data: lengths, gradients, rates and forces, computed by others in 256-bit
 * arithmetic from ∫ |ν + κ × d + d'| ds and ∫ |F (x', y', 1)| ds.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Robot } from '../../src/description/model/robot.ts';
import type { CompiledRobot } from '../../src/kane/link/link-type.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/evaluation.ts';
import { referenceTendons, type ReferenceTendon } from '../../src/verify/reference-tendons.ts';
import { isInstalled } from '../compilers.ts';

interface TendonState {
  readonly name: string;
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly tension: readonly number[];
  readonly length: readonly string[];
  readonly length_gradient: readonly (readonly string[])[];
  readonly length_rate: readonly string[];
  readonly tau_tendon: readonly string[];
}

interface TendonFile {
  readonly parameters: {
    readonly gravity: readonly number[];
    readonly links: readonly Readonly<Record<string, never>>[];
    readonly tendons: readonly ReferenceTendon[];
  };
  readonly states: readonly TendonState[];
}

const TAPERED = {
  extends: 'gvs-affine-3d',
  parameters: { R0: '20 mm', R1: '11 mm' },
  volume: { rod: { s: [0, 'L'] }, section: { disc: 'R0 + (R1 - R0)*s/L', cartesian: ['x', 'y'] }, density: 'rho' },
  rest: { 'bend-x': 0.8, 'bend-y': -1.5, twist: 0.6 },
};
const BODIES: Readonly<Record<string, string>> = {
  planar_cc: 'planar-cc',
  pcc3d: 'pcc-3d',
  gvs_affine_3d: 'tapered',
  lvp: 'lvp',
};

/** @param tolerance of the integrals, where there are any. */
function robotOf({ parameters: { gravity, links, tendons } }: TendonFile, tolerance: number, only: readonly string[]) {
  const chosen = tendons.filter((tendon) => only.includes(tendon.name));
  const axial = links[0]!['type'] === 'lvp' ? 'z' : 's';
  const language = referenceTendons(chosen, (segment) => ({ link: `link${segment + 1}`, axial }))!;
  const types = Object.fromEntries(
    [...new Set(links.map((link) => BODIES[link['type']!]!))].map((name) => [
      `own-${name}`,
      { ...(name === 'tapered' ? TAPERED : { extends: name }), integration: { tolerance } },
    ]),
  );
  return loadRobotObject({
    kanegen: 1,
    name: 'tendons',
    gravity,
    parameters: language.parameters,
    'body-types': types,
    links: links.map(({ type, L, R, rho, R_base, R_tip }) => ({
      body: `own-${BODIES[type!]!}`,
      parameters: { L, rho, ...(R === undefined ? { R0: R_base, R1: R_tip } : { R }) },
    })),
    actuators: language.actuators,
  });
}

/** Largest errors of y, B, ẏ and τ, relative to what they consist of. */
function worst({ y, B, yd, actuation }: Evaluation, state: TendonState, indices: readonly number[]): number {
  let largest = 0;
  const hold = (found: number, due: string | number, scale: number): void => {
    largest = Math.max(largest, Math.abs(found - Number(due)) / scale);
  };
  indices.forEach((index, j) => {
    const gradient = state.length_gradient[index]!.map(Number);
    const scale = Math.max(...gradient.map(Math.abs));
    hold(-y![j]!, state.length[index]!, Number(state.length[index]));
    gradient.forEach((due, a) => hold(-B![a]![j]!, due, scale));
    hold(
      -yd![j]!,
      state.length_rate[index]!,
      gradient.reduce((sum, e, a) => sum + Math.abs(e * state.qd[a]!), 0),
    );
  });
  if (indices.length === state.tension.length) {
    const scale = Math.max(...state.tau_tendon.map((e) => Math.abs(Number(e))));
    state.tau_tendon.forEach((due, a) => hold(actuation![a]!, due, scale));
  }
  return largest;
}

describe.each([
  ['T_planar_cc_N2', ['constant', 'other_side', 'first_only'], 1e-13],
  ['T_pcc3d_N3', ['helix', 'converging'], 1e-9],
  ['T_gvs_affine_3d_tapered', ['straight', 'spiral', 'short'], 1e-9],
  ['T_lvp', ['off_axis', 'part', 'slanted'], 1e-7],
] as const)('tendons of %s', (name, only, tolerance) => {
  const file = JSON.parse(
    readFileSync(new URL(`../reference/forces/${name}.json`, import.meta.url), 'utf8'),
  ) as TendonFile;
  const indices = only.map((own) => file.parameters.tendons.findIndex((tendon) => tendon.name === own));
  const states = file.states.map(({ q, qd, tension }) => ({
    q,
    qd,
    qdd: q.map(() => 0),
    u: indices.map((i) => tension[i]!),
  }));

  let robot: Robot;
  let compiled: CompiledRobot;
  beforeAll(() => {
    robot = robotOf(file, Math.max(tolerance, 1e-9), only);
    compiled = compileRobot(robot);
  });

  it.each(['ts', 'c'] as const)('have the lengths and forces of the reference: %s', async (target) => {
    if (target === 'c' && !isInstalled('cc')) return;
    const results = await evaluateRobot(robot, compiled, states, { target, precision: 'double' });
    const errors = results.map((result, i) => worst(result, file.states[i]!, indices));
    expect(errors.length).toBeGreaterThan(5);
    expect(Math.max(...errors)).toBeLessThan(tolerance);
  });
});

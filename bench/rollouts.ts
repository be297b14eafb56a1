/**
 * Times of gradients of rollouts over those of the rollouts: an arm of two rods of six strains and two discs, eight tendons, fifty
 * run-time parameters, a thousand implicit steps, in TypeScript.
 */
import { loadRobot } from '../src/index.ts';
import { rolloutGradient } from '../src/simulation/integrators/rollout-gradient.ts';
import { median, type MeasuredRow, type Measurement, type RowName } from './row.ts';

const WORKLOAD = 'pcs-arm-50-parameters';
const METRICS = { without: 'gradient of a rollout / rollout', with: 'gradient by parameters, too / rollout' };

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
  const names = Object.values(METRICS).map((metric) => ({ workload: WORKLOAD, metric }));
  return { names: names.filter(wanted), measure: async () => (await measure()).filter(wanted) };
}

async function measure(): Promise<MeasuredRow[]> {
  const { robot, dynamics } = await loadRobot(arm() as never, { derivatives: true });
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

/** Of the processor. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

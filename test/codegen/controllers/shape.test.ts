/** The law that holds shapes of rods in equilibrium, against the formula with B from lengths of tendons by difference quotients; C against TypeScript. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotText } from '../../../src/description/load.ts';
import { KG_OK } from '../../../src/runtime/driver.ts';
import { COMPILER, inC, inTypeScript, numbers, prepare, type Prepared } from './controllers-at-work.ts';

const ROBOT = `kanegen: 1
name: shaped
body-types:
  arm:
    parameters: { L: 0.3 m, r: 7 mm }
    coordinates: { T: { count: 2, unit: N, limits: [0 N, 2 N] }, m: { unit: N m, limits: [-5 mN m, 5 mN m] } }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm }, density: 1000 kg/m^3 }
    strain:
      equilibrium:
        tendons:
          T1: { route: { x: r, y: 0 } }
          T2: { route: { x: r*cos(8*s/L), y: r*sin(8*s/L) } }
        stress: { bend-x: m }
        hold: [shear-x, shear-y]
    material: { rod-elasticity: { E: 1 MPa, nu: 0.45 } }
    integration: { points: 4 }
links: [{ name: arm, body: arm }]
actuators:
  other: { tendon: { through: arm, route: { x: 0, y: r } } }
  pull2: { drives: arm.T2 }
  pull1: { drives: arm.T1 }
controllers: { hold: { shape: { kp: 1000 N/m, kd: [100 N s/m, 90 N s/m], actuators: [pull2, pull1] } } }
`;
const ALONE = ROBOT.replace(', m: { unit: N m, limits: [-5 mN m, 5 mN m] }', '')
  .replace('        stress: { bend-x: m }\n', '')
  .replace('name: shaped', 'name: alone')
  .replace(/controllers:.*/, 'controllers: { hold: { shape: { kp: 50, kd: 3 s, actuators: [pull2, pull1] } } }');

let shaped: Prepared;
let alone: Prepared;
beforeAll(async () => {
  shaped = await prepare(loadRobotText(ROBOT, 'shaped.robot.yaml'));
  alone = await prepare(loadRobotText(ALONE, 'alone.robot.yaml'));
});

const REFERENCE = { y: [0.7, 1.4], yd: [0.3, -0.2], ydd: [0, 0] };
const Q = [1.2, 0.4, 2e-3];
const QD = [-0.5, 0.8, 3e-3];

/** ∂y/∂q_a of all actuators, from their positions. */
function slopes({ dynamics }: Prepared, q: readonly number[], a: number): number[] {
  const step = a === 2 ? 1e-6 : 1e-4;
  const at = (k: number): Float64Array => {
    const y = new Float64Array(dynamics.actuators);
    dynamics.update(
      q.map((e, i) => (i === a ? e + k * step : e)),
      q.map(() => 0),
    );
    dynamics.actuation(y, null, null, null);
    return y;
  };
  const [m2, m1, p1, p2] = [at(-2), at(-1), at(1), at(2)];
  return [...p1].map((e, j) => (8 * (e - m1[j]!) - (p2[j]! - m2[j]!)) / (12 * step));
}

describe('shape', () => {
  it('adds to the tensions of the shape what errors of all coordinates do through the tendons', async () => {
    const { status, u } = await inTypeScript(shaped, 'hold')(Q, QD, REFERENCE);
    expect(status).toBe(KG_OK);
    // Coordinates T1, T2, m; references T2, T1.
    const [error, rate] = [
      [1.4 - Q[0]!, 0.7 - Q[1]!, -Q[2]!],
      [-0.2 - QD[0]!, 0.3 - QD[1]!, -QD[2]!],
    ];
    const B = Q.map((_, a) => slopes(shaped, Q, a));
    const through = (actuator: number, kd: number): number =>
      B.reduce((sum, row, a) => sum + row[actuator]! * (1000 * error[a]! + kd * rate[a]!), 0);
    expect(u[0]).toBe(0);
    expect(Math.abs(u[1]! - (0.7 + through(1, 100)))).toBeLessThan(1e-9);
    expect(Math.abs(u[2]! - (1.4 + through(2, 90)))).toBeLessThan(1e-9);
    expect(Math.abs(u[1]! - 0.7)).toBeGreaterThan(1e-2);
  });

  it('is the error of each tension alone where tensions are all coordinates', async () => {
    const { u } = await inTypeScript(alone, 'hold')(Q.slice(0, 2), QD.slice(0, 2), REFERENCE);
    const due = [0, 0.7 + 50 * (0.7 - 0.4) + 3 * (0.3 - 0.8), 1.4 + 50 * (1.4 - 1.2) + 3 * (-0.2 + 0.5)];
    u.forEach((e, i) => expect(e).toBeCloseTo(due[i]!, 12));
  });

  const cOf = inC(() => shaped, { hold: [2, 2, 2] });
  it.skipIf(!COMPILER)('does the same in C (needs a compiler)', async () => {
    const c = await cOf('hold');
    const typescript = inTypeScript(shaped, 'hold');
    for (let k = 0; k < 3; k++) {
      const q = numbers(3, k).map((e, i) => (i === 2 ? 3e-3 * e : 1 + e));
      const own = await c(q, numbers(3, 2 * k), REFERENCE);
      const other = await typescript(q, numbers(3, 2 * k), REFERENCE);
      expect(own.status).toBe(KG_OK);
      own.u.forEach((e, i) => expect(Math.abs(e - other.u[i]!)).toBeLessThan(1e-12 * (1 + Math.abs(e))));
    }
  });
});

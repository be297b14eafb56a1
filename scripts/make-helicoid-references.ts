/**
 * Makes the references of examples/scenarios/trimmed-helicoid.scenario.yaml: nine tensions at whose equilibrium the tips of the three
 * bodies stand on their circles, at times evenly spread over a turn, by Newton's method from one to the next; then the lengths
 * of the tendons there as Fourier polynomials of t. Prints `reference` and what the polynomials miss.
 * Usage: npx tsx scripts/make-helicoid-references.ts
 */
import { loadRobot } from '../src/index.ts';
import { solveColumns } from '../src/runtime/control.ts';
import { equilibrium, responseToInputs } from '../src/simulation/equilibria/statics.ts';

/** Radius and depth of the circle of each tip in m, and the time of a turn in s; see the scenario. */
const CIRCLES = [
  { frame: 'body1', radius: 0.006, depth: 0.1155 },
  { frame: 'body2', radius: 0.022, depth: 0.23 },
  { frame: 'body3', radius: 0.045, depth: 0.342 },
];
const TURN = 2;
const SAMPLES = 16;
const HARMONICS = 3;
const CLOSE = 1e-10;

const { robot, dynamics } = await loadRobot('examples/scenarios/trimmed-helicoid.robot.yaml', {
  ...(process.env['KANEGEN_CACHE'] && { cache: process.env['KANEGEN_CACHE'] }),
});
const [n, m] = [robot.coordinates.length, robot.actuators.length];
const rest = new Float64Array(n);
const frames = CIRCLES.map(({ frame }) => robot.frames.findIndex(({ name }) => name === frame));

const goals = (angle: number): number[] =>
  CIRCLES.flatMap(({ radius, depth }) => [radius * Math.cos(angle), radius * Math.sin(angle), -depth]);

/** Changes `inputs` until the tips stand where they should. @returns the coordinates there. */
function drawnTo(goal: readonly number[], inputs: number[], from: readonly number[] | undefined): readonly number[] {
  let q = from;
  for (let k = 0; k < 12; k++) {
    q = equilibrium(robot, dynamics, { inputs }, q).q;
    const response = responseToInputs(robot, dynamics, { inputs }, q)!;
    dynamics.update(q, rest);
    const [t, J, A, missing] = [3, 6 * n, m * m, m].map((size) => new Float64Array(size)) as [
      Numbers,
      Numbers,
      Numbers,
      Numbers,
    ];
    frames.forEach((frame, body) => {
      dynamics.frame(frame, null, t, J);
      for (let i = 0; i < 3; i++) {
        missing[3 * body + i] = goal[3 * body + i]! - t[i]!;
        for (let u = 0; u < m; u++)
          A[(3 * body + i) * m + u] = response[u]!.reduce((sum, v, a) => sum + J[(3 + i) * n + a]! * v, 0);
      }
    });
    const distance = Math.hypot(...missing);
    if (distance < CLOSE) return q;
    if (!solveColumns(m, 1, A, missing)) break;
    missing.forEach((step, u) => (inputs[u] = inputs[u]! + step));
  }
  throw new Error('the tips do not reach their circles');
}
type Numbers = Float64Array;

const inputs = robot.actuators.map(() => 0);
let q: readonly number[] | undefined;
const lengths: number[][] = [];
for (let k = 0; k < SAMPLES; k++) {
  q = drawnTo(goals((2 * Math.PI * k) / SAMPLES), inputs, q);
  dynamics.update(q, rest);
  const y = new Float64Array(m);
  dynamics.actuation(y, null, null, null);
  lengths.push([...y]);
  process.stderr.write(
    `${k}: tensions ${inputs.map((u) => u.toFixed(2)).join(' ')}; q ${q.map((v) => v.toFixed(3)).join(' ')}\n`,
  );
}

const rate = (2 * Math.PI) / TURN;
let missed = 0;
robot.actuators.forEach(({ name }, i) => {
  const values = lengths.map((y) => y[i]!);
  const share = (wave: (angle: number) => number): number =>
    values.reduce((sum, v, k) => sum + v * wave((2 * Math.PI * k) / SAMPLES), 0) / SAMPLES;
  const terms = Array.from({ length: HARMONICS + 1 }, (_, h) => ({
    cos: (h === 0 ? 1 : 2) * share((angle) => Math.cos(h * angle)),
    sin: 2 * share((angle) => Math.sin(h * angle)),
  }));
  const at = (angle: number): number =>
    terms.reduce((sum, { cos, sin }, h) => sum + cos * Math.cos(h * angle) + sin * Math.sin(h * angle), 0);
  missed = Math.max(missed, ...values.map((v, k) => Math.abs(v - at((2 * Math.PI * k) / SAMPLES))));
  const text = terms
    .flatMap(({ cos, sin }, h) =>
      h === 0
        ? [cos.toFixed(8)]
        : (
            [
              ['cos', cos],
              ['sin', sin],
            ] as const
          ).map(
            ([wave, value]) =>
              `${value < 0 ? '-' : '+'} ${Math.abs(value).toFixed(8)}*${wave}(${h === 1 ? '' : `${h}*`}pi*t)`,
          ),
    )
    .join(' ');
  process.stdout.write(`  ${name}: ${text}\n`);
});
process.stdout.write(`# missed by ${missed.toExponential(1)} m at most; rate ${rate} rad/s\n`);

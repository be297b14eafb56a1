/** What is drawn of a body against its formulas as they were written, in double-double arithmetic along another way. */
import { expect, it } from 'vitest';
import type { DeformableBody } from '../../../src/description/model/robot.ts';
import { loadRobotFile } from '../../../src/description/load.ts';
import { coordinateRanges, sampleConfigurations } from '../../../src/kane/kinematics/sample-configurations.ts';
import { BodyFormulas } from '../../../src/report/drawing/body-places.ts';
import { volumeSurface } from '../../../src/report/volume-surface.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../../src/symbolic/graph/expr.ts';
import { constantColumn } from '../../../src/verify/arithmetic/columns.ts';
import { MaterialField } from '../../../src/verify/written/material-field.ts';

/** m, of robots of this size. */
const ALLOWED = 1e-6;

it.each([
  ['by closed curvature, and at rest where the formula divides by it', 'planar-cc'],
  ['by strains', 'tendon-arm'],
  ['by strains of tapered rods', 'pcs-tapered'],
  ['by strains of rods bent along their length', 'scenarios/two-rods-legendre'],
  ['by strains that are equilibria of sections', 'scenarios/cable-robot'],
  ['by composed maps', 'lvp'],
  ['by modes over a helix', 'helicoid'],
  ['by a learned map', 'learned'],
  ['by modes over a mesh', 'fem-cantilever'],
])('surfaces of bodies given %s are where their formulas have them: %s', (_, name) => {
  const robot = loadRobotFile(`examples/${name}.robot.yaml`);
  const parameters = new Map<Expr, number>(
    robot.parameters.map(({ symbol, value }) => [symbol, evaluate([value])[0]!]),
  );
  const link = robot.links.find(({ body }) => body.kind === 'deformable')!;
  const { type, parameters: own } = link.body as DeformableBody;
  const values = evaluate(own, parameters);
  const scalars = new Map<Expr, number>(type.parameters.map((p, i) => [p.symbol, values[i]!]));
  const samples = type.volumes.map((volume) => ({ volume, points: volumeSurface(volume, scalars, 9).points }));
  const places = new BodyFormulas(type).places(samples, scalars);
  const field = new MaterialField(
    type,
    samples.map(({ points }) => points),
  );
  const rest = type.coordinates.map(({ value }) => evaluate([value], scalars)[0]!);
  const states = [rest, ...sampleConfigurations(coordinateRanges(type, scalars), 3).slice(1)];
  for (const q of states) {
    const state = new Map(scalars);
    type.coordinates.forEach(({ symbol }, i) => state.set(symbol, q[i]!));
    if (type.time) state.set(type.time, 0.3);
    const drawn = places.at(state);
    const written = field.place(new Map([...state].map(([symbol, value]) => [symbol, constantColumn(value)])));
    written.distal?.forEach(({ high }, i) => expect(Math.abs(drawn.distal[i]! - high[0]!)).toBeLessThan(ALLOWED));
    drawn.points.forEach((points, k) => {
      const columns = written.points[k]!.map(({ high }) => high);
      const far = points.reduce((most, x, i) => {
        const column = columns[i % 3]!;
        return Math.max(most, Math.abs(x - column[column.length === 1 ? 0 : Math.floor(i / 3)]!));
      }, 0);
      expect(points.length).toBe(3 * samples[k]!.points.rows);
      expect(far).toBeLessThan(ALLOWED);
    });
  }
});

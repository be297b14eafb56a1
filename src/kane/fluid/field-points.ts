/** How many points along a rod the fields on it need: as many as their formulas, and moments of these about both ends, by themselves. */
import type { BodyType } from '../../description/model/robot.ts';
import { FIELD_SYMBOLS, type RodField } from '../../description/model/surroundings.ts';
import { randomNumbers } from '../../common/random.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { divide, minus, times, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';
import type { LineSample } from '../rod-points/line-points.ts';
import { panelEnds } from '../rod-points/rod-points.ts';
import { rodVolumes } from '../rods/rod-section.ts';
import { ruleForLine } from '../routes/route-points.ts';

const CONFIGURATIONS = 6;
/** Of many links with different parameters. */
const MOST_LINKS = 6;
/** At which rules for fields that move are chosen, s. */
const INSTANTS = [0, 0.5, 1, 2];

/**
 * On every panel of the rod between its breaks; none where no field varies along the rod by itself.
 * @param parameters numbers of all that the fields depend on, coordinates and the time aside.
 * @throws KanegenError `tolerance-not-met`, `irregular-kinematics` at the field.
 */
export function fieldPoints(
  type: BodyType,
  fields: readonly RodField[],
  parameters: readonly ParameterValues[],
): number {
  return Math.max(0, ...fields.map((field) => field.points ?? neededPoints(type, field, parameters)));
}

function neededPoints(type: BodyType, field: RodField, parameters: readonly ParameterValues[]): number {
  const [{ axial, start, end }] = rodVolumes(type);
  const along = new Set<Expr>([axial]);
  const components = [...field.force, ...field.moment].filter((e) => dependsOn(e, along));
  if (components.length === 0) return 0;
  const share = divide(minus(axial, start), minus(end, start));
  const integrands = components.flatMap((e) => [e, times(share, e)]);
  const ends = panelEnds(type, rodVolumes(type)[0]);
  const random = randomNumbers(5);
  const samples = parameters.slice(0, MOST_LINKS).flatMap((numbers) =>
    sampleConfigurations(coordinateRanges(type, numbers), CONFIGURATIONS).flatMap((q) =>
      (field.time ? INSTANTS : [0]).map((t): LineSample => {
        const values = new Map<Expr, number>(numbers);
        type.coordinates.forEach(({ symbol }, a) => values.set(symbol, q[a]!));
        // Poses of sections, of any place and direction, that do not vary here.
        for (const s of FIELD_SYMBOLS) values.set(s, random() - 0.5);
        if (field.time) values.set(field.time, t);
        return { values, ends: evaluate(ends, values) };
      }),
    ),
  );
  const { tolerance } = type.integration;
  const { points, pieces } = ruleForLine('field', { axial, location: field.location, tolerance }, integrands, samples);
  return points * pieces;
}

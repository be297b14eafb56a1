/** Centreline of a rod given by its strain, by frames of sections as its inertial terms have them. */
import { times, type Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, column, cross, zeroVector } from '../../symbolic/graph/vector.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { xyz } from '../equations/names.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import type { Centreline, CentrelineRequest } from '../body/centreline.ts';
import { relabelled } from '../loops/relabel.ts';
import { RodFrames, vectorOf } from './rod-frames.ts';
import { RodMotion } from './rod-motion.ts';
import { panelEnds, possiblePoints, rodPoints } from '../rod-points/rod-points.ts';
import type { MagnusOrder } from '../rod-points/rod-rotation.ts';
import { rodVolumes } from './rod-section.ts';

/**
 * @param type with strains that are finite at the defaults.
 * @param points of the body, on every panel, where the request gives none.
 */
export function rodCentreline(
  type: BodyType & { readonly kinematics: StrainKinematics },
  symbols: CoordinateSymbols,
  points: number,
  order: MagnusOrder,
  request: CentrelineRequest,
): Centreline {
  const [volume] = rodVolumes(type);
  const places = rodPoints(panelEnds(type, volume), possiblePoints(request.points ?? points), order);
  const frames = new RodFrames(type, type.kinematics, symbols, places, order);
  const { loops } = frames;
  const kept = loops.keeper('place', 0);
  const section = kept.keep('s', places.section);
  const weight = kept.keep('length', places.weight);
  const motion = new RodMotion(frames);
  const { row } = motion.bias(zeroVector);
  const { angular, linear } = frames.columns.row;
  const axis = column(frames.row.rotation, 2);
  // v' = ω × R ν + R ν̇
  const { atRow } = loops.integrate({
    name: 'velocity',
    stage: 2,
    direction: 'from start',
    labels: xyz('v'),
    values: addVectors(cross(row.angularVelocity, frames.row.tangent), motion.stretching()),
  });
  return {
    method: `${places.table.rows} points along the rod`,
    section,
    position: frames.position,
    partials: linear,
    axis,
    sectionAxes: () => ({ rotation: frames.row.rotation, angular }),
    axisPartials: angular.map((w) => cross(w, axis)),
    velocity: vectorOf(atRow),
    axisRate: cross(row.angularVelocity, axis),
    bias: row.acceleration,
    integrate(what, stage, integrands): readonly Expr[] {
      const { sums } = loops.add({
        name: what,
        stage,
        sums: integrands.map((e, i) => ({ label: String(i + 1), term: times(weight, e) })),
      });
      return sums;
    },
    finish: (values) => relabelled({ loops: loops.loops(), values }, request.name),
  };
}

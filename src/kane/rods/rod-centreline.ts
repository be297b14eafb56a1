/** Centreline of a rod given by its strain, by frames of sections as its inertial terms have them. */
import { times, type Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, column, cross, zeroVector } from '../../symbolic/graph/vector.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import { xyz } from '../equations/names.ts';
import type { CoordinateSymbols } from '../equations/recursion.ts';
import type { Centreline, CentrelineRequest, SectionLine } from '../body/centreline.ts';
import { relabelled } from '../loops/relabel.ts';
import { RodFrames, vectorOf } from './rod-frames.ts';
import { RodMotion } from './rod-motion.ts';
import { panelEnds, possiblePoints, requireFixedBase, rodPoints } from '../rod-points/rod-points.ts';
import type { MagnusOrder } from '../rod-points/rod-rotation.ts';
import { rodVolumes } from './rod-section.ts';

/** Over the loops of the frames: what is added to them are loops of the body. */
export function sectionsOf(frames: RodFrames): SectionLine {
  const { loops, places } = frames;
  const kept = loops.keeper('place', frames.known);
  const section = kept.keep('s', places.section);
  const weight = kept.keep('length', places.weight);
  return {
    method: `${places.table.rows} points along the rod`,
    points: places.points,
    section,
    weight,
    get position() {
      return frames.position;
    },
    get partials() {
      return frames.columns.row.linear;
    },
    sectionAxes: () => ({ rotation: frames.row.rotation, angular: frames.columns.row.angular }),
    integrate(what, stage, integrands): readonly Expr[] {
      const { sums } = loops.add({
        name: what,
        stage,
        sums: integrands.map((e, i) => ({ label: String(i + 1), term: times(weight, e) })),
      });
      return sums;
    },
    nearest: (what, stage, measure, others) => loops.least(what, stage, measure, others),
    finish: (values) => ({ values, loops: [] }),
  };
}

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
  requireFixedBase(type, 'water, fields and contacts');
  const places = rodPoints(panelEnds(type, volume), possiblePoints(request.points ?? points), order);
  const frames = new RodFrames(type, type.kinematics, symbols, places, order);
  const { loops } = frames;
  const sections = sectionsOf(frames);
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
    ...{ method: sections.method, points: sections.points, section: sections.section, weight: sections.weight },
    position: sections.position,
    partials: linear,
    axis,
    sectionAxes: () => sections.sectionAxes(),
    axisPartials: angular.map((w) => cross(w, axis)),
    velocity: vectorOf(atRow),
    axisRate: cross(row.angularVelocity, axis),
    bias: row.acceleration,
    integrate: (what, stage, integrands) => sections.integrate(what, stage, integrands),
    nearest: (what, stage, measure, others) => sections.nearest(what, stage, measure, others),
    finish: (values) => relabelled({ loops: loops.loops(), values }, request.name),
  };
}

/**
 * Rows of what forces cost in drivers, counted: coordinates and gradients of tendons (y and B together), by segment where they
 * have closed forms and by point where they are sums, and elastic forces of solids by point, beside inverse dynamics by point.
 * What tendons need of the configuration is counted with them: all that robots without them do not compute.
 */
import { robotModel, type LinkModel, type RobotModel } from '../src/codegen/modules/robot-model.ts';
import { runsOf } from '../src/codegen/drivers/equal-links.ts';
import { executedOperations } from '../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotObject } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { KernelName, LinkFunctionName } from '../src/kane/kernels/link-functions.ts';
import type { CompiledRobot } from '../src/kane/kernels/link-type.ts';
import { zero } from '../src/symbolic/graph/expr.ts';
import { loopCosts } from './points.ts';
import type { Measurement, RowName } from './row.ts';

const PER_SEGMENT = 'operations per segment, y and B of tendons, driver';
const PER_POINT = 'operations per point, y and B of a tendon';
const ELASTIC = 'operations per point, elastic forces';
const RATIO = ' / of inverse dynamics';

interface ForceWorkload {
  readonly name: string;
  /** Values by metric. */
  readonly rows: Readonly<Record<string, () => number>>;
}

// ---------------------------------------------------------------------------------------------- tendons

const ACTUATION: readonly LinkFunctionName[] = ['configure', 'actuation'];

function armOf(body: string, segments: number, tendons: readonly object[]): RobotModel {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'arm',
    parameters: { r: '15 mm' },
    links: [{ name: 'segment', body, repeat: segments }],
    actuators: Object.fromEntries(tendons.map((route, i) => [`t${i + 1}`, { tendon: { through: 'segment', route } }])),
  });
  return robotModel(robot, compileRobot(robot));
}

/** Of y and B in the driver, with what it adds up itself. */
function operationsOfActuation(model: RobotModel): number {
  const ofLinks = model.instances.flatMap(({ link }) =>
    link.programs.filter(({ name }) => ACTUATION.includes(name as LinkFunctionName)).map(executedOperations),
  );
  const additions = runsOf(model).flatMap(({ link, from, to, writesColumns }) =>
    model.instances
      .slice(from, to)
      .map(({ actuators }) => actuators.length * (writesColumns ? 1 : 1 + link.type.coordinates.length)),
  );
  return [...ofLinks, ...additions].reduce((total, count) => total + count, 0);
}

function perSegment(body: string, segments: number, tendons: readonly object[]): number {
  const [driven, free] = [tendons, []].map((own) => operationsOfActuation(armOf(body, segments, own)));
  return (driven! - free!) / segments;
}

const PARALLEL: readonly object[] = [
  { x: 'r', y: 0 },
  { x: 'r*cos(2*pi/3)', y: 'r*sin(2*pi/3)' },
  { x: 'r*cos(4*pi/3)', y: 'r*sin(4*pi/3)' },
];

/** A tendon that slants through a rod of varying curvature. */
function rodWithTendon(): LinkModel {
  return armOf('gvs-affine-3d', 1, [{ x: 'r*(1 - S/2)', y: 'r*S/2' }]).links[0]!;
}

function tendonPerPoint(): number {
  return loopCosts(rodWithTendon(), ['actuation']).operations;
}

function tendonToInertial(): number {
  const rod = rodWithTendon();
  return loopCosts(rod, ['actuation']).operations / loopCosts(rod).operations;
}

// ---------------------------------------------------------------------------------------------- solids

const SOLID = { 'st-venant-kirchhoff': { E: '1 MPa', nu: 0.45 } };
const KERNELS: readonly KernelName[] = ['velocity', 'forward', 'backward', 'elastic'];

/** With few points: what one of them costs does not depend on their number. */
function solid(body: string): LinkModel {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'solid',
    'body-types': { solid: { extends: body, material: SOLID, integration: { tolerance: 1e-2 } } },
    links: [{ name: 'solid', body: 'solid' }],
  });
  return robotModel(robot, withoutOthers(compileRobot(robot))).links[0]!;
}

/** Kernels that are not counted compute nothing, so that no time goes into them. */
function withoutOthers(compiled: CompiledRobot): CompiledRobot {
  const [type] = compiled.types;
  const kernels = type!.kernels.map((kernel) =>
    KERNELS.includes(kernel.name)
      ? kernel
      : {
          name: kernel.name,
          outputs: kernel.outputs.map(({ buffer, values }) => ({ buffer, values: values.map(() => zero) })),
        },
  );
  const counted = { ...type!, kernels };
  return { ...compiled, types: [counted], links: compiled.links.map((link) => ({ ...link, type: counted })) };
}

function elasticPerPoint(body: string): number {
  return Math.round(loopCosts(solid(body), ['elastic']).operations);
}

function elasticToInertial(body: string): number {
  const link = solid(body);
  return loopCosts(link, ['elastic']).operations / loopCosts(link).operations;
}

// ---------------------------------------------------------------------------------------------- rows

const workloads: readonly ForceWorkload[] = [
  { name: 'planar-cc-20-tendon', rows: { [PER_SEGMENT]: () => perSegment('planar-cc', 20, PARALLEL.slice(0, 1)) } },
  { name: 'pcc-3d-tendons', rows: { [PER_SEGMENT]: () => perSegment('pcc-3d', 4, PARALLEL) } },
  {
    name: 'gvs-affine-3d-tendon',
    rows: { [PER_POINT]: () => tendonPerPoint(), [`${PER_POINT}${RATIO}`]: () => tendonToInertial() },
  },
  { name: 'variable-radius-st-venant', rows: { [ELASTIC]: () => elasticPerPoint('variable-radius') } },
  // The eight coordinates take a minute: not guarded.
  { name: 'lvp-8-st-venant', rows: { [`${ELASTIC}${RATIO}`]: () => elasticToInertial('lvp-8') } },
];

/** @param wanted rows. */
export function forceCounts(wanted: (name: RowName) => boolean): Measurement {
  const rows = workloads.flatMap(({ name, rows: own }) =>
    Object.entries(own).map(([metric, value]) => ({ name: { workload: name, metric }, value })),
  );
  const asked = rows.filter(({ name }) => wanted(name));
  return {
    names: asked.map(({ name }) => name),
    measure: () =>
      Promise.resolve(
        asked.map(({ name, value }) => ({
          ...name,
          unit: name.metric.includes(RATIO) ? 'ratio' : 'operations',
          value: value(),
        })),
      ),
  };
}

/**
 * The one rod of a robot as statics under loads takes it: its sections with the stiffness of the material, what its actuators do to them, and what hangs on
 * its end. Strains that the body's coordinates move are free, whatever their formulas; all others stay at rest.
 */
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { originOf, quaternionOf, type Pose } from '../../common/poses.ts';
import { evaluate, foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import {
  compare,
  minus,
  one,
  plus,
  select,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { composeFrames, frameEntries, identityFrame, transformPoint, type Frame } from '../../symbolic/graph/vector.ts';
import { ROUTE_SHARE, type Actuator, type Route } from '../../description/model/actuator.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type {
  BodyType,
  DeformableBody,
  Link,
  Robot,
  SectionEquilibrium,
  SectionLoads,
  SectionTendon,
  StrainKinematics,
} from '../../description/model/robot.ts';
import { coordinateRanges, type ParameterValues } from '../kinematics/sample-configurations.ts';
import { panelEnds } from '../rod-points/rod-points.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';
import { rodVolumes, sectionMoments } from '../rods/rod-section.ts';
import { sectionMatrices } from '../rods/section-stiffness.ts';
import type { EndLoads } from './loaded-rod.ts';
import type { Numbers } from './rotations.ts';
import { SectionsInNumbers } from './section-rows.ts';

interface CarriedMass {
  readonly mass: number;
  readonly arm: Numbers;
}

/** Forces of weight on what the end carries. */
export const weightsOf = (carried: readonly CarriedMass[], gravity: Numbers): EndLoads['forces'] =>
  carried.map(({ mass, arm }) => ({ force: gravity.map((g) => g * mass), arm }));

export interface RodOfRobot {
  readonly link: string;
  /** Their coordinates are the inputs of the actuators. */
  readonly sections: SectionsInNumbers;
  /** Of the section that the rod begins with, world axes. */
  readonly base: { readonly q: Numbers; readonly position: Numbers };
  readonly gravity: Numbers;
  /** What the end carries: kg, and where its centre is in axes of the end, m. */
  readonly carried: readonly CarriedMass[];
  /** Frames on the end, by index: where they are in its axes, m. */
  readonly arms: ReadonlyMap<number, Numbers>;
}

/**
 * A rod by its actuators: no coordinates of its own. Run-time parameters have their defaults.
 * @throws KanegenError `not-supported` at what a rod under loads cannot have.
 */
export function rodOfRobot(robot: Robot): RodOfRobot {
  const { actuators } = robot;
  const { body, volume, ...placed } = placedRod(robot);
  const { type } = body;
  const kinematics = strainUnderLoads(type);
  const inputs = actuators.map(({ name }) => symbol(`input.${name}`));
  const tendons = actuators.flatMap((own, k) => tendonsOf(own, inputs[k]!, volume));
  const { profiles, formulas } = kinematics.equilibrium ?? {};
  const equilibrium = {
    unknowns: unknownStrains(type, kinematics),
    tendons,
    stress: stressOf(actuators, inputs),
    ...(profiles && { profiles, formulas: formulas! }),
    location: type.locations.kinematics,
  };
  return { ...placed, sections: sectionsOf(type, kinematics, equilibrium, inputs, placed.parameters) };
}

/**
 * A rod by the coordinates of its equilibrium; none where no rod has `loads`. Run-time parameters have their defaults.
 * @throws KanegenError `not-supported` at what a rod under loads cannot have.
 */
export function rodByCoordinates(robot: Robot): RodByCoordinates | undefined {
  const isWeighed = robot.links.some(({ body }) => body.kind === 'deformable' && loadsOf(body.type));
  if (!isWeighed) return undefined;
  const { body, volume, ...placed } = placedRod(robot);
  const { type } = body;
  const kinematics = strainUnderLoads(type);
  const equilibrium = kinematics.equilibrium!;
  const coordinates = type.coordinates.map((own) => own.symbol);
  const sections = sectionsOf(type, kinematics, equilibrium, coordinates, placed.parameters);
  const defaults = coordinateRanges(type, placed.parameters).map((own) => own.value);
  return { ...placed, sections, type, axial: volume.axial, loads: equilibrium.loads!, defaults };
}

/** Weights that are to be in the equation of the strain. */
function loadsOf({ kinematics }: BodyType): SectionLoads | undefined {
  return kinematics.kind === 'strain' ? kinematics.equilibrium?.loads : undefined;
}

export interface RodByCoordinates extends RodOfRobot {
  readonly type: BodyType;
  readonly axial: SymbolExpr;
  readonly loads: SectionLoads;
  /** Of the coordinates. */
  readonly defaults: Numbers;
}

/** The name of a run-time parameter that the robot depends on, if any. @param more what else may depend on it. */
export function runTimeParameter({ parameters, links, base }: Robot, more: readonly Expr[] = []): string | undefined {
  const used = new Set<Expr>(
    freeSymbols([
      ...frameEntries(base),
      ...more,
      ...links.flatMap(({ body, offset, mount }) => [
        ...(body.kind === 'rigid' ? [body.mass, ...body.centreOfMass] : body.parameters),
        ...frameEntries(offset),
        ...frameEntries(mount),
      ]),
    ]),
  );
  return parameters.find((own) => used.has(own.symbol))?.name;
}

function sectionsOf(
  type: BodyType,
  { rest }: StrainKinematics,
  equilibrium: SectionEquilibrium,
  coordinates: readonly SymbolExpr[],
  parameters: ParameterValues,
): SectionsInNumbers {
  const [volume] = rodVolumes(type);
  const { mass, first: moment } = sectionMoments(type);
  return new SectionsInNumbers({
    ...{ equilibrium, axial: volume.axial, rest, coordinates, parameters },
    stiffness: sectionMatrices(type, type.materials!).stiffness,
    weight: [mass, moment[0], moment[1]],
    ends: [...panelEnds(type, volume), ...equilibrium.tendons.flatMap(({ from, to }) => [from, to])],
  });
}

/** Where the rod is, and what its end carries. */
function placedRod(robot: Robot): Omit<RodOfRobot, 'sections'> & {
  readonly body: DeformableBody;
  readonly volume: RodVolume;
  readonly parameters: ParameterValues;
} {
  const { links, frames, gravity } = robot;
  const defaults = new Map<Expr, Expr>(robot.parameters.map((p) => [p.symbol, p.value]));
  const known = foldConstants(
    robot.parameters.map((p) => p.value),
    defaults,
  );
  const numbers = new Map<Expr, number>(robot.parameters.map((p, i) => [p.symbol, known[i]!]));
  const [first, rod, body] = rodLink(robot);
  requireAlone(robot, rod, first);
  const { type } = body;
  const folded = foldConstants(body.parameters, defaults);
  const parameters = new Map<Expr, number>([
    ...numbers,
    ...type.parameters.map((p, i) => [p.symbol, folded[i]!] as const),
  ]);
  const start = inNumbers(composeFrames(robot.base, composeFrames(rod.offset, rod.mount)), numbers);
  const poses = rigidPoses(robot, first);
  const carried = links.flatMap((link, i) => {
    const pose = poses.get(i);
    if (!pose || link.body.kind !== 'rigid') return [];
    const { mass: kilograms, centreOfMass } = link.body;
    const [mass, ...arm] = evaluate([kilograms, ...transformPoint(pose.proximal, centreOfMass)], numbers);
    return mass === 0 ? [] : [{ mass: mass!, arm }];
  });
  const arms = frames.flatMap(({ link, within, offset }, i) => {
    const pose = poses.get(link);
    return pose && !within ? [[i, originOf(inNumbers(composeFrames(pose.distal, offset), numbers))] as const] : [];
  });
  return {
    ...{ link: rod.name, gravity, carried, body, parameters },
    volume: rodVolumes(type)[0],
    base: { q: quaternionOf(start), position: originOf(start) },
    arms: new Map(arms),
  };
}

const refused = (what: string, location: SourceLocation | undefined, remedy: string): KanegenError => {
  const error = new KanegenError('not-supported', `a rod under loads: ${what}`, { remedy });
  return location ? error.at(location) : error;
};

function rodLink({ name, links }: Robot): [number, Link, DeformableBody] {
  const first = links.findIndex(({ body }) => body.kind === 'deformable');
  const link = links[first];
  if (link?.body.kind === 'deformable') return [first, link, link.body];
  throw refused(`\`${name}\` has no rod`, undefined, 'give it a link with a body by `strain:`, and a `material`');
}

function strainUnderLoads({
  name,
  kinematics,
  materials,
  natural,
  potential,
  time,
  coordinates,
  locations,
}: BodyType): StrainKinematics {
  if (kinematics.kind !== 'strain' || kinematics.sectionPosition)
    throw refused(
      `\`${name}\` is not a rod whose strain decides its shape`,
      locations.kinematics,
      'give the body as `strain:`, or use `statics` of its coordinates',
    );
  if (kinematics.slides)
    throw refused(
      `\`${name}\` slides out of its base`,
      locations.kinematics,
      'use `statics` of its coordinates, or remove `slides-out`',
    );
  if (!materials)
    throw refused(
      `\`${name}\` has no material, and nothing balances loads`,
      locations.whole,
      'write `material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }`',
    );
  const { formulas, profiles } = kinematics.equilibrium ?? {};
  const moving = new Set<Expr>(coordinates.map((own) => own.symbol));
  if (profiles && formulas!.values.some((e) => dependsOn(e, moving)))
    throw refused(
      `the \`potential\` of \`${name}\` depends on its coordinates, of which a rod without coordinates has none`,
      locations.kinematics,
      'write parameters in their place',
    );
  if (formulas?.kind === 'potential' && !profiles)
    throw refused(
      `\`${name}\` has a \`potential\` of its sections, which decides its shape and brings no force`,
      locations.kinematics,
      'leave it out',
    );
  if (natural ?? potential ?? time)
    throw refused(
      `\`${name}\` has ${natural ? 'a natural strain' : potential ? 'an energy of its coordinates' : 'a strain that depends on the time'}`,
      locations.whole,
      'leave it out',
    );
  return kinematics;
}

/** Strains that the coordinates move. @throws KanegenError where others are not as at rest. */
function unknownStrains(
  { name, coordinates, locations }: BodyType,
  { angular, linear, rest, equilibrium }: StrainKinematics,
): SectionEquilibrium['unknowns'] {
  if (equilibrium) return equilibrium.unknowns;
  const moving = new Set<Expr>(coordinates.map((own) => own.symbol));
  const resting = twistEntries(rest);
  return [...angular, ...linear].flatMap((e, component) => {
    if (dependsOn(e, moving)) return [{ component, symbol: symbol(`loaded.strain_${component + 1}`) }];
    if (e === resting[component]) return [];
    throw refused(
      `a strain of \`${name}\` that no coordinate moves is not that at rest`,
      locations.kinematics,
      'write it into `rest` as well',
    );
  });
}

/** The tendons of an actuator. @throws KanegenError where it is no tendon and no stress. */
function tendonsOf(
  { name, terms, location }: Actuator,
  input: SymbolExpr,
  volume: RodVolume,
): readonly SectionTendon[] {
  return terms.flatMap((term) => {
    if (term.kind === 'field' && !term.field.time) return [];
    if (term.kind !== 'route')
      throw refused(
        `the actuator \`${name}\` is neither a tendon nor a stress along the rod`,
        location,
        'leave it out, or write it as `tendon`, `field` or `drives`',
      );
    return [tendonOf(term.route, input, volume)];
  });
}

function tendonOf(
  route: Route,
  coordinate: SymbolExpr,
  { axial, section, coordinates, start, end }: RodVolume,
): SectionTendon {
  if (route.axial !== axial || coordinates !== 'cartesian')
    throw refused(
      'a tendon runs through a section with polar coordinates',
      route.location,
      'write the section of the volume as `{ disc: R, cartesian: [x, y] }`',
    );
  const { from, to, share, location } = route;
  const along = plus(share.start, times(share.slope, minus(axial, from)));
  const across = substitute(
    section.map((own) => route.across.get(own) ?? zero),
    new Map([[ROUTE_SHARE, along]]),
  ) as [Expr, Expr];
  const before = to === end ? one : select(compare('<', axial, to), one, zero);
  const passes = from === start ? before : select(compare('<', axial, from), zero, before);
  return { coordinate, across, from, to, passes, location };
}

/** Moments and forces of fields, proportional to their inputs. */
function stressOf(actuators: readonly Actuator[], inputs: readonly SymbolExpr[]): readonly Expr[] {
  const fields = actuators.flatMap(({ terms }, k) =>
    terms.flatMap((term) => (term.kind === 'field' ? [{ input: inputs[k]!, components: term.field.components }] : [])),
  );
  return Array.from({ length: 6 }, (_, c) =>
    plus(...fields.map(({ input, components }) => times(input, components[c]!))),
  );
}

/** Nothing but a rod on the base, and rigid bodies on its end, takes part. */
function requireAlone(robot: Robot, rod: Link, index: number): void {
  const { links, loops, touching = [], forces = [] } = robot;
  if (rod.parent !== -1 || moves(rod))
    throw refused(`\`${rod.name}\` is not fixed to the base`, rod.location, 'make it the first link, without a joint');
  links.forEach((link, i) => {
    if (i === index) return;
    if (moves(link) || link.body.kind === 'deformable')
      throw refused(
        `\`${link.name}\` moves beside the rod \`${rod.name}\``,
        link.location,
        'leave it out, or make it a rigid body without a joint',
      );
  });
  for (const { name, water, rigidWater, fields, contacts, location } of links)
    if (water ?? rigidWater ?? fields ?? contacts)
      throw refused(`something beside weight acts on \`${name}\``, location, 'leave out water, fields and contacts');
  const others = [
    ...(loops ?? []).map(({ location }) => ({ what: 'the rod is part of a closed loop', location })),
    ...forces.map(({ name, location }) => ({ what: `the force \`${name}\` depends on poses`, location })),
    ...touching.map(({ name, location }) => ({ what: `the contact \`${name}\` depends on poses`, location })),
  ];
  for (const { what, location } of others)
    throw refused(what, location, 'leave it out, and give its force as a load on a frame at the end');
}

const moves = ({ joint }: Link): boolean => joint.coordinates.length > 0 || joint.motions.length > 0;

/** Of the rod's end, and of rigid bodies on it, seen from the end. */
function rigidPoses(
  { links }: Robot,
  rod: number,
): ReadonlyMap<number, { readonly proximal: Frame; readonly distal: Frame }> {
  const poses = new Map([[rod, { proximal: identityFrame, distal: identityFrame }]]);
  links.forEach(({ parent, offset, mount, body }, i) => {
    const carrier = poses.get(parent);
    if (!carrier || body.kind !== 'rigid') return;
    const proximal = composeFrames(carrier.distal, composeFrames(offset, mount));
    poses.set(i, { proximal, distal: composeFrames(proximal, body.distal) });
  });
  return poses;
}

function inNumbers(frame: Frame, numbers: ReadonlyMap<Expr, number>): Pose {
  return evaluate(frameEntries(frame), numbers);
}

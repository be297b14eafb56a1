/**
 * A body type compiled: all ways to its inertial terms that there are (closed forms, constant tensors, sums over points,
 * points along a rod), what each costs and how accurate it is, and the one that is taken.
 */
import { KanegenError } from '../common/error.ts';
import { zero, type Expr } from '../symbolic/graph/expr.ts';
import { frameEntries, type Vector3 } from '../symbolic/graph/vector.ts';
import { RecentMap } from '../common/recent-map.ts';
import { withinTime } from '../common/work-limit.ts';
import { alignedRods, rodOf, rodsOf, type BodyType } from '../description/model/robot.ts';
import { fieldSymbols, type Volume } from '../description/model/reference-volume.ts';
import { materialFormulas } from '../description/model/material.ts';
import { bodyKey } from './body-key.ts';
import type { BodyPart } from './body/body-part.ts';
import type { ForceTerm } from './body/force-terms.ts';
import type { BodyWay, MissingWay } from './link/body-way.ts';
import { cutAtKinks } from '../integration/choice/kinks.ts';
import { mayHaveKinks } from '../symbolic/graph/kinks.ts';
import { ToleranceNotMet } from '../integration/choice/tolerance-not-met.ts';
import { nerdamerClosedBody, stumpffClosedBody, type ClosedBody } from './closed/closed-body.ts';
import { ClosedPart } from './closed/closed-part.ts';
import {
  CONFIGURATIONS,
  positionLosses,
  requireDigitsAtDefault,
  strainLosses,
  type DigitLoss,
} from './kinematics/digit-loss.ts';
import { energyTerms } from './body/coordinate-forces.ts';
import { requireFiniteEnergies } from './body/finite-energies.ts';
import { linkCoordinate } from './link/link-coordinate.ts';
import { costOfPart } from './link/part-cost.ts';
import { Orientation } from './points/orientation.ts';
import { atPoint } from './kinematics/distal-frame.ts';
import { evaluateForm } from './kinematics/body-kinematics.ts';
import { frameInBody } from './kinematics/frame-in-body.ts';
import { formulaPoint, networkPoint, sectionPoint } from './kinematics/material-point.ts';
import { pointKinematics, regularPosition, regularVector } from './kinematics/point-kinematics.ts';
import { formulaCentreline } from './fluid/formula-centreline.ts';
import type { Centreline, CentrelineRequest } from './body/centreline.ts';
import { type FrameInBody, type FrameRequest, type MovingPoint, type PointRequest } from './body/moving-point.ts';
import { constantTensorWay, pointWay, unmetByPoints } from './points/point-ways.ts';
import type { CoordinateSymbols } from './equations/rates.ts';
import { rodElasticity } from './rods/rod-elasticity.ts';
import { solidElasticity } from './points/solid-elasticity.ts';
import { rodBody } from './rods/rod-part.ts';
import {
  coordinateRanges,
  defaultParameters,
  sampleConfigurations,
  type ParameterValues,
} from './kinematics/sample-configurations.ts';
import { requireSmooth } from './kinematics/smooth-kinematics.ts';
import { tooSlow } from './too-slow.ts';

/** A closed form with the forces of the material beside it. */
export interface ClosedForm extends ClosedBody {
  readonly forces: () => readonly ForceTerm[];
}

export interface CompiledBody {
  readonly type: BodyType;
  readonly symbols: CoordinateSymbols;
  readonly chosen: BodyWay;
  /** All that were looked at, the chosen one among them. */
  readonly ways: readonly BodyWay[];
  readonly missing: readonly MissingWay[];
  /** The closed form where there is one, even when another way is cheaper; null when it was not wanted. */
  readonly closed: ClosedForm | null;
  /** Where the formulas lose digits within the limits of the coordinates, away from the defaults. */
  readonly losses: readonly DigitLoss[];
}

/** Of more types than a robot has. */
const compiledBodies = new RecentMap<string, CompiledBody>(256);

/** Of many links with different parameters so many are looked at, from the first to the last. */
const MOST_LINKS = 6;

/**
 * @param links numbers of the parameters of all links of the type, at which rules of quadrature are chosen; the defaults
 * of the type when missing.
 * @throws KanegenError located in the robot file when there is no way to the tolerance, or the kinematics is irregular.
 */
export function compileBody(
  type: BodyType,
  links: readonly ParameterValues[] = [defaultParameters(type)],
): CompiledBody {
  const parameters = differentParameters(type, links);
  const key = bodyKey(type, parameters);
  const known = compiledBodies.get(key);
  // Its formulas are those of the one compiled before; its name and its places are its own.
  if (known) return { ...known, type };
  const compiled = withPlace(type, () =>
    withinTime(tooSlow(type, 'the choice of a way to integrate this body'), () =>
      new Compilation(type, parameters).result(),
    ),
  );
  compiledBodies.set(key, compiled);
  return compiled;
}

/** No error leaves without a place, not even one that nobody thought of. */
function withPlace<T>({ name, locations }: BodyType, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // Constants without a double are found by the largest number of the whole robot.
    if (error instanceof KanegenError) throw error.code === 'not-finite' ? error : error.at(locations.kinematics);
    const message = `the compiler failed on the body type \`${name}\`: ${(error as Error).message}`;
    const remedy = 'this is a mistake in kanegen: please report it with the robot file';
    throw new KanegenError('internal-error', message, { remedy, location: locations.kinematics, cause: error });
  }
}

/** Every set of numbers once, and of many some: the first, the last and those evenly between. */
export function differentParameters(
  { parameters }: BodyType,
  links: readonly ParameterValues[],
): readonly [ParameterValues, ...ParameterValues[]] {
  const own = links.map((values) => new Map<Expr, number>(parameters.map((p) => [p.symbol, values.get(p.symbol)!])));
  const all = [...new Map(own.map((values) => [[...values.values()].join(), values])).values()];
  const last = all.length - 1;
  const count = Math.min(all.length, MOST_LINKS);
  const chosen = Array.from({ length: count }, (_, i) => all[count === 1 ? 0 : Math.round((i * last) / (count - 1))]!);
  return chosen as readonly ParameterValues[] as [ParameterValues, ...ParameterValues[]];
}

/** The closed form of a body. @throws KanegenError `not-supported` at the body type when there is none. */
export function closedFormOf({ type, closed }: CompiledBody, what: string): ClosedForm {
  demandTimeless(type, what);
  if (closed) return closed;
  throw withoutClosedForm(type, what);
}

/** @throws KanegenError `not-supported` at a body type that has no closed form, where its description alone tells. */
export function demandClosable(type: BodyType, what: string): void {
  const { kinematics, integration } = type;
  demandTimeless(type, what);
  if (needsMarch(type) || kinematics.kind === 'network' || integration.method === 'quadrature')
    throw withoutClosedForm(type, what);
}

/** Rods that have no closed form whatever their formulas are: sections in balance, sections that deform. */
function needsMarch({ kinematics }: BodyType): boolean {
  return kinematics.kind === 'strain' && (kinematics.equilibrium ?? kinematics.sectionPosition) !== undefined;
}

/** @throws KanegenError `not-supported` at a body type that depends on the time. */
export function demandTimeless(type: BodyType, what: string): void {
  if (!type.time) return;
  throw new KanegenError('not-supported', `${what} cannot depend on the time, and ${type.name} does`, {
    remedy: 'use the driver, which has the time as an input',
  }).at(type.locations.whole);
}

const withoutClosedForm = (type: BodyType, what: string): KanegenError =>
  new KanegenError('not-supported', `${what} needs closed forms, and ${type.name} has none`, {
    remedy: 'use the driver, which loops over points or along rods',
  }).at(type.locations.whole);

/** A rule of fewer points than this integrates no deformable body; a point along a rod is no cheaper than this. */
const FEWEST_POINTS = 24;
const CHEAPEST_ROD = 4 * 250;

/** What every way offers in the same manner unless it brings its own. */
type Offered = 'forces' | 'point' | 'frame' | 'centreline';

class Compilation {
  private readonly type: BodyType;
  /** Of different links; the formulas make sense at the first as at any other. */
  private readonly parameters: readonly [ParameterValues, ...ParameterValues[]];
  private readonly symbols: CoordinateSymbols;
  private readonly ways: BodyWay[] = [];
  private readonly missing: MissingWay[] = [];
  private closed: ClosedForm | null = null;
  /** Of material points, where it is a formula; found when it is asked for. */
  private position: Vector3 | undefined;
  private losses: readonly DigitLoss[] = [];
  /** Made once: its rule is chosen by samples. */
  private solid: readonly ForceTerm[] | undefined;

  constructor(type: BodyType, parameters: readonly [ParameterValues, ...ParameterValues[]]) {
    this.type = cutType(type, parameters);
    this.parameters = parameters;
    const coordinates = type.coordinates.map(linkCoordinate);
    this.symbols = {
      q: coordinates.map((c) => c.symbol),
      qd: coordinates.map((c) => c.rate),
      qdd: coordinates.map((c) => c.acceleration),
      ...(type.time && { time: type.time }),
    };
  }

  result(): CompiledBody {
    const { type } = this;
    for (const parameters of this.parameters) {
      requireSmooth(type, parameters);
      requireFiniteEnergies(type, this.symbols, parameters);
    }
    const { method } = type.integration;
    const failures: KanegenError[] = [];
    const attempt = (name: BodyWay['method'], make: () => BodyWay | string): void => {
      try {
        const made = make();
        if (typeof made === 'string') this.missing.push({ method: name, reason: made });
        else this.ways.push(made);
      } catch (error) {
        if (!(error instanceof KanegenError)) throw error;
        // Only what another way may do better is passed over.
        const isLast = name === 'sums over points' && this.ways.length === 0;
        if (isLast && error instanceof ToleranceNotMet) throw unmetByPoints(error, type, this.symbols, this.parameters);
        const isSecondChance = name === 'closed form' && type.kinematics.kind !== 'strain' && !failures.length;
        if (isLast || !PASSED_OVER.has(error.code) || (method !== 'auto' && !isSecondChance)) throw error;
        failures.push(error);
        this.missing.push({ method: name, reason: error.message });
      }
    };
    const isMarched = needsMarch(type);
    if (method !== 'quadrature' && !isMarched) attempt('closed form', () => this.closedForm(stumpffClosedBody));
    if (type.coordinates.some((c) => c.limits))
      for (const orientation of this.orientations()) orientation.requireShape();
    if (type.kinematics.kind === 'strain') {
      if (method !== 'closed-form') attempt('points along the rod', () => this.rod());
    } else {
      // Constants are as good by a rule as by an antiderivative; nerdamer is asked for what depends on the coordinates.
      if (method === 'auto') attempt('constant tensors', () => this.constantTensors());
      if (method !== 'quadrature') attempt('closed form', () => this.closedForm(nerdamerClosedBody));
      if (method !== 'closed-form') attempt('sums over points', () => this.points());
    }
    if (this.ways.length > 0) this.checkKinematics();
    const [cheapest] = [...this.ways].sort((a, b) => a.cost.operations - b.cost.operations);
    if (!cheapest) throw failures.at(-1)!;
    return {
      type,
      symbols: this.symbols,
      chosen: cheapest,
      ways: this.ways,
      missing: this.missing.filter((m) => this.ways.every((way) => way.method !== m.method)),
      closed: this.closed,
      losses: this.losses,
    };
  }

  /** Folded nowhere at the defaults, and all digits there; where else some are lost is kept for reports. */
  private checkKinematics(): void {
    const { type, symbols, parameters } = this;
    const { kind } = type.kinematics;
    if (kind === 'network') return;
    if (kind === 'strain') {
      for (const each of this.orientations()) each.requireUnfolded();
      this.losses = strainLosses(type, symbols, parameters[0]);
    } else {
      const [orientation, ...others] = this.orientations();
      for (const each of [orientation!, ...others]) each.requireUnfolded();
      const samples = { parameters: parameters[0], configurations: orientation!.configurations(CONFIGURATIONS) };
      this.losses = positionLosses(type, pointKinematics(type, parameters[0]), symbols, samples);
    }
    requireDigitsAtDefault(type, this.losses);
  }

  /** Over the volumes, for every set of parameters; none where nothing can be folded, or the position is no formula. */
  private orientations(): Orientation[] {
    const { kinematics } = this.type;
    if (kinematics.kind === 'network' || (kinematics.kind === 'strain' && !kinematics.sectionPosition)) return [];
    const position = kinematics.kind === 'strain' ? undefined : pointKinematics(this.type, this.parameters[0]).position;
    return this.parameters.map((parameters) => new Orientation(this.type, position, parameters));
  }

  private get leastOperations(): number {
    return Math.min(Infinity, ...this.ways.map((way) => way.cost.operations));
  }

  /** With what it costs; forces of the material and material points are the same for every way unless it brings its own. */
  private wayOf(way: Omit<BodyWay, 'cost' | Offered> & Partial<Pick<BodyWay, Offered>>): BodyWay {
    const coordinates = this.type.coordinates.map(linkCoordinate);
    const cost = costOfPart(way.part(), coordinates, [...this.type.parameters.map((p) => p.symbol)]);
    return {
      point: this.point,
      frame: this.frame,
      centreline: this.centreline,
      ...way,
      forces: this.withEnergies(way.forces ?? this.material),
      cost,
    };
  }

  private readonly point = (request: PointRequest): MovingPoint => {
    const { type, symbols } = this;
    const { kinematics } = type;
    if (kinematics.kind === 'network')
      return networkPoint(type, kinematics, regularVector(type, kinematics.offset), symbols, request);
    if (kinematics.kind !== 'strain') {
      this.position ??= regularPosition(type);
      return formulaPoint(atPoint(this.position, type.volumes, request.at), symbols);
    }
    const rods = rodsOf(type);
    const [x, y] = sectionPoint(rods, request.at);
    const position = evaluateForm(this.closed!.form!, { x, y, s: request.at.get(rods[0].axial) ?? zero });
    return formulaPoint(position, symbols);
  };

  private readonly frame = (request: FrameRequest): FrameInBody => {
    if (this.type.kinematics.kind === 'position') this.position ??= regularPosition(this.type);
    return frameInBody(this.type, this.position, this.symbols, this.parameters[0], request);
  };

  private readonly centreline = (request: CentrelineRequest): Centreline =>
    formulaCentreline(this.type, this.symbols, this.formula, request);

  /** A material point as a formula, of learned maps, too. */
  private readonly formula = (request: PointRequest): MovingPoint => {
    const { type, symbols } = this;
    if (type.kinematics.kind === 'strain') return this.point(request);
    this.position ??= regularPosition(type);
    return formulaPoint(atPoint(this.position, type.volumes, request.at), symbols);
  };

  private readonly material = (): readonly ForceTerm[] => [
    ...rodElasticity(this.type, this.symbols, this.parameters),
    ...this.solids(),
  ];

  private solids(): readonly ForceTerm[] {
    this.solid ??= solidElasticity(this.type, this.symbols, this.parameters);
    return this.solid;
  }

  private withEnergies(material: () => readonly ForceTerm[]): () => readonly ForceTerm[] {
    return () => [...material(), ...energyTerms(this.type, this.symbols)];
  }

  private closedForm(make: typeof nerdamerClosedBody): BodyWay | string {
    const { type, symbols } = this;
    if (this.ways.length > 0) return 'there are constants for integrals already';
    if (type.kinematics.kind === 'network') return 'learned kinematics';
    if (type.integration.method === 'auto' && !alignedRods(type))
      return 'not rods of one length with Cartesian section coordinates';
    rodOf(type);
    const closed = { ...make(type, symbols, this.parameters), forces: this.withEnergies(this.material) };
    this.closed = closed;
    const part = (): BodyPart =>
      new ClosedPart({
        step: closed.distal,
        model: closed.model,
        coordinates: type.coordinates.map(linkCoordinate),
        time: type.time,
      });
    return this.wayOf({ method: 'closed form', description: closed.model.method, error: 0, trials: [], part });
  }

  private constantTensors(): BodyWay | string {
    if (this.closed) return 'the closed form has constants for integrals where there are any';
    const way = constantTensorWay(this.type, this.symbols, this.parameters);
    return typeof way === 'string' ? way : this.wayOf(way);
  }

  private points(): BodyWay | string {
    // Rules of points would have to be good for as many integrals.
    if (this.ways.length > 0 && this.type.volumes.some((volume) => fieldSymbols(volume).length > 0))
      return 'modes over a mesh have constants for integrals';
    const least = this.leastOperations;
    const way = pointWay(this.type, this.symbols, this.parameters, (perPoint) => perPoint * FEWEST_POINTS < least);
    return typeof way === 'string' ? way : this.wayOf(way);
  }

  private rod(): BodyWay | string {
    if (this.leastOperations < CHEAPEST_ROD || this.closed)
      return 'a strain that is the same all along the rod needs no points';
    const { type, symbols } = this;
    const rod = rodBody(type, symbols, this.parameters);
    return this.wayOf({
      method: 'points along the rod',
      description: rod.part.method,
      error: rod.error ?? NaN,
      trials: rod.trials,
      ...(rod.balance && { balance: rod.balance }),
      part: rod.another,
      point: (request) => rod.point(request),
      frame: (request) => rod.frame(request),
      centreline: (request) => rod.centreline(request),
      forces: () => [...rod.forces, ...this.solids()],
    });
  }
}

/** The type with the breaks that its formulas imply; rods by strain have theirs from the description. */
function cutType(type: BodyType, parameters: readonly ParameterValues[]): BodyType {
  if (type.kinematics.kind === 'strain') return type;
  const formulas = writtenFormulas(type);
  if (!mayHaveKinks([...formulas, ...type.volumes.map((volume) => volume.density)])) return type;
  const samples = parameters.flatMap((values) =>
    sampleConfigurations(coordinateRanges(type, values), 3).map((q, k) => {
      const sample = new Map<Expr, number>(values);
      type.coordinates.forEach((c, i) => sample.set(c.symbol, q[i]!));
      if (type.time) sample.set(type.time, 0.37 * k);
      return sample;
    }),
  );
  const constants = new Set<Expr>(type.parameters.map((p) => p.symbol));
  const cut = (volume: Volume): Volume =>
    volume.kind === 'mesh' ? volume : cutAtKinks(volume, formulas, samples, constants);
  return { ...type, volumes: type.volumes.map(cut) };
}

function writtenFormulas({ kinematics, materials = [], natural = [] }: BodyType): readonly Expr[] {
  return [...kinematicFormulas(kinematics), ...natural, ...materials.flatMap(materialFormulas)];
}

function kinematicFormulas(kinematics: BodyType['kinematics']): readonly Expr[] {
  switch (kinematics.kind) {
    case 'position':
      return kinematics.position;
    case 'pose':
      return frameEntries(kinematics.pose);
    case 'strain':
      return [];
    case 'network':
      return [...kinematics.inputs, ...kinematics.offset];
  }
}

/** What says that a kinematics is outside of the Stumpff calculus, not that it is wrong. */
const OUTSIDE_STUMPFF = new Set(['no-closed-form', 'formula-too-large', 'irregular-kinematics']);
const PASSED_OVER = new Set([...OUTSIDE_STUMPFF, 'not-supported', 'tolerance-not-met']);

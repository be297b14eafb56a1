/**
 * Weight in the equation of a strain: the stress that everything beyond a section makes, in axes of the section, to first order in the coordinates
 * about their defaults,
 *   Λ(s, q) = Λ(s, q̄) + Σ_a ∂Λ(s, q̄)/∂q_a (q_a − q̄_a).
 * Λ is that of the rod at rest under its tensions and these weights (loaded-rod.ts), ∂Λ/∂q with what the rod beyond bends by. Between breaks it is a
 * series of Chebyshev's polynomials, a formula of s like any other stress: each section is still solved for by itself.
 */
import { KanegenError } from '../../common/error.ts';
import {
  compare,
  decimal,
  integer,
  minus,
  one,
  plus,
  select,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import type { BodyType, Robot } from '../../description/model/robot.ts';
import { equilibriumOfRod, NoRodEquilibrium, type LoadedRod } from './loaded-rod.ts';
import { rodByCoordinates, runTimeParameter, weightsOf, type RodByCoordinates } from './rod-of-robot.ts';

const weighed = new WeakMap<Robot, Robot>();

/**
 * The robot with its `loads` as stress; itself where it has none.
 * @throws KanegenError `not-supported` at what a rod under loads cannot have and at profiles, `no-equilibrium` at the loads.
 */
export function withLoads(robot: Robot): Robot {
  const known = weighed.get(robot);
  if (known) return known;
  requireNoProfiles(robot);
  const rod = rodByCoordinates(robot);
  const made = rod ? withStress(robot, rod) : robot;
  weighed.set(robot, made);
  return made;
}

function withStress(robot: Robot, rod: RodByCoordinates): Robot {
  requireNumbers(robot, rod);
  const type = weighedType(rod);
  const links = robot.links.map((link) =>
    link.body.kind === 'deformable' && link.body.type === rod.type ? { ...link, body: { ...link.body, type } } : link,
  );
  return { ...robot, links };
}

/** Profiles are solved for along the whole rod, and no coordinate tells its shape. */
function requireNoProfiles({ links }: Robot): void {
  for (const { body } of links) {
    if (body.kind !== 'deformable' || body.type.kinematics.kind !== 'strain') continue;
    const [profile] = body.type.kinematics.equilibrium?.profiles ?? [];
    if (!profile) continue;
    throw new KanegenError('not-supported', `motion of a rod with the profile \`${profile.name}\``, {
      remedy: 'use `kanegen statics FILE --rod` or `robot.rodStatics`, or write the profile as a sum over coordinates',
    }).at(profile.location);
  }
}

/** The shape at the defaults is found once, when the robot is compiled. */
function requireNumbers(robot: Robot, { loads }: RodByCoordinates): void {
  const used = runTimeParameter(robot);
  if (!used) return;
  throw new KanegenError('not-supported', `\`loads\` with the run-time parameter \`${used}\` in the robot`, {
    remedy: `leave out \`runtime: true\` of \`${used}\`, or \`loads\``,
  }).at(loads.location);
}

function weighedType(rod: RodByCoordinates): BodyType {
  const { type } = rod;
  if (type.kinematics.kind !== 'strain' || !type.kinematics.equilibrium) throw new Error('an equilibrium expected');
  const { unknowns, tendons, stress, newton, location } = type.kinematics.equilibrium;
  const added = loadStress(rod);
  const free = new Set(unknowns.map(({ component }) => component));
  const equilibrium = {
    ...{ unknowns, tendons, location },
    stress: stress.map((e, c) => (free.has(c) ? plus(e, added[c]!) : e)),
    ...(newton !== undefined && { newton }),
  };
  return { ...type, kinematics: { ...type.kinematics, equilibrium } };
}

/** Of the polynomials between breaks: doubled until they settle. */
const [FEWEST_POINTS, MOST_POINTS] = [16, 64];
/** What the last coefficients may be of the largest. */
const SETTLED = 1e-11;
/** Coefficients below this of the largest are left out. */
const NOTHING = 1e-15;

/** Λ, six components over the axial coordinate and the coordinates. */
function loadStress(rod: RodByCoordinates): readonly Expr[] {
  const { type, sections, axial, loads, defaults } = rod;
  const { ends } = sections;
  for (let points = FEWEST_POINTS; points <= MOST_POINTS; points *= 2) {
    const series = new PanelSeries(ends, points);
    const { loads: found } = atDefaults(rod, series.places);
    const columns = [
      ...Array.from({ length: 6 }, (_, c) =>
        found.map(({ value, byCoordinate }) =>
          byCoordinate[c]!.reduce((sum, slope, a) => sum - slope * defaults[a]!, value[c]!),
        ),
      ),
      ...defaults.flatMap((_, a) => Array.from({ length: 6 }, (__, c) => found.map((own) => own.byCoordinate[c]![a]!))),
    ];
    const coefficients = columns.map((values) => series.coefficients(values));
    // Moments and forces, and their derivatives by one coordinate, belong together.
    const groups = Array.from({ length: columns.length / 3 }, (_, k) => coefficients.slice(3 * k, 3 * k + 3));
    if (!groups.every((own) => isSettled(own, SETTLED))) continue;
    const formulas = groups.flatMap((own) => {
      const least = NOTHING * largest(own);
      return own.map((panels) => series.formula(axial, panels, least));
    });
    return Array.from({ length: 6 }, (_, c) =>
      plus(formulas[c]!, ...type.coordinates.map((own, a) => times(own.symbol, formulas[6 * (a + 1) + c]!))),
    );
  }
  throw new KanegenError(
    'not-supported',
    `loads along \`${type.name}\` that change faster than a polynomial of degree ${MOST_POINTS} shows`,
    {
      remedy: 'cut the rod by `breaks` where its section or its tendons turn sharply',
    },
  ).at(loads.location);
}

/** @throws KanegenError `no-equilibrium` */
function atDefaults(rod: RodByCoordinates, places: readonly number[]): LoadedRod {
  const { sections, base, gravity, carried, loads, link, defaults: q } = rod;
  const of = (name: 'gravity' | 'tip'): boolean => loads.of.includes(name);
  const acting = {
    gravity: of('gravity') ? gravity : gravity.map(() => 0),
    moment: [0, 0, 0],
    forces: of('tip') ? weightsOf(carried, gravity) : [],
  };
  try {
    return equilibriumOfRod(sections, { q, base, loads: acting, places });
  } catch (error) {
    if (!(error instanceof NoRodEquilibrium)) throw error;
    const share = Number((100 * error.share).toPrecision(3));
    const reached = share > 0 ? ` beyond ${share} % of them` : '';
    throw new KanegenError(
      'no-equilibrium',
      `\`${link}\` has no equilibrium under its \`loads\` at the defaults of its coordinates${reached}: ${error.message}`,
      { remedy: 'write other defaults of the coordinates, a stiffer `material`, or leave out `loads`' },
    ).at(loads.location);
  }
}

type Coefficients = readonly (readonly number[])[];

const largest = (columns: readonly Coefficients[]): number => Math.max(0, ...columns.flat(2).map(Math.abs));

const isSettled = (columns: readonly Coefficients[], share: number): boolean => {
  const most = share * largest(columns);
  return columns.every((panels) => panels.every((own) => own.slice(-2).every((e) => Math.abs(e) <= most)));
};

/** Series of Chebyshev's polynomials between ends, from values at their roots. */
class PanelSeries {
  readonly places: readonly number[];
  private readonly ends: readonly number[];
  private readonly points: number;

  constructor(ends: readonly number[], points: number) {
    this.ends = ends;
    this.points = points;
    this.places = ends.slice(1).flatMap((to, i) => {
      const from = ends[i]!;
      return this.angles().map((angle) => (from + to) / 2 - ((to - from) / 2) * Math.cos(angle));
    });
  }

  private angles(): number[] {
    return Array.from({ length: this.points }, (_, j) => (Math.PI * (j + 0.5)) / this.points);
  }

  /** By panel. */
  coefficients(values: readonly number[]): Coefficients {
    const { points } = this;
    const angles = this.angles();
    return this.ends.slice(1).map((_, panel) =>
      Array.from({ length: points }, (__, k) => {
        const sum = angles.reduce((total, angle, j) => total + values[points * panel + j]! * Math.cos(k * angle), 0);
        // T_k(u) at u = −cos(angle).
        return ((k === 0 ? 1 : 2) * (k % 2 === 0 ? 1 : -1) * sum) / points;
      }),
    );
  }

  /** @param least what a coefficient must be beyond. */
  formula(s: Expr, panels: Coefficients, least: number): Expr {
    const { ends } = this;
    const own = panels.map((coefficients, i) => {
      const [from, to] = [ends[i]!, ends[i + 1]!];
      const u = times(decimal(2 / (to - from)), minus(s, decimal((from + to) / 2)));
      const last = coefficients.reduce((found, e, k) => (Math.abs(e) > least ? k : found), -1);
      if (last < 0) return zero;
      const polynomials = [one, u];
      for (let k = 2; k <= last; k++)
        polynomials.push(minus(times(integer(2), u, polynomials[k - 1]!), polynomials[k - 2]!));
      return plus(
        ...coefficients.slice(0, last + 1).map((e, k) => (e === 0 ? zero : times(decimal(e), polynomials[k]!))),
      );
    });
    return own.reduceRight((beyond, here, i) => select(compare('<', s, decimal(ends[i + 1]!)), here, beyond));
  }
}

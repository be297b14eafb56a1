/**
 * What may be identified: run-time parameters of a robot, and the ten inertial parameters of its rigid links, for which the
 * robot is rewritten so that they are run-time parameters as well. Forces are linear in all of them.
 */
import type { Link, Quantity, RigidBody, Robot } from '../description/model/robot.ts';
import { BARE_UNIT, parseUnit } from '../description/values/units.ts';
import { KanegenError } from '../common/error.ts';
import { foldConstants } from '../symbolic/evaluation/evaluate.ts';
import { plus, rational, symbol, times, zero, type Expr, type SymbolExpr } from '../symbolic/graph/expr.ts';
import { nearest } from '../common/nearest.ts';
import { demandOptions } from '../common/options.ts';
import { Rational } from '../symbolic/graph/rational.ts';
import { pointInertia, vector3, symmetric3 } from '../symbolic/graph/vector.ts';

/** m, m c and the inertia about the proximal origin, proximal axes: the order of the ten parameters of a link. */
export const INERTIAL = ['m', 'mx', 'my', 'mz', 'Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz'] as const;

const UNITS = ['kg', 'kg m', 'kg m', 'kg m', ...Array.from({ length: 6 }, () => 'kg m^2')];

export interface IdentifiedParameter {
  /** `rho`, or `elbow.mx` of the ten of a link. */
  readonly name: string;
  readonly unit: string;
  /** In the robot file, SI. */
  readonly value: number;
  /** What its value is compared with: its own, or of the ten of a link the largest of the kind in the robot. */
  readonly size: number;
  /** What it may be; of the ten of a link the pseudo-inertia decides. */
  readonly lower: number;
  readonly upper: number;
  /** Among the parameters of the generated code. */
  readonly key: string;
  /** Stands for it in the formulas of the robot in which it is open. */
  readonly symbol: SymbolExpr;
  /** Index of the rigid link that it is one of the ten of. */
  readonly link?: number;
}

export interface IdentifiableRobot {
  /** Everything that is identified is a run-time parameter without bounds. */
  readonly robot: Robot;
  readonly parameters: readonly IdentifiedParameter[];
}

export interface ParameterChoice {
  /** Names of run-time parameters; all of them when missing. */
  readonly only?: readonly string[];
  /** The ten of all rigid links that have a mass, or of those named. */
  readonly inertial?: boolean | readonly string[];
}

/** @throws KanegenError `unknown-parameter`, `unknown-link`, `nothing-to-identify`; `wrong-shape` where the choice is no object. */
export function identifiableRobot(robot: Robot, choice: ParameterChoice = {}): IdentifiableRobot {
  demandOptions(choice);
  const { only, inertial = false } = choice;
  for (const name of only ?? []) demandKnown('parameter', name, robot.parameters);
  const chosen = robot.parameters.filter(({ name }) => only?.includes(name) ?? true);
  const bodies = new InertialParameters(robot, inertial);
  const parameters = [...chosen.map(runtimeParameter), ...bodies.parameters];
  if (parameters.length === 0)
    throw new KanegenError('nothing-to-identify', `${robot.name} has nothing that could be identified`, {
      remedy:
        'name parameters with --parameters, mark them `runtime: true`, or ask for those of rigid links with --inertial',
    });
  const open = robot.parameters.map(({ name, symbol: own, unit, value }): Quantity => ({
    name,
    symbol: own,
    unit,
    value,
  }));
  return {
    // Controllers are no part of what is identified, and take time to compile.
    robot: { ...robot, controllers: [], links: bodies.links, parameters: [...open, ...bodies.quantities] },
    parameters,
  };
}

function demandKnown(what: 'parameter' | 'link', name: string, all: readonly { readonly name: string }[]): void {
  if (all.some((one) => one.name === name)) return;
  const names = all.map((one) => one.name);
  const close = nearest(name, names);
  const label = what === 'link' ? 'rigid link with a mass' : 'run-time parameter';
  throw new KanegenError(`unknown-${what}`, `the robot has no ${label} ${JSON.stringify(name)}`, {
    remedy: close === undefined ? `it has: ${names.join(', ') || 'none'}` : `did you mean ${close}?`,
  });
}

function runtimeParameter({ name, symbol: own, unit, value: exact, lower, upper }: Quantity): IdentifiedParameter {
  const [value] = foldConstants([exact]) as [number];
  return {
    name,
    unit,
    value,
    size: value === 0 ? 1 : Math.abs(value),
    lower: Math.max(lower ?? -Infinity, isNeverNegative(unit) ? 0 : -Infinity),
    upper: upper ?? Infinity,
    key: name,
    symbol: own,
  };
}

/** Masses, densities, inertias, moduli, viscosities, stiffnesses and dampers, by their units. */
const NEVER_NEGATIVE = ['kg', 'kg/m', 'kg/m^3', 'kg m^2', 'Pa', 'Pa s', 'N/m', 'N s/m', 'N m s', 'N m^2', 'N m^2 s'];

function isNeverNegative(unit: string): boolean {
  // Bare numbers in the file.
  if (unit === BARE_UNIT) return false;
  // A moment has the dimension of a stiffness per angle, but may have any sign.
  if (/\/\s*rad/.test(unit)) return true;
  const dimension = parseUnit(unit).dimension.join();
  return NEVER_NEGATIVE.some((known) => parseUnit(known).dimension.join() === dimension);
}

/** Rigid links whose ten parameters are open. */
class InertialParameters {
  readonly links: readonly Link[];
  readonly quantities: Quantity[] = [];
  readonly parameters: readonly IdentifiedParameter[];

  constructor({ links, parameters }: Robot, wanted: boolean | readonly string[]) {
    const bodies = links.flatMap(({ name, body }, link) =>
      body.kind === 'rigid' && hasMass(body) ? [{ name, body, link }] : [],
    );
    if (typeof wanted === 'object') for (const name of wanted) demandKnown('link', name, bodies);
    const chosen = bodies.filter(({ name }) => (typeof wanted === 'object' ? wanted.includes(name) : wanted));
    const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
    const values = chosen.map(({ body }) => foldConstants(momentsOf(body), defaults));
    const largest = (kind: string): number =>
      Math.max(0, ...values.flatMap((own) => own.filter((_, i) => UNITS[i] === kind).map(Math.abs))) || 1;
    const taken = new Set(parameters.map(({ name }) => name));
    const opened = new Map<number, RigidBody>();
    this.parameters = chosen.flatMap(({ name, body, link }, k) => {
      const symbols = values[k]!.map((value, i): SymbolExpr =>
        this.open(freeName(`link${link}_${INERTIAL[i]!}`, taken), value, i),
      );
      const [mass, ...rest] = symbols as [SymbolExpr, ...SymbolExpr[]];
      const first = vector3(rest.slice(0, 3));
      opened.set(link, { ...body, mass, moments: { first, inertia: symmetric3(rest.slice(3)) } });
      return symbols.map((own, i) => ({
        name: `${name}.${INERTIAL[i]!}`,
        unit: UNITS[i]!,
        value: values[k]![i]!,
        size: largest(UNITS[i]!),
        lower: -Infinity,
        upper: Infinity,
        key: this.quantities[10 * k + i]!.name,
        symbol: own,
        link,
      }));
    });
    this.links = links.map((link, i) => ({ ...link, body: opened.get(i) ?? link.body }));
  }

  private open(name: string, value: number, entry: number): SymbolExpr {
    const own = symbol(`robot.${name}`);
    this.quantities.push({ name, symbol: own, unit: UNITS[entry]!, value: rational(Rational.fromDouble(value)) });
    return own;
  }
}

function freeName(wanted: string, taken: Set<string>): string {
  const name = taken.has(wanted) ? freeName(`${wanted}_`, taken) : wanted;
  taken.add(name);
  return name;
}

function hasMass({ mass, inertia }: RigidBody): boolean {
  return [mass, ...inertia].some((e) => e !== zero);
}

/** The ten parameters of a body, as the file has them. */
function momentsOf({ mass, centreOfMass, inertia, moments }: RigidBody): Expr[] {
  if (moments) return [mass, ...moments.first, ...moments.inertia];
  const shifted = pointInertia(centreOfMass).map((e, i) => plus(inertia[i]!, times(mass, e)));
  return [mass, ...centreOfMass.map((e) => times(mass, e)), ...shifted];
}

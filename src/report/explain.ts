/**
 * What the compiler did with a robot, for people and (as plain data) for machines: coordinates, links and their types,
 * and for every deformable body its separated kinematics, integrals, shape integrals and operation counts.
 */
import { KanegenError } from '../common/error.ts';
import { contactPairs } from '../description/model/contact.ts';
import type { Robot } from '../description/model/robot.ts';
import { bodyTerms } from '../kane/body-terms.ts';
import { compileBodies, compileRobot } from '../kane/compile.ts';
import type { BodyWay } from '../kane/link/body-way.ts';
import type { CompiledBody } from '../kane/compile-body.ts';
import { describeLoss } from '../kane/kinematics/digit-loss.ts';
import type { CompiledRobot, LinkType } from '../kane/kernels/link-type.ts';
import { equilibriumOfRod, NoRodEquilibrium } from '../kane/loaded/loaded-rod.ts';
import { rodOfRobot, weightsOf } from '../kane/loaded/rod-of-robot.ts';
import { loopsNeeded, type Loop } from '../kane/loops/loop.ts';
import { stiffnessOfRods, type StiffnessOfRod } from '../kane/rods/section-stiffness.ts';
import { costOfRow } from '../kane/link/part-cost.ts';
import { countOperations, totalOperations } from '../symbolic/graph/cost.ts';
import { children, zero, type Expr } from '../symbolic/graph/expr.ts';
import { toLatex, toText } from '../symbolic/formulas/print.ts';
import { postorder } from '../symbolic/graph/traverse.ts';

export interface ExplainedTerm {
  readonly name: string;
  readonly notation: string;
  readonly summary: string;
  readonly frame: string;
  readonly unit: string;
  readonly values: readonly string[];
}

/** A way to the inertial terms of a body: what it costs and how accurate it is. */
export interface ExplainedWay {
  readonly method: string;
  readonly description: string;
  readonly chosen: boolean;
  /** Operations of inverse dynamics in one call. */
  readonly operations: number;
  /** Points or steps, and operations at each of them. */
  readonly points: number;
  readonly operationsPerPoint: number;
  /** Largest relative error found of an integral; 0: exact but for rounding, null: not known. */
  readonly error: number | null;
  /** Of rods whose sections are in balance: Newton steps, taken once for all sections or at each, and the smallest eigenvalue of the scaled Gram matrix of their coordinates. */
  readonly balance?: { readonly steps: number; readonly once: boolean; readonly independence: number };
  /** What was tried on the way, the cheapest first. */
  readonly trials: readonly ExplainedTrial[];
}

/** A rule that was tried: what it would cost, and the tolerance for which it would do. */
interface ExplainedTrial {
  readonly points: number;
  /** Of inverse dynamics in one call; null where these points do not tell: of one volume of several, or summed once. */
  readonly operations: number | null;
  readonly error: number;
  /** The smallest power of ten that is not below the error; null above 1. */
  readonly tolerance: number | null;
  readonly description: string;
}

export interface ExplainedBody {
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  readonly ways: readonly ExplainedWay[];
  /** Ways that were not taken for another reason than their cost. */
  readonly missing: readonly { readonly method: string; readonly reason: string }[];
  /** Operations of inverse dynamics by each model in closed form; null where it was not worth forming. */
  readonly operations: { readonly shapeIntegrals: number | null; readonly contraction: number | null };
  /** p = Σ function · coefficient; empty where functions are not of the Stumpff class. */
  readonly kinematics: readonly { readonly function: string; readonly coefficient: readonly string[] }[];
  readonly integrals: readonly { readonly integral: string; readonly method: string }[];
  /** What nerdamer was asked, and what became of it. */
  readonly questions: readonly string[];
  /** Where the formulas lose digits: near which values of the coordinates, how far, how many. */
  readonly losses: readonly string[];
  /** Beside inertia and weight; `points` of the rule that they are summed over, 0 where they are formulas. */
  readonly forces: readonly { readonly name: string; readonly kind: string; readonly points: number }[];
  readonly terms: readonly ExplainedTerm[];
}

export interface Explanation {
  readonly name: string;
  readonly summary: string;
  readonly coordinates: Robot['coordinates'];
  readonly parameters: readonly { readonly name: string; readonly unit: string; readonly value: string }[];
  readonly links: readonly { readonly name: string; readonly parent: string; readonly type: string }[];
  readonly types: readonly {
    readonly name: string;
    readonly summary: string;
    readonly operations: Readonly<Record<string, number>>;
  }[];
  readonly actuators: readonly ExplainedActuator[];
  /** Links in water, what it does to them, and how integrals along them are had. */
  readonly water: readonly { readonly link: string; readonly method: string }[];
  /** Names of the pairs of contacts that generated code reports. */
  readonly contacts: readonly string[];
  /** Of the sections of rods with a material. */
  readonly stiffness: readonly StiffnessOfRod[];
  /** Of a rod whose sections balance tendons without loads. */
  readonly weight?: ExplainedWeight;
  readonly bodies: readonly ExplainedBody[];
}

/** How far weight, and that of what the rod carries, move its end, m: with inputs zero, and where one is as large as its limits allow. */
interface ExplainedWeight {
  readonly link: string;
  readonly length: number;
  readonly atRest: number;
  readonly most: number;
  /** Name of the input. */
  readonly at: string;
}

interface ExplainedActuator {
  readonly name: string;
  /** `tendon`, `motor`, … */
  readonly kind: string;
  readonly unit: string;
  readonly coordinateUnit: string;
  /** Where in the robot it acts, and how its coordinate was had there. */
  readonly terms: readonly { readonly link: string; readonly method: string }[];
}

/** Terms of an actuator between links, by the links that they join or act on. */
function reachingTerms({ links, reaching }: CompiledRobot, index: number): ExplainedActuator['terms'][number][] {
  if (!reaching) return [];
  const nameOf = (place: number): string => links[reaching.places[place]!.link]?.name ?? 'base';
  return reaching.terms.flatMap(({ actuator, places, shape }) => {
    if (actuator !== index) return [];
    const { value, isMoving } = reaching.shapes[shape]!;
    const formula = isMoving ? 'pieces with friction between them' : 'formula of frames';
    const method = value === zero ? 'wrench, by the motion of its point' : `${formula}, by their motions`;
    return [{ link: places.map(nameOf).join(' – '), method }];
  });
}

/** Terms with more tree nodes than this are given by their size instead of their text. */
const READABLE = 400;

/** @throws KanegenError when the robot does not compile. */
export function explainRobot(robot: Robot, notation: 'text' | 'latex' = 'text'): Explanation {
  const compiled = compileRobot(robot);
  const print = (e: Expr): string => {
    if (e.size > READABLE) {
      const size = `(${totalOperations(countOperations([e]))} operations)`;
      return notation === 'latex' ? `\\text{${size}}` : size;
    }
    return notation === 'latex' ? toLatex(e) : toText(e);
  };
  return {
    name: robot.name,
    summary: robot.summary,
    coordinates: robot.coordinates,
    parameters: robot.parameters.map((p) => ({ name: p.name, unit: p.unit, value: toText(p.value) })),
    links: compiled.links.flatMap(({ name, parent, type, pointOf }) =>
      pointOf === undefined
        ? [{ name, parent: parent < 0 ? 'base' : compiled.links[parent]!.name, type: type.name }]
        : [],
    ),
    types: compiled.types.map((type) => ({
      name: type.name,
      summary: type.summary,
      operations: operationsByKernel(type),
    })),
    contacts: contactPairs(robot),
    water: compiled.links.flatMap(({ name: link, type: { waterMethod: method } }) =>
      method ? [{ link, method }] : [],
    ),
    actuators: robot.actuators.map(({ name, kind, unit, coordinateUnit, terms }, index) => ({
      ...{ name, kind, unit, coordinateUnit },
      terms: [
        ...compiled.links.flatMap(({ name: link, type, actuators }) =>
          actuators.flatMap((actuator, i) => (actuator === index ? [{ link, method: type.actuationMethods[i]! }] : [])),
        ),
        ...terms.flatMap(({ kind }) =>
          kind === 'robot-formula' ? [{ link: 'robot', method: 'formula of coordinates of several links' }] : [],
        ),
        ...reachingTerms(compiled, index),
      ],
    })),
    stiffness: stiffnessOfRods(robot),
    ...withWeight(robot),
    bodies: [...compileBodies(robot).values()].map((body) => explainBody(body, print, notation)),
  };
}

/** What the equation of an implicit strain leaves out; nothing where statics of the rod do not apply. */
function withWeight(robot: Robot): Pick<Explanation, 'weight'> {
  const isBalanced = robot.links.some(
    ({ body }) =>
      body.kind === 'deformable' && body.type.kinematics.kind === 'strain' && body.type.kinematics.equilibrium,
  );
  if (!isBalanced) return {};
  const { coordinates, actuators } = robot;
  try {
    const { sections, base, gravity, carried, link } = rodOfRobot(robot);
    const loads = { gravity, moment: [0, 0, 0], forces: weightsOf(carried, gravity) };
    const moved = (q: readonly number[]): number => {
      const { position, unloaded } = equilibriumOfRod(sections, { q, base, loads, steps: STEPS });
      return Math.hypot(...position.map((e, i) => e - unloaded[i]!));
    };
    const atRest = moved(actuators.map(() => 0));
    const cases = actuators.flatMap(({ name, upper, drives: [driven] = [] }, k) => {
      const most = upper ?? (driven === undefined ? undefined : coordinates[driven]!.upper);
      return most === undefined ? [] : [{ name, q: actuators.map((_, i) => (i === k ? most : 0)) }];
    });
    const worst = cases
      .map(({ name, q }) => ({ at: name, most: moved(q) }))
      .reduce((large, own) => (own.most > large.most ? own : large), { at: '', most: atRest });
    const length = sections.ends.at(-1)! - sections.ends[0]!;
    return { weight: { link, length, atRest, ...worst } };
  } catch (error) {
    if (error instanceof NoRodEquilibrium || (error instanceof KanegenError && error.code === 'not-supported'))
      return {};
    throw error;
  }
}

/** Of order eight: enough for a length in words. */
const STEPS = 32;

function explainBody(body: CompiledBody, print: (e: Expr) => string, notation: 'text' | 'latex'): ExplainedBody {
  const { closed, type, chosen } = body;
  const finite = (n: number | undefined): number | null => (n !== undefined && Number.isFinite(n) ? n : null);
  return {
    name: type.name,
    summary: type.summary,
    method: chosen.method === 'closed form' ? chosen.description : chosen.method,
    ways: body.ways.map((way) => explainWay(way, { chosen: way === chosen, volumes: type.volumes.length })),
    missing: body.missing,
    operations: {
      shapeIntegrals: finite(closed?.costs.shapeIntegrals),
      contraction: finite(closed?.costs.contraction),
    },
    kinematics: (closed?.form ?? []).map(({ function: f, coefficient }) => ({
      function: describe([f.x, f.y, f.s], f.order, f.argument && print(f.argument), notation),
      coefficient: coefficient.map(print),
    })),
    integrals: closed?.reports ?? [],
    questions: closed?.questions ?? [],
    losses: body.losses.map(describeLoss),
    forces: chosen.forces().map(({ name, kind, loops }) => ({ name, kind, points: pointsOf(loops) })),
    // The terms of the papers are those of bodies that move with their coordinates alone.
    terms: closed && !type.time ? bodyTerms(body).map((t) => ({ ...t, values: t.values.map(print) })) : [],
  };
}

/** Rows of loops that run when forces are asked for. */
function pointsOf(loops: readonly Loop[]): number {
  return loops.filter((loop) => loop.stage > 0).reduce((total, loop) => total + loop.table.rows, 0);
}

function explainWay(
  { method, description, cost, error, trials, balance }: BodyWay,
  { chosen, volumes }: { readonly chosen: boolean; readonly volumes: number },
): ExplainedWay {
  const areRun = volumes === 1 && cost.rows > 0;
  return {
    method,
    description,
    chosen,
    operations: cost.operations,
    points: cost.rows,
    operationsPerPoint: cost.perRow,
    error: Number.isFinite(error) ? error : null,
    ...(balance && { balance }),
    trials: [...trials]
      .sort((a, b) => a.points - b.points)
      .map((trial) => ({
        ...trial,
        operations: trial.operations ?? (areRun ? cost.operations + (trial.points - cost.rows) * cost.perRow : null),
        tolerance: trial.error <= 1 ? Number(`1e${Math.ceil(Math.log10(Math.max(trial.error, 1e-16)))}`) : null,
      })),
  };
}

/** x^… y^… s^…, times c_order(argument s²). */
function describe(
  powers: readonly [number, number, number],
  order: number | undefined,
  argument: string | undefined,
  notation: 'text' | 'latex',
): string {
  const isLatex = notation === 'latex';
  const [x, y, s] = powers;
  const factors = [['x', x] as const, ['y', y] as const, ['s', s + (order ?? 0)] as const].flatMap(([name, n]) =>
    n === 0 ? [] : [n === 1 ? name : isLatex ? `${name}^{${n}}` : `${name}^${n}`],
  );
  if (order !== undefined)
    factors.push(isLatex ? `c_{${order}}\\left(${argument!}\\, s^{2}\\right)` : `c${order}(${argument}*s^2)`);
  return factors.join(' ') || '1';
}

/** Operations per kernel, loops included; what depends on parameters only is computed once and not counted. */
function operationsByKernel(type: LinkType): Readonly<Record<string, number>> {
  const known = new Set<Expr>(type.inputs.parameters);
  for (const loop of type.loops) if (loop.stage === 0) for (const sum of loop.sums) known.add(sum.symbol);
  const counts: Record<string, number> = {};
  for (const kernel of type.kernels) {
    const values = kernel.outputs.flatMap((o) => o.values);
    const constant = new Set<Expr>();
    for (const e of postorder(values))
      if (e.kind === 'symbol' ? known.has(e) : children(e).every((o) => constant.has(o))) constant.add(e);
    const loops = loopsNeeded(type.loops, values, kernel.loops ?? []).filter((loop) => loop.stage > 0);
    counts[kernel.name] =
      totalOperations(countOperations(values, (e) => constant.has(e))) +
      loops.reduce((sum, loop) => sum + loop.table.rows * costOfRow(loop), 0);
  }
  return counts;
}

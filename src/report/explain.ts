/**
 * What the compiler did with a robot, for people and (as plain data) for machines: coordinates, links and their types,
 * and for every deformable body its separated kinematics, integrals, shape integrals and operation counts.
 */
import type { BodyType, Robot } from '../description/robot.ts';
import { bodyTerms } from '../kane/body-terms.ts';
import { compileBody, compileRobot, type CompiledBody } from '../kane/compile.ts';
import type { KernelName, LinkType } from '../kane/link-type.ts';
import { countOperations, totalOperations } from '../symbolic/cost.ts';
import { children, type Expr } from '../symbolic/expr.ts';
import { toLatex, toText } from '../symbolic/print.ts';
import { postorder } from '../symbolic/traverse.ts';

export interface ExplainedTerm {
  readonly name: string;
  readonly notation: string;
  readonly summary: string;
  readonly frame: string;
  readonly unit: string;
  readonly values: readonly string[];
}

export interface ExplainedBody {
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  /** Operations of inverse dynamics by each model; null where it was not worth forming. */
  readonly operations: { readonly shapeIntegrals: number | null; readonly contraction: number };
  /** p = Σ function · coefficient. */
  readonly kinematics: readonly { readonly function: string; readonly coefficient: readonly string[] }[];
  readonly integrals: readonly { readonly integral: string; readonly method: string }[];
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
  readonly bodies: readonly ExplainedBody[];
}

/** Terms with more tree nodes than this are given by their size instead of their text. */
const READABLE = 400;

/** @throws KanegenError when the robot does not compile. */
export function explainRobot(robot: Robot, notation: 'text' | 'latex' = 'text'): Explanation {
  const compiled = compileRobot(robot);
  const print = (e: Expr): string => {
    if (e.size > READABLE) return `(${totalOperations(countOperations([e]))} operations)`;
    return notation === 'latex' ? toLatex(e) : toText(e);
  };
  const bodies = new Map<BodyType, ExplainedBody>();
  for (const { body } of robot.links)
    if (body.kind === 'deformable' && !bodies.has(body.type))
      bodies.set(body.type, explainBody(compileBody(body.type), print));
  return {
    name: robot.name,
    summary: robot.summary,
    coordinates: robot.coordinates,
    parameters: robot.parameters.map((p) => ({ name: p.name, unit: p.unit, value: toText(p.value) })),
    links: compiled.links.map((link) => ({
      name: link.name,
      parent: link.parent < 0 ? 'base' : compiled.links[link.parent]!.name,
      type: link.type.name,
    })),
    types: compiled.types.map((type) => ({
      name: type.name,
      summary: type.summary,
      operations: operationsByKernel(type),
    })),
    bodies: [...bodies.values()],
  };
}

function explainBody(body: CompiledBody, print: (e: Expr) => string): ExplainedBody {
  const { costs } = body;
  return {
    name: body.type.name,
    summary: body.type.summary,
    method: body.model.method,
    operations: {
      shapeIntegrals: Number.isFinite(costs.shapeIntegrals) ? costs.shapeIntegrals : null,
      contraction: costs.contraction,
    },
    kinematics: body.kinematics.form.map(({ function: f, coefficient }) => ({
      function: describe(f.x, f.y, f.s, f.order, f.argument && print(f.argument)),
      coefficient: coefficient.map(print),
    })),
    integrals: body.reports,
    terms: bodyTerms(body).map((t) => ({ ...t, values: t.values.map(print) })),
  };
}

function describe(x: number, y: number, s: number, order: number | undefined, argument: string | undefined): string {
  const powers = [['x', x] as const, ['y', y] as const, ['s', s + (order ?? 0)] as const].flatMap(([name, n]) =>
    n === 0 ? [] : [n === 1 ? name : `${name}^${n}`],
  );
  if (order !== undefined) powers.push(`c${order}(${argument}*s^2)`);
  return powers.join(' ') || '1';
}

/** Operations per kernel; what depends on parameters only is computed once and not counted. */
function operationsByKernel(type: LinkType): Record<KernelName, number> {
  const parameters = new Set<Expr>(type.inputs.parameters);
  const counts: Partial<Record<KernelName, number>> = {};
  for (const kernel of type.kernels) {
    const values = kernel.outputs.flatMap((o) => o.values);
    const constant = new Set<Expr>();
    for (const e of postorder(values))
      if (e.kind === 'symbol' ? parameters.has(e) : children(e).every((o) => constant.has(o))) constant.add(e);
    counts[kernel.name] = totalOperations(countOperations(values, (e) => constant.has(e)));
  }
  return counts as Record<KernelName, number>;
}

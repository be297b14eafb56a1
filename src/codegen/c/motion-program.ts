/**
 * A program around the generated C of a robot that carries out one motion and prints it: for `simulate --target c`. Steps
 * are those of NAME_rosenbrock.h, of NAME_generalized_alpha.h, or of CVODE from SUNDIALS.
 */
import { rubs } from '../../description/model/actuator.ts';
import type { Robot } from '../../description/model/robot.ts';
import { isRigidRope } from '../../description/model/loop.ts';
import { bristleParameters, contactPairs } from '../../description/model/contact.ts';
import { forcesOf, isInFields, waterOf } from '../../description/model/what-acts.ts';
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import { programOf } from '../drivers/robot-programs.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { snakeCase } from '../naming/identifiers.ts';
import { decimalText, printProgram } from '../printing/print-arithmetic.ts';
import { loadTemplates } from '../c-language/templates.ts';
import { cTarget, signedLiteral } from '../c-language/target.ts';

/** What drives something over time: a formula of the symbol of the time, or straight lines between points. */
export type SignalForm =
  | { readonly formula: Expr; readonly time: SymbolExpr }
  | { readonly times: readonly number[]; readonly values: readonly number[] };

export interface Motion {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  /** Times that are ends of steps, in s; the first is the beginning. Where forces jump: neighbouring times before and after. */
  readonly stops: readonly {
    readonly at: number;
    readonly jump?: { readonly before: number; readonly after: number };
  }[];
  /** Time between two samples. */
  readonly every: number;
  readonly tolerance: number;
  /** Of generalised α; in s. */
  readonly step: number | undefined;
  readonly spectralRadius: number;
  readonly newmark?: number;
  /** Are its factors made anew for every correction? */
  readonly exact: boolean;
  readonly mostSteps: number;
  /** By actuator, by coordinate; undefined: zero. */
  readonly inputs: readonly (SignalForm | undefined)[];
  readonly forces: readonly (SignalForm | undefined)[];
  /** Moment, then force. */
  readonly loads: readonly {
    readonly frame: number;
    readonly follows: boolean;
    readonly wrench: readonly SignalForm[];
  }[];
}

/**
 * @param differentiated does the robot's C have derivatives? CVODE and IDA take the Jacobian from them.
 * @returns `NAME_motion.c`.
 */
export async function motionProgram(
  robot: Robot,
  motion: Motion,
  integrator: 'rosenbrock' | 'generalized-alpha' | 'cvode' | 'ida',
  differentiated = false,
): Promise<GeneratedFile> {
  const render = await loadTemplates();
  const name = snakeCase(robot.name);
  const forms: SignalForm[] = [];
  const place = (form: SignalForm): number => forms.push(form) - 1;
  const given = (all: readonly (SignalForm | undefined)[]): { index: number; signal: number }[] =>
    all.flatMap((form, index) => (form ? [{ index, signal: place(form) }] : []));
  const inputs = given(motion.inputs);
  const forces = given(motion.forces);
  const loads = motion.loads.map(({ frame, follows, wrench }) => ({ frame, follows, signals: wrench.map(place) }));
  const formulas = forms.flatMap((form, signal) => ('formula' in form ? [{ ...form, signal }] : []));
  const tables = forms.flatMap((form, signal) => ('times' in form ? [{ ...form, signal }] : []));
  const program = programOf(
    'signals',
    formulas.length > 0 ? [{ buffer: 't', symbols: [formulas[0]!.time] }] : [],
    formulas.map(({ formula, signal }) => ({ buffer: 'signal', values: [formula], from: signal })),
  );
  const rows = (robot.loops ?? []).flatMap((loop) => loop.rows);
  const target = cTarget((buffer, index) => (buffer === 't' ? 't' : `${buffer}[${index}]`));
  const text = render('motion.c', {
    name,
    n: robot.coordinates.length,
    nu: robot.actuators.length,
    time: robot.time !== undefined,
    rubbing: robot.actuators.flatMap((own, j) => (rubs(own) && inputs.some(({ index }) => index === j) ? [j] : [])),
    damped: forcesOf(robot).damping,
    inWater: waterOf(robot).forces,
    inFields: isInFields(robot),
    pairs: contactPairs(robot).length,
    sticks: bristleParameters(robot).length > 0,
    rows: rows.length,
    ropes: rows.flatMap((row, j) => (isRigidRope(row) ? [j] : [])),
    sundials: integrator === 'cvode' || integrator === 'ida' ? integrator : undefined,
    differentiated,
    calls: integrator === 'ida' ? 'IDA' : 'CVode',
    alpha: integrator === 'generalized-alpha',
    step: decimalText(motion.step ?? 0),
    spectralRadius: decimalText(motion.spectralRadius),
    newmark: motion.newmark === undefined ? undefined : decimalText(motion.newmark),
    exact: motion.exact,
    signals: forms.length,
    q: motion.q.map(signedLiteral),
    qd: motion.qd.map(signedLiteral),
    stops: motion.stops.map(({ at }) => signedLiteral(at)),
    befores: motion.stops.map(({ at, jump }) => signedLiteral(jump?.before ?? at)),
    afters: motion.stops.map(({ at, jump }) => signedLiteral(jump?.after ?? at)),
    jumps: motion.stops.map(({ jump }) => (jump ? 1 : 0)),
    start: decimalText(motion.stops[0]!.at),
    every: decimalText(motion.every),
    tolerance: decimalText(motion.tolerance),
    mostSteps: motion.mostSteps,
    inputs,
    forces,
    loads,
    lines: printProgram(program, target, Infinity).parts[0]!,
    tables: tables.map(({ times, values, signal }) => ({
      name: `table_${signal}`,
      count: times.length,
      times: times.map(signedLiteral),
      values: values.map(signedLiteral),
      signal,
    })),
  });
  return { path: `${name}_motion.c`, text };
}

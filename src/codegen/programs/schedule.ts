/**
 * The order of statements in programs that hold more values than fit into registers. Demand alone (`program.ts`) leaves
 * to the end what nothing but an output needs, and everything that goes into it waits: of an arm the Stumpff functions
 * of every link, until the forces have come all the way back. Two passes change that, first backwards, then forwards:
 *
 * 1. From the outputs backwards the statement comes next that leaves the fewest values to be held before it (list
 *    scheduling by register pressure: J. R. Goodman, W.-C. Hsu, Code scheduling and register allocation, 1988).
 * 2. What takes away as many values as it adds is computed as soon as it can be.
 *
 * Operations, and the order within each sum, stay what they are. Programs that hold few values keep their order: for these
 * the time that each result takes counts for more than the place that it takes. So do those that would hold hardly less.
 */
import type { Program } from './program.ts';
import { countSlots, namesDefined, namesIn, totalHeld } from './slots.ts';
import { blocksOf, treesOf, type Statement } from './statement.ts';

/** When another order is taken. */
export interface Bounds {
  /** Programs that hold no more values at once keep their order. */
  readonly fewValues: number;
  /** The largest part of the values that another order may hold, all points of the program together. */
  readonly part: number;
}

/** Several times the registers of a processor; and a tenth less. */
export const BOUNDS: Bounds = { fewValues: 64, part: 0.9 };

/** The program with its statements in an order that follows from them alone. */
export function scheduled(program: Program, bounds: Bounds = BOUNDS): Program {
  const statements = schedule(program.statements, bounds);
  return { ...program, statements, slots: countSlots(statements) };
}

/** Blocks of optional outputs are ordered inside, too. */
function schedule(statements: readonly Statement[], bounds: Bounds): readonly Statement[] {
  if (countSlots(statements) <= bounds.fewValues || !isFree(statements)) return statements;
  const inside = statements.map((statement) =>
    statement.kind === 'guard' ? { ...statement, statements: schedule(statement.statements, bounds) } : statement,
  );
  const ordered = forwards(backwards(inside));
  return totalHeld(ordered) <= bounds.part * totalHeld(inside) ? ordered : inside;
}

/** Does nothing but names tie statements to each other? Loops hand arrays on, and stores change what is read later. */
function isFree(statements: readonly Statement[]): boolean {
  const all = withBlocks(statements);
  const written = new Set(all.flatMap((statement) => (statement.kind === 'store' ? [statement.place.buffer] : [])));
  const readsBack = treesOf(statements).some((tree) => tree.kind === 'load' && written.has(tree.place.buffer));
  return !readsBack && !all.some(({ kind }) => kind === 'loop' || kind === 'network');
}

function withBlocks(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement) => [statement, ...blocksOf(statement).flatMap(withBlocks)]);
}

/** A statement among others. */
interface Step {
  readonly statement: Statement;
  readonly position: number;
  /** Values of other statements of the block that it takes, and values that it gives them. */
  readonly takes: readonly Value[];
  readonly gives: readonly Value[];
  /** Values that are added to those held when it is carried out now, in the direction of the pass. */
  growth: number;
}

/** A named value. Inputs are none: they can be read again. */
interface Value {
  readonly from: Step;
  readonly users: Step[];
}

function stepsOf(statements: readonly Statement[]): Step[] {
  const values = new Map<string, Value>();
  return statements.map((statement, position) => {
    const takes = namesIn([statement]).flatMap((name) => values.get(name) ?? []);
    const gives: Value[] = [];
    const step: Step = { statement, position, takes, gives, growth: 0 };
    for (const value of takes) value.users.push(step);
    for (const name of namesDefined(statement)) {
      const value: Value = { from: step, users: [] };
      values.set(name, value);
      gives.push(value);
    }
    return step;
  });
}

function backwards(statements: readonly Statement[]): Statement[] {
  const steps = stepsOf(statements);
  const usersLeft = new Map(steps.map((step) => [step, step.gives.reduce((n, value) => n + value.users.length, 0)]));
  const held = new Set<Value>();
  for (const step of steps) step.growth = step.takes.length;
  const order: Statement[] = [];
  const ready = new Set<Step>();
  let next = steps.filter((step) => usersLeft.get(step) === 0);
  for (;;) {
    for (const step of next.sort((a, b) => b.position - a.position)) ready.add(step);
    if (ready.size === 0) return order.reverse();
    const step = leastGrowth(ready);
    ready.delete(step);
    order.push(step.statement);
    next = [];
    for (const value of step.takes) {
      if (!held.has(value)) {
        held.add(value);
        value.from.growth -= 1;
        for (const user of value.users) user.growth -= 1;
      }
      const left = usersLeft.get(value.from)! - 1;
      usersLeft.set(value.from, left);
      if (left === 0) next.push(value.from);
    }
  }
}

/** Of several the one that has been ready for longest, so that what depends on each other does not stand side by side. */
function leastGrowth(ready: ReadonlySet<Step>): Step {
  let best: Step | undefined;
  for (const step of ready) if (!best || step.growth < best.growth) best = step;
  return best!;
}

function forwards(statements: readonly Statement[]): Statement[] {
  const steps = stepsOf(statements);
  const usersLeft = new Map(steps.flatMap(({ gives }) => gives.map((value) => [value, value.users.length])));
  const operandsLeft = new Map(steps.map((step) => [step, step.takes.length]));
  for (const step of steps)
    step.growth = step.gives.length - step.takes.filter((value) => value.users.length === 1).length;
  const done = new Set<Step>();
  const order: Statement[] = [];
  for (const next of steps) {
    const pending = [next];
    while (pending.length > 0) {
      const step = pending.pop()!;
      const isDue = step === next || (operandsLeft.get(step) === 0 && step.growth <= 0);
      if (done.has(step) || !isDue) continue;
      done.add(step);
      order.push(step.statement);
      const concerned = new Set<Step>();
      for (const value of step.takes) {
        const left = usersLeft.get(value)! - 1;
        usersLeft.set(value, left);
        const last = left === 1 && value.users.find((user) => !done.has(user));
        if (!last) continue;
        last.growth -= 1;
        concerned.add(last);
      }
      for (const value of step.gives)
        for (const user of value.users) {
          operandsLeft.set(user, operandsLeft.get(user)! - 1);
          concerned.add(user);
        }
      pending.push(...[...concerned].sort((a, b) => b.position - a.position));
    }
  }
  return order;
}

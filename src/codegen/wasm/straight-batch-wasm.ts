/**
 * Inverse dynamics of many states at once in WebAssembly with vectors of two doubles: `NAME_straight_batch.ts`, a typed
 * module with the binary inside it, for Node and browsers. The arithmetic is that of the batch form in C; states outside
 * the range of the polynomials are computed again by the straight-line function in TypeScript.
 */
import { packageFile } from '../modules/assets.ts';
import { branchFree, NAMED_CONSTANTS, RANGE } from '../printing/branch-free.ts';
import { provenance } from '../modules/header.ts';
import { pascalCase } from '../programs/names.ts';
import type { Place } from '../operations/operation.ts';
import type { Program } from '../programs/program.ts';
import { treesOf, type Statement, type Tree } from '../programs/statement.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { hasBatchForm, type StraightFunctionModel, type StraightModel } from '../whole-robot/straight-model.ts';
import { comment } from '../typescript/typescript.ts';
import {
  branchIf,
  call,
  concatenate,
  encodeModule,
  extractLane,
  f64x2Const,
  i32Const,
  INSTRUCTION,
  localGet,
  localSet,
  loop,
  replaceLane,
  v128Load,
  v128Load64Splat,
  v128Store,
  type Bytes,
  type FunctionType,
} from './wasm-encoder.ts';

/** Bytes that one step of the loop advances: two doubles. */
const STEP = 16;

/** Functions of the host that work on one number; all others work on two. */
const TWO_OPERANDS: ReadonlySet<string> = new Set(['atan2', 'pow']);

/** Parameters of the exported function: addresses in bytes, distance between coordinates in bytes, end of `q`. */
const PARAMETERS = ['parameters', 'q', 'qd', 'qdd', 'tau', RANGE, 'stride', 'end'] as const;

/**
 * The binary of a program over buffers q, qd, qdd, tau: f(parameters, q, qd, qdd, tau, range, stride, end) computes two
 * states at a time while q < end. Imports `host.memory` and the functions of `Math` that are not vector instructions.
 * @param checked numbers of a state; `range` becomes NaN where one of them is not finite.
 */
export function batchModule(program: Program, checked: readonly Place[] = []): Uint8Array {
  return new FunctionWriter(withCheck(branchFree(program), checked)).module();
}

/** Nothing times the sum of all numbers is added to `range`: NaN when one is not finite. */
function withCheck(program: Program, checked: readonly Place[]): Program {
  if (checked.length === 0) return program;
  const nothing: Tree = { kind: 'multiply', left: { kind: 'number', value: 0 }, right: sumOf(checked) };
  const statements = program.statements.map((statement): Statement =>
    statement.kind === 'store' && statement.place.buffer === RANGE
      ? { ...statement, value: { kind: 'add', left: statement.value, right: nothing } }
      : statement,
  );
  return { ...program, statements };
}

/** Halves added up, so that additions do not wait for each other. */
function sumOf(places: readonly Place[]): Tree {
  if (places.length === 1) return { kind: 'load', place: places[0]! };
  const half = places.length >> 1;
  return { kind: 'add', left: sumOf(places.slice(0, half)), right: sumOf(places.slice(half)) };
}

/** The module in TypeScript; nothing when the robot has no inverse dynamics in straight-line form. */
export async function generateStraightBatchWasm(model: StraightModel): Promise<GeneratedFile[]> {
  const f = model.functions.find(({ name }) => name === 'inverseDynamics');
  if (!f || !hasBatchForm(model)) return [];
  const { Eta } = await import('eta');
  const eta = new Eta({ autoEscape: false, autoTrim: [false, 'nl'] });
  const template = packageFile('templates/typescript/straight_batch.ts.eta');
  const text = eta.renderString(template, templateData(model, f, batchModule(f.program, checkedPlaces(model, f))));
  return [{ path: `${model.robot.name}_straight_batch.ts`, text }];
}

class FunctionWriter {
  private readonly program: Program;
  private readonly code: Uint8Array[] = [];
  private readonly values = new Map<string, number>();
  private readonly hostFunctions: string[];
  private temporaries = 0;

  constructor(program: Program) {
    this.program = program;
    this.hostFunctions = [
      ...new Set(treesOf(program.statements).flatMap((t) => (isHostCall(t) ? [t.name] : []))),
    ].sort();
  }

  module(): Uint8Array {
    this.write(loop);
    for (const { name, place } of this.program.loads) this.define(name, () => this.load(place));
    this.program.statements.forEach((statement) => this.statement(statement));
    for (const pointer of ['q', 'qd', 'qdd', 'tau', RANGE] as const)
      this.write([
        ...this.pointer(pointer),
        ...i32Const(STEP),
        ...INSTRUCTION.i32Add,
        ...localSet(PARAMETERS.indexOf(pointer)),
      ]);
    this.write([...this.pointer('q'), ...this.pointer('end'), ...INSTRUCTION.i32LessUnsigned, ...branchIf(0)]);
    this.write(INSTRUCTION.end);
    return encodeModule({
      imports: this.hostFunctions.map((name) => ({ module: 'math', name, type: hostType(name) })),
      exported: {
        name: 'inverseDynamics',
        type: { parameters: PARAMETERS.map(() => 'i32' as const), results: [] },
        locals: [{ type: 'v128', count: this.values.size }],
        code: concatenate(this.code),
      },
    });
  }

  private write(bytes: Bytes): void {
    this.code.push(Uint8Array.from(bytes));
  }

  private local(name: string): number {
    const index = this.values.get(name);
    if (index === undefined) throw new Error(`${name} is used before it is computed`);
    return index;
  }

  private define(name: string, value: () => void): void {
    value();
    const index = PARAMETERS.length + this.values.size;
    this.values.set(name, index);
    this.write(localSet(index));
  }

  private pointer(name: (typeof PARAMETERS)[number]): Bytes {
    return localGet(PARAMETERS.indexOf(name));
  }

  private address({ buffer, index }: Place): void {
    const known = PARAMETERS.find((name) => name === buffer);
    if (!known) throw new Error(`the batch form has no buffer ${buffer}`);
    this.write(this.pointer(known));
    if (buffer === 'parameters') this.write([...i32Const(8 * index), ...INSTRUCTION.i32Add]);
    else if (index > 0)
      this.write([...i32Const(index), ...this.pointer('stride'), ...INSTRUCTION.i32Mul, ...INSTRUCTION.i32Add]);
  }

  private load(place: Place): void {
    this.address(place);
    this.write(place.buffer === 'parameters' ? v128Load64Splat : v128Load);
  }

  private statement(statement: Statement): void {
    switch (statement.kind) {
      case 'let':
        this.define(statement.name, () => this.tree(statement.value));
        return;
      case 'store':
        this.address(statement.place);
        this.tree(statement.value);
        this.write(v128Store);
        return;
      case 'select':
        this.define(statement.name, () => {
          this.tree(statement.thenValue);
          this.tree(statement.otherwiseValue);
          this.tree(statement.condition);
          this.write(INSTRUCTION.v128BitSelect);
        });
        return;
      default:
        throw new Error(`${statement.kind} in a program that is to be free of branches`);
    }
  }

  /** Leaves the value of a tree on the stack. */
  private tree(tree: Tree): void {
    switch (tree.kind) {
      case 'name':
        if (tree.name in NAMED_CONSTANTS)
          this.write(f64x2Const(NAMED_CONSTANTS[tree.name as keyof typeof NAMED_CONSTANTS].double));
        else this.write(localGet(this.local(tree.name)));
        return;
      case 'load':
        this.load(tree.place);
        return;
      case 'number':
        this.write(f64x2Const(tree.value));
        return;
      case 'negate':
      case 'sqrt':
        this.tree(tree.operand);
        this.write(tree.kind === 'sqrt' ? INSTRUCTION.f64x2Sqrt : INSTRUCTION.f64x2Negate);
        return;
      case 'call':
        this.call(tree);
        return;
      case 'logic':
        this.logic(tree);
        return;
      default:
        this.tree(tree.left);
        this.tree(tree.right);
        this.write(tree.kind === 'compare' ? COMPARISON[tree.operator] : BINARY[tree.kind]);
    }
  }

  private logic({ operator, operands }: Extract<Tree, { kind: 'logic' }>): void {
    operands.forEach((operand, i) => {
      this.tree(operand);
      if (i > 0) this.write(operator === 'and' ? INSTRUCTION.v128And : INSTRUCTION.v128Or);
    });
    if (operator === 'not') this.write(INSTRUCTION.v128Not);
  }

  /** Functions of the host are called for one lane after the other. */
  private call(tree: Extract<Tree, { kind: 'call' }>): void {
    if (tree.name === 'abs') {
      this.tree(tree.operands[0]!);
      this.write(INSTRUCTION.f64x2Abs);
      return;
    }
    const operands = tree.operands.map((operand) => this.temporary(() => this.tree(operand)));
    const lane = (which: 0 | 1): void => {
      for (const operand of operands) this.write([...localGet(operand), ...extractLane(which)]);
      this.write(call(this.hostFunctions.indexOf(tree.name)));
    };
    lane(0);
    this.write(INSTRUCTION.f64x2Splat);
    lane(1);
    this.write(replaceLane(1));
  }

  /** Puts a value into a local variable that no other name refers to. */
  private temporary(value: () => void): number {
    const name = `operand ${++this.temporaries}`;
    this.define(name, value);
    return this.local(name);
  }
}

const BINARY = {
  add: INSTRUCTION.f64x2Add,
  subtract: INSTRUCTION.f64x2Subtract,
  multiply: INSTRUCTION.f64x2Multiply,
  divide: INSTRUCTION.f64x2Divide,
} as const;
const COMPARISON = {
  '<': INSTRUCTION.f64x2Less,
  '<=': INSTRUCTION.f64x2LessEqual,
  '==': INSTRUCTION.f64x2Equal,
} as const;

function isHostCall(tree: Tree): tree is Extract<Tree, { kind: 'call' }> {
  return tree.kind === 'call' && tree.name !== 'abs';
}

function hostType(name: string): FunctionType {
  return { parameters: TWO_OPERANDS.has(name) ? ['f64', 'f64'] : ['f64'], results: ['f64'] };
}

/** Everything that a call reads of a state or writes. */
function checkedPlaces({ robot }: StraightModel, f: StraightFunctionModel): Place[] {
  const buffers = [...f.reads.filter((buffer) => buffer !== 'parameters'), 'tau'];
  return buffers.flatMap((buffer) => robot.robot.coordinates.map((_, index) => ({ buffer, index })));
}

/** What the template around the binary is told. */
function templateData(model: StraightModel, f: StraightFunctionModel, binary: Uint8Array): object {
  const { name, robot } = model.robot;
  const inputs = f.reads.filter((buffer) => buffer !== 'parameters');
  return {
    name,
    type: pascalCase(name),
    n: robot.coordinates.length,
    inputs,
    keeps: f.reads.length > inputs.length,
    header: comment([
      ...provenance(model.robot),
      'Inverse dynamics of many states at once, in WebAssembly with vector instructions; for Node and browsers.',
    ]),
    // Even, so that the arrays behind it are aligned to vectors.
    parameterRoom: 2 * Math.ceil(model.parameters.length / 2),
    parameterLines: model.parameters.map(
      ({ member, index }, i) => `parameters[${i}] = p.${member}${index === undefined ? '' : `[${index}]!`};`,
    ),
    bytes: binary.length,
    base64: Buffer.from(binary)
      .toString('base64')
      .match(/.{1,116}/g),
  };
}

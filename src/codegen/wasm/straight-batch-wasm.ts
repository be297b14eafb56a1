/**
 * Inverse and forward dynamics and implicit steps of many states at once in WebAssembly with vectors of two doubles:
 * `NAME_straight_batch.ts`, `NAME_straight_forward_batch.ts` and `NAME_straight_implicit_batch.ts`, typed modules with the binary
 * inside them, for Node and browsers. The arithmetic is that of the batch form in C; states outside
 * the range of the polynomials are computed again by the straight-line function in TypeScript.
 */
import { base64 } from '../../common/bytes.ts';
import { packageFile } from '../modules/assets.ts';
import { branchFree, NAMED_CONSTANTS, RANGE } from '../printing/branch-free.ts';
import { provenance } from '../modules/header.ts';
import { camelCase, pascalCase } from '../naming/identifiers.ts';
import type { Place } from '../operations/operation.ts';
import type { Program } from '../programs/program.ts';
import { treesOf, type Statement, type Tree } from '../programs/statement.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import {
  batchForms,
  type BatchForm,
  type StraightFunctionModel,
  type StraightModel,
} from '../whole-robot/straight-model.ts';
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
import { comment } from '../typescript/checks.ts';

/** Bytes that one step of the loop advances: two doubles. */
const STEP = 16;

/** Functions of the host that work on one number; all others work on two. */
const TWO_OPERANDS: ReadonlySet<string> = new Set(['atan2', 'pow']);

/** Of the exported function of a batch. */
export interface BatchSignature {
  readonly name: string;
  /** Buffers of a number for each coordinate and state, read or written. */
  readonly arrays: readonly string[];
  /** Kept parameters, behind which the time of a step stands, if there is one. */
  readonly parameters: number;
}

const INVERSE_DYNAMICS: BatchSignature = { name: 'inverseDynamics', arrays: ['q', 'qd', 'qdd', 'tau'], parameters: 0 };

/**
 * The binary of a program over arrays, f(parameters, ...arrays, range, stride, end): addresses in bytes, distance between
 * coordinates in bytes, end of the first array. It computes two states at a time while the first array < end. Imports
 * `host.memory` and the functions of `Math` that are not vector instructions.
 * @param checked numbers of a state; `range` becomes NaN where one of them is not finite.
 */
export function batchModule(
  program: Program,
  checked: readonly Place[] = [],
  signature: BatchSignature = INVERSE_DYNAMICS,
): Uint8Array {
  return new FunctionWriter(withCheck(branchFree(program), checked), signature).module();
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

/** The modules in TypeScript; none when the robot has no such function in straight-line form. */
export async function generateStraightBatchWasm(model: StraightModel): Promise<GeneratedFile[]> {
  const { Eta } = await import('eta/core');
  const eta = new Eta({ autoEscape: false, autoTrim: [false, 'nl'] });
  const template = packageFile('templates/typescript/straight_batch.ts.eta');
  return batchForms(model).map((form) => {
    const f = model.functions.find(({ name }) => name === form.name)!;
    const outputs = f.outputs.map(({ name }) => name);
    const signature = { name: f.name, arrays: [...form.inputs, ...outputs], parameters: model.parameters.length };
    const binary = batchModule(f.program, checkedPlaces(model, f), signature);
    const text = eta.renderString(template, templateData(model, f, form, binary));
    return { path: `${model.robot.name}_${form.file}.ts`, text };
  });
}

class FunctionWriter {
  private readonly program: Program;
  private readonly code: Uint8Array[] = [];
  private readonly values = new Map<string, number>();
  private readonly hostFunctions: string[];
  private temporaries = 0;
  private readonly signature: BatchSignature;
  private readonly parameters: readonly string[];

  constructor(program: Program, signature: BatchSignature) {
    this.program = program;
    this.signature = signature;
    this.parameters = ['parameters', ...signature.arrays, RANGE, 'stride', 'end'];
    this.hostFunctions = [
      ...new Set(treesOf(program.statements).flatMap((t) => (isHostCall(t) ? [t.name] : []))),
    ].sort();
  }

  module(): Uint8Array {
    this.write(loop);
    for (const { name, place } of this.program.loads) this.define(name, () => this.load(place));
    this.program.statements.forEach((statement) => this.statement(statement));
    const { arrays, name } = this.signature;
    for (const pointer of [...arrays, RANGE])
      this.write([
        ...this.pointer(pointer),
        ...i32Const(STEP),
        ...INSTRUCTION.i32Add,
        ...localSet(this.parameters.indexOf(pointer)),
      ]);
    this.write([...this.pointer(arrays[0]!), ...this.pointer('end'), ...INSTRUCTION.i32LessUnsigned, ...branchIf(0)]);
    this.write(INSTRUCTION.end);
    return encodeModule({
      imports: this.hostFunctions.map((name) => ({ module: 'math', name, type: hostType(name) })),
      exported: {
        name,
        type: { parameters: this.parameters.map(() => 'i32' as const), results: [] },
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
    const index = this.parameters.length + this.values.size;
    this.values.set(name, index);
    this.write(localSet(index));
  }

  private pointer(name: string): Bytes {
    return localGet(this.parameters.indexOf(name));
  }

  private address({ buffer, index }: Place): void {
    const known = this.parameters.find((name) => name === buffer);
    if (!known) throw new Error(`the batch form has no buffer ${buffer}`);
    this.write(this.pointer(known));
    if (buffer === 'parameters') this.write([...i32Const(8 * index), ...INSTRUCTION.i32Add]);
    else if (index > 0)
      this.write([...i32Const(index), ...this.pointer('stride'), ...INSTRUCTION.i32Mul, ...INSTRUCTION.i32Add]);
  }

  private load(place: Place): void {
    const isTime = place.buffer === 'h';
    const from = isTime ? { buffer: 'parameters', index: this.signature.parameters } : place;
    this.address(from);
    this.write(from.buffer === 'parameters' ? v128Load64Splat : v128Load);
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
      case 'guard':
      case 'loop':
      case 'network':
      case 'restore':
      case 'save':
      case 'sine-cosine':
      case 'stumpff':
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
      case 'add':
      case 'compare':
      case 'divide':
      case 'multiply':
      case 'subtract':
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

/** Buffers of a number for each coordinate that a function reads. */
const arraysRead = (f: StraightFunctionModel): readonly string[] =>
  f.reads.filter((buffer) => buffer !== 'parameters' && buffer !== 'h');

/** Everything that a call reads of a state or writes. */
function checkedPlaces({ robot }: StraightModel, f: StraightFunctionModel): Place[] {
  const buffers = [...arraysRead(f), ...f.outputs.map(({ name }) => name)];
  return buffers.flatMap((buffer) => robot.robot.coordinates.map((_, index) => ({ buffer, index })));
}

/** What a factory is called after the name of the robot. */
const KINDS: Readonly<Record<BatchForm['name'], string>> = {
  inverseDynamics: 'Batch',
  forwardDynamics: 'ForwardBatch',
  implicitStep: 'ImplicitBatch',
};

/** What the template around the binary is told. */
function templateData(model: StraightModel, f: StraightFunctionModel, form: BatchForm, binary: Uint8Array): object {
  const { name, robot } = model.robot;
  const outputs = f.outputs.map((output) => ({ ...output, name: camelCase(output.name) }));
  const steps = f.reads.includes('h');
  return {
    name,
    robot: pascalCase(name),
    type: `${pascalCase(name)}${KINDS[form.name]}`,
    method: f.name,
    n: robot.coordinates.length,
    given: form.inputs,
    read: arraysRead(f),
    outputs,
    arrays: [...form.inputs, ...outputs.map((output) => output.name)],
    keeps: f.reads.includes('parameters'),
    steps,
    header: comment([
      ...provenance(model.robot),
      `${form.about} of many states at once, in WebAssembly with vector instructions; for Node and browsers.`,
    ]),
    // Even, so that the arrays behind it are aligned to vectors.
    parameterRoom: 2 * Math.ceil((model.parameters.length + (steps ? 1 : 0)) / 2),
    parameterLines: [
      ...model.parameters.map(
        ({ member, index }, i) => `parameters[${i}] = p.${member}${index === undefined ? '' : `[${index}]!`};`,
      ),
      ...(steps ? [`parameters[${model.parameters.length}] = h;`] : []),
    ],
    bytes: binary.length,
    base64: base64(binary).match(/.{1,116}/g),
  };
}

/**
 * C99 from the part of TypeScript that `subset.ts` describes, statement by statement: the same operations in the same
 * order, comments included. Whole numbers stay `int`, everything else is `kg_real`, literals included.
 */
import { snakeCaseOf, wrapped } from '../naming/identifiers.ts';
import { onLines, signature, WIDTH } from '../naming/statement-lines.ts';
import { decimalText } from '../printing/print-arithmetic.ts';
import {
  bare,
  commentBefore,
  compiler,
  countingLoop,
  isShort,
  refuse,
  statementsOf,
  typeOf,
  type Expression,
  type Node,
  type Routine,
  type Statement,
  type Type,
} from './subset.ts';

/** Matrices keep their capitals; the mark of a parameter that nothing reads goes. */
export const variableName = (name: string): string =>
  /^[A-Z]/.test(name) ? name : snakeCaseOf(name.replace(/^_/, ''));

/** A function that may be called, by its name in TypeScript. */
export interface Callee {
  /** In C. */
  readonly name: string;
  readonly parameters: readonly Type[];
  readonly result: Type;
}

export interface Surroundings {
  readonly callees: ReadonlyMap<string, Callee>;
  /** Whole numbers with a name, by that in C. */
  readonly constants?: ReadonlyMap<string, string>;
  /** Functions of the robot: what stands for `robot` in their arguments, and what they take beside. */
  readonly robot?: ReadonlyMap<string, Callee & { readonly before: string }>;
  /**
   * Fields of records, by the names of the record and of the field, and its type in C; fields that are records lie within. In place
   * of some stand constants.
   */
  readonly records?: ReadonlyMap<
    string,
    {
      readonly name: string;
      readonly fields: ReadonlyMap<string, Type>;
      readonly constants?: ReadonlyMap<string, string>;
    }
  >;
  /** How the robot is declared where a function takes one, and how it is handed on; empty where nothing of it is. */
  readonly robotParameters?: { readonly declared: string; readonly passed: string; readonly names: readonly string[] };
}

const CONSTANTS: Readonly<Record<string, string>> = {
  'Number.EPSILON': 'KG_EPSILON',
  'Number.MAX_VALUE': 'KG_LARGEST',
};
const ROBOT_PARAMETERS = 'robot.parameters';
const MATHEMATICS: readonly string[] = ['sqrt', 'sin', 'cos', 'atan2', 'abs', 'exp', 'log'];
/** Do others call it? */
export const isLinked = ({ exported }: Routine): boolean => exported;
/** As others call it, where they do. */
export const nameC = (routine: Routine): string => `${isLinked(routine) ? 'kg_' : ''}${snakeCaseOf(routine.name)}`;

/** As others call them. */
export function calleesOf(routines: readonly Routine[]): Map<string, Callee> {
  return new Map(
    routines.map((routine) => [
      routine.name,
      { name: nameC(routine), parameters: routine.parameters.map(({ type }) => type), result: routine.result },
    ]),
  );
}

/** `kg_status arm_track_step(…)` without what follows. */
export function prototypeC(routine: Routine, name: string, around: Surroundings): string {
  const parameters = routine.parameters.map((own) => declaration(own.name, own.type, around)).filter(Boolean);
  return signature(`${resultType(routine.result)} ${name}(`, parameters);
}

/** The comment of a function, as C has it, within the columns. */
export function commentC(lines: readonly string[]): string {
  const [only, ...others] = lines;
  if (only === undefined) return '';
  if (others.length === 0 && only.length <= WIDTH - 6) return `/* ${only} */\n`;
  const fitting = lines.flatMap((line) => (line.length <= WIDTH - 3 ? [line] : wrapped(line, WIDTH - 3)));
  return `/*\n${fitting.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

/** The whole function; `head` says what stands before its type. */
export function functionC(routine: Routine, name: string, around: Surroundings, head = ''): string {
  const translator = new Translator(routine, around);
  const body = routine.body.flatMap((statement) => translator.statement(statement, '  '));
  return `${head}${prototypeC(routine, name, around)}\n{\n${[...translator.unused(), ...body].join('\n')}\n}\n`;
}

function resultType(type: Type): string {
  return { real: 'kg_real', index: 'int', boolean: 'int', status: 'kg_status', void: 'void' }[type as string]!;
}

function declaration(name: string, type: Type, { records, robotParameters }: Surroundings): string {
  if (typeof type === 'object') {
    const isRead = type.record.endsWith('Parameters');
    return `${isRead ? 'const ' : ''}${records!.get(type.record)!.name} *${variableName(name)}`;
  }
  if (type === 'robot') return robotParameters!.declared;
  if (type === 'reals') return `const kg_real ${variableName(name)}[]`;
  if (type === 'buffer') return `kg_real ${variableName(name)}[]`;
  return `${resultType(type)} ${variableName(name)}`;
}

class Translator {
  private readonly types = new Map<string, Type>();
  private readonly read = new Set<string>();
  private readonly routine: Routine;
  private readonly around: Surroundings;
  private readonly ts = compiler();

  constructor(routine: Routine, around: Surroundings) {
    this.routine = routine;
    this.around = around;
    for (const { name, type } of routine.parameters) this.types.set(name, type);
  }

  /** Parameters that nothing reads. */
  unused(): string[] {
    return this.routine.parameters
      .filter(({ name }) => !this.read.has(name))
      .flatMap(({ name, type }) =>
        (type === 'robot' ? this.around.robotParameters!.names : [variableName(name)])
          // Of a robot its parameters may be read alone.
          .filter((own) => !this.read.has(own))
          .map((own) => `  (void)${own};`),
      );
  }

  statement(node: Statement, indent: string): string[] {
    const comment = commentBefore(this.routine.source.text, node);
    const lines = this.ts.isBlock(node)
      ? node.statements.flatMap((inner) => this.statement(inner, indent))
      : this.plain(node, indent);
    const parts = wrapped(comment.join(' '), WIDTH - indent.length - 6);
    const whole = parts.map(
      (part, i) => `${indent}${i === 0 ? '/*' : ' *'} ${part}${i < parts.length - 1 ? '' : ' */'}`,
    );
    return [...whole, ...lines];
  }

  private plain(node: Statement, indent: string): string[] {
    const { ts } = this;
    if (ts.isVariableStatement(node)) {
      const isConstant = (node.declarationList.flags & ts.NodeFlags.Const) !== 0;
      return node.declarationList.declarations.flatMap((own) => {
        const type = own.type ? typeOf(own.type) : this.typeOf(own.initializer!);
        this.types.set(own.name.getText(), type);
        const value = this.expression(own.initializer!, type);
        return fitted(
          `${isConstant ? 'const ' : ''}${resultType(type)} ${variableName(own.name.getText())} = ${value};`,
          indent,
        );
      });
    }
    if (ts.isExpressionStatement(node)) return fitted(`${this.assignment(node.expression)};`, indent);
    if (ts.isReturnStatement(node))
      return fitted(
        node.expression ? `return ${this.expression(node.expression, this.routine.result)};` : 'return;',
        indent,
      );
    if (ts.isIfStatement(node)) {
      const head = fitted(`if (${this.expression(node.expression, 'boolean')}) {`, indent);
      const yes = this.block(node.thenStatement, indent);
      if (!node.elseStatement) return withoutBraces(head, yes, indent);
      if (ts.isIfStatement(node.elseStatement)) {
        const [first, ...rest] = this.plain(node.elseStatement, indent);
        return [...head, ...yes, `${indent}} else ${first!.trimStart()}`, ...rest];
      }
      return [...head, ...yes, `${indent}} else {`, ...this.block(node.elseStatement, indent), `${indent}}`];
    }
    if (ts.isForStatement(node)) {
      const { name, from, condition, down, body } = countingLoop(node);
      this.types.set(name, 'index');
      const own = variableName(name);
      const begin = this.expression(from, 'index');
      const unrolled = isShort(node) ? 'KG_UNROLLED ' : '';
      const head = `${unrolled}for (int ${own} = ${begin}; ${this.expression(condition, 'boolean')}; ${down ? '--' : '++'}${own}) {`;
      return withoutBraces(fitted(head, indent), this.block(body, indent), indent);
    }
    return refuse(node, 'this statement');
  }

  private block(node: Statement, indent: string): string[] {
    return statementsOf(node).flatMap((inner) => this.statement(inner, `${indent}  `));
  }

  private assignment(node: Expression): string {
    const { ts } = this;
    if (!ts.isBinaryExpression(node)) return this.expression(node, 'void');
    const operator = node.operatorToken.getText();
    if (!/^[-+*]?=$/.test(operator)) return refuse(node, 'this statement');
    const type = this.typeOf(node.left);
    return `${this.expression(node.left, type)} ${operator} ${this.expression(node.right, type)}`;
  }

  /** The type of an expression; undefined of whole literals, which are whatever is wanted. */
  private inferred(node: Expression): Type | undefined {
    const { ts } = this;
    const inner = bare(node);
    if (ts.isNumericLiteral(inner)) return /[.e]/.test(inner.text) ? 'real' : undefined;
    if (inner.kind === ts.SyntaxKind.TrueKeyword || inner.kind === ts.SyntaxKind.FalseKeyword) return 'boolean';
    if (inner.kind === ts.SyntaxKind.NullKeyword) return 'buffer';
    if (ts.isIdentifier(inner)) {
      if (inner.text.startsWith('KG_')) return 'status';
      if (this.around.constants?.has(inner.text)) return 'index';
      return this.types.get(inner.text) ?? refuse(inner, 'this name');
    }
    if (ts.isElementAccessExpression(inner)) return 'real';
    if (ts.isPropertyAccessExpression(inner)) {
      if (CONSTANTS[inner.getText()]) return 'real';
      return this.field(inner.expression, inner.name.text).type;
    }
    if (ts.isCallExpression(inner) && inner.expression.getText() === 'Number.isFinite') return 'boolean';
    if (ts.isCallExpression(inner)) return this.callee(inner.expression)?.result ?? 'real';
    if (ts.isPrefixUnaryExpression(inner)) {
      return inner.operator === ts.SyntaxKind.ExclamationToken ? 'boolean' : this.inferred(inner.operand);
    }
    if (ts.isConditionalExpression(inner)) return this.inferred(inner.whenTrue) ?? this.inferred(inner.whenFalse);
    if (ts.isBinaryExpression(inner)) {
      if (/^([<>]=?|[!=]==|&&|\|\|)$/.test(inner.operatorToken.getText())) return 'boolean';
      if (inner.operatorToken.getText() === '/') return 'real';
      return this.common(inner.left, inner.right);
    }
    return refuse(node, 'this expression');
  }

  private typeOf(node: Expression): Type {
    return this.inferred(node) ?? 'real';
  }

  private common(a: Expression, b: Expression): Type | undefined {
    const [left, right] = [this.inferred(a), this.inferred(b)];
    return left === 'real' || right === 'real' ? 'real' : (left ?? right);
  }

  private field(of: Expression, name: string): { readonly place: string; readonly type: Type } {
    const record = this.typeOf(of);
    const known = typeof record === 'object' ? this.around.records?.get(record.record) : undefined;
    const type = known?.fields.get(name);
    if (!type) return refuse(of, `no field ${name}`);
    const constant = known?.constants?.get(name);
    if (constant !== undefined) return { place: constant, type };
    const inner = bare(of);
    // A record within another one is no pointer.
    const place = this.ts.isPropertyAccessExpression(inner)
      ? `${this.field(inner.expression, inner.name.text).place}.`
      : `${this.expression(of, record)}->`;
    return { place: `${place}${variableName(name)}`, type };
  }

  private callee(node: Expression): Callee | undefined {
    const { ts } = this;
    if (ts.isPropertyAccessExpression(node)) {
      if (node.expression.getText() === 'Math')
        return MATHEMATICS.includes(node.name.text)
          ? { name: `kg_${node.name.text}`, parameters: ['real', 'real'], result: 'real' }
          : refuse(node, 'this function');
      return this.around.robot?.get(node.name.text) ?? refuse(node, 'this function of robots');
    }
    return this.around.callees.get(node.getText()) ?? refuse(node, 'this function');
  }

  /** @param wanted what the place takes; whole numbers become `kg_real` where that is asked for. */
  private expression(node: Expression, wanted: Type): string {
    const { ts } = this;
    if (ts.isParenthesizedExpression(node)) return `(${this.expression(node.expression, wanted)})`;
    if (ts.isNonNullExpression(node)) return this.expression(node.expression, wanted);
    if (ts.isNumericLiteral(node)) return wanted === 'index' ? node.text : `KG_REAL(${decimalText(Number(node.text))})`;
    if (node.kind === ts.SyntaxKind.TrueKeyword) return '1';
    if (node.kind === ts.SyntaxKind.FalseKeyword) return '0';
    if (node.kind === ts.SyntaxKind.NullKeyword) return 'NULL';
    if (ts.isIdentifier(node)) {
      this.read.add(node.text);
      const type = this.typeOf(node);
      if (type === 'status' && node.text.startsWith('KG_')) return node.text;
      if (type === 'robot') return this.around.robotParameters!.passed;
      const name = this.around.constants?.get(node.text) ?? variableName(node.text);
      return wanted === 'real' && type === 'index' ? `(kg_real)${name}` : name;
    }
    if (ts.isElementAccessExpression(node)) {
      const array = bare(node.expression);
      return `${this.expression(array, this.typeOf(array))}[${this.expression(node.argumentExpression, 'index')}]`;
    }
    if (ts.isPropertyAccessExpression(node) && node.getText() === ROBOT_PARAMETERS) {
      this.read.add('p');
      return 'p';
    }
    if (ts.isPropertyAccessExpression(node)) {
      const constant = CONSTANTS[node.getText()];
      if (constant) return constant;
      const { place, type } = this.field(node.expression, node.name.text);
      if (typeof type === 'object') return `&${place}`;
      return wanted === 'real' && type === 'index' ? `(kg_real)${place}` : place;
    }
    if (ts.isCallExpression(node) && node.expression.getText() === 'Number.isFinite')
      return `kg_finite_bits(&${this.expression(node.arguments[0]!, 'real')}, 1)`;
    if (ts.isCallExpression(node)) return this.call(node.expression, [...node.arguments]);
    if (ts.isPrefixUnaryExpression(node)) {
      const isNot = node.operator === ts.SyntaxKind.ExclamationToken;
      if (!isNot && node.operator !== ts.SyntaxKind.MinusToken) return refuse(node, 'this operator');
      return `${isNot ? '!' : '-'}${this.expression(node.operand, isNot ? 'boolean' : wanted)}`;
    }
    if (ts.isConditionalExpression(node)) {
      const [condition, yes, no] = [node.condition, node.whenTrue, node.whenFalse];
      return `${this.expression(condition, 'boolean')} ? ${this.expression(yes, wanted)} : ${this.expression(no, wanted)}`;
    }
    if (ts.isBinaryExpression(node)) return this.binary(node.left, node.operatorToken, node.right, wanted);
    return refuse(node, 'this expression');
  }

  private binary(left: Expression, token: Node, right: Expression, wanted: Type): string {
    const operator = token.getText();
    const both = (type: Type, written: string): string =>
      `${this.expression(left, type)} ${written} ${this.expression(right, type)}`;
    if (operator === '&&' || operator === '||') return both('boolean', operator);
    if (/^([<>]=?|[!=]==)$/.test(operator)) return both(this.common(left, right) ?? 'index', operator.slice(0, 2));
    if (!/^[-+*/]$/.test(operator)) return refuse(token, 'this operator');
    // There is no division of whole numbers: in TypeScript it has a fraction.
    const type = operator === '/' || wanted === 'real' ? 'real' : (this.common(left, right) ?? wanted);
    return both(type, operator);
  }

  private call(function_: Expression, given: readonly Expression[]): string {
    const callee = this.callee(function_)!;
    const before = 'before' in callee ? [(callee as { readonly before: string }).before] : [];
    if (before.length > 0) this.read.add('robot');
    const parameters = given.map((argument, i) => this.expression(argument, callee.parameters[i] ?? 'real'));
    return `${callee.name}(${[...before, ...parameters].filter(Boolean).join(', ')})`;
  }
}

/** No braces stand about a body of one line. @param head with the brace that opens the body. */
function withoutBraces(head: readonly string[], body: readonly string[], indent: string): string[] {
  const [first, ...rest] = head;
  return rest.length === 0 && body.length === 1 ? [first!.slice(0, -2), ...body] : [...head, ...body, `${indent}}`];
}

const fitted = (line: string, indent: string): string[] => onLines(`${indent}${line}`);

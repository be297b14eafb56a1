/** How WGSL spells arithmetic: numbers of 32 bits, arrays by value, results through pointers to arrays of the function. */
import { isNumber } from '../../straight/straight-robot.ts';
import { KanegenError } from '../../common/error.ts';
import { commentText } from '../naming/identifiers.ts';
import { decimalText, type Target } from '../printing/print-arithmetic.ts';
import { stumpffNameC } from '../printing/stumpff-functions.ts';
import type { Place } from '../operations/operation.ts';

/** Largest and smallest normal numbers of single precision. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127;
const SMALLEST = 2 ** -126;

/** Functions of the language whose accuracy is enough; for others the module has its own. */
const OF_LANGUAGE = new Set(['abs', 'exp', 'log', 'sign']);

/** @throws KanegenError `no-wgsl` for numbers beyond single precision. Smaller ones than it has are zero. */
export function literal(value: number): string {
  if (Math.abs(value) > LARGEST)
    throw new KanegenError('no-wgsl', `the code has the number ${value}, which is beyond single precision`, {
      remedy: 'leave `wgsl` out of --target, or take other units',
    });
  const text = `${decimalText(Math.abs(value) < SMALLEST ? 0 : value)}f`;
  return value < 0 ? `(${text})` : text;
}

/** @param written buffers of results, which are pointers. */
export function wgslTarget(written: ReadonlySet<string>): Target {
  const place = ({ buffer, index }: Place): string => {
    if (isNumber(buffer)) return buffer;
    if (buffer === 'parameters') return `p[${index}]`;
    return written.has(buffer) ? `(*${buffer})[${index}]` : `${buffer}[${index}]`;
  };
  const refused = (what: string) => (): never => {
    throw new Error(`${what} in straight-line functions`);
  };
  return {
    declare: (name, value) => `let ${name} = ${value};`,
    declareOpen: (name) => `var ${name}: f32;`,
    number: literal,
    read: place,
    write: place,
    sqrt: (operand) => `sqrt(${operand})`,
    call: (name, operands) => `${OF_LANGUAGE.has(name) ? name : `kg_${name}`}(${operands.join(', ')})`,
    equal: '==',
    stumpff: (argument, set) => `stumpff_values = ${stumpffNameC(set)}(${argument})`,
    stumpffEntry: (order) => `stumpff_values[${order}]`,
    sineAndCosine: (argument, sine, cosine) => [
      `let kg_pair_${(sine ?? cosine)!} = kg_sine_and_cosine(${argument});`,
      ...(sine === undefined ? [] : [`let ${sine} = kg_pair_${sine}.x;`]),
      ...(cosine === undefined ? [] : [`let ${cosine} = kg_pair_${sine ?? cosine}.y;`]),
    ],
    scratch: (index) => `(*scratch)[${index}]`,
    declareVariable: (name, value) => `var ${name} = ${value};`,
    readRow: refused('rows'),
    writeRow: refused('rows'),
    loop: refused('a loop'),
    integrate: refused('an integral'),
    network: refused('a learned map'),
    comment: (text) => `// ${commentText(text)}`,
    // A shader has no null pointers: it computes all.
    isWanted: () => 'true',
  };
}

/** How TypeScript spells arithmetic: buffers, calls, loops over rows. */
import { integralCallTypeScript } from '../printing/row-integrals.ts';
import { requireDouble } from '../../symbolic/evaluation/double.ts';
import { networkCallTypeScript } from '../printing/network-calls.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import { sineCosineTypeScript } from '../printing/sine-cosine.ts';
import { stumpffNameTypeScript } from '../printing/stumpff-functions.ts';
import { commentText } from '../naming/identifiers.ts';
import { tableArrayName } from '../programs/row-tables.ts';

export function typescriptTarget(
  readName: (buffer: string, index: number) => string | undefined = () => undefined,
): Target {
  const target: Target = {
    declare: (name, value) => `const ${name} = ${value};`,
    declareOpen: (name) => `let ${name}: number;`,
    number: (value) => String(requireDouble(value)),
    read: ({ buffer, index }) => readName(buffer, index) ?? `${buffer}[${index}]!`,
    write: ({ buffer, index }) => `${buffer}[${index}]`,
    sqrt: (operand) => `Math.sqrt(${operand})`,
    call: (name, operands) => `Math.${name}(${operands.join(', ')})`,
    equal: '===',
    stumpff: (argument, set) => `${stumpffNameTypeScript(set)}(${argument}, stumpffValues)`,
    stumpffEntry: (order) => `stumpffValues[${order}]!`,
    sineAndCosine: (argument, sine, cosine) => sineCosineTypeScript(target, argument, sine, cosine),
    scratch: (index) => `scratch[${index}]!`,
    declareVariable: (name, value) => `let ${name} = ${value};`,
    readRow: ({ buffer, index }) => `${tableArrayName(buffer) ?? buffer}[${rowIndex(index)}]!`,
    writeRow: ({ buffer, index }) => `${buffer}[${rowIndex(index)}]`,
    loop: (rows, reversed) =>
      reversed ? `for (let row = ${rows - 1}; row >= 0; row--) {` : `for (let row = 0; row < ${rows}; row++) {`,
    integrate: (integral) => integralCallTypeScript(integral, integral.place),
    network: networkCallTypeScript,
    comment: (text) => `// ${commentText(text)}`,
    isWanted: (buffer) => `${buffer} !== undefined`,
  };
  return target;
}

/** Index of the current row in a column that begins at `first`. */
export function rowIndex(first: number): string {
  return first === 0 ? 'row' : `${first} + row`;
}

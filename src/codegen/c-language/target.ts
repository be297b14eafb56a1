/** How C spells arithmetic: literals in the scalar type, buffers, calls, loops over rows. */
import { integralCallC } from '../printing/row-integrals.ts';
import { networkCallC } from '../printing/network-calls.ts';
import { decimalText, type Target } from '../printing/print-arithmetic.ts';
import { stumpffNameC } from '../printing/stumpff-functions.ts';
import { commentText, snakeCaseOf } from '../naming/identifiers.ts';
import { tableArrayName } from '../programs/row-tables.ts';

/** Largest number of single precision. */
const LARGEST_SINGLE = (2 - 2 ** -23) * 2 ** 127;

export function literal(value: number): string {
  return `${Math.abs(value) > LARGEST_SINGLE ? 'KG_DOUBLE_ONLY' : 'KG_REAL'}(${decimalText(value)})`;
}

/** `own[SLOT + 2]` → `own`, `SLOT + 2`. */
function splitIndex(element: string): readonly [string, string] {
  const at = element.indexOf('[');
  return [element.slice(0, at), element.slice(at + 1, -1)];
}

/** Columns of declarations in a row. */
const WIDTH_OF_READS = 100;

export function cTarget(place: (buffer: string, index: number) => string): Target {
  const row = (buffer: string, index: number): string => {
    const [array, first] = splitIndex(
      tableArrayName(buffer) ? `${tableArrayName(buffer)}[${index}]` : place(buffer, index),
    );
    return `${array}[${first === '0' ? '' : `${first} + `}row]`;
  };
  return {
    declare: (name, value) => `const kg_real ${name} = ${value};`,
    declareReads: (reads) => {
      const lines: { array: string; text: string }[] = [];
      for (const { name, value } of reads) {
        const [array] = splitIndex(value);
        const last = lines.at(-1);
        const longer = `${last?.text ?? ''}, ${name} = ${value}`;
        if (last?.array === array && longer.length <= WIDTH_OF_READS) last.text = longer;
        else lines.push({ array, text: `const kg_real ${name} = ${value}` });
      }
      return lines.map(({ text }) => `${text};`);
    },
    declareOpen: (name) => `kg_real ${name};`,
    number: literal,
    read: ({ buffer, index }) => place(buffer, index),
    write: ({ buffer, index }) => place(buffer, index),
    sqrt: (operand) => `kg_sqrt(${operand})`,
    call: (name, operands) => `kg_${name}(${operands.join(', ')})`,
    equal: '==',
    stumpff: (argument, set) => `${stumpffNameC(set)}(${argument}, stumpff_values)`,
    stumpffEntry: (order) => `stumpff_values[${order}]`,
    sineAndCosine: (argument, sine, cosine) => {
      const names = [sine, cosine].filter((name) => name !== undefined);
      const places = [sine, cosine].map((name) => (name === undefined ? 'NULL' : `&${name}`));
      return [`kg_real ${names.join(', ')};`, `kg_sine_and_cosine(${argument}, ${places.join(', ')});`];
    },
    scratch: (index) => `scratch[${index}]`,
    declareVariable: (name, value) => `kg_real ${name} = ${value};`,
    readRow: ({ buffer, index }) => row(buffer, index),
    writeRow: ({ buffer, index }) => row(buffer, index),
    loop: (rows, reversed) =>
      reversed ? `for (int row = ${rows - 1}; row >= 0; --row) {` : `for (int row = 0; row < ${rows}; ++row) {`,
    integrate: (integral) => {
      const { buffer, index } = integral.place;
      return integralCallC(integral, place(buffer, index));
    },
    network: networkCallC,
    comment: (text) => `/* ${commentText(text)} */`,
    isWanted: (buffer) => `${snakeCaseOf(buffer)} != NULL`,
  };
}

export const plainTarget = cTarget((buffer, index) => `${snakeCaseOf(buffer)}[${index}]`);

export function signedLiteral(value: number): string {
  return value < 0 || Object.is(value, -0) ? literal(-value).replace('(', '(-') : literal(value);
}

/** Names and literals of Rust. */
import { printable } from '../../../common/printable.ts';

/** Strict and reserved ones of all editions. */
const KEYWORDS = new Set(
  (
    'Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let ' +
    'loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized ' +
    'use virtual where while yield'
  ).split(' '),
);

/** `type` → `type_`: some keywords cannot be written as `r#type`. */
export const rustName = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

/** A string in Rust, and in TOML. */
export const stringText = (text: string): string =>
  `"${printable(text.replace(/\s+/g, ' ').trim()).replace(/["\\]/g, (letter) => `\\${letter}`)}"`;

/** A number of type `Real`. */
export function numberText(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

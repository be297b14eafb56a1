/** What readers of XML files share about attributes and numbers. */
import type { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import type { XmlElement } from './xml-document.ts';

/** `unknown-attribute`, at its name. @param known those that the element has. */
export function unknownAttribute(element: XmlElement, name: string, known: readonly string[]): KanegenError {
  const close = nearest(name, known);
  const all = known.length === 0 ? 'it has none' : `its attributes: ${known.join(', ')}`;
  return element.place
    .at(name)
    .keyError(
      'unknown-attribute',
      `<${element.name}> has no attribute \`${name}\``,
      close ? `did you mean \`${close}\`? ${all}` : `remove it if it has no meaning; ${all}`,
    );
}

/** A finite decimal number; undefined for any other text. */
export function decimalIn(token: string): number | undefined {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(token) ? Number(token) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

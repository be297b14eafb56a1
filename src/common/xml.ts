/** Text within XML. */
import { printable } from './printable.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

export const escapedXml = (text: string): string =>
  printable(text.replace(/\s+/g, ' ')).replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);

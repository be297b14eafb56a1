/**
 * Text of users on its way to a terminal or into a comment: characters that are not seen but act there become visible. A
 * control character moves the cursor or rewrites lines, a bidirectional one shows code in another order than it runs.
 */

/** Control and bidirectional characters, separators of lines other than \n, byte order marks and halves of characters. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Cs}\u2028\u2029\ufeff]/gu;

/** `\u001b` for the character itself, and so on: as JSON writes it, so that JSON stays what it was. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same in as many columns as before: each such character becomes U+FFFD. */
export function printableInPlace(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd');
}

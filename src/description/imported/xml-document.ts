/**
 * XML files as text: elements with the line and column of every element, attribute and number. Entities of a
 * document type are never expanded: only the five that XML itself defines are known.
 */
import { SaxesParser } from 'saxes';
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { Place, type Path, type SourceDocument } from '../source/source.ts';

interface Attribute {
  readonly value: string;
  /** Offsets of the name and of the value in the text of the file. */
  readonly nameOffset: number;
  readonly valueOffset: number;
}

interface Node {
  readonly name: string;
  readonly offset: number;
  readonly attributes: Map<string, Attribute>;
  readonly children: Node[];
  /** Text between its tags, and the offset of the first that is not blank. */
  text: string;
  textOffset?: number;
}

/** Step of a path to the text of an element; no attribute can be called so. */
const TEXT = '#text';

/** One element of an XML file; its place carries the position. */
export class XmlElement {
  readonly place: Place;
  private readonly node: Node;
  private known: readonly XmlElement[] | undefined;

  constructor(node: Node, place: Place) {
    this.node = node;
    this.place = place;
  }

  get name(): string {
    return this.node.name;
  }

  get children(): readonly XmlElement[] {
    this.known ??= this.node.children.map((child, i) => new XmlElement(child, this.place.at(i)));
    return this.known;
  }

  get attributeNames(): readonly string[] {
    return [...this.node.attributes.keys()];
  }

  /** The text of an attribute as written, undefined when it is not given. */
  attribute(name: string): string | undefined {
    return this.node.attributes.get(name)?.value;
  }

  /** Text between the tags, without blanks around it; '' for none. */
  get content(): string {
    return this.node.text.trim();
  }

  /** Where text stands between the tags, if any does. */
  get text(): Place | undefined {
    return this.node.textOffset === undefined ? undefined : this.place.at(TEXT);
  }

  /** Do both say the same? */
  equals(other: XmlElement): boolean {
    return (
      this.name === other.name &&
      this.attributeNames.length === other.attributeNames.length &&
      this.attributeNames.every((name) => this.attribute(name) === other.attribute(name)) &&
      this.children.length === other.children.length &&
      this.children.every((child, i) => child.equals(other.children[i]!))
    );
  }

  /** Where an attribute stands, or this element when it is not given. */
  at(name: string): Place {
    return this.node.attributes.has(name) ? this.place.at(name) : this.place;
  }
}

const LONGEST_FILE = 10_000_000;

/** @throws KanegenError `malformed-xml` at the character that is wrong, or `file-too-large`. */
export function xmlDocument(text: string, file: string): { document: SourceDocument; root: XmlElement } {
  const lines = lineStarts(text);
  const location = (offset: number): SourceLocation => positionOf(lines, offset, file);
  if (text.length > LONGEST_FILE)
    throw new KanegenError('file-too-large', `the file has ${text.length} characters`, { location: location(0) });
  const root = parseXml(withoutProlog(text), location);
  const document: SourceDocument = {
    file,
    text,
    data: undefined,
    macros: new Map(),
    locate: (path, part, offset) => location(offsetOf(root, path, part, offset ?? 0)),
  };
  return { document, root: new XmlElement(root, new Place(document)) };
}

/** Children by number, then possibly an attribute by name. */
function offsetOf(root: Node, path: Path, part: 'key' | 'value', offset: number): number {
  let node = root;
  for (const step of path) {
    if (step === TEXT) return node.textOffset! + offset;
    if (typeof step === 'string') {
      const attribute = node.attributes.get(step)!;
      return part === 'key' ? attribute.nameOffset : attribute.valueOffset + offset;
    }
    node = node.children[step]!;
  }
  return node.offset;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionOf(lines: readonly number[], offset: number, file: string): SourceLocation {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { file, line: low + 1, column: offset - lines[low]! + 1, path: '' };
}

/**
 * The text with blanks in place of what stands before the first element: nothing there means anything, and files declare XML 0.0,
 * declare it behind comments, or begin with a byte-order mark. The same for what ends C strings.
 */
function withoutProlog(text: string): string {
  const prolog = /^\uFEFF?(?:\s+|<!--[^]*?-->|<\?[^]*?\?>)*/.exec(text)![0];
  let end = text.length;
  while (end > prolog.length && '\0\n\r\t '.includes(text[end - 1]!)) end--;
  return prolog.replace(/[^\n]/g, ' ') + text.slice(prolog.length, end);
}

function parseXml(text: string, location: (offset: number) => SourceLocation): Node {
  const parser = new SaxesParser();
  const open: Node[] = [];
  let root: Node | undefined;
  let attributes: [string, Attribute][] = [];
  let start = 0;
  /** Where the last tag, comment or piece of text ended. */
  let end = 0;
  const noteText = (value: string): void => {
    const inner = open.at(-1);
    if (inner) inner.text += value;
    if (inner && value.trim() !== '') inner.textOffset ??= end + text.slice(end).search(/\S/);
    end = parser.position;
  };
  parser.on('text', noteText);
  parser.on('cdata', noteText);
  parser.on('comment', () => (end = parser.position));
  parser.on('opentagstart', () => {
    start = text.lastIndexOf('<', parser.position - 1);
    attributes = [];
  });
  parser.on('attribute', ({ name, value }) => {
    // The parser stands behind the closing quote; the value itself contains no quote of this kind.
    const quote = parser.position - 1;
    const valueOffset = text.lastIndexOf(text[quote]!, quote - 1) + 1;
    attributes.push([name, { value, valueOffset, nameOffset: text.lastIndexOf(name, valueOffset - 1) }]);
  });
  parser.on('opentag', ({ name }) => {
    const node: Node = { name, offset: start, attributes: new Map(attributes), children: [], text: '' };
    const parent = open.at(-1);
    if (parent) parent.children.push(node);
    else root ??= node;
    open.push(node);
    end = parser.position;
  });
  let closed: Node | undefined;
  parser.on('closetag', () => {
    closed = open.pop();
    end = parser.position;
  });
  parser.on('error', (error) => {
    // The parser closes an element before it notices that the tag is that of another one.
    if (closed && error.message.includes('unexpected close tag')) open.push(closed);
    throw syntaxError(
      error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''),
      text,
      parser.position,
      open,
      location,
    );
  });
  parser.write(text).close();
  return root!;
}

/** @param end - where the parser stands: behind what is wrong. */
function syntaxError(
  message: string,
  text: string,
  end: number,
  open: readonly Node[],
  location: (offset: number) => SourceLocation,
): KanegenError {
  const fail = (what: string, offset: number, remedy: string): KanegenError =>
    new KanegenError('malformed-xml', `malformed XML: ${what}`, { location: location(Math.max(0, offset)), remedy });
  const innermost = open.at(-1);
  if (!/^[\s\uFEFF]*</.test(text))
    return fail(
      'it does not begin with `<`',
      0,
      'give a URDF, MJCF or SDF file; robot files (YAML) are read without import',
    );
  if (/entity/.test(message))
    return fail(message, text.lastIndexOf('&', end - 1), 'write the text itself instead of the entity');
  const closing = /close tag/.test(message) ? /<\/([^\s>]*)[^<]*$/.exec(text.slice(0, end)) : undefined;
  const isStray = closing && !open.some(({ name }) => name === closing[1]);
  if (closing && isStray) return fail(`</${closing[1]!}> closes nothing`, closing.index, 'remove this tag');
  if (innermost && (closing || /unclosed tag/.test(message)))
    return fail(`<${innermost.name}> is not closed`, innermost.offset, `write </${innermost.name}>, or /> for >`);
  return fail(message, Math.min(end - 1, text.length), 'check this tag, its quotes, and that it is XML at all');
}

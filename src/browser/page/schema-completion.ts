/** Keys and values that may stand at a place of a robot file, by its JSON schema. */

/** What is used of JSON schemas. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

export interface Offer {
  readonly label: string;
  readonly detail?: string;
  readonly isKey: boolean;
}

/** Where an offset is: the keys on the way to it, `null` for an entry of a list, and the key whose value is begun there. */
export interface PlaceInText {
  readonly path: readonly (string | null)[];
  readonly key: string | undefined;
  /** Offset at which the word under way begins. */
  readonly from: number;
}

const KEY = /^["']?([^"'{}[\],#:\s][^"'{}[\],#:]*?)["']?\s*:(?:\s|$)/;

/** By the indentation of the lines before, and the brackets that are open on the line itself. */
export function placeAt(text: string, offset: number): PlaceInText {
  const lines = text.slice(0, offset).split('\n');
  const line = lines.pop()!;
  const [, dashes = ''] = /^(\s*(?:-\s+)*)/.exec(line)!;
  const path = blockPath(lines, dashes);
  let rest = line.slice(dashes.length);
  let key: string | undefined;
  const open: { readonly key: string | undefined; readonly isList: boolean }[] = [];
  for (;;) {
    const found = key === undefined ? KEY.exec(rest) : null;
    if (found) {
      key = found[1]!;
      rest = rest.slice(found[0].length).trimStart();
      continue;
    }
    const next = /[{}[\],]/.exec(rest);
    if (!next) break;
    rest = rest.slice(next.index + 1).trimStart();
    if (next[0] === '{' || next[0] === '[') {
      open.push({ key, isList: next[0] === '[' });
      key = undefined;
    } else if (next[0] === ',') key = undefined;
    else key = open.pop()?.key;
  }
  for (const { key: own, isList } of open) path.push(...(own === undefined ? [] : [own]), ...(isList ? [null] : []));
  const word = /[^\s{}[\],:]*$/.exec(rest)![0];
  return { path, key, from: offset - word.length };
}

/** @param start the blanks and dashes before the place. */
function blockPath(lines: readonly string[], start: string): (string | null)[] {
  const path: (string | null)[] = [];
  let indent = start.length;
  const entries = (dashed: string): void => {
    path.unshift(...Array.from(dashed.matchAll(/-/g), () => null));
  };
  entries(start);
  if (start.includes('-')) indent = start.indexOf('-');
  for (let i = lines.length - 1; i >= 0 && indent >= 0; i--) {
    const own = lines[i]!;
    if (/^\s*(#|$)/.test(own)) continue;
    const [, before] = /^(\s*(?:-\s+)*)/.exec(own)!;
    const found = KEY.exec(own.slice(before!.length));
    const isOpen = found !== null && own.slice(before!.length + found[0].length).trim() === '';
    const first = before!.includes('-') ? before!.indexOf('-') : before!.length;
    // A list may stand as far to the left as the key that has it.
    const isParent =
      isOpen && (before!.length < indent || (before!.length === indent && path[0] === null && !before!.includes('-')));
    if (isParent) {
      path.unshift(found[1]!);
      entries(before!);
      indent = first;
      if (indent === 0 && !before!.includes('-')) break;
    } else if (before!.includes('-') && before!.length === indent && first < indent) {
      // Another key of the same entry of a list.
      entries(before!);
      indent = first;
    }
  }
  return path;
}

/** What may stand there, in the order of the schema. */
export function offersAt(schema: Schema, { path, key }: Omit<PlaceInText, 'from'>): Offer[] {
  const variants = [...path, ...(key === undefined ? [] : [key])].reduce<readonly Schema[]>(
    (all, step) => all.flatMap((own) => below(schema, own, step)),
    resolved(schema, schema),
  );
  const offers = new Map<string, Offer>();
  for (const own of variants) {
    if (key === undefined)
      for (const [label, entry] of Object.entries(own.properties ?? {})) {
        const detail = resolved(schema, entry).find(({ description }) => description)?.description;
        offers.set(label, { label, ...(detail && { detail }), isKey: true });
      }
    else
      for (const value of [...(own.enum ?? []), ...('const' in own ? [own.const] : [])])
        offers.set(String(value), { label: String(value), isKey: false });
  }
  return [...offers.values()];
}

/** The alternatives that a schema stands for, itself among them. */
function resolved(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 12) return [];
  const name = schema.$ref?.replace(/^#\/\$defs\//, '');
  const others = [
    ...(schema.$ref === '#' ? [root] : name !== undefined && root.$defs?.[name] ? [root.$defs[name]] : []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ];
  return [schema, ...others.flatMap((other) => resolved(root, other, depth + 1))];
}

function below(root: Schema, schema: Schema, step: string | null): Schema[] {
  const next =
    step === null
      ? schema.items
      : (schema.properties?.[step] ??
        (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined));
  return next ? resolved(root, next) : [];
}

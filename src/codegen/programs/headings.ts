/**
 * Comments for readers of programs: a line before each group of statements with the quantities that it is for, and beside what is
 * stored in a table what it is.
 */
import type { Operation, Place } from '../operations/operation.ts';
import type { Program } from './program.ts';
import { namesDefined, namesIn } from './slots.ts';
import type { Statement } from './statement.ts';

export interface Labels {
  /** The quantity that an operation is. */
  readonly quantity: (operation: Operation) => string | undefined;
  /** What a number in a place belongs to: `tau of q1`, `a of the own frame`. */
  readonly stored: (place: Place) => string | undefined;
  /** What the number in a place of a table is. */
  readonly note: (place: Place) => string | undefined;
}

/** A comment for fewer statements says little. */
const FEWEST = 6;
/** Quantities that a comment names: those that most of its statements are for. */
const MOST_LABELS = 2;

export function annotated(program: Program, labels: Labels): Program {
  const headings = new Map<Statement, string>();
  const notes = new Map<Statement, string>();
  const visit = (statements: readonly Statement[]): void => {
    const own = labelsOf(statements, program, labels);
    const groups = grouped(own);
    if (groups.length > 1)
      for (const { from, names } of groups) if (names.length > 0) headings.set(statements[from]!, names.join(', '));
    for (const statement of statements) {
      if (statement.kind === 'guard') visit(statement.statements);
      if (statement.kind !== 'store') continue;
      const note = labels.note(statement.place);
      const isSaid = statement.value.kind === 'name' && statement.value.name === note;
      if (note !== undefined && !isSaid) notes.set(statement, note);
    }
  };
  visit(program.statements);
  return { ...program, annotations: { headings, notes } };
}

/** What each statement is for: the quantity that it gives or, where it gives none, that of the first that uses it. */
function labelsOf(statements: readonly Statement[], program: Program, labels: Labels): (string | undefined)[] {
  const found: (string | undefined)[] = statements.map(() => undefined);
  const byName = new Map<string, string | undefined>();
  for (let i = statements.length - 1; i >= 0; i--) {
    const statement = statements[i]!;
    const defined = namesDefined(statement);
    found[i] = ownLabel(statement, program, labels) ?? defined.map((name) => byName.get(name)).find(Boolean);
    for (const name of namesIn([statement])) byName.set(name, found[i]);
  }
  return found;
}

function ownLabel(statement: Statement, { values }: Program, { quantity, stored }: Labels): string | undefined {
  if (statement.kind === 'store') return stored(statement.place);
  const operation = statement.kind === 'let' ? values?.get(statement.name) : undefined;
  const name = operation && quantity(operation);
  return name === undefined ? undefined : labelOf(name);
}

/** `alpha of wrist_2` of `alpha_x_wrist_2`, `force` of `minus_force_x_per_q_ddot`, `reaction` of `reaction3_z`. */
export function labelOf(name: string): string {
  const [whole] = name.replace(/^minus_/, '').split(/_(?:per|from|by|part)(?:_|$)/);
  const [first = '', ...rest] = whole!.split('_');
  const axis = rest.findIndex((word) => /^[xyz]{1,2}$/.test(word));
  const words = rest.filter((word, i) => i !== axis && !(axis < 0 && /^\d+$/.test(word)));
  const stem = axis < 0 ? first : first.replace(/\d+$/, '');
  if (stem === 'own') return `${words.join('_')} of the own frame`;
  if (stem === 'parent') return `${words.join('_')} at the parent frame`;
  const isOfFrame = /^(omega|alpha|a|v|force|moment|spin)$/.test(stem);
  return isOfFrame && words.length > 0 ? `${stem} of ${words.join('_')}` : [stem, ...words].join('_');
}

interface Group {
  readonly from: number;
  readonly names: readonly string[];
}

/** Runs of statements for one quantity; short ones join the next. */
function grouped(labels: readonly (string | undefined)[]): Group[] {
  const groups: { from: number; counts: Map<string, number> }[] = [];
  labels.forEach((label, i) => {
    const last = groups.at(-1);
    const isOpen = last && (label === undefined || last.counts.has(label) || i - last.from < FEWEST);
    if (!isOpen) groups.push({ from: i, counts: new Map() });
    const { counts } = groups.at(-1)!;
    if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  });
  return groups.map(({ from, counts }) => {
    const fewest = [...counts.values()].sort((a, b) => b - a)[MOST_LABELS - 1] ?? 0;
    const most = [...counts].filter(([, count]) => count >= fewest).map(([name]) => name);
    return { from, names: most.slice(0, MOST_LABELS) };
  });
}

/** The same program without comments before groups of statements. */
export function withoutHeadings(program: Program): Program {
  const { annotations } = program;
  return annotations ? { ...program, annotations: { ...annotations, headings: new Map() } } : program;
}

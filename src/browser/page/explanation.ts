/** What `explain` says, as a page: terms as typeset mathematics, operation counts as tables. */
import katex from 'katex';
import type { Explanation } from '../../report/explain.ts';
import type { Replies } from '../messages.ts';

/** Characters of a formula that is typeset: longer ones nobody reads. */
const LONGEST = 4000;

function make(name: string, text = '', ...children: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...children);
  return made;
}

function formula(latex: string): HTMLElement {
  const made = make('div');
  made.className = 'formula';
  if (latex.length > LONGEST) made.textContent = `a formula of ${latex.length} characters`;
  else katex.render(latex, made, { displayMode: true, throwOnError: false, output: 'htmlAndMathml' });
  return made;
}

function table(head: readonly string[], rows: readonly (readonly (string | HTMLElement)[])[]): HTMLElement {
  const row = (cells: readonly (string | HTMLElement)[], kind: string): HTMLElement => {
    const made = make('tr');
    for (const cell of cells) made.append(typeof cell === 'string' ? make(kind, cell) : make(kind, '', cell));
    return made;
  };
  return make(
    'table',
    '',
    make('thead', '', row(head, 'th')),
    make('tbody', '', ...rows.map((cells) => row(cells, 'td'))),
  );
}

const count = (n: number): string => n.toLocaleString('en');

/** Straight-line inverse dynamics by formulation, the recursion first. */
export function comparisonTable(formulations: Replies['compare']): HTMLElement {
  const first = formulations[0]?.operations;
  return table(
    ['formulation', 'operations', 'ratio', 'derivation'],
    formulations.map(({ name, operations, seconds, stopped }) => [
      name,
      operations === undefined ? `stopped: ${stopped ?? ''}` : count(operations),
      operations === undefined || first === undefined ? '–' : (operations / first).toFixed(2),
      seconds === undefined ? '–' : `${seconds.toFixed(2)} s`,
    ]),
  );
}

/** @param compare derives the other formulations when it is asked for. */
function comparison(compare: () => Promise<HTMLElement>): HTMLElement[] {
  const button = document.createElement('button');
  button.type = 'button';
  button.id = 'compare';
  button.textContent = 'Compare with Euler–Lagrange';
  const found = make('div');
  found.setAttribute('role', 'status');
  button.addEventListener('click', () => {
    button.disabled = true;
    found.textContent = 'deriving …';
    void compare()
      .then((own) => found.replaceChildren(own))
      .catch((error: Error) => (found.textContent = error.message))
      .finally(() => (button.disabled = false));
  });
  const note =
    'Inverse dynamics of the whole robot as straight-line code: by Kane’s recursion, and by Lagrange’s equations.';
  return [make('h2', 'Formulations'), make('p', note), button, found];
}

function estimate({ processor, calls }: Replies['estimate']): HTMLElement[] {
  const { name, megahertz, cycles, moves, source } = processor;
  const stated = `add ${cycles.add}, multiply ${cycles.multiply}, divide ${cycles.divide}, root ${cycles.sqrt}, sine, cosine and other calls ${cycles.call}, loads and stores ${moves} an operation`;
  const kinds = ['add', 'multiply', 'divide', 'sqrt', 'call'] as const;
  return [
    make('h2', `Estimate for a ${name}, ${megahertz} MHz`),
    table(
      ['one call of', 'add', 'multiply', 'divide', 'root', 'calls', 'cycles', 'µs'],
      calls.map((own) => [
        own.name,
        ...kinds.map((kind) => count(own.counts[kind])),
        count(Math.round(own.cycles)),
        String(Number(own.microseconds.toPrecision(2))),
      ]),
    ),
    make(
      'p',
      `Cycles: ${stated}. Source: ${source}. Within a factor of two; waits for memory and checks are not in it.`,
    ),
  ];
}

/** Operations of the functions of each type of link, what calls cost, and, when asked for, other formulations. */
export function operationsPage(
  { types, bodies }: Explanation,
  estimated: Replies['estimate'],
  compare: () => Promise<HTMLElement>,
): HTMLElement[] {
  return [
    ...estimate(estimated),
    ...comparison(compare),
    ...types.flatMap(({ name, summary, operations }) => [
      make('h2', name),
      make('p', summary),
      table(
        ['function', 'operations'],
        Object.entries(operations).map(([own, n]) => [own, count(n)]),
      ),
    ]),
    ...bodies.map(({ name, ways }) =>
      make(
        'section',
        '',
        make('h2', `Ways to ${name}`),
        table(
          ['way', 'operations', 'points', 'error', ''],
          ways.map((way) => [
            way.method,
            count(way.operations),
            way.points > 0 ? count(way.points) : '–',
            way.error === null ? 'unknown' : way.error === 0 ? 'rounding' : way.error.toExponential(1),
            way.chosen ? 'taken' : '',
          ]),
        ),
      ),
    ),
  ];
}

/** Coordinates, parameters and, of each body, its kinematics and terms. */
export function explanationPage(explanation: Explanation): HTMLElement[] {
  const { name, summary, coordinates, parameters, bodies } = explanation;
  return [
    make('h2', name),
    make('p', summary),
    table(
      ['coordinate', 'unit', 'default'],
      coordinates.map((own) => [own.name, own.unit, String(own.value)]),
    ),
    ...(parameters.length > 0
      ? [
          table(
            ['parameter', 'unit', 'value'],
            parameters.map((own) => [own.name, own.unit, own.value]),
          ),
        ]
      : []),
    ...bodies.flatMap((body) => [
      make('h2', body.name),
      make('p', `${body.summary} (${body.method})`),
      ...(body.kinematics.length > 0 ? [make('h3', 'Kinematics: p is the sum of function · coefficient')] : []),
      ...body.kinematics.map((part) =>
        formula(`${part.function}\\cdot\\begin{pmatrix}${part.coefficient.join('\\\\')}\\end{pmatrix}`),
      ),
      ...(body.integrals.length > 0
        ? [
            make('h3', 'Integrals'),
            table(
              ['integral', 'by'],
              body.integrals.map((own) => [formula(own.integral), own.method]),
            ),
          ]
        : []),
      ...body.terms.flatMap((term) => [
        make('h3', `${term.name} ${term.notation}, ${term.unit}`),
        make('p', `${term.summary}; ${term.frame}`),
        ...term.values.map(formula),
      ]),
    ]),
  ];
}

/** What `explain` says, as a page: terms as typeset mathematics, operation counts as tables. */
import katex from 'katex';
import type { Explanation } from '../../report/explain.ts';

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

/** Operations of the functions of each type of link. */
export function operationsPage({ types, bodies }: Explanation): HTMLElement[] {
  return [
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

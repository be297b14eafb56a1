/** An explanation as a LaTeX document: packages of the base distribution only, terms grouped by quantity. */
import type { ExplainedBody, ExplainedTerm, Explanation } from './explain.ts';

/** @param explanation - with formulas as LaTeX. */
export function latexDocument(explanation: Explanation): string {
  const { name, summary, coordinates, parameters, links, bodies } = explanation;
  return [
    '\\documentclass[a4paper]{article}',
    '\\usepackage[utf8]{inputenc}',
    '\\usepackage[T1]{fontenc}',
    '\\usepackage{amsmath,amssymb,longtable}',
    '\\setlength{\\textwidth}{165mm}\\setlength{\\oddsidemargin}{0mm}\\setlength{\\parindent}{0mm}',
    '\\relpenalty=0 \\binoppenalty=0 \\sloppy',
    '\\begin{document}',
    `\\section*{${text(name)}}`,
    text(summary),
    '',
    '\\subsection*{Coordinates}',
    ...table(
      'rllr',
      ['', 'name', 'unit', 'default'],
      coordinates.map((own, i) => [String(i), own.name, own.unit, String(own.value)]),
    ),
    ...(parameters.length === 0 ? [] : ['\\subsection*{Run-time parameters}']),
    ...table(
      'lll',
      ['name', 'unit', 'default'],
      parameters.map((own) => [own.name, own.unit, own.value]),
    ),
    '\\subsection*{Links}',
    ...table(
      'lll',
      ['link', 'parent', 'type'],
      links.map((own) => [own.name, own.parent, own.type]),
    ),
    ...bodies.flatMap(bodyLines),
    '\\end{document}',
  ].join('\n');
}

function bodyLines(body: ExplainedBody): string[] {
  const ways = body.ways.map(
    (way) => `\\item ${way.chosen ? '\\textbf{taken:} ' : ''}${text(`${way.method}: ${way.description}`)}`,
  );
  return [
    `\\section*{Body type ${text(body.name)}}`,
    text(body.summary),
    '',
    '\\subsection*{Ways to its inertial terms}',
    ...list([...ways, ...body.missing.map((own) => `\\item ${text(`${own.method}: ${own.reason}`)}`)]),
    ...(body.kinematics.length === 0 ? [] : kinematicsLines(body)),
    ...groups(body.terms).flatMap(({ title, terms }) => [`\\subsection*{${title}}`, ...terms.flatMap(termLines)]),
  ];
}

function kinematicsLines({ kinematics, integrals }: ExplainedBody): string[] {
  const methods = [...new Set(integrals.map(({ method }) => method))];
  return [
    '\\subsection*{Kinematics}',
    'Regular at every configuration: $p$ is the sum of functions of the material times coefficients, with $c_k$ the Stumpff functions.',
    '',
    ...kinematics.map((own) =>
      formula(own.function, `\\bigl[\\,${own.coefficient.join(',\\; ')}\\,\\bigr]`, ':\\quad '),
    ),
    ...(integrals.length === 0 ? [] : ['\\subsection*{Integrals}', 'With $U_k = s^k c_k(\\chi s^2)$.', '']),
    ...methods.flatMap((method) => [
      `\\paragraph{${text(method)}}`,
      ...integrals.flatMap((own) => (own.method === method ? [`${text(own.integral)}; `] : [])),
      '',
    ]),
  ];
}

/** Terms of one quantity about one point: those of all coordinates, a value with its derivatives. */
function groups(
  terms: readonly ExplainedTerm[],
): { readonly title: string; readonly terms: readonly ExplainedTerm[] }[] {
  const keyOf = ({ name, frame }: ExplainedTerm): string => `${name.split('_')[0]!} ${frame}`;
  return [...new Set(terms.map(keyOf))].map((key) => {
    const own = terms.filter((term) => keyOf(term) === key);
    return {
      title: text(
        own[0]!.name
          .split('_')
          .slice(0, own.length === 1 ? undefined : 1)
          .join(' '),
      ),
      terms: own,
    };
  });
}

const COMPONENTS: Readonly<Record<number, readonly string[]>> = {
  1: [''],
  3: ['x', 'y', 'z'],
  6: ['xx', 'yy', 'zz', 'xy', 'xz', 'yz'],
};

function termLines({ notation, summary, unit, frame, values }: ExplainedTerm): string[] {
  const components = COMPONENTS[values.length] ?? values.map((_, i) => String(i + 1));
  return [
    `\\paragraph{$${text(notation)}$} ${text(summary)} [${text(unit)}${frame === 'none' ? '' : `, ${frame} axes`}]`,
    '',
    ...values.map((value, i) =>
      formula(components[i]! && `[${components[i]}]`, value, values.length === 1 ? '' : '\\; '),
    ),
  ];
}

/** A formula that may break between lines. */
function formula(head: string, value: string, between: string): string {
  return `\\hangindent=2em $${head}${between}${value}$\\par`;
}

function table(columns: string, heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `${cells.map(text).join(' & ')} \\\\`;
  return [`\\begin{longtable}[l]{${columns}}`, line(heading), '\\hline', ...rows.map(line), '\\end{longtable}'];
}

function list(items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['\\begin{itemize}', ...items, '\\end{itemize}'];
}

const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  ...Object.fromEntries([...'#$%&_{}'].map((sign) => [sign, `\\${sign}`])),
  '∫': math('\\int '),
  '∂': math('\\partial '),
  '×': math('\\times '),
  '·': math('\\cdot '),
  '−': math('-'),
  '–': '--',
  Σ: math('\\sum '),
  ᵀ: math('^{\\mathsf{T}}'),
  '²': math('^2'),
  '³': math('^3'),
  ω: math('\\omega '),
  ρ: math('\\rho '),
  ξ: math('\\xi '),
  χ: math('\\chi '),
  θ: math('\\theta '),
  κ: math('\\kappa '),
  π: math('\\pi '),
  β: math('\\beta '),
  '≤': math('\\le '),
  '→': math('\\to '),
};

function math(formulaText: string): string {
  return `\\ensuremath{${formulaText}}`;
}

const ACCENTS: Readonly<Record<string, string>> = { '\u0307': '\\dot', '\u0308': '\\ddot' };

/** Any text: letters of western Europe stay, known signs become formulas, accents of derivatives too, others a question mark. */
function text(plain: string): string {
  return [...plain.normalize('NFC').matchAll(/(\p{L})([\u0307\u0308])|_(CoM\b)|\bU(\d+)\b|\^(\d+)|[^]/gu)]
    .map(([whole, letter, accent, centre, order, exponent]) => {
      if (letter && accent) return math(`${ACCENTS[accent]!}{${letter}}`);
      if (centre) return math(`_{\\mathrm{${centre}}}`);
      if (exponent) return math(`^{${exponent}}`);
      if (order) return math(`U_{${order}}`);
      const [base, dot] = [...whole.normalize('NFD')];
      if (dot && ACCENTS[dot] && /[a-z]/i.test(base!) && !/[äëïöüÿÄËÏÖÜŸ]/.test(whole))
        return math(`${ACCENTS[dot]}{${base!}}`);
      return SIGNS[whole] ?? (/[ -~\n\u00C0-\u00FF]/.test(whole) ? whole : '?');
    })
    .join('');
}

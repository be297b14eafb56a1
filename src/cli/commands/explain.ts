/** `kanegen explain`: terms as mathematics, how each integral was obtained, operation counts. */
import type { RobotExplanation } from '../../api/robot.ts';
import type { ExplainedBody, ExplainedWay, Explanation } from '../../report/explain.ts';
import { directionText, fateText } from '../../simulation/small-motions/observability.ts';
import { latexDocument } from '../../report/latex-document.ts';
import { DRIVE_LIMITS } from '../../description/model/robot.ts';
import type { FileOptions } from '../files/file-options.ts';
import { openRobot, reportNotes } from '../files/load.ts';
import { readText } from '../../files/read.ts';
import { withProgress } from '../terminal/progress.ts';
import { parseStates } from '../../api/states.ts';
import { formatTable, shortNumber } from '../terminal/table.ts';
import { print } from '../terminal/terminal.ts';

interface ExplainOptions extends FileOptions {
  readonly coordinates?: boolean;
  readonly latex?: boolean;
  readonly states?: string;
  readonly json?: boolean;
}

export async function explainCommand(file: string, options: ExplainOptions): Promise<void> {
  const opened = openRobot(file, options);
  const { model: robot } = opened;
  reportNotes(robot);
  if (options.coordinates) {
    const text = options.json ? JSON.stringify(robot.coordinates, null, 2) : coordinateTable(robot);
    print(`${text}\n`);
    return;
  }
  if (options.states) {
    const states = parseStates(readText(options.states), options.states, robot);
    const { bodyTermValues } = await import('../../report/body-term-values.ts');
    const values = states.map((state) => bodyTermValues(robot, state));
    print(`${JSON.stringify({ states: values }, null, 2)}\n`);
    return;
  }
  const explanation = await withProgress((show) => {
    show(`compiling ${robot.name}`);
    return opened.explain({ format: options.latex ? 'latex' : 'text' });
  });
  const written = options.latex
    ? latexDocument
    : (e: RobotExplanation) => [explanationText(e), ...observersText(e)].join('\n');
  print(`${options.json ? JSON.stringify(explanation, null, 2) : written(explanation)}\n`);
}

function coordinateTable({ coordinates }: Pick<Explanation, 'coordinates'>): string {
  const drives = DRIVE_LIMITS.filter((limit) => coordinates.some((c) => c.driveLimits?.[limit] !== undefined));
  const number = (value: number | undefined): string => (value === undefined ? '' : shortNumber(value));
  return formatTable(
    [
      ['index', 'name', 'unit', 'default', 'lower', 'upper', ...drives, 'meaning'],
      ...coordinates.map((c, i) => [
        String(i),
        c.name,
        c.unit,
        shortNumber(c.value),
        number(c.lower),
        number(c.upper),
        ...drives.map((limit) => number(c.driveLimits?.[limit])),
        c.summary,
      ]),
    ],
    [0, 3, 4, 5, ...drives.map((_, i) => 6 + i)],
  );
}

function heading(text: string): string {
  return `\n${text}\n${'-'.repeat([...text].length)}`;
}

function explanationText(e: Explanation): string {
  const parts = [`${e.name}${e.summary ? `: ${e.summary}` : ''}`, heading('Coordinates'), coordinateTable(e)];
  parts.push(
    heading('Links'),
    formatTable([['link', 'parent', 'type'], ...e.links.map((l) => [l.name, l.parent, l.type])]),
  );
  parts.push(
    heading('Operations per link type'),
    kernelTable(e),
    '(each kernel alone, without operations on parameters only; a set of Stumpff functions of one argument counts 55.',
    'Generated code shares and factors more; its headers have its own counts.)',
  );
  if (e.actuators.length > 0) parts.push(heading('Actuators'), ...e.actuators.map(actuatorText));
  if (e.water.length > 0) parts.push(heading('Water, fields and contacts'), ...waterText(e));
  if (e.contacts.length > 0) parts.push(heading('Pairs of contacts'), `  ${e.contacts.join(', ')}`);
  if (e.stiffness.length > 0) parts.push(heading('Stiffness of sections'), ...stiffnessText(e));
  if (e.weight) parts.push(...weightText(e.weight));
  for (const body of e.bodies) parts.push(...bodyText(body));
  return parts.join('\n');
}

/** How much of the uncertainty of the coordinates measurements leave, and what they tell nothing of. */
function observersText({ observers = [], coordinates }: RobotExplanation): string[] {
  return observers.flatMap(({ name, period, measurements, atStart, aside }) => {
    const states = [
      ...(atStart ? [['at its start', atStart] as const] : []),
      ...aside.map((own) => ['aside', own] as const),
    ];
    const columns = ['coordinate', ...states.map(([where]) => where)];
    const rows = coordinates.map((own, i) => [
      own.name,
      ...states.map(([, { left }]) => `${Number((100 * left[i]!).toPrecision(3))} %`),
    ]);
    const [first] = aside;
    const blind = new Map([
      ...(atStart?.blind ?? []).map((own) => [directionText(own), `${fateText(own)}; at its start`] as const),
      ...(first?.blind ?? []).map((own) => [directionText(own), fateText(own)] as const),
    ]);
    return [
      heading(`Observer ${name}`),
      `  measures ${measurements.map((own) => `${own.name} (± ${shortNumber(own.noise)} ${own.unit})`).join(', ')}`,
      `  uncertainty of the coordinates after ${shortNumber(1000 * period)} s, by the linear motion, of that at the start:`,
      formatTable(
        [columns, ...rows],
        states.map((_, i) => 1 + i),
      ),
      ...[...blind].map(([direction, fate]) => `  nothing is told of ${direction}, ${fate}`),
    ];
  });
}

function waterText({ water }: Explanation): string[] {
  const methods = [...new Set(water.map(({ method }) => method))];
  const linksOf = (method: string): string[] => water.flatMap((own) => (own.method === method ? [own.link] : []));
  return methods.map((method) => `  ${linksOf(method).join(', ')}: ${method}`);
}

/** Links with the same sections share their lines. */
function stiffnessText({ stiffness }: Explanation): string[] {
  const rods = new Map<string, string[]>();
  for (const { link, sections } of stiffness) {
    const key = JSON.stringify(sections);
    rods.set(key, [...(rods.get(key) ?? []), link]);
  }
  const all = [...rods].map(([key, links]) => ({
    links,
    sections: JSON.parse(key) as (typeof stiffness)[number]['sections'],
  }));
  const rows = all.flatMap(({ links, sections }) =>
    sections.map((own, i) => [
      i === 0 ? links.join(', ') : '',
      sections.length === 1 ? '' : shortNumber(own.place),
      ...[own.bendX, own.bendY, own.twist, own.shearX, own.shearY, own.stretch].map((e) =>
        shortNumber(Number(e.toPrecision(5))),
      ),
    ]),
  );
  const titles = ['link', 's (m)', 'EI about x', 'EI about y', 'GJ (N m^2)', 'kGA along x', 'kGA along y', 'EA (N)'];
  const isCoupled = stiffness.some(({ sections }) =>
    sections.some(({ matrix }) => matrix.some((e, k) => e !== 0 && k % 7 !== 0)),
  );
  return [
    formatTable([titles, ...rows], [1, 2, 3, 4, 5, 6, 7]),
    ...(isCoupled ? ['(the diagonal; strains are coupled: --json has the matrices)'] : []),
  ];
}

function weightText({ link, length, atRest, most, at }: NonNullable<Explanation['weight']>): string[] {
  const metres = (e: number): string => `${shortNumber(Number(e.toPrecision(3)))} m`;
  const pulled = most > atRest ? `, by ${metres(most)} where ${at} is as large as its limits allow` : '';
  return [
    heading('Loads and the equilibrium of sections'),
    `  ${link}: weight moves the end of the rod of ${metres(length)} by ${metres(atRest)} with inputs zero${pulled}.`,
    '  Loads do not enter the equation: coordinates follow them as far as their fields reach. `kanegen statics --rod` has the rod itself.',
  ];
}

/** Equal terms of links in a row are said once. */
function actuatorText({ name, kind, unit, coordinateUnit, terms }: Explanation['actuators'][number]): string {
  const methods = [...new Set(terms.map(({ method }) => method))];
  const places = methods.map((method) => {
    const links = new Set(terms.flatMap((term) => (term.method === method ? [term.link] : [])));
    return `    ${[...links].join(', ')}: ${method}`;
  });
  const head = `  ${name}: ${kind}, input in ${unit}, coordinate in ${coordinateUnit}`;
  return [head, ...places].join('\n');
}

function kernelTable({ types }: Explanation): string {
  const kernels = [...new Set(types.flatMap((t) => Object.keys(t.operations)))];
  return formatTable(
    [['type', ...kernels], ...types.map((t) => [t.name, ...kernels.map((k) => String(t.operations[k] ?? ''))])],
    kernels.map((_, i) => i + 1),
  );
}

function bodyText(body: ExplainedBody): string[] {
  const title = heading(`Body type ${body.name}${body.summary ? `: ${body.summary}` : ''}`);
  const lines = [title, `Inertial terms by ${body.method}.`, '', ...body.ways.flatMap(wayText)];
  lines.push(...body.missing.map((m) => `  ${m.method}: ${m.reason}`));
  lines.push(...body.losses.map((loss) => `  The kinematics ${loss}.`));
  if (body.forces.length > 0) lines.push('', 'Forces beside inertia and weight', ...body.forces.map(forceText));
  if (body.operations.contraction !== null) lines.push('', ...closedFormText(body));
  return lines;
}

function forceText({ name, kind, points }: ExplainedBody['forces'][number]): string {
  return `  ${name}: ${kind}, ${points > 0 ? `summed over ${points} points` : 'by formulas'}`;
}

function wayText(way: ExplainedWay): string[] {
  const accuracy =
    way.error === null
      ? 'accuracy not checked'
      : way.error === 0
        ? 'exact'
        : `relative error ${way.error.toExponential(1)}`;
  const points = way.points > 0 ? ` (${way.points} × ${way.operationsPerPoint} and the rest)` : '';
  return [
    `${way.chosen ? '→' : ' '} ${way.method}: ${way.operations} operations${points}, ${accuracy}; ${way.description}`,
    ...balanceLines(way),
    ...trialLines(way),
  ];
}

function balanceLines({ balance }: ExplainedWay): string[] {
  if (!balance) return [];
  const { steps, once, independence } = balance;
  return [
    `      equilibrium of sections: ${steps} Newton steps ${once ? 'once, as all sections solve the same equation' : 'at every point'}; smallest eigenvalue of the scaled Gram matrix of the coordinates ${independence.toExponential(1)}`,
  ];
}

/** Cost against tolerance: of the rules that were tried the cheapest for each power of ten, and what was taken. */
function trialLines({ trials, error: reached }: ExplainedWay): string[] {
  const shown = trials.filter(
    ({ error, tolerance }, i) =>
      error === reached ||
      (tolerance !== null && tolerance < 1 && trials.slice(0, i).every((t) => (t.tolerance ?? 1) > tolerance)),
  );
  if (shown.length === 0) return [];
  // What a rule costs is known where it is the only one of the body.
  const areCounted = shown.some(({ operations }) => operations !== null);
  const rows = shown.map(({ points, operations, error, tolerance, description }) => [
    tolerance?.toExponential(0) ?? '-',
    String(points),
    ...(areCounted ? [operations === null ? '-' : String(operations)] : []),
    error.toExponential(1),
    description,
  ]);
  const titles = ['tolerance', 'points', ...(areCounted ? ['operations'] : []), 'error', 'rule'];
  const table = formatTable([titles, ...rows], areCounted ? [0, 1, 2, 3] : [0, 1, 2]);
  return table.split('\n').map((line) => `      ${line}`);
}

function closedFormText(body: ExplainedBody): string[] {
  const { shapeIntegrals, contraction } = body.operations;
  return [
    `In closed form: shape integrals ${shapeIntegrals ?? 'not formed'}, contraction ${contraction} operations.`,
    ...body.questions.map((q) => `  ${q}`),
    '',
    'Kinematics, regular at every configuration: p = Σ function · coefficient, with ck the Stumpff functions',
    ...body.kinematics.map((t) => `  ${t.function}:  [${t.coefficient.join(', ')}]`),
    '',
    'Integrals, Uk = s^k ck(χ s²)',
    ...body.integrals.map((i) => `  ${i.integral}: ${i.method}`),
    '',
    'Terms (q_dot and q_ddot are the rate and the acceleration of a coordinate q)',
    ...body.terms.flatMap((t) => [
      `  ${t.notation}  ${t.summary} [${t.unit}${t.frame === 'none' ? '' : `, ${t.frame} axes`}]`,
      ...t.values.map((value) => `      ${value}`),
    ]),
  ];
}

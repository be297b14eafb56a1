/** What the templates of a link type's module say: its functions, printed, and the tables that they read. */
import type { Buffer } from '../../kane/kernels/buffers.ts';
import { LINK_FUNCTIONS, type LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import { linkHeader, provenance } from '../modules/header.ts';
import { withFields, type LinkModel, type RobotModel } from '../modules/robot-model.ts';
import { bufferStarts, regionSignature, type WorkspaceLayout } from '../modules/workspace.ts';
import { shortCostText } from '../printing/cost-text.ts';
import { networkBuffersC, networksOf, networkTablesC } from '../printing/network-calls.ts';
import { printProgram, withoutComments, type Target } from '../printing/print-arithmetic.ts';
import { integralFunctionC, integratedTables } from '../printing/row-integrals.ts';
import { stumpffFunctionC, stumpffSetsOf, stumpffTableC } from '../printing/stumpff-functions.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import { inColumns } from '../naming/statement-lines.ts';
import type { Program } from '../programs/program.ts';
import { withoutHeadings } from '../programs/headings.ts';
import { tablesRead } from '../programs/row-tables.ts';
import type { LoopStatement } from '../programs/statement.ts';
import { sum } from '../sweeps/indices.ts';
import { linkFunctionName } from './driver-c.ts';
import { PlaceNames } from './place-names.ts';
import { laneLoopsOf, laneStatements, printLaneLoop } from '../c-language/lane-loops.ts';
import { lanesData } from '../c-language/lane-statements.ts';
import { linkedName } from '../c-language/linked-names.ts';
import { commentBlock, commentLine, tableC } from '../c-language/source-text.ts';
import { cTarget, plainTarget, signedLiteral } from '../c-language/target.ts';
import type { Render } from '../c-language/templates.ts';

/** Numbers by their places in blocks; with lanes in the loops that have them. */
function programTarget(link: LinkModel, program: Program, names: PlaceNames): Target {
  const loops = new Set(laneLoopsOf(program));
  const starts = bufferStarts(link.staged, program.name as LinkFunctionName);
  const target = cTarget((buffer, index) => {
    const start = starts.get(buffer as Buffer);
    if (start?.place === undefined) return `${snakeCaseOf(buffer)}[${index}]`;
    return `${snakeCaseOf(start.region)}[${sum(names.of([start.place], start.index, 'block'), index)}]`;
  });
  return {
    ...target,
    lanes: (statement, scalar) => (loops.has(statement) ? printLaneLoop(statement, scalar, target) : undefined),
  };
}

/** Begins with the robot's name: files of several robots stand side by side in one folder. */
export function linkFile({ name }: RobotModel, link: LinkModel): string {
  return `${name}_link_${link.name}`;
}

/** @param linkage of the functions: `static `, where other modules find them in a table. */
export function linkData(
  model: RobotModel,
  layout: WorkspaceLayout,
  link: LinkModel,
  render: Render,
  linkage = '',
): object {
  const { staged } = link;
  const symbol = linkFile(model, link);
  const called = networksOf(link.programs);
  const laneLoops = link.programs.flatMap((program) => laneLoopsOf(program));
  const inVectors = link.programs.filter((program) => gainsByVectors(link, program));
  const oneByOne = link.programs.filter((program) => !inVectors.includes(program));
  const names = new PlaceNames();
  const texts = new Map(link.programs.map((own) => [own, linkFunctions(model, link, own, linkage, names)]));
  const functionsOf = (program: Program): readonly string[] => texts.get(program)!;
  return {
    // Functions say what they cost where they stand.
    header: linkHeader(model, link, false).map(commentLine),
    provenance: provenance(model),
    guard: `${symbol.toUpperCase()}_H`,
    file: linkFile(model, link),
    prototypes: link.programs.map(({ name }) => ({
      linked: linkedName(model, linkFunctionName(model, link, name), layout),
      text: linkPrototype(model, link, name as LinkFunctionName),
    })),
    networks: called.networks.length > 0,
    stumpff: stumpffSetsOf(link.programs).length > 0,
    lanes: laneLoops.length > 0 ? render('lanes.c', laneData(laneLoops)).trimEnd() : '',
    functions: [
      ...names.definitions([...texts.values()].flat().join('\n')),
      ONE_BY_ONE,
      ...tablesRead(staged, link.programs).map(tableC),
      ...integratedTables(link.programs).map((table) =>
        integralFunctionC(table, (name, values) => tableC({ name, values }).trimEnd(), laneLoops.length > 0),
      ),
      ...networkTablesC(called, signedLiteral),
      ...stumpffSetsOf(link.programs).map((set) => stumpffFunctionC(set, plainTarget)),
      ...oneByOne.flatMap(functionsOf),
      AS_ASKED_FOR,
      ...inVectors.flatMap(functionsOf),
    ],
  };
}

/**
 * gcc packs neighbouring numbers of buffers into vectors, also where they were stored one by one by the function before: such a load waits until the
 * stores are done (`inverse_dynamics_at` of a UR10e takes 144 in place of 102 ns, tangents and adjoints a tenth less; gcc 12, -O3 -march=native).
 */
const ONE_BY_ONE = `#if defined(__GNUC__) && !defined(__clang__)
/* Numbers that the link before has stored one by one are not loaded in pairs: that waits for the stores. */
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif
`;

/** What follows this is vectorised as the compiler is asked to. */
const AS_ASKED_FOR = `#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
`;

/** Coordinates of a link from which on its functions of directions have sums of products so long that vectors gain more. */
const MANY_COORDINATES = 4;

function gainsByVectors({ type }: LinkModel, { name }: Program): boolean {
  if (type.coordinates.length < MANY_COORDINATES) return false;
  const { stage } = LINK_FUNCTIONS[name as LinkFunctionName];
  return stage === 'linearised' || stage === 'direction';
}

function laneData(loops: readonly LoopStatement[]): object {
  const hasSums = loops.some((loop) => loop.sums.length > 0);
  const hasStores = loops.some((loop) => loop.writes.length > 0);
  return lanesData(loops.flatMap(laneStatements), { inLoops: true, hasSums, hasStores });
}

/** Declaration of a function of a link type, as C++ reads it, too. */
function linkPrototype(model: RobotModel, link: LinkModel, name: LinkFunctionName): string {
  const { regions, written } = regionSignature(name);
  const list = regions.map((region) => `${written.has(region) ? '' : 'const '}kg_real *${snakeCaseOf(region)}`);
  const head = `void ${linkFunctionName(model, link, name)}(`;
  const short = `${head}${list.join(', ')});`;
  return short.length <= 120 ? short : `${head}\n    ${inColumns(list, 112).join('\n    ')});`;
}

function linkFunctions(
  model: RobotModel,
  link: LinkModel,
  program: Program,
  linkage: string,
  names: PlaceNames,
): string[] {
  // Stores say by the names of their places what headings would.
  const { parts, scratchSize } = printProgram(withoutHeadings(program), programTarget(link, program, names));
  const what = withFields(LINK_FUNCTIONS[program.name as LinkFunctionName].purpose, model);
  const purpose = `${what} ${shortCostText(program.counts)}.`;
  const name = linkFunctionName(model, link, program.name);
  const parameters = parametersOf(program);
  if (parts.length === 1) return [cFunction(`${linkage}void ${name}`, purpose, parameters, parts[0]!)];
  // Parts may have nothing to hand over, and C has no arrays without entries.
  const scratch = scratchSize > 0 ? [{ name: 'scratch', type: 'kg_real *KG_RESTRICT ' }] : [];
  const declared = scratch.map((own) => `kg_real ${own.name}[${scratchSize}];`);
  const passed = [...parameters, ...scratch].map((parameter) => parameter.name).join(', ');
  const part = (i: number): string => `${snakeCaseOf(program.name)}_part${i + 1}`;
  const calls = parts.map((_, i) => `${part(i)}(${passed});`);
  return [
    ...parts.map((lines, i) =>
      cFunction(
        `static void ${part(i)}`,
        `Part ${i + 1} of ${snakeCaseOf(program.name)}.`,
        [...parameters, ...scratch],
        lines,
      ),
    ),
    cFunction(`${linkage}void ${name}`, purpose, parameters, [...declared, ...calls]),
  ];
}

interface CParameter {
  readonly name: string;
  readonly type: string;
}

function parametersOf(program: Program): CParameter[] {
  const { regions, written } = regionSignature(program.name as LinkFunctionName);
  return regions.map((region) => ({
    name: snakeCaseOf(region),
    type: `${written.has(region) ? '' : 'const '}kg_real *KG_RESTRICT `,
  }));
}

/** @param head type and name. */
function cFunction(head: string, purpose: string, parameters: readonly CParameter[], lines: readonly string[]): string {
  const body = withoutComments(lines).join('\n');
  const unused = parameters.filter((p) => !new RegExp(`\\b${p.name}\\b`).test(body)).map((p) => `(void)${p.name};`);
  const local = [...stumpffTableC(lines), ...networkBuffersC(lines)];
  const list = parameters.map((p) => p.type + p.name);
  const short = `${head}(${list.join(', ')})`;
  const whole =
    short.length <= 120
      ? short
      : `${head}(\n${inColumns(list, 112)
          .map((line) => `    ${line}`)
          .join('\n')})`;
  const statements = [...local, ...lines, ...unused].map((line) => `  ${line}`);
  return `${commentBlock(purpose)}\n${whole}\n{\n${statements.join('\n')}\n}\n`;
}

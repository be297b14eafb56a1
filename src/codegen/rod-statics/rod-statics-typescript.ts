/** Statics of a rod in TypeScript: `NAME_rod_statics.ts`, its sections as straight-line code over `runtime/rod-statics.ts`. */
import type { GeneratedFile } from '../modules/robot-model.ts';
import { printProgram, withoutComments, type Target } from '../printing/print-arithmetic.ts';
import { comment } from '../typescript/checks.ts';
import { typescriptTarget } from '../typescript/target.ts';
import { laidOut, runTimeFile } from '../typescript/typescript.ts';
import { FUNCTION_SUMMARY, rodRecord, rodStaticsHeader, sizeOf, type RodStaticsModel } from './rod-statics-model.ts';

export async function rodStaticsTypeScript(model: RodStaticsModel): Promise<GeneratedFile[]> {
  return [
    { path: `${model.name}.ts`, text: await laidOut(moduleText(model)) },
    ...['rod-march', 'rod-statics'].map((name) => ({ path: `runtime/${name}.ts`, text: runTimeFile(name) })),
  ];
}

function moduleText(model: RodStaticsModel): string {
  const { pascal, whole, given, carried, inputs, steps, moreSteps } = model;
  const fields = rodRecord().fields.map(({ name, type }) => {
    if (type !== 'buffer') return `${name}: ${(whole as Readonly<Record<string, number>>)[name] ?? 0},`;
    const { each, fixed } = sizeOf(model, name);
    const values = (given as Readonly<Record<string, readonly number[]>>)[name];
    if (values) return `${name}: new Float64Array([${values.join(', ')}]),`;
    const size = [...(each > 0 ? [`${each} * all`] : []), ...(fixed > 0 || each === 0 ? [String(fixed)] : [])];
    return `${name}: new Float64Array(${size.join(' + ')}),`;
  });
  const weights = carried.flatMap(([mass, ...arm], a) =>
    [0, 1, 2].flatMap((r) => [
      `rod.forces[${6 * (a + 1) + r}] = ${mass} * gravity[${r}]!;`,
      `rod.forces[${6 * (a + 1) + 3 + r}] = ${arm[r]};`,
    ]),
  );
  return `${comment(rodStaticsHeader(model))}
import { areFinite, KG_NON_FINITE, KG_OK, KG_SINGULAR, KG_UNDEFINED, mark, type Status } from './runtime/driver.js';
import { layRod, POINTS, type Rod } from './runtime/rod-march.js';
import { solveEnd } from './runtime/rod-statics.js';

/** Statics of the rod with memory of its own. */
export interface ${pascal} {
/** After KG_OK: nodes and what stands in arrays that end in Nodes, from the start to the end; strains of the points places. */
readonly rod: Rod;
/**
${FUNCTION_SUMMARY.map((line) => ` * ${line}`).join('\n')}
 */
statics(
u: ArrayLike<number>,
wrench: ArrayLike<number>,
R: Float64Array,
t: Float64Array,
byInputs: Float64Array,
byWrench: Float64Array,
): Status;
}

/** What balances a section, and its derivatives. */
${functionText(model, 'balance', ['s: number', 'u: Float64Array', 'strains: Float64Array', 'at: number', 'sections: Float64Array', 'from: number'])}

/** Mass for each length, its moment about the line, and strains at rest. */
${functionText(model, 'rest', ['s: number', 'masses: Float64Array', 'at: number', 'strains: Float64Array', 'from: number'])}

const robot = {
rest(rod: Rod): void {
for (let row = 0; row < POINTS * rod.steps; row++) rest(rod.places[row]!, rod.masses, 3 * row, rod.strains, 6 * row);
},
balance(rod: Rod): void {
for (let row = 0; row < POINTS * rod.steps; row++) balance(rod.places[row]!, rod.u, rod.strains, 6 * row, rod.sections, rod.numbers * row);
},
};

/** @param gravity world axes, m/s^2, read in every call. @param steps along the rod: errors fall with the eighth power. */
export function create${pascal}(gravity: ArrayLike<number>, steps = ${steps}): ${pascal} {
const all = steps + ${moreSteps};
const rod: Rod = {
${fields.join('\n')}
};
return {
rod,
statics(u, wrench, R, t, byInputs, byWrench) {
if (!(areFinite(gravity, 3, 'gravity') && areFinite(u, ${inputs}, 'u') && areFinite(wrench, 6, 'wrench'))) return KG_NON_FINITE;
for (let r = 0; r < 3; r++) rod.gravity[r] = gravity[r]!;
${weights.join('\n')}
layRod(rod, steps);
if (!solveEnd(rod, robot, u, wrench, R, t, byInputs, byWrench)) return KG_SINGULAR;
if (areFinite(R, 9) && areFinite(t, 3) && areFinite(byInputs, ${6 * inputs}) && areFinite(byWrench, 36)) return KG_OK;
mark(R, 9);
mark(t, 3);
mark(byInputs, ${6 * inputs});
mark(byWrench, 36);
return KG_UNDEFINED;
},
};
}
`;
}

/** Of one section: arrays begin at a place of their own. */
function functionText(model: RodStaticsModel, program: 'balance' | 'rest', parameters: readonly string[]): string {
  const begins: Readonly<Record<string, string>> =
    program === 'balance' ? { strains: 'at', sections: 'from' } : { masses: 'at', strains: 'from' };
  const place = (buffer: string, index: number): string => {
    const begin = begins[buffer];
    return `${buffer}[${begin === undefined ? index : index === 0 ? begin : `${begin} + ${index}`}]`;
  };
  const target: Target = {
    ...typescriptTarget(),
    read: ({ buffer, index }) => (buffer === 's' ? 's' : `${place(buffer, index)}!`),
    write: ({ buffer, index }) => place(buffer, index),
  };
  const lines = printProgram(model[program], target, Infinity).parts[0]!;
  const text = withoutComments(lines).join('\n');
  // A leading underscore says, to reader and compiler, that the function has no use for it.
  const list = parameters.map((own) => (new RegExp(`\\b${own.split(':')[0]!}\\b`).test(text) ? own : `_${own}`));
  return `function ${program}(${list.join(', ')}): void {\n${lines.join('\n')}\n}`;
}

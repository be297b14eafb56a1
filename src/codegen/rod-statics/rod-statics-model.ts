/** Statics of the rod of a robot (`--rod-statics`) as both languages see it: programs of its sections, numbers that it begins with, sizes. */
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { equilibriumOfRod, NoRodEquilibrium, type LoadedRod } from '../../kane/loaded/loaded-rod.ts';
import { arraySizes, fixedNumbers, methodNumbers, mostSteps, type RodSizes } from '../../kane/loaded/rod-record.ts';
import { rodOfRobot, runTimeParameter, weightsOf, type RodOfRobot } from '../../kane/loaded/rod-of-robot.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import { KG_NON_FINITE, KG_OK, KG_SINGULAR, KG_UNDEFINED } from '../../runtime/driver.ts';
import type { Rod } from '../../runtime/rod-march.ts';
import { symbol, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { programOf } from '../drivers/robot-programs.ts';
import type { RobotInterface } from '../interface/robot-interface.ts';
import { packageFile } from '../modules/assets.ts';
import { provenance } from '../modules/header.ts';
import { robotModel, type RobotModel } from '../modules/robot-model.ts';
import { camelCase, commentText, pascalCase, wrapped } from '../naming/identifiers.ts';
import { costText, operationsInAll } from '../printing/cost-text.ts';
import type { Program } from '../programs/program.ts';
import { recordsOf, type RecordType } from '../translation/subset.ts';

export interface RodStaticsModel {
  readonly robot: RobotModel;
  /** Of its files, and of the function in C. */
  readonly name: string;
  readonly camel: string;
  readonly pascal: string;
  /** Steps along the rod unless more or fewer are asked for, and those in addition that pieces may take. */
  readonly steps: number;
  readonly moreSteps: number;
  readonly inputs: number;
  /** `s`, `u`, `strains` → `sections`, of one section. */
  readonly balance: Program;
  /** `s` → `masses`, `strains`, of one section. */
  readonly rest: Program;
  /** Whole numbers that stay, and arrays that a rod begins with. */
  readonly whole: ReturnType<typeof fixedNumbers>;
  readonly given: Readonly<Partial<Record<keyof Rod, readonly number[]>>>;
  /** Inputs at which there is an equilibrium; of the self-test. */
  readonly probe: readonly number[];
  /** m */
  readonly length: number;
  /** Mass and arm of each body on the end, kg and m. */
  readonly carried: readonly (readonly number[])[];
}

/** The record of a rod as the run time declares it. */
export const rodRecord = (): RecordType =>
  recordsOf(packageFile('src/runtime/rod-march.ts')).find(({ name }) => name === 'Rod')!;

/** How many numbers an array of the rod has: so many for each step, and some. */
export function sizeOf({ whole }: RodStaticsModel, name: string): { readonly each: number; readonly fixed: number } {
  const at = (steps: number): number => arraySizes({ ...whole, steps })[name as 'nodes'];
  return { each: at(1) - at(0), fixed: at(0) };
}

/** @throws KanegenError `not-supported` at what a rod under loads cannot have, and at run-time parameters; `no-equilibrium`. */
export function rodStaticsModel(robot: Robot, compiled: CompiledRobot): RodStaticsModel {
  const rod = rodOfRobot(robot);
  const { sections, base, carried } = rod;
  const formulas = sections.formulas();
  const used = runTimeParameter(robot, formulas.parameters);
  if (used !== undefined)
    throw new KanegenError('not-supported', `code for statics of the rod with the run-time parameter \`${used}\``, {
      remedy: `leave out \`runtime: true\` of \`${used}\`, or \`--rod-statics\``,
      location: robot.links.find(({ name }) => name === rod.link)?.location,
    });
  const model = robotModel(robot, compiled);
  const { ends, free } = sections;
  const inputs = formulas.inputs as readonly SymbolExpr[];
  const place = { buffer: 's', symbols: [formulas.axial as SymbolExpr] };
  const strains = formulas.strains.map((own, c) => (own ?? symbol(`rod.rest_${c + 1}`)) as SymbolExpr);
  const read = [place, { buffer: 'u', symbols: inputs }, { buffer: 'strains', symbols: strains }];
  const sizes: Omit<RodSizes, 'steps'> = {
    ...{ panels: ends.length - 1, unknowns: free.length, inputs: inputs.length, profiles: 0 },
    arms: 1 + carried.length,
  };
  return {
    robot: model,
    name: `${model.name}_rod_statics`,
    camel: `${camelCase(model.name)}RodStatics`,
    pascal: `${pascalCase(model.name)}RodStatics`,
    ...statesOnce(rod, robot),
    length: ends.at(-1)! - ends[0]!,
    moreSteps: mostSteps(0, ends.length - 1),
    inputs: inputs.length,
    balance: programOf('balance', read, [{ buffer: 'sections', values: formulas.balance }]),
    rest: programOf(
      'rest',
      [place],
      [
        { buffer: 'masses', values: formulas.masses },
        { buffer: 'strains', values: formulas.rest },
      ],
    ),
    whole: fixedNumbers(sizes),
    given: {
      ...methodNumbers(),
      ends,
      // Not zero: gcc 12 with AVX-512 makes {1, 1, 1, 1} of a copy of {1, 1, 1, 0}.
      free: Array.from({ length: 6 }, (_, c) => (free.includes(c) ? 1 : -1)),
      base: [...base.q, ...base.position],
    },
    carried: carried.map(({ mass, arm }) => [mass, ...arm]),
  };
}

/** How far loads move and turn the end for which steps are chosen: of the length, and rad. */
const [MOVED, TURNED] = [0.3, 1];

/** Where the self-test calls, of the limits of the inputs. */
const PROBES = [0.3, 0.1];

const known = new WeakMap<Robot, Pick<RodStaticsModel, 'steps' | 'probe'>>();

function statesOnce(rod: RodOfRobot, robot: Robot): Pick<RodStaticsModel, 'steps' | 'probe'> {
  const found = known.get(robot) ?? statesOf(rod, robot);
  known.set(robot, found);
  return found;
}

/** Steps by which the end settles under inputs at their limits, and under loads that move and turn it. @throws KanegenError `no-equilibrium` */
function statesOf(
  { sections, base, gravity, carried, link }: RodOfRobot,
  { actuators }: Robot,
): Pick<RodStaticsModel, 'steps' | 'probe'> {
  const length = sections.ends.at(-1)! - sections.ends[0]!;
  const rest = actuators.map(() => 0);
  const weights = weightsOf(carried, gravity);
  const under = (q: readonly number[], force = NONE, moment = NONE): LoadedRod | undefined => {
    const loads = { gravity, moment, forces: [{ force, arm: NONE }, ...weights] };
    try {
      return equilibriumOfRod(sections, { q, base, loads });
    } catch (error) {
      if (error instanceof NoRodEquilibrium) return undefined;
      throw error;
    }
  };
  const still = under(rest);
  const ranges = actuators.map(({ lower, upper }, a) => {
    if (lower !== undefined && upper !== undefined) return [lower, upper] as const;
    // Without limits as far as the end moves by its part.
    const slopes: LoadedRod['byCoordinate'] = still ? still.byCoordinate.slice(3) : [];
    const moved = Math.max(0, ...slopes.map((row) => Math.abs(row[a]!)));
    const far = moved > 0 ? (MOVED * length) / moved : 0;
    return [lower ?? Math.min(0, upper ?? 0), upper ?? (lower ?? 0) + far] as const;
  });
  const limits = ranges.flatMap((range, a) => range.flatMap((limit) => (limit === 0 ? [] : [rest.with(a, limit)])));
  const parts = PROBES.map((share) => ranges.map(([lower, upper]) => lower + share * (upper - lower)));
  const all = [...parts, rest, ...limits].map((q) => ({ q, found: q === rest ? still : under(q) }));
  const states = all.map(({ found }) => found);
  if (still) {
    const largest = (rows: LoadedRod['byForce']): number => Math.max(...rows.flat().map(Math.abs));
    const [force, moment] = [
      (MOVED * length) / largest(still.byForce.slice(3)),
      TURNED / largest(still.byMoment.slice(0, 3)),
    ];
    states.push(under(rest, [force, -force, force], NONE), under(rest, NONE, [moment, moment, -moment]));
  }
  const probe = all.find(({ found }) => found)?.q;
  // The double of enough steps tells that they are.
  if (probe) return { steps: Math.ceil(Math.max(...states.flatMap((own) => own?.steps ?? [])) / 2), probe };
  throw new KanegenError('no-equilibrium', `\`${link}\`: no equilibrium without inputs, nor at their limits`, {
    remedy: 'write a stiffer `material`, or leave out `--rod-statics`',
  });
}

const NONE: readonly number[] = [0, 0, 0];

/** As `interface.json` says it. */
export function rodStaticsInterface({
  name,
  robot,
  steps,
  inputs,
  balance,
}: RodStaticsModel): NonNullable<RobotInterface['rodStatics']> {
  const shapes: Readonly<Record<'input' | 'output', Readonly<Record<string, readonly number[]>>>> = {
    input: { gravity: [3], u: [inputs], wrench: [6] },
    output: { R: [3, 3], t: [3], by_inputs: [6, inputs], by_wrench: [6, 6] },
  };
  return {
    ...{ symbol: name, structure: `${robot.name}_rod`, steps },
    arguments: (['input', 'output'] as const).flatMap((role) =>
      Object.entries(shapes[role]).map(([own, shape]) => ({ name: own, role, shape: [...shape] })),
    ),
    statuses: [KG_OK, KG_NON_FINITE, KG_UNDEFINED, KG_SINGULAR],
    operations: operationsInAll(balance.counts),
  };
}

/** What both languages say of the function. */
export function rodStaticsHeader(model: RodStaticsModel): readonly string[] {
  const { robot, steps, balance, rest } = model;
  const inputs = robot.robot.actuators.map(
    ({ name, unit }, i) => `  [${i}] ${commentText(name)} [${commentText(unit)}]`,
  );
  return [
    ...wrapped(
      `Statics of the rod of ${commentText(robot.robot.name)}: no coordinates, the strain of every section balances its actuators and all weight and loads beyond it.`,
      110,
    ),
    ...provenance(robot),
    '',
    ...(inputs.length > 0 ? ['Inputs u:', ...inputs] : []),
    'The wrench (moment in N m, then force in N) acts at the end of the rod and keeps its direction. World axes.',
    '',
    ...wrapped(
      `Steps along the rod: ${steps}, by which its end settled to 1e-13 of its length under inputs at their limits and under loads that move it by ${MOVED} of the length.`,
      110,
    ),
    ...wrapped(`Balance of a section: ${costText(balance.counts)}; its mass and rest: ${costText(rest.counts)}.`, 110),
  ];
}

/** Of the function, without how a language spells what is optional. */
export const FUNCTION_SUMMARY: readonly string[] = [
  'The end of the rod in equilibrium: rotation R (9 numbers, by rows) and position t (3), and their derivatives, rotation',
  'vector then displacement, by the inputs (6 x inputs) and by the wrench (6 x 6). The search begins where the sections',
  'rest without weight and loads; nothing is kept from call to call. KG_NON_FINITE of inputs, wrench and gravity;',
  'KG_SINGULAR where no equilibrium is found: `failure` says why, `reached` at which share of weight and loads;',
  'KG_UNDEFINED where numbers overflow. Equilibria may be unstable where none else is found: `unstable` is above zero.',
];

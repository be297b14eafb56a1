/**
 * How forward dynamics of drivers grow with arms: operations and time per coordinate, of chains of rods with six coordinates each,
 * strains constant or Legendre polynomials, and of planar constant-curvature segments.
 */
import { robotModel } from '../src/codegen/modules/robot-model.ts';
import { loadRobotObject } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { Contest, type Contestant } from './contest.ts';
import { operationsOfLinks } from './derivatives.ts';
import { formsOf, type FormName, type Forms } from './forms.ts';
import { FORWARD } from './forward-dynamics.ts';
import { C_COMPILER } from './machine.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import { timedStates } from './states.ts';
import { constantStrain, planarConstantCurvature } from './workloads.ts';

interface Family {
  readonly name: string;
  /** Coordinates of the arms. */
  readonly lengths: readonly number[];
  readonly robot: (coordinates: number) => Robot;
  /** Of the coordinates of timed states: rods further out are torn or turned inside out. */
  readonly reach: number;
}

const SIXES = [12, 24, 48, 96, 192] as const;

/** Both bendings linear along each rod, twist and stretch constant, elastic and damped. */
function legendreRods(rods: number): Robot {
  const strain = (coordinates: string): object => ({ basis: 'legendre', coordinates, scale: '1/L' });
  return loadRobotObject({
    kanegen: 1,
    name: `gvs-legendre-${rods}`,
    'body-types': {
      rod: {
        parameters: { L: '0.2 m', R: '20 mm' },
        coordinates: {
          ...{ a: { count: 2, unit: 'rad' }, b: { count: 2, unit: 'rad' }, c: { unit: 'rad' }, e: { unit: 'm' } },
        },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: '1062 kg/m^3' },
        strain: { 'bend-x': strain('a'), 'bend-y': strain('b'), twist: 'c/L', stretch: 'e/L' },
        material: { 'rod-elasticity': { E: '1 MPa', nu: 0.45 }, 'retardation-time': '10 ms' },
      },
    },
    links: [{ name: 'seg', body: 'rod', repeat: rods }],
  });
}

const families: readonly Family[] = [
  { name: 'pcs', lengths: SIXES, robot: (n) => constantStrain(n / 6).robot(), reach: 0.03 },
  { name: 'gvs-legendre', lengths: SIXES, robot: (n) => legendreRods(n / 6), reach: 0.03 },
  {
    name: 'planar-cc',
    lengths: [10, 100, 1000],
    robot: (n) => planarConstantCurvature(n).robot(),
    reach: 1,
  },
];

const FORM: FormName = 'driver, forward dynamics, C';
const TIME = 'forward dynamics per coordinate, C';
const OPERATIONS = 'operations per coordinate, forward dynamics, driver';

const workloadOf = ({ name }: Family, n: number): string => `${name}, ${n} coordinates`;
const growth = ({ lengths }: Family, n: number): string =>
  `forward dynamics, coordinate of ${n} / coordinate of ${lengths[0]!}, C`;

/** Of the shortest and the longest arm. @param wanted rows. */
export function growthCounts(wanted: (name: RowName) => boolean): Measurement {
  const all = families.flatMap((family) =>
    [family.lengths[0]!, family.lengths.at(-1)!].map((n) => ({ family, n, workload: workloadOf(family, n) })),
  );
  const asked = all.filter(({ workload }) => wanted({ workload, metric: OPERATIONS }));
  return {
    names: asked.map(({ workload }) => ({ workload, metric: OPERATIONS })),
    measure: () =>
      Promise.resolve(
        asked.map(({ family, n, workload }): MeasuredRow => {
          const robot = family.robot(n);
          const operations = operationsOfLinks(robotModel(robot, compileRobot(robot)), FORWARD, 'articulate')!;
          return { workload, metric: OPERATIONS, value: Math.round(operations / n), unit: 'operations' };
        }),
      ),
  };
}

/** @param directory temporary, of the caller. */
export function growthTimes(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  return families
    .map((family) => timesOf(family, directory))
    .map(({ names, measure }) => ({
      names: names.filter(wanted),
      measure: async () => (await measure()).filter(wanted),
    }))
    .filter(({ names }) => names.length > 0);
}

/** Arms of all lengths take turns, so that their times can be compared. */
function timesOf(family: Family, directory: string): Measurement {
  const { name, lengths, robot, reach } = family;
  const [shortest, ...longer] = lengths as [number, ...number[]];
  return {
    names: [
      ...lengths.map((n) => ({ workload: workloadOf(family, n), metric: TIME })),
      ...longer.map((n) => ({ workload: name, metric: growth(family, n) })),
    ],
    async measure() {
      const arms = new Map<number, Forms>();
      try {
        for (const n of lengths)
          arms.set(n, await formsOf(robot(n), new Set([FORM]), directory, timedStates(n, reach)));
        for (const { contestants } of arms.values()) await refuseNothing(contestants);
        const contest = await Contest.hold(
          [...arms].flatMap(([n, { contestants }]) => contestants.map((c) => ({ ...c, name: String(n) }))),
        );
        const noteOf = (value: number | null): object =>
          value === null ? { note: `no C compiler (${C_COMPILER})` } : {};
        return [
          ...lengths.map((n): MeasuredRow => {
            const time = contest.time(String(n));
            const value = time === null ? null : time / n;
            return { workload: workloadOf(family, n), metric: TIME, value, unit: 'ns', ...noteOf(value) };
          }),
          ...longer.map((n): MeasuredRow => {
            const ratio = contest.ratio(String(n), String(shortest));
            const value = ratio === null ? null : (ratio * shortest) / n;
            return { workload: name, metric: growth(family, n), value, unit: 'ratio', ...noteOf(value) };
          }),
        ];
      } finally {
        for (const forms of arms.values()) forms.close();
      }
    },
  };
}

/** @throws Error where there are no accelerations: a call that is refused takes no time. */
async function refuseNothing(contestants: readonly Contestant[]): Promise<void> {
  for (const { name, torques } of contestants)
    if (!(await torques()).every((x) => Number.isFinite(x) && x !== 0))
      throw new Error(`${name} has no result at some state: times would mean nothing`);
}

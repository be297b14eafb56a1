/** Times of the generic driver: of the examples, and of a link of arms of growing length. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadRobotFile } from '../src/description/load.ts';
import { Contest, refuseDifferences } from './contest.ts';
import { formsOf, type FormName, type Forms } from './forms.ts';
import { C_COMPILER } from './machine.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import { planarConstantCurvature } from './workloads.ts';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const EXAMPLES = ['planar-cc', 'planar-cc-20', 'pcc-3d', 'pcs', 'ur10e', 'panda', 'hybrid'];
const LENGTHS = [10, 100, 1000];
const BOTH: ReadonlySet<FormName> = new Set<FormName>(['driver, TypeScript', 'driver, C']);

const metrics = {
  typescript: 'inverse dynamics in one call, TypeScript',
  c: 'inverse dynamics in one call, C',
  ratio: 'TypeScript / C',
} as const;

const noteOf = (value: number | null): { note: string } | object =>
  value === null ? { note: `no C compiler (${C_COMPILER})` } : {};

/** @param directory temporary, of the caller. */
export function driverTimes(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  const all = [...EXAMPLES.map((name) => exampleTimes(name, directory)), linkTimes(directory)];
  return all
    .map(({ names, measure }) => ({
      names: names.filter(wanted),
      measure: async () => (await measure()).filter(wanted),
    }))
    .filter(({ names }) => names.length > 0);
}

function exampleTimes(workload: string, directory: string): Measurement {
  return {
    names: Object.values(metrics).map((metric) => ({ workload, metric })),
    async measure() {
      const robot = loadRobotFile(path.join(root, 'examples', `${workload}.robot.yaml`));
      const forms = await formsOf(robot, BOTH, directory);
      try {
        await refuseDifferences(forms.contestants);
        const contest = await Contest.hold(forms.contestants);
        const c = contest.time('driver, C');
        return [
          { workload, metric: metrics.typescript, value: contest.time('driver, TypeScript'), unit: 'ns' },
          { workload, metric: metrics.c, value: c, unit: 'ns', ...noteOf(c) },
          {
            workload,
            metric: metrics.ratio,
            value: contest.ratio('driver, TypeScript', 'driver, C'),
            unit: 'ratio',
            ...noteOf(c),
          },
        ];
      } finally {
        forms.close();
      }
    },
  };
}

const LANGUAGES = ['C', 'TypeScript'] as const;
const perLink = (language: string): string => `driver, per link, ${language}`;
const growth = (links: number, language: string): string =>
  `driver, link of ${links} / link of ${LENGTHS[0]!}, ${language}`;

/** Arms of all lengths take turns, so that their times per link can be compared. */
function linkTimes(directory: string): Measurement {
  const [shortest, ...longer] = LENGTHS as [number, ...number[]];
  return {
    names: LANGUAGES.flatMap((language) => [
      ...LENGTHS.map((n) => ({ workload: planarConstantCurvature(n).name, metric: perLink(language) })),
      ...longer.map((n) => ({ workload: 'planar-cc', metric: growth(n, language) })),
    ]),
    async measure() {
      const arms = new Map<number, Forms>();
      try {
        for (const n of LENGTHS) arms.set(n, await formsOf(planarConstantCurvature(n).robot(), BOTH, directory));
        for (const { contestants } of arms.values()) await refuseDifferences(contestants);
        const contest = await Contest.hold(
          [...arms].flatMap(([n, { contestants }]) => contestants.map((c) => ({ ...c, name: `${c.name}, ${n}` }))),
        );
        return LANGUAGES.flatMap((language): MeasuredRow[] => [
          ...LENGTHS.map((n): MeasuredRow => {
            const time = contest.time(`driver, ${language}, ${n}`);
            const value = time === null ? null : time / n;
            const { name: workload } = planarConstantCurvature(n);
            return { workload, metric: perLink(language), value, unit: 'ns', ...noteOf(value) };
          }),
          ...longer.map((n): MeasuredRow => {
            const ratio = contest.ratio(`driver, ${language}, ${n}`, `driver, ${language}, ${shortest}`);
            const value = ratio === null ? null : (ratio * shortest) / n;
            return { workload: 'planar-cc', metric: growth(n, language), value, unit: 'ratio', ...noteOf(value) };
          }),
        ]);
      } finally {
        for (const forms of arms.values()) forms.close();
      }
    },
  };
}

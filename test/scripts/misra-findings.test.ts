/** What `npm run misra` refuses: findings without a deviation, and deviations without a finding. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deviationsIn, findingsIn, isRequired, judged } from '../../scripts/misra-findings.ts';

const SAID = `[arm.c:7] (style) misra violation (use --rule-texts=<file> to get proper output) (Undefined) [misra-c2012-10.4]
[arm.c:7] (style) misra violation (use --rule-texts=<file> to get proper output) (Undefined) [misra-c2012-10.4]
[kanegen_runtime.h:9] (style) misra violation (use --rule-texts=<file> to get proper output) (Undefined) [misra-c2012-12.1]
Checking arm.c.dump...`;

it('finds each place once, with its rule', () => {
  expect(findingsIn(SAID)).toEqual([
    { rule: '10.4', file: 'arm.c', line: 7 },
    { rule: '12.1', file: 'kanegen_runtime.h', line: 9 },
  ]);
  expect(['10.4', '12.1', '15.6', '17.7'].map(isRequired)).toEqual([true, false, true, true]);
});

it('refuses what has no deviation, and deviations that do not occur', () => {
  const record = '| rule | where | why |\n|---|---|---|\n| 10.4 | `a*.c` | exact |\n| 15.6 | `*` | never |\n';
  const [finding] = findingsIn(SAID);
  expect(judged([finding!], deviationsIn(record))).toEqual([expect.stringContaining('rule 15.6 in * does not occur')]);
  expect(judged([{ ...finding!, file: 'b.c' }], deviationsIn(record.split('\n').slice(0, 3).join('\n')))).toEqual([
    expect.stringContaining('b.c:7: rule 10.4'),
    expect.stringContaining('deviation from rule 10.4 in a*.c'),
  ]);
});

it('reads the record of the repository', () => {
  expect(deviationsIn(readFileSync('docs/misra.md', 'utf8')).length).toBeGreaterThan(5);
});

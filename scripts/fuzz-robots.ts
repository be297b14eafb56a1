/**
 * Tries many robot files made at random: `npx tsx scripts/fuzz-robots.ts COUNT SEED`. Prints how many were tried, what became
 * of them, and every file with which something happened that should not.
 */
import fc from 'fast-check';
import { outcomeOf } from '../test/fuzz/outcome.ts';
import { robotTexts } from '../test/fuzz/robot-texts.ts';

async function main(): Promise<void> {
  const [count = 1000, seed = 1] = process.argv.slice(2).map(Number);
  const results = new Map<string, number>();
  let problems = 0;
  for (const text of fc.sample(robotTexts, { numRuns: count, seed })) {
    const { result, problem } = await outcomeOf(text);
    results.set(result, (results.get(result) ?? 0) + 1);
    if (problem === undefined) continue;
    problems++;
    process.stdout.write(`${'='.repeat(100)}\n${problem}\n${'-'.repeat(100)}\n${JSON.stringify(text)}\n`);
  }
  const table = [...results].sort((a, b) => b[1] - a[1]).map(([result, number]) => `${result} ${number}`);
  process.stdout.write(`${count} files, seed ${seed}: ${table.join(', ')}; ${problems} problems\n`);
  process.exitCode = problems > 0 ? 1 : 0;
}

void main();

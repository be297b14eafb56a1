/**
 * Regenerates generated/: NAME/{typescript,c} of the examples that are kept in full (examples/generated.json), and
 * manifest.json, which stands for all others. Nothing is left behind of what was there before. npm run generate.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CHOICE, EXAMPLES, generateExample, manifestText, type GeneratedExample } from './generated-examples.ts';

const examples: GeneratedExample[] = [];
for (const name of EXAMPLES) {
  examples.push(await generateExample(name));
  console.log(`${name}: ${examples.at(-1)!.files.length} files`);
}
rmSync('generated', { recursive: true, force: true });
for (const { name, files } of examples.filter((example) => CHOICE.inFull.includes(example.name)))
  for (const file of files) {
    const target = path.join('generated', name, file.path);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, file.text);
  }
writeFileSync('generated/manifest.json', manifestText(examples));

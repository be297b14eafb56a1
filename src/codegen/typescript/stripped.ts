/** Generated TypeScript as the JavaScript that this process runs: not for reading. */
import { transform } from 'sucrase';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** Not by the compiler: it takes ten times as long. */
function asJavascript(text: string): string {
  return transform(text, { transforms: ['typescript'], disableESTransforms: true }).code;
}

/** Generated TypeScript as JavaScript modules. Where a folder also has `x.js` for Node, it only leads to `x.ts`. */
export function modulesOf(files: readonly GeneratedFile[]): GeneratedFile[] {
  return files
    .filter((file) => file.path.endsWith('.ts'))
    .map(({ path, text }) => ({ path: path.replace(/\.ts$/, '.js'), text: asJavascript(text) }));
}

/**
 * The JavaScript target: the TypeScript modules with their types taken out (`.js`) and their declarations (`.d.ts`); and
 * what lets Node run the TypeScript modules as they are.
 */
import { host } from '#host';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** JavaScript of a TypeScript module, its imports as they are. */
export function transpiled(text: string): string {
  const ts = host.typescript();
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/**
 * The same modules as JavaScript with declarations: they import each other by names ending in `.js`, which Node,
 * TypeScript and bundlers find. `package.json` says that they are ES modules, whatever the project around them is.
 */
export function javascriptOf(files: readonly GeneratedFile[]): GeneratedFile[] {
  const ts = host.typescript();
  const compilerOptions = { target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
  return [
    ...files.flatMap(({ path, text }) => [
      { path: path.replace(/\.ts$/, '.js'), text: `${selfTypes(path)}${layout(transpiled(text))}` },
      {
        path: path.replace(/\.ts$/, '.d.ts'),
        text: layout(ts.transpileDeclaration(text, { compilerOptions }).outputText),
      },
    ]),
    PACKAGE,
  ];
}

/** These are ES modules, whatever the project around them is. */
const PACKAGE: GeneratedFile = { path: 'package.json', text: '{ "type": "module" }\n' };

/** Where Deno finds the declarations of a module. */
function selfTypes(path: string): string {
  return `// @ts-self-types="./${baseName(path).replace(/\.ts$/, '.d.ts')}"\n`;
}

/** TypeScript prints with four spaces and without empty lines. */
function layout(text: string): string {
  return text.replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2)).replace(/\n(?=\/\*\*)/g, '\n\n');
}

/**
 * Beside the TypeScript modules: that they are ES modules, and `x.js` for each `x.ts`. They import each other, and programs import
 * them, by names ending in `.js`, for which compilers, tsx and bundlers take `x.ts`. Node and Deno, which take types out but leave
 * names as they are, take the file itself: it leads there.
 */
export function besideModules(files: readonly GeneratedFile[]): GeneratedFile[] {
  const names = files.filter(({ path }) => path.endsWith('.ts')).map(({ path }) => path.replace(/\.ts$/, ''));
  return [
    ...names.sort().map((name) => ({
      path: `${name}.js`,
      text: `// For Node and Deno, which run TypeScript as it is; every other tool takes ${baseName(name)}.ts itself.\nexport * from './${baseName(name)}.ts';\n`,
    })),
    PACKAGE,
  ];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

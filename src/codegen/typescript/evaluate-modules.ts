/**
 * Generated modules run as functions: modules that Node imports stay in its memory for ever, functions go when nobody has them any more.
 * For the forms in which generated code and the run time import and export, and no others.
 */
import { compileFunction } from 'node:vm';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** What a module exports, by name. */
export type Exports = Record<string, unknown>;

type Evaluated = (exportsOf: (path: string) => Exports) => Exports;

const IMPORT = /^import \{([^}]*)\} from '(\.[^']+)';$/gm;
const PASSED_ON = /^export \{([^}]*)\} from '(\.[^']+)';$/gm;
const LISTED = /^export \{([^}]*)\};$/gm;
const DECLARED = /^export (?=(?:async )?(?:function\*?|class|const|let) ([\w$]+))/gm;
const ANY = /^\s*(?:import|export)\b.*$/m;

/** @returns exports of a module, evaluated once with those that it imports; each set of modules has its own. */
export function evaluator(modules: readonly GeneratedFile[]): (path: string) => Exports {
  const sources = new Map(modules.map(({ path, text }) => [path, text]));
  const evaluated = new Map<string, Exports>();
  const exportsOf = (path: string): Exports => {
    const known = evaluated.get(path);
    if (known) return known;
    const source = sources.get(path);
    if (source === undefined) throw new Error(`generated module ${path} is missing`);
    const made = asFunction(path, source)((target) => exportsOf(beside(path, target)));
    evaluated.set(path, made);
    return made;
  };
  return exportsOf;
}

function asFunction(path: string, source: string): Evaluated {
  const exported: string[] = [];
  const body = source
    .replace(PASSED_ON, (_, names: string, target: string) => {
      const own = pairs(names).map(([name, as]) => `${as}: exportsOf('${target}').${name}`);
      exported.push(...own);
      return '';
    })
    .replace(LISTED, (_, names: string) => {
      exported.push(...pairs(names).map(([name, as]) => `${as}: ${name}`));
      return '';
    })
    .replace(DECLARED, (_, name: string) => {
      exported.push(name);
      return '';
    })
    .replace(IMPORT, (_, names: string, target: string) => {
      const own = pairs(names).map(([name, as]) => `${name}: ${as}`);
      return `const { ${own.join(', ')} } = exportsOf('${target}');`;
    });
  const left = ANY.exec(body);
  if (left) throw new Error(`${path}: ${left[0].trim()} is no import or export that generated modules have`);
  const text = `'use strict';\n${body}\nreturn { ${exported.join(', ')} };`;
  return compileFunction(text, ['exportsOf'], { filename: path }) as Evaluated;
}

/** `a, b as c` as [a, a], [b, c]. */
function pairs(names: string): (readonly [string, string])[] {
  return names.split(',').flatMap((own) => {
    const [name, as] = own.trim().split(/\s+as\s+/);
    return name ? [[name, as ?? name] as const] : [];
  });
}

/** The path that a module means by `./other.js` or `../other.js`. */
function beside(path: string, target: string): string {
  return new URL(target, `file:///${path}`).pathname.slice(1);
}

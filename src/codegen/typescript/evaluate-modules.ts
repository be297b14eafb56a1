/**
 * Generated modules run as functions: modules that Node imports stay in its memory for ever, functions go when nobody has them any more.
 * For the forms in which generated code and the run time import and export, and no others.
 */
import { host } from '#host';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** What a module exports, by name. */
export type Exports = Record<string, unknown>;

type Evaluated = (exportsOf: (path: string) => Exports) => Exports;

const IMPORT = /^import \{([^}]*)\} from '(\.[^']+)';$/gm;
const PASSED_ON = /^export \{([^}]*)\} from '(\.[^']+)';$/gm;
const LISTED = /^export \{([^}]*)\};$/gm;
const DECLARED = /^export (?=(?:async )?(?:function\*?|class|const|let) ([\w$]+))/gm;
const ANY = /^\s*(?:import|export)\b.*$/m;

/** @returns exports of a module, evaluated once with those that it imports; each set of modules has its own. Stack traces name `kanegen:ROBOT/MODULE.ts`, with its lines. */
export function evaluator(modules: readonly GeneratedFile[]): (path: string) => Exports {
  const sources = new Map(modules.map(({ path, text }) => [path, text]));
  const evaluated = new Map<string, Exports>();
  const robot = modules[0]?.path.replace(/\.js$/, '') ?? '';
  const exportsOf = (path: string): Exports => {
    const known = evaluated.get(path);
    if (known) return known;
    const source = sources.get(path);
    if (source === undefined) throw new Error(`generated module ${path} is missing`);
    const made = asFunction(
      path,
      source,
      `kanegen:${robot}/${path.replace(/\.js$/, '.ts')}`,
    )((target) => exportsOf(beside(path, target)));
    evaluated.set(path, made);
    return made;
  };
  return exportsOf;
}

function asFunction(path: string, source: string, filename: string): Evaluated {
  const exported: string[] = [];
  const body = source
    .replace(PASSED_ON, (all, names: string, target: string) => {
      const own = pairs(names).map(([name, as]) => `${as}: exportsOf('${target}').${name}`);
      exported.push(...own);
      return lineEnds(all);
    })
    .replace(LISTED, (all, names: string) => {
      exported.push(...pairs(names).map(([name, as]) => `${as}: ${name}`));
      return lineEnds(all);
    })
    .replace(DECLARED, (_, name: string) => {
      exported.push(name);
      return '';
    })
    .replace(IMPORT, (all, names: string, target: string) => {
      const own = pairs(names).map(([name, as]) => `${name}: ${as}`);
      return `const { ${own.join(', ')} } = exportsOf('${target}');${lineEnds(all)}`;
    });
  const left = ANY.exec(body);
  if (left) throw new Error(`${path}: ${left[0].trim()} is no import or export that generated modules have`);
  const text = `'use strict';\n${body}\nreturn { ${exported.join(', ')} };`;
  // Lines are those of the module, one before them for what it is wrapped in.
  return host.functionOf(text, ['exportsOf'], filename) as Evaluated;
}

/** What keeps the lines after a statement where they are. */
const lineEnds = (text: string): string => '\n'.repeat(text.split('\n').length - 1);

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

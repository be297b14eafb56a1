/** Checks of what callers give, and comments, in generated TypeScript. */
import type { RobotModel } from '../modules/robot-model.ts';
import { pascalCase } from '../naming/identifiers.ts';
import { finiteness } from './finiteness.ts';

export function comment(lines: readonly string[]): string {
  return `/**\n${lines.map((line) => (line ? ` * ${line}` : ' *')).join('\n')}\n */`;
}

/** What a module with `checkParameters` imports for it. */
export function checkStatuses({ members: parameters }: RobotModel): string {
  const isBounded = parameters.some((p) => p.lower !== undefined || p.upper !== undefined);
  return `KG_NON_FINITE, KG_OK${isBounded ? ', KG_OUT_OF_RANGE' : ''}`;
}

/** Gravity and all parameters finite, then within their bounds. */
export function checkFunction({ name, members: parameters }: RobotModel): string {
  const outside = parameters.flatMap((p) => [
    ...(p.lower === undefined ? [] : [`p.${p.name} < ${p.lower}`]),
    ...(p.upper === undefined ? [] : [`p.${p.name} > ${p.upper}`]),
  ]);
  const gravity = finiteness('ofGravity', [{ name: 'p.gravity', size: 3 }]);
  const lines = [
    ...gravity.lines,
    `if (!(${gravity.finite})) return KG_NON_FINITE;`,
    ...parameters.map((p) => `if (!Number.isFinite(p.${p.name})) return KG_NON_FINITE;`),
    ...outside.map((isOutside) => `if (${isOutside}) return KG_OUT_OF_RANGE;`),
    'return KG_OK;',
  ];
  return `/** KG_OK, or why the parameters cannot be used. */
export function checkParameters(p: ${pascalCase(name)}Parameters): Status {
${lines.map((line) => `  ${line}`).join('\n')}
}`;
}

/** Controllers in TypeScript, `NAME_CONTROLLER.ts`: parameters with defaults, state, and the step; shells and observers. */
import { controllerHeader } from '../controllers/controller-header.ts';
import { SHARED_FUNCTIONS, type ControllerModel } from '../controllers/controller-model.ts';
import { BEGUN, type SteppedRecord } from '../controllers/record-model.ts';
import { straightName } from '../controllers/straight-calls.ts';
import { commentText, pascalCase } from '../naming/identifiers.ts';
import { callStumpff } from '../whole-robot/straight-model.ts';
import { straightFunctionsTypeScript } from './straight-typescript.ts';

/** A record with a step, to be formatted. @param all controllers of the robot, @param head what stands at the head of the module. */
export function recordTypeScript(
  record: SteppedRecord,
  all: readonly ControllerModel[],
  head: readonly string[],
): string {
  const { robot, pascal, parts, settings, memory, text, calls, steps, robotCalls } = record;
  const inner = steps.map((own) => all.find((other) => other.camel === own)!);
  const statuses = ['areFinite', ...STATUSES].filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const fields = [...settings, ...memory];
  const initial = (type: string): string =>
    type === 'Shell'
      ? `{ begun: ${BEGUN}, mode: 0, aim: 0, reason: 0, faults: 0, missed: 0, since: 0, located: 0, elapsed: 0, duration: 0 }`
      : `create${type}()`;
  const value = ({ size, values }: (typeof fields)[number]): string =>
    size === undefined ? `${values![0]!}` : `new Float64Array(${values ? `[${values.join(', ')}]` : size})`;
  const ofRobot = pascalCase(robot.name);
  const asked = [
    ...inner.map((own) => `Parameters<typeof ${own.camel}Step>[0]`),
    ...(robotCalls.length > 0 ? [`Pick<${ofRobot}, ${robotCalls.map((own) => `'${own}'`).join(' | ')}>`] : []),
  ];
  const types = (names: readonly string[]): string[] =>
    names.filter((name) =>
      [text, ...parts.map(({ type }) => type)].some((own) => new RegExp(`\\b${name}\\b`).test(own)),
    );
  const imports = Object.entries(calls).map(
    ([name, called]) =>
      `import { ${[...called, ...(name === 'shell' ? types(['Index', 'Shell']).map((own) => `type ${own}`) : [])].join(', ')} } from './runtime/${name}.js';`,
  );
  return `/**
${head.map((line) => ` * ${line}`.trimEnd()).join('\n')}
 */
import { ${statuses.join(', ')}, type Status } from './runtime/driver.js';
${imports.join('\n')}
${robotCalls.length > 0 ? `import type { ${ofRobot} } from './${robot.name}.js';\n` : ''}${inner
    .map(
      (own) =>
        `import { create${own.pascal}Parameters, create${own.pascal}State, ${own.camel}Step, type ${own.pascal}Parameters, type ${own.pascal}State } from './${own.name}.js';`,
    )
    .join('\n')}

/** What a step asks of a robot. */
type Dynamics = ${asked.join(' & ')};

/** Settings may change from step to step; the rest is kept from one to the next. */
export interface ${pascal} {
${parts.map((own) => `/** ${commentText(own.summary)} */\nreadonly ${own.name}: ${own.type};`).join('\n')}
${fields.map(({ name, size, summary }) => `/** ${commentText(summary)} */\n${size === undefined ? `${name}: number` : `readonly ${name}: Float64Array`};`).join('\n')}
}

/** As it begins, with its defaults. */
export function create${pascal}(): ${pascal} {
return {
${parts.map((own) => `${own.name}: ${initial(own.type)},`).join('\n')}
${fields.map((own) => `${own.name}: ${value(own)},`).join('\n')}
};
}
${text}`;
}

const STATUSES = ['KG_NO_STATE', 'KG_NON_FINITE', 'KG_OK', 'KG_OUT_OF_RANGE', 'KG_SINGULAR', 'KG_UNDEFINED'];

/** The module, to be formatted. */
export function controllerTypeScript(model: ControllerModel): string {
  const { pascal, parameters, state, text, calls, straight, shared, robot } = model;
  const [tables, functions] = straight ? straightFunctionsTypeScript(straight, straightName) : [[], []];
  const all = [...functions, text].join('\n');
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(all);
  const statuses = ['areFinite', ...STATUSES, 'mark'].filter(uses);
  const robotModule = pascalCase(robot.name);
  const read = straight || shared ? [] : [...new Set([...text.matchAll(/\brobot\.(\w+)/g)].map(([, name]) => name!))];
  const asked = read.length > 0 ? read : ['parameters'];
  const values = (numbers: readonly number[]): string => `new Float64Array([${numbers.join(', ')}])`;
  return `/**
${controllerHeader(model)
  .map((line) => ` * ${line}`.trimEnd())
  .join('\n')}
 */
import { ${statuses.join(', ')}, type Status } from './runtime/driver.js';
import { ${calls.join(', ')} } from './runtime/control.js';
${straight && callStumpff(straight) ? "import { stumpff } from './runtime/stumpff.js';\n" : ''}import { ${uses('checkParameters') ? 'checkParameters, ' : ''}${straight ? `type ${robotModule}Parameters, ` : ''}type ${robotModule} } from './${robot.name}.js';
${
  shared
    ? `import { ${shared.functions.map(({ name }) => `${name} as ${straightName(name)}`).join(', ')} } from './${robot.name}_${SHARED_FUNCTIONS}.js';\n`
    : ''
}
/** What a step asks of a robot. */
type Dynamics = Pick<${robotModule}, ${asked.map((name) => `'${name}'`).join(' | ')}>;
${tables.map((table) => `\n${table}`).join('\n')}

/** What may change from step to step. */
export interface ${pascal}Parameters {
${parameters.map(({ name, size, summary }) => `/** ${commentText(summary)} */\n${size === undefined ? `${name}: number` : `readonly ${name}: Float64Array`};`).join('\n')}
}

/** What is kept from step to step: \`u\`, the last inputs${state.some(({ name }) => name === 'integral') ? ', \`integral\`' : ''}; the others hold what a step is computed with. */
export interface ${pascal}State {
${state.map(({ name }) => `readonly ${name}: Float64Array;`).join('\n')}
}

export function create${pascal}Parameters(): ${pascal}Parameters {
return {
${parameters.map(({ name, size, values: numbers }) => `${name}: ${size === undefined ? numbers[0]! : values(numbers)},`).join('\n')}
};
}

/** At rest: all inputs zero. One for every thread or time line. */
export function create${pascal}State(): ${pascal}State {
return {
${state.map(({ name, size, initial }) => `${name}: new Float64Array(${initial === undefined ? size : `[${initial}]`}),`).join('\n')}
};
}
${functions.map((own) => `\n${own}\n`).join('')}${text}`;
}

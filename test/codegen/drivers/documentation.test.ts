/** docs/generated-code.md lists every function of the drivers with its arguments. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { robotFunction, ROBOT_FUNCTION_NAMES } from '../../../src/codegen/sweeps/robot-functions.ts';
import { snakeCaseOf } from '../../../src/codegen/naming/identifiers.ts';

const text = readFileSync('docs/generated-code.md', 'utf8').replaceAll('\n', ' ');

describe('docs/generated-code.md', () => {
  it.each(ROBOT_FUNCTION_NAMES)('has %s with its arguments', (name) => {
    const { state, ofColumns, numbers = [], ofFrame, ofLink, inputs, outputs } = robotFunction(name);
    const before = [...(state === 'staged' ? [] : ['p']), ...(ofColumns ? ['columns'] : []), ...numbers];
    const given = [
      ...(ofFrame ? ['index'] : []),
      ...(ofLink ? ['link'] : []),
      ...inputs,
      ...outputs.map((output) => output.name),
    ];
    expect(text).toContain(`\`${snakeCaseOf(name)}(${['w', ...before, ...given].join(', ')})\``);
  });
});

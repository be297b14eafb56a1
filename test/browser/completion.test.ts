/** Keys that the playground offers, by the schema of robot files; and links that hold robot files. */
import { describe, expect, it } from 'vitest';
import { robotFileJsonSchema } from '../../src/index.ts';
import { offersAt, placeAt, type Schema } from '../../src/browser/page/schema-completion.ts';
import { hashOf, stateOf } from '../../src/browser/page/link-state.ts';

const schema = robotFileJsonSchema() as Schema;
/** @param text with the cursor at `|`. */
const at = (text: string): ReturnType<typeof placeAt> => placeAt(text.replace('|', ''), text.indexOf('|'));
const offered = (text: string): string[] => offersAt(schema, at(text)).map(({ label }) => label);

describe('placeAt', () => {
  it.each([
    ['|', [], undefined],
    ['links:\n  - { name: a, |', ['links', null], undefined],
    ['links:\n  - name: a\n    |', ['links', null], undefined],
    ['links:\n- name: a\n  bo|', ['links', null], undefined],
    ['links:\n  - name: a\n  - |', ['links', null], undefined],
    ['links:\n  - { name: a, rigid: { mass: 1 kg, inertia: { |', ['links', null, 'rigid', 'inertia'], undefined],
    ['links:\n  - { rigid: { mass: 1 }, |', ['links', null], undefined],
    [
      'body-types:\n  rod:\n    coordinates:\n      q: { unit: rad }\n    volume:\n      |',
      ['body-types', 'rod', 'volume'],
      undefined,
    ],
    ['body-types:\n  rod:\n    # a comment\n\n    |', ['body-types', 'rod'], undefined],
    ['links:\n  - { name: a, joint: |', ['links', null], 'joint'],
    ['links:\n  - name: a\nstates:\n  |', ['states'], undefined],
  ])('%j', (text, path, key) => {
    expect(at(text)).toMatchObject({ path, key });
  });

  it('begins where the word begins', () => {
    expect(at('links:\n  - { name: a, bod|').from).toBe('links:\n  - { name: a, '.length);
  });
});

it('offers what the schema has there', () => {
  expect(offered('|')).toEqual(expect.arrayContaining(['kanegen', 'links', 'body-types', 'states']));
  expect(offered('links:\n  - name: a\n    |')).toEqual(expect.arrayContaining(['body', 'joint', 'rigid', 'offset']));
  expect(offered('body-types:\n  rod:\n    strain: { |')).toEqual(
    expect.arrayContaining(['bend-x', 'twist', 'stretch']),
  );
  expect(offered('body-types:\n  rod:\n    strain:\n      bend-x: { basis: |')).toEqual(
    expect.arrayContaining(['legendre', 'monomial']),
  );
  expect(offered('links:\n  - name: a\n    nothing: { |')).toEqual([]);
});

it('reads from links what it wrote into them, and refuses damaged ones', async () => {
  const state = { text: 'name: Straße\n'.repeat(50), base: 'examples/pcs.robot.yaml', view: 'c' };
  const hash = await hashOf(state);
  expect(hash.length).toBeLessThan(200);
  expect(await stateOf(hash)).toEqual(state);
  const example = { example: 'examples/pcs.robot.yaml', view: 'view' };
  expect(await stateOf(await hashOf(example))).toEqual(example);
  await expect(stateOf('#robot=%%%')).rejects.toThrow();
  await expect(stateOf(hash.replace(/robot=.{20}/, 'robot='))).rejects.toThrow();
});

/** The robot files that come with kanegen, the reference robots, and the examples of the documentation load. */
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { robotFileJsonSchema } from '../../src/description/language/json-schema.ts';
import { scenarioFileJsonSchema } from '../../src/simulation/scenario/json-schema.ts';
import { checkStructure } from '../../src/description/language/structure.ts';
import { loadRobotFile, loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import type { Link, RigidBody, Robot } from '../../src/description/model/robot.ts';
import { yamlDocument } from '../../src/description/source/source.ts';
import { library } from '../../src/library/index.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { frameEntries } from '../../src/symbolic/graph/vector.ts';
import { referenceRobot } from '../../src/verify/reference/reference-robot.ts';

const reference = (name: string): { parameters: unknown; dof: number } =>
  JSON.parse(readFileSync(`test/reference/${name}`, 'utf8')) as { parameters: unknown; dof: number };

function fromReference(name: string): Robot {
  const made = referenceRobot(reference(name).parameters);
  if (!('robot' in made)) throw new Error(`${name}: ${made.unsupported} is not supported`);
  return loadRobotObject(made.robot);
}

describe('examples', () => {
  it.each([
    ['planar-cc', 3],
    ['planar-cc-20', 20],
    ['planar-cc-elongation', 4],
    ['pcc-3d', 6],
    ['pcs', 12],
    ['pcs-tapered', 6],
    ['two-link', 2],
    ['ur10e', 6],
    ['panda', 7],
    ['hybrid', 9],
    ['iiwa', 7],
    ['fem-cantilever', 2],
  ])('%s loads with %i coordinates under its own name', (name, coordinates) => {
    const robot = loadRobotFile(`examples/${name}.robot.yaml`);
    expect(robot.name).toBe(name);
    expect(robot.coordinates).toHaveLength(coordinates);
    expect(robot.source.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(readdirSync('examples').filter((file) => file.endsWith('.robot.yaml')))(
    '%s loads without warnings',
    (file) => {
      expect(loadRobotFile(`examples/${file}`).warnings).toEqual([]);
    },
  );

  const numbers = (link: Link): number[] => {
    const { mass, centreOfMass, inertia, distal } = link.body as RigidBody;
    return evaluate([...frameEntries(link.offset), mass, ...centreOfMass, ...inertia, ...frameEntries(distal)]);
  };

  it('ur10e has the mass data and frames of its reference file', () => {
    const example = loadRobotFile('examples/ur10e.robot.yaml');
    const expected = fromReference('G_UR10e.json');
    for (const [i, link] of example.links.entries())
      numbers(link).forEach((value, k) => expect(value).toBeCloseTo(numbers(expected.links[i]!)[k]!, 15));
  });

  it('panda has the mass data of its reference file, and its flange where the file has the last distal frame', () => {
    const example = loadRobotFile('examples/panda.robot.yaml');
    const expected = fromReference('G_7R_panda_like.json');
    for (const [i, link] of example.links.entries()) {
      const values = (l: Link): number[] => numbers(l).slice(12, 22);
      values(link).forEach((value, k) => expect(value).toBeCloseTo(values(expected.links[i]!)[k]!, 15));
      // The file puts the constant transform behind the body before, the example in front of the joint.
      const before = i === 0 ? expected.links[0]!.offset : (expected.links[i - 1]!.body as RigidBody).distal;
      const constant = evaluate(frameEntries(before));
      evaluate(frameEntries(link.offset)).forEach((value, k) => expect(value).toBeCloseTo(constant[k]!, 15));
    }
    const flange = evaluate(frameEntries(example.frames[example.tip]!.offset));
    const last = evaluate(frameEntries((expected.links[6]!.body as RigidBody).distal));
    expect(flange).toEqual(last);
  });
});

describe('reference files', () => {
  it.each(readdirSync('test/reference').filter((name) => /^[A-K]/.test(name)))('%s becomes a robot', (name) => {
    expect(fromReference(name).coordinates).toHaveLength(reference(name).dof);
  });

  it('of body types that do not exist are named as such', () => {
    const links = [{ type: 'fixed' }, { type: 'origami', L: 1 }];
    expect(referenceRobot({ gravity: [0, 0, -9.81], links })).toEqual({
      unsupported: 'body type origami does not exist yet',
    });
  });

  it('with joints in a row, transforms between them and a joint at the end give massless links', () => {
    const R = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const fixed = { type: 'fixed', R, p: [0, 0, 1] };
    const z = { type: 'revolute', axis: 'z' };
    const made = referenceRobot({
      gravity: [0, 0, -9.81],
      links: [fixed, fixed, z, z, fixed, { type: 'pcs', L: 1, R: 1, rho: 1 }, z],
    });
    const robot = loadRobotObject('robot' in made ? made.robot : {});
    expect(
      robot.links.map((l) => [l.joint.type, l.body.kind, evaluate([l.offset.translation[2], l.mount.translation[2]])]),
    ).toEqual([
      ['fixed', 'rigid', [1, 0]],
      ['revolute', 'rigid', [1, 0]],
      ['revolute', 'deformable', [0, 1]],
      ['revolute', 'rigid', [0, 0]],
    ]);
  });

  it('that are malformed are refused', () => {
    for (const parameters of [null, {}, { gravity: [], links: [{}] }, { links: [] }])
      expect(() => referenceRobot(parameters)).toThrow(/gravity, links/);
  });
});

const languagePages = [
  'docs/robot-file.md',
  ...readdirSync('docs/robot-file').map((name) => `docs/robot-file/${name}`),
];

describe('the library', () => {
  it.each(library.bodyNames())('body %s is a robot file that defines exactly that type', (name) => {
    const { file, text } = library.body(name)!;
    expect(Object.keys(checkStructure(yamlDocument(text, file))['body-types']!)).toEqual([name]);
    expect(loadRobotText(`kanegen: 1\nname: t\nlinks: [ { body: ${name} } ]`, 't.yaml').links).toHaveLength(1);
  });

  it.each(library.jointNames())(
    'joint %s has the name of its file, and nothing that its motions do not mention',
    (name) => {
      const { file, text } = library.joint(name)!;
      const { joint, axes, parameters, coordinates, motions } = yamlDocument(text, file).data as Record<string, object>;
      expect(joint).toBe(name);
      const mentioned = JSON.stringify(motions).split(/\W/);
      expect(mentioned).toEqual(expect.arrayContaining(Object.keys({ ...axes, ...parameters, ...coordinates })));
    },
  );

  it.each(library.materialNames())('law %s has the name of its file', (name) => {
    const { file, text } = library.material(name)!;
    expect(yamlDocument(text, file).data).toHaveProperty('material', name);
  });

  it.each([
    ['joints', library.jointNames()],
    ['bodies', library.bodyNames()],
    ['materials', library.materialNames()],
  ])('has a row in docs/robot-file/%s.md for each of its own', (page, names) => {
    const rows = [...readFileSync(`docs/robot-file/${page}.md`, 'utf8').matchAll(/^\|(.*?)\|/gm)];
    const listed = rows.flatMap(([, first]) => [...first!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('has joints of which the README names all', () => {
    const [, list] = /^\*\*Joints:\*\* ([^;]*);/m.exec(readFileSync('README.md', 'utf8'))!;
    expect(list!.split(', ').sort()).toEqual([...library.jointNames()].sort());
  });
});

const comingFrom = readdirSync('docs/coming-from').flatMap((name) =>
  readFileSync(`docs/coming-from/${name}`, 'utf8').includes('```yaml')
    ? [`coming-from/${name.replace('.md', '')}`]
    : [],
);

describe.each(['urdf', 'troubleshooting', 'modes', ...comingFrom])('docs/%s.md', (page) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8');

  it('shows robots that load without warnings', () => {
    const blocks = [...text.matchAll(/```yaml\n([^]*?)```/g)].map((match) => match[1]!);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(loadRobotText(block, `docs/${page}.md`).warnings).toEqual([]);
  });
});

describe('docs/robot-file.md and its pages', () => {
  const pages = languagePages.map((page) => ({ page, text: readFileSync(page, 'utf8') }));
  const text = pages.map((page) => page.text).join('\n');
  const blocks = pages.flatMap(({ page, text }) =>
    [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => [page, match[1]!] as const),
  );

  it('show complete robots and bodies in every block', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(25);
    for (const [page, block] of blocks) expect(block, page).toMatch(/^kanegen: 1\n/);
  });

  it.each(blocks.map(([page, block], i) => [i + 1, page, block] as const))(
    'example %i, in %s, loads',
    (_, page, block) => {
      expect(loadRobotText(block, page).links.length).toBeGreaterThan(0);
    },
  );

  it('has a map of all pages', () => {
    const [entry] = pages;
    for (const { page } of pages.slice(1)) expect(entry!.text).toContain(`](${page.replace('docs/', '')})`);
  });

  it('and the schema say of every key at the top level what it is', () => {
    const { properties } = robotFileJsonSchema() as { properties: Record<string, { description?: string }> };
    for (const [key, { description }] of Object.entries(properties)) {
      expect(description, key).toMatch(/\w{3}/);
      expect(text, key).toMatch(new RegExp(`^\\| \`${key}\` \\|`, 'm'));
    }
  });

  it('mentions every key of the language', () => {
    const keys = new Set<string>();
    const collect = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'properties') Object.keys(value as object).forEach((name) => keys.add(name));
        collect(value);
      }
    };
    collect(robotFileJsonSchema());
    expect(keys.size).toBeGreaterThan(60);
    for (const key of keys) expect(text, key).toMatch(new RegExp(`[\`{ ,]${key}[\`:?]`));
  });
});

it('the published JSON Schema describes the file by draft 2020-12 and closes every object', () => {
  const schema = robotFileJsonSchema();
  expect(schema['$schema']).toContain('2020-12');
  expect(schema['additionalProperties']).toBe(false);
  expect(schema['required']).toEqual(['kanegen']);
});

it('and so does that of scenario files', () => {
  const schema = scenarioFileJsonSchema() as { properties: Record<string, object> };
  expect(schema).toMatchObject({ additionalProperties: false, required: ['kanegen-scenario', 'robot'] });
  // Every key that the page lists.
  const page = readFileSync('docs/simulation.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z]+)`(?:, `([a-z]+)`)? \| .*$/gm)].flatMap(([, ...keys]) => keys);
  const listed = ['initial', 'inputs', 'forces', 'controller', 'reference', 'phases', 'loads', 'integrator', 'events'];
  expect(rows).toEqual(expect.arrayContaining(listed));
  for (const key of listed) expect(Object.keys(schema.properties)).toContain(key);
});

/** Every mistake in a URDF file, or in what a robot file says about one, gets its place and what to write instead. */
import { describe, expect, it } from 'vitest';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { write, failure, robotOf, link, joint, loadUrdf, loadLinks, TWO_JOINTS } from './urdf-text.ts';

describe('mistakes in a URDF file', () => {
  const TWO = `${link('a')}${link('b')}`;
  const J = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>';
  /** [name, content with ¦ before the place of the mistake, code, remedy] */
  it.each([
    ['an element that is not closed', `${TWO}¦<link name="c">`, 'malformed-xml', /write <\/link>, or \/> for >/],
    ['a closing tag too many', `${TWO}¦</link>`, 'malformed-xml', /remove this tag/],
    ['a missing quote', `<link name=¦a/>`, 'malformed-xml', /its quotes/],
    ['an entity', `<link name="x¦&lol;"/>`, 'malformed-xml', /instead of the entity/],
    ['xacro', `${TWO}¦<xacro:macro name="m"/>`, 'not-supported', /xacro FILE/],
    ['xacro that chooses', `${TWO}${J}<origin xyz="¦$(optenv AT 0 0 1)"/></joint>`, 'not-a-number', /expand the file/],
    ['xacro in a number', `${TWO}${J}<origin xyz="0 ¦\${h} 0"/></joint>`, 'not-a-number', /expand the file with xacro/],
    ['a word for a number', `${TWO}${J}<origin xyz="0 ¦zero 0"/></joint>`, 'not-a-number', /write a decimal number/],
    ['a number out of range', `${TWO}${J}<origin xyz="0 0 ¦1e999"/></joint>`, 'not-a-number', /finite number/],
    ['two numbers for three', `${TWO}${J}<origin xyz="¦0 0"/></joint>`, 'wrong-shape', /write xyz="0 0 1"/],
    ['a misspelled element', `${TWO}${J}¦<orgin xyz="0 0 1"/></joint>`, 'unknown-element', /did you mean <origin>/],
    ['a misspelled attribute', `${TWO}${J}<origin ¦rypy="0 0 1"/></joint>`, 'unknown-attribute', /xyz, rpy/],
    ['two origins', `${TWO}${J}<origin/>¦<origin xyz="0 0 1"/></joint>`, 'malformed-urdf', /remove one/],
    ['a zero axis', `${TWO}${J}<axis xyz="¦0 0 0"/></joint>`, 'zero-axis', /xyz="0 0 1"/],
    ['an unknown type of joint', `${TWO}<joint name="j" type="¦revolut"/>`, 'unknown-joint', /did you mean `revolute`/],
    ['a joint without a type', `${TWO}¦<joint name="j"/>`, 'malformed-urdf', /type="revolute"/],
    [
      'a joint without a child',
      `${TWO}¦<joint name="j" type="fixed"><parent link="a"/></joint>`,
      'malformed-urdf',
      /add it/,
    ],
    [
      'an unknown link',
      `${link('arm')}<joint name="j" type="fixed"><parent link="¦amr"/></joint>`,
      'unknown-link',
      /did you mean `arm`/,
    ],
    ['two links of one name', `${link('a')}<link name="¦a"/>`, 'duplicate-name', /rename/],
    [
      'two joints on one link',
      `${TWO}${J}</joint>¦<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>`,
      'malformed-urdf',
      /remove one/,
    ],
    ['two roots', `${TWO}¦<link name="c"/>${J}</joint>`, 'several-roots', /`from: a`, or connect them/],
    [
      'a circle',
      `${TWO}${J}</joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>`,
      'malformed-urdf',
      /check `parent`/,
    ],
    [
      'a circle beside the robot',
      `<link name="c"/>¦<link name="a"/>${link('b')}${J}</joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>`,
      'malformed-urdf',
      /check `parent`/,
    ],
    ['no mass in an inertial', `<link name="a">¦<inertial/></link>`, 'malformed-urdf', /<mass value/],
    [
      'a negative mass',
      `<link name="a"><inertial><mass value="¦-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>`,
      'negative-mass',
      /zero or more/,
    ],
    ...(
      [
        ['origin', 'xyz, rpy, quat_xyzw', '<origin xyz="0 0 1" ¦wxyz="1 0 0 0"/>'],
        ['axis', 'xyz', '<axis xyz="0 0 1" ¦rpy="0 0.1 0"/>'],
        ['axis', 'xyz', '<axis xyz="0 0 1" ¦expressed_in="a"/>'],
        ['limit', 'jerk', '<limit ¦range="3" effort="1" velocity="1"/>'],
        ['dynamics', 'damping, friction', '<dynamics damping="1" ¦spring_stiffness="3"/>'],
        ['mimic', 'multiplier', '<mimic joint="k" ¦factor="3"/>'],
        ['parent', 'link', '<child ¦frame="b" link="b"/>'],
      ] as const
    ).map(
      ([name, known, element]) =>
        [
          `an attribute of <${name}> that means nothing here`,
          `${TWO}<joint name="j" type="revolute"><parent link="a"/>${name === 'parent' ? '' : '<child link="b"/>'}${element}</joint>`,
          'unknown-attribute',
          new RegExp(known),
        ] as [string, string, string, RegExp],
    ),
    [
      'an attribute of a joint',
      `${TWO}<joint name="j" ¦axis="0 0 1" type="fixed"/>`,
      'unknown-attribute',
      /name, type/,
    ],
    ...(
      [
        ['a mass', '<inertial><mass value="1" ¦unit="g"/></inertial>'],
        ['an inertia', '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ¦about="origin"/></inertial>'],
        ['what holds them', '<inertial ¦mass="1"><mass value="1"/></inertial>'],
      ] as const
    ).map(
      ([what, inertial]) =>
        [
          `an attribute of ${what}`,
          `<link name="a">${inertial}</link>`,
          'unknown-attribute',
          /remove it|did you mean/,
        ] as [string, string, string, RegExp],
    ),
    [
      'an element within an inertia',
      `<link name="a"><inertial><mass value="1"/>¦<density value="1"/></inertial></link>`,
      'unknown-element',
      /<origin>, <mass>, <inertia>/,
    ],
    ['text for an attribute', `${TWO}${J}<origin>  ¦0 0 1</origin></joint>`, 'malformed-urdf', /<origin xyz="…"/],
    [
      'an element in a pose',
      `${TWO}${J}<origin>¦<xyz>0 0 1</xyz></origin></joint>`,
      'malformed-urdf',
      /<origin xyz="…"/,
    ],
    [
      'two rotations',
      `${TWO}${J}<origin rpy="0 0 0" quat_xyzw="¦0 0 0 1"/></joint>`,
      'malformed-urdf',
      /remove one of them/,
    ],
    ['a quaternion of zero', `${TWO}${J}<origin quat_xyzw="¦0 0 0 0"/></joint>`, 'not-a-rotation', /0 0 0 1/],
    ['a quaternion of three', `${TWO}${J}<origin quat_xyzw="¦0 0 1"/></joint>`, 'wrong-shape', /quat_xyzw="0 0 0 1"/],
    ['a word for an effort', `${TWO}${J}<limit effort="¦strong" velocity="1"/></joint>`, 'not-a-number', /-0.25/],
  ])('%s: file, line and column, and what to write', (_, content, code, remedy) => {
    const marked = robotOf(content);
    const at = marked.includes('¦') ? marked.indexOf('¦') : marked.indexOf('<robot');
    const error = failure(() => loadUrdf(marked.replace('¦', '')));
    expect(error.code).toBe(code);
    const before = marked.slice(0, at).split('\n');
    const { file, line, column } = error.location!;
    expect(file).toMatch(/robot\d+\.urdf$/);
    expect([line, column]).toEqual([before.length, before.at(-1)!.length + 1]);
    expect(error.remedy).toMatch(remedy);
  });

  it('are shown with the line of the file', () => {
    const text = formatError(failure(() => loadUrdf(robotOf(link('a'), '<link name="b">x<inertial/></link>'))));
    expect(text).toMatch(
      /robot\d+\.urdf:4:17: <inertial> has no <mass>\n {2}<link name="b">x<inertial\/><\/link>\n {18}\^/,
    );
  });

  it('are reported together', () => {
    const wrong = robotOf(TWO, `${J}<origin xyz="0 0"/></joint>`, '<joint name="k" type="fxed"/>');
    expect(failure(() => loadUrdf(wrong)).problems.map((problem) => problem.code)).toEqual([
      'wrong-shape',
      'unknown-joint',
    ]);
  });

  it('files that are something else are refused as such', () => {
    expect(failure(() => loadUrdf('<sdf version="1.6"/>'))).toMatchObject({ code: 'not-urdf', location: { line: 1 } });
    expect(failure(() => loadUrdf('')).code).toBe('malformed-xml');
    expect(failure(() => loadUrdf('solid x')).code).toBe('malformed-xml');
    expect(failure(() => loadUrdf('<robot name="r"/>')).message).toMatch(/no links/);
  });

  it.each([
    ['1.3', 'not-supported', /URDF 1.2 or older/],
    ['2.0', 'not-supported', /URDF 1.2 or older/],
    ['new', 'wrong-value', /1.0, 1.1 or 1.2/],
  ])('the version %s is refused', (version, code, remedy) => {
    const error = failure(() => loadUrdf(`<robot name="r" version="${version}"><link name="a"/></robot>`));
    expect(error).toMatchObject({ code, location: { line: 1, column: 26 } });
    expect(error.remedy).toMatch(remedy);
  });

  it.each(['', '1', '1.0', ' 1.1', '1.2', '1.0.0'])('the version "%s" is read', (version) => {
    expect(loadUrdf(`<robot name="r" version="${version}"><link name="a"/></robot>`).links).toHaveLength(1);
  });

  it('entities of a document type are not expanded', () => {
    const bomb = `<!DOCTYPE robot [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<robot name="r"><link name="&b;"/></robot>`;
    expect(failure(() => loadUrdf(bomb)).code).toBe('malformed-xml');
  });

  it('elements nested very deeply do no harm', () => {
    const deep = '<gazebo>'.repeat(20_000) + '</gazebo>'.repeat(20_000);
    const urdf = robotOf(link('a'), link('b', 1), joint('j', 'revolute', 'a', 'b'), deep);
    expect(loadUrdf(urdf).links).toHaveLength(1);
  });
});

describe('mistakes in the robot file', () => {
  const file = write(TWO_JOINTS);
  it.each([
    ['a missing file', '{ file: ¦nowhere.urdf }', 'missing-file', /relative to the file/],
    ['an address', '{ file: ¦"package://arm/arm.urdf" }', 'not-supported', /write a path/],
    ['no file', '¦{ from: a }', 'missing-key', /give `file`/],
    ['an unknown link', `{ file: ${file}, from: ¦wrold }`, 'unknown-link', /did you mean `world`/],
    ['a chain that goes up', `{ file: ${file}, from: tool, to: ¦base }`, 'not-a-chain', /swap them: `from: base`/],
    ['no chain', `{ file: ${file}, from: camera, to: ¦tool }`, 'not-a-chain', /between the root and `to`/],
    ['a pose behind the joint', `{ file: ${file} }, ¦mount: {}`, 'unknown-key', /link of its own/],
    ['a second body', `{ file: ${file} }, ¦rigid: {}`, 'unknown-key', /link of its own/],
    ['repetition', `{ file: ${file} }, ¦repeat: 2`, 'unknown-key', /link of its own/],
    ['an unknown parent', `{ file: ${file} }, parent: ¦arm.toool`, 'unknown-link', /there is no link before this one/],
  ])('%s: file, line and column, and what to write', (_, urdf, code, remedy) => {
    const marked = `kanegen: 1\nname: t\nlinks: [ { name: arm, urdf: ${urdf} } ]`;
    const error = failure(() => loadRobotText(marked.replace('¦', ''), 'arm.robot.yaml'));
    const column = marked.split('\n')[2]!.indexOf('¦') + 1;
    expect([error.code, error.location!.file, error.location!.line, error.location!.column]).toEqual([
      code,
      'arm.robot.yaml',
      3,
      column,
    ]);
    expect(error.remedy).toMatch(remedy);
  });

  it('two chains of one name are refused', () => {
    const chain = { name: 'arm', urdf: { file } };
    expect(failure(() => loadLinks([chain, { ...chain }])).code).toBe('duplicate-name');
  });
});

/**
 * Draws the gallery, docs/gallery.md with a picture of each example, by the commands that stand under the pictures.
 *
 * npm run gallery               all but those that take minutes, whose pictures stay as they are
 * npm run gallery -- --all      all
 * npm run gallery -- NAME…      these
 * npm run gallery -- --page     the page alone
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Picture {
  readonly name: string;
  /** What `kanegen` is told, without the picture. */
  readonly words: string;
  /** Of `--figure`, `4x` when missing. */
  readonly times?: string;
  /** Of `--figure`; `film.gif` asks for a film in its place. */
  readonly end?: 'svg' | 'gif';
  readonly isSlow?: boolean;
}

const FOLDER = 'docs/gallery';

const scenario = (name: string, more = '', rest: Partial<Picture> = {}, folder = 'scenarios'): Picture => ({
  name,
  words: `simulate examples/${folder}/${name}.scenario.yaml${more}`,
  ...rest,
});
const mechanism = (name: string, more = ''): Picture => scenario(name, more, {}, 'mechanisms');
const robot = (name: string, more = ''): Picture => ({ name, words: `statics examples/${name}.robot.yaml${more}` });
const slow = { isSlow: true };

const SECTIONS: readonly (readonly [title: string, pictures: readonly Picture[]])[] = [
  [
    'Soft arms',
    [
      scenario('tentacle', '', { times: '0,0.6,1,40' }),
      scenario('swing'),
      scenario('tendon-control'),
      scenario('tendon-point', ' --view iso'),
      scenario('observed-arm'),
      scenario('three-segments'),
      scenario('arm-shape-10'),
      scenario('arm-circle-10', ' --view iso', { isSlow: true, times: '0,4,6,8' }),
      { name: 'soft-arm', words: 'simulate examples/identification/soft-arm.scenario.yaml' },
    ],
  ],
  [
    'Rods',
    [
      scenario('two-rods-spatial', ' --view iso'),
      scenario('bar'),
      scenario('strip'),
      scenario('wind'),
      scenario('closed-circle'),
      scenario('magnetised-cantilever'),
      scenario('travelling-bend'),
      scenario('travelling-bend-motion'),
      scenario('travelling-step-motion'),
      scenario('capstan'),
      scenario('hoist'),
      scenario('growing-rod'),
      scenario('concentric-tubes'),
      scenario('stiff-whip', '', slow),
    ],
  ],
  [
    'Pneumatics, meshes, cables',
    [
      scenario('pneumatic', '', slow),
      scenario('pneumatic-walls'),
      scenario('pneumatic-bulges'),
      robot('rubber-finger'),
      robot('fem-cantilever'),
      scenario('trimmed-helicoid', '', slow),
      scenario('cable-manipulator', '', { isSlow: true, times: '0,2,4,6' }),
      scenario('cable-robot-statics', ' --view iso'),
      scenario('ten-tendons'),
    ],
  ],
  ['In water', [scenario('octopus'), scenario('docking-swimmer', '', slow)]],
  [
    'Rigid robots, hybrids, closed chains',
    [
      scenario('hybrid-grasp', '', {}),
      scenario('ur10e-track'),
      scenario('ur10e-steer'),
      mechanism('four-bar'),
      mechanism('slider-crank'),
      mechanism('ball-on-rope'),
      mechanism('squeezer'),
      mechanism('bricard', ' --view iso'),
      mechanism('stewart', ' --view iso'),
    ],
  ],
];

/** The film at the top of the README. */
const FILM: Picture = scenario('hybrid-grasp', '', { end: 'gif' });

const pictures = [...SECTIONS.flatMap(([, own]) => own)];
const fileOf = ({ name, end = 'svg' }: Picture): string => `${FOLDER}/${name}.${end}`;
const optionsOf = (picture: Picture): string =>
  picture.end === 'gif'
    ? `--film ${fileOf(picture)} --fps 15`
    : `--figure ${fileOf(picture)} --size 420${picture.words.startsWith('simulate') ? ` --times ${picture.times ?? '4x'}` : ''}`;

function draw(picture: Picture): void {
  mkdirSync(FOLDER, { recursive: true });
  const words = `${picture.words} ${optionsOf(picture)}`;
  const begin = performance.now();
  try {
    execFileSync(process.execPath, ['dist/cli.js', ...words.split(' ')], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    // A run whose expectations are not met has its picture all the same.
    console.log(String((error as { stderr?: Buffer }).stderr ?? error).trim());
    process.exitCode = 1;
  }
  const size = existsSync(fileOf(picture)) ? readFileSync(fileOf(picture)).length : 0;
  console.log(
    `${fileOf(picture)}  ${(size / 1000).toFixed(0)} kB, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
}

/** `summary:` of the file that a command names. */
function captionOf({ words }: Picture): string {
  const text = readFileSync(words.split(' ')[1]!, 'utf8');
  const summary = /^summary: *(?:"(.*)"|'(.*)'|(.*?))(?: #.*)?$/m.exec(text);
  const found = (summary?.[1] ?? summary?.[2] ?? summary?.[3] ?? '').trim();
  return found === '' ? path.basename(words.split(' ')[1]!) : `${found[0]!.toUpperCase()}${found.slice(1)}`;
}

function page(): string {
  const sections = SECTIONS.map(([title, own]) => {
    const shown = own.filter((picture) => existsSync(fileOf(picture)));
    const entries = shown.map(
      (picture) => `### ${picture.name}

${captionOf(picture)}.

![${picture.name}](${path.relative('docs', fileOf(picture))})

\`\`\`sh
npx kanegen ${picture.words} ${optionsOf(picture)}
\`\`\``,
    );
    return `## ${title}\n\n${entries.join('\n\n')}`;
  });
  return `# Gallery

The examples, each drawn by the command under it ([figures and films](simulation.md#figures-and-films)). Earlier postures are paler; the dashed line is the way of the tip.
\`npm run gallery\` draws them again, and writes this page.

${sections.join('\n\n')}
`;
}

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const all = [...pictures, FILM];
const unknown = names.filter((name) => !all.some((picture) => picture.name === name));
if (unknown.length > 0)
  throw new Error(`no picture ${unknown.join(', ')}: there are ${all.map(({ name }) => name).join(', ')}`);
const wanted = all.filter(({ name, isSlow }) =>
  names.length > 0 ? names.includes(name) : !words.includes('--page') && (words.includes('--all') || !isSlow),
);
for (const picture of wanted) draw(picture);
writeFileSync('docs/gallery.md', page());

/**
 * The library: joints, bodies and laws of solids, written in the language of robot files, one file each, found by their names.
 *
 * The YAML files stand beside this module; a bundle needs the folders `bodies`, `joints` and `materials` beside itself.
 */
import { readFileSync, readdirSync } from 'node:fs';

export interface LibraryFile {
  /** As messages show it. */
  readonly file: string;
  readonly text: string;
}

type Shelf = 'bodies' | 'joints' | 'materials';

const names = new Map<Shelf, readonly string[]>();

function namesOn(shelf: Shelf): readonly string[] {
  let known = names.get(shelf);
  if (!known) {
    const files = readdirSync(new URL(`./${shelf}/`, import.meta.url)).filter((file) => file.endsWith('.yaml'));
    known = files.map((file) => file.slice(0, -'.yaml'.length)).sort();
    names.set(shelf, known);
  }
  return known;
}

function open(shelf: Shelf, name: string): LibraryFile | undefined {
  if (!namesOn(shelf).includes(name)) return undefined;
  const text = readFileSync(new URL(`./${shelf}/${name}.yaml`, import.meta.url), 'utf8');
  return { file: `library/${shelf}/${name}.yaml`, text };
}

export const library = {
  /** Names of the body types, sorted. */
  bodyNames: (): readonly string[] => namesOn('bodies'),
  /** Names of the joints, sorted. */
  jointNames: (): readonly string[] => namesOn('joints'),
  /** Names of the laws of solids, sorted. */
  materialNames: (): readonly string[] => namesOn('materials'),
  /** The file that defines a body type, undefined when there is none of that name. */
  body: (name: string): LibraryFile | undefined => open('bodies', name),
  /** The file that defines a joint, undefined when there is none of that name. */
  joint: (name: string): LibraryFile | undefined => open('joints', name),
  /** The file that defines a law of solids, undefined when there is none of that name. */
  material: (name: string): LibraryFile | undefined => open('materials', name),
};

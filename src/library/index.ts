/**
 * The library: joints, bodies and laws of solids, written in the language of robot files, one file each, found by their names.
 * The YAML files stand beside this module.
 */
import { host } from '#host';
import type { Shelf } from '../host/host.ts';

export interface LibraryFile {
  /** As messages show it. */
  readonly file: string;
  readonly text: string;
}

const namesOn = (shelf: Shelf): readonly string[] => [...host.library(shelf).keys()];

function open(shelf: Shelf, name: string): LibraryFile | undefined {
  const text = host.library(shelf).get(name);
  return text === undefined ? undefined : { file: `library/${shelf}/${name}.yaml`, text };
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

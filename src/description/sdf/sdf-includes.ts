/** Files that <include> names: a file beside this one, or a folder of a model with its `model.config`. */
import { host } from '#host';
import { KanegenError } from '../../common/error.ts';
import { xmlDocument, type XmlElement } from '../imported/xml-document.ts';
import { checkElement, textOf } from './sdf-elements.ts';

/** Text of a file by its path; undefined: there is none. */
export type ReadFile = (path: string) => string | undefined;

/** A model of another file. */
export interface IncludedModel {
  readonly model: XmlElement;
  /** Of its file: paths of what it includes count from its folder. */
  readonly file: string;
}

/** What <sdf> holds, whose version is one that is read. @throws KanegenError `not-sdf`, `not-supported`, or what checking throws. */
export function checkedRoot(root: XmlElement): XmlElement {
  if (root.name !== 'sdf')
    throw root.place.error('not-sdf', `this is not SDFormat: the file begins with <${root.name}>, not with <sdf>`, SDF);
  const version = root.attribute('version')?.trim() ?? '';
  const minor = Number(/^1\.(\d{1,2})$/.exec(version)?.[1] ?? NaN);
  if (!(minor >= 6 && minor <= 11))
    throw root
      .at('version')
      .error(
        'not-supported',
        `SDFormat ${version || 'without a version'} is not read`,
        'convert the file to 1.6 to 1.11',
      );
  checkElement(root);
  return root;
}

const SDF = 'name a file that begins with <sdf version="1.11">';

/**
 * @param file of the element.
 * @param open files that are being read, which would include themselves.
 * @throws KanegenError `missing-file`, `malformed-sdf`, `not-supported`.
 */
export function includedModel(
  include: XmlElement,
  file: string,
  open: readonly string[],
  read: ReadFile,
): IncludedModel {
  checkElement(include);
  const uri = textOf(include, 'uri');
  if (uri === undefined) throw include.place.error('malformed-sdf', '<include> has no <uri>', 'write <uri>…</uri>');
  const at = include.children.find(({ name }) => name === 'uri')!.text!;
  const [, scheme, rest] = /^(?:([a-z]+):\/\/)?(.*)$/.exec(uri)!;
  if (scheme !== undefined && scheme !== 'model' && scheme !== 'file')
    throw at.error('not-supported', `\`${uri}\` is not on this machine`, 'fetch the model, and write its path');
  const folder = host.paths.dirname(file);
  // Folders of models lie beside each other.
  const places = scheme === 'model' ? [folder, host.paths.dirname(folder)] : [folder];
  const paths = places.map((place) =>
    scheme === 'file' && rest!.startsWith('/') ? rest! : host.paths.join(place, rest!),
  );
  for (const path of paths) {
    const found = modelFile(path, read);
    if (!found) continue;
    if (open.includes(found.path))
      throw at.error('malformed-sdf', `\`${uri}\` includes itself`, 'remove one of the two <include>');
    const models = checkedRoot(xmlDocument(found.text, found.path).root).children.filter(
      ({ name }) => name === 'model',
    );
    if (models.length !== 1)
      throw at.error('malformed-sdf', `${found.path} has ${models.length} models, not one`, 'include a file with one');
    return { model: models[0]!, file: found.path };
  }
  throw at.error('missing-file', `there is no \`${uri}\``, `looked at ${paths.join(' and ')}`);
}

/** The path itself, or the file that its folder names in `model.config`, or its `model.sdf`. */
function modelFile(path: string, read: ReadFile): { readonly path: string; readonly text: string } | undefined {
  if (/\.(sdf|xml|urdf|world)$/.test(path)) {
    const text = read(path);
    return text === undefined ? undefined : { path, text };
  }
  const configuration = host.paths.join(path, 'model.config');
  const listed = read(configuration);
  const names = listed === undefined ? ['model.sdf'] : filesOf(listed, configuration);
  for (const name of names) {
    const own = host.paths.join(path, name);
    const text = read(own);
    if (text !== undefined) return { path: own, text };
  }
  return undefined;
}

/** Files of a model, that of the newest version which is read first. */
function filesOf(text: string, file: string): readonly string[] {
  const { root } = xmlDocument(text, file);
  const versionOf = (element: XmlElement): number =>
    Number(/^1\.(\d+)$/.exec(element.attribute('version') ?? '')?.[1] ?? 0);
  const files = root.children
    .filter((child) => child.name === 'sdf' && child.content !== '')
    .sort((a, b) => versionOf(b) - versionOf(a))
    .map(({ content }) => content);
  if (files.length > 0) return files;
  throw new KanegenError('malformed-sdf', `${file} names no file of SDFormat`, {
    location: root.place.location,
    remedy: 'write <sdf version="1.11">model.sdf</sdf>',
  });
}

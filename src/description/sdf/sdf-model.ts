/**
 * Reads the mechanics of an SDF file, SDFormat 1.6 to 1.11: one model, or a world of models. Shapes are read for masses that are to be
 * computed; what is drawn, measured or tuned for a solver is passed over, and what else is mechanics is refused.
 */
import { NO_POSE } from '../../common/poses.ts';
import type { BodyTree } from '../imported/body-tree.ts';
import { NO_MASS } from '../imported/mass-of-shapes.ts';
import { xmlDocument, type XmlElement } from '../imported/xml-document.ts';
import type { Remark } from '../model/warnings.ts';
import { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { childOf, flagOf, nameOf, numbersOf, readPose } from './sdf-elements.ts';
import { checkedRoot, type ReadFile } from './sdf-includes.ts';
import { readJoint } from './sdf-joints.ts';
import { filesOf, MODEL, placementOf, Scope } from './sdf-scopes.ts';
import { SdfTree } from './sdf-tree.ts';
import { massOf } from './sdf-values.ts';

/** Of a world that states none, and of models without a world: those of SDFormat and of robot files. */
const GRAVITY = { world: [0, 0, -9.8], model: [0, 0, -9.81] };

/** @param read text of another file. @throws KanegenError with the problems of the file. */
export function readSdf(text: string, file: string, read: ReadFile): BodyTree {
  const { document, root } = xmlDocument(text, file);
  const problems = new Problems();
  const warnings: Remark[] = [];
  const notes: Remark[] = [];
  const tell = {
    warn: ({ location }: Place, message: string) => void warnings.push({ location, message }),
    note: ({ location }: Place, message: string) => void notes.push({ location, message }),
  };
  const top = topOf(checkedRoot(root));
  const scope = new Scope(
    top,
    {
      prefix: '',
      placement:
        top.name === 'model'
          ? placementOf(top, undefined)
          : { pose: { pose: NO_POSE, relativeTo: undefined, element: undefined }, frame: undefined, isStatic: false },
      outer: undefined,
    },
    filesOf(file, read),
    problems,
  );
  problems.finish();
  const short = shortNames(scope.links.map(({ fullName }) => fullName));
  const links = scope.links.map((link) => ({
    link,
    name: short(link.fullName),
    pose: problems.attempt(() => link.scope.poseOf(link.name, link.element.place)) ?? NO_POSE,
    mass: link.scope.isStatic ? NO_MASS : (problems.attempt(() => massOf(link.element, tell.warn)) ?? NO_MASS),
    isStatic: link.scope.isStatic,
  }));
  const joints = scope.elements('joint').flatMap((joint) => problems.attempt(() => [readJoint(joint, tell)]) ?? []);
  const frames = scope.elements('frame').flatMap(({ element, scope: own }) => {
    const name = nameOf(element);
    const frame = problems.attempt(() => ({
      name,
      place: element.place,
      on: own.linkOf(name, element.place),
      pose: own.poseGiven(
        readPose(element),
        element.attribute('attached_to')?.trim() || MODEL,
        element.at('attached_to'),
      ),
    }));
    return frame ? [frame] : [];
  });
  const gravity = problems.attempt(() => gravityOf(top)) ?? GRAVITY.model;
  problems.attempt(() => refuseWind(top));
  problems.finish();
  const tree = new SdfTree({ place: top.place, links, joints, frames }, problems, tell);
  const { world, equations } = tree.read();
  problems.finish();
  return {
    document,
    name: top.attribute('name') ?? '',
    gravity,
    world,
    motors: [],
    equations,
    keyframes: [],
    warnings,
    notes,
  };
}

/** The one model or world. @throws KanegenError `malformed-sdf` */
function topOf(root: XmlElement): XmlElement {
  const [first, second] = root.children.filter(({ name }) => name === 'model' || name === 'world');
  if (!first) throw root.place.error('malformed-sdf', 'there is no <model>', 'add the links and joints of the robot');
  if (second)
    throw second.place.error('malformed-sdf', 'the file has several models or worlds', 'put models into one <world>');
  nameOf(first);
  return first;
}

function gravityOf(top: XmlElement): readonly number[] {
  if (top.name === 'model') return GRAVITY.model;
  const own = childOf(top, 'gravity');
  return own ? numbersOf(own, [3]) : GRAVITY.world;
}

function refuseWind(top: XmlElement): void {
  if (top.name !== 'model') return;
  const wind = childOf(top, 'enable_wind');
  if (wind && flagOf(top, 'enable_wind'))
    throw wind.place.error('not-supported', 'wind is not read', 'remove it; add `water:` to the robot');
}

/** Names without the models around them, where that tells one from another; the whole name otherwise. */
function shortNames(fullNames: readonly string[]): (fullName: string) => string {
  const last = (name: string): string => name.split('::').at(-1)!;
  const count = new Map<string, number>();
  for (const name of fullNames) count.set(last(name), (count.get(last(name)) ?? 0) + 1);
  return (name) => (count.get(last(name)) === 1 ? last(name) : name.replaceAll('::', '_'));
}

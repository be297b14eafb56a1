/**
 * Names of an SDF file: links, frames, joints and models of nested scopes, where each is when all joints are at zero, and which link it
 * moves with (the semantics of poses of SDFormat 1.7 and later).
 */
import { nearest } from '../../common/nearest.ts';
import { composed, NO_POSE, relative } from '../../common/poses.ts';
import type { XmlElement } from '../imported/xml-document.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import {
  checkElement,
  childOf,
  flagAttribute,
  flagOf,
  nameOf,
  readPose,
  textOf,
  type SdfPose,
} from './sdf-elements.ts';
import { includedModel, type ReadFile } from './sdf-includes.ts';

export interface SdfLink {
  readonly kind: 'link';
  /** Within its scope, and with the scopes around it. */
  readonly name: string;
  readonly fullName: string;
  readonly element: XmlElement;
  readonly scope: Scope;
}

/** A frame of the file beside those of links: <frame>, <joint>, <model>. */
interface SdfFrame {
  readonly kind: 'frame' | 'joint';
  readonly name: string;
  readonly element: XmlElement;
}

interface SdfModel {
  readonly kind: 'model';
  readonly name: string;
  readonly element: XmlElement;
  readonly scope: Scope;
}

type Entry = SdfLink | SdfFrame | SdfModel;

/** What does not move. */
export const WORLD = 'world';

/** How a model stands in what is around it; <include> says it instead of the model. */
interface Placement {
  readonly pose: SdfPose;
  /** The frame of the model that the pose places. */
  readonly frame: { readonly name: string; readonly place: Place } | undefined;
  readonly isStatic: boolean;
}

/** The file that is being read, those that include it, and how others are read. */
interface Files {
  readonly file: string;
  readonly open: readonly string[];
  readonly read: ReadFile;
  /** How many models may still be included: files that include each other twice grow without end. */
  readonly budget: { left: number };
}

const MOST_INCLUDES = 1000;
const DEEPEST = 50;

export const filesOf = (file: string, read: ReadFile): Files => ({
  file,
  open: [file],
  read,
  budget: { left: MOST_INCLUDES },
});

/** A model or a world: what has names inside of it. */
export class Scope {
  readonly element: XmlElement;
  /** With the scopes around it and `::`; '' at the root. */
  readonly prefix: string;
  readonly isStatic: boolean;
  private readonly outer: Scope | undefined;
  private readonly depth: number;
  private readonly placement: Placement;
  private readonly entries = new Map<string, Entry>();
  private readonly poses = new Map<Entry, readonly number[] | 'open'>();
  private readonly followed = new Set<Entry>();

  constructor(
    element: XmlElement,
    { prefix, placement, outer }: { prefix: string; placement: Placement; outer: Scope | undefined },
    files: Files,
    problems: Problems,
  ) {
    this.element = element;
    this.prefix = prefix;
    this.placement = placement;
    this.outer = outer;
    this.depth = outer ? outer.depth + 1 : 0;
    this.isStatic = placement.isStatic || (outer?.isStatic ?? false);
    problems.attempt(() => checkElement(element));
    for (const child of element.children) problems.attempt(() => this.add(child, files, problems));
  }

  private add(child: XmlElement, files: Files, problems: Problems): void {
    switch (child.name) {
      case 'link': {
        checkElement(child);
        const name = nameOf(child);
        return this.enter({ kind: 'link', name, fullName: `${this.prefix}${name}`, element: child, scope: this });
      }
      case 'frame':
      case 'joint':
        checkElement(child);
        return this.enter({ kind: child.name, name: nameOf(child), element: child });
      case 'model': {
        const scope = this.nested(child, nameOf(child), placementOf(child, undefined), files, problems);
        return this.enter({ kind: 'model', name: nameOf(child), element: child, scope });
      }
      case 'include': {
        if (flagAttribute(child, 'merge'))
          throw child
            .at('merge')
            .error('not-supported', '`merge` is not read', 'leave it out, and write names of the model as MODEL::NAME');
        if (files.budget.left-- <= 0)
          throw child.place.error('too-large', `more than ${MOST_INCLUDES} models are included`, 'split the file');
        const { model, file } = includedModel(child, files.file, files.open, files.read);
        const name = textOf(child, 'name') ?? nameOf(model);
        const inner = { ...files, file, open: [...files.open, file] };
        const scope = this.nested(model, name, placementOf(model, child), inner, problems);
        return this.enter({ kind: 'model', name, element: child, scope });
      }
    }
  }

  private nested(element: XmlElement, name: string, placement: Placement, files: Files, problems: Problems): Scope {
    if (this.depth >= DEEPEST)
      throw element.place.error('too-large', `models are nested deeper than ${DEEPEST} times`, 'nest them less');
    return new Scope(element, { prefix: `${this.prefix}${name}::`, placement, outer: this }, files, problems);
  }

  private enter(entry: Entry): void {
    if (this.entries.has(entry.name))
      throw entry.element
        .at('name')
        .error('duplicate-name', `the name \`${entry.name}\` is taken`, 'rename one of them');
    this.entries.set(entry.name, entry);
  }

  /** Links of the scope and of those inside of it, in the order of the file. */
  get links(): readonly SdfLink[] {
    return [...this.entries.values()].flatMap((entry) =>
      entry.kind === 'link' ? [entry] : entry.kind === 'model' ? entry.scope.links : [],
    );
  }

  /** Those of <frame> or of <joint>, with the scope whose names they use. */
  elements(kind: 'frame' | 'joint'): readonly { readonly element: XmlElement; readonly scope: Scope }[] {
    return [...this.entries.values()].flatMap((entry) =>
      entry.kind === kind
        ? [{ element: entry.element, scope: this }]
        : entry.kind === 'model'
          ? entry.scope.elements(kind)
          : [],
    );
  }

  /** Names of this scope. */
  get names(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** Where the frame of a name stands, seen from the world. @param at the name, for messages. */
  poseOf(name: string, at: Place): readonly number[] {
    return composed(this.pose, this.localPoseOf(name, at));
  }

  /** Of a pose that an element of this scope gives, seen from the world. @param standard frame where it says none. */
  poseGiven({ pose, relativeTo, element }: SdfPose, standard: string, at: Place): readonly number[] {
    return composed(
      this.poseOf(relativeTo ?? standard, relativeTo === undefined ? at : element!.at('relative_to')),
      pose,
    );
  }

  /** The link that the frame of a name moves with. @param at the name, for messages. */
  linkOf(name: string, at: Place): SdfLink | typeof WORLD {
    if (name === WORLD) return WORLD;
    if (name === MODEL) return this.canonicalLink(at);
    const [first, rest] = split(name);
    const entry = this.entry(first, at);
    if (rest !== undefined) return scopeOf(entry, at).linkOf(rest, at);
    if (entry.kind === 'link') return entry;
    if (entry.kind === 'model') return entry.scope.canonicalLink(at);
    if (this.followed.has(entry)) throw circular(entry.name, at);
    this.followed.add(entry);
    const link =
      entry.kind === 'joint'
        ? this.linkOf(...reference(entry.element, 'child'))
        : this.linkOf(entry.element.attribute('attached_to')?.trim() || MODEL, entry.element.at('attached_to'));
    this.followed.delete(entry);
    return link;
  }

  private canonicalLink(at: Place): SdfLink | typeof WORLD {
    if (this.isStatic || this.element.name === 'world') return WORLD;
    const stated = this.element.attribute('canonical_link')?.trim();
    if (stated) return this.linkOf(stated, this.element.at('canonical_link'));
    const entries = [...this.entries.values()];
    const first = entries.find(({ kind }) => kind === 'link') ?? entries.find(({ kind }) => kind === 'model');
    if (first?.kind === 'link') return first;
    if (first?.kind === 'model') return first.scope.canonicalLink(at);
    throw this.element.place.error('malformed-sdf', 'a model has no link', 'add one, or remove the model');
  }

  /** Of the frame of the model, seen from the world. */
  private get pose(): readonly number[] {
    if (!this.outer) return this.element.name === 'world' ? NO_POSE : this.placedIn(undefined);
    return composed(this.outer.pose, this.outer.localPose(this.entryOf(this.outer)));
  }

  private entryOf(outer: Scope): Entry {
    return [...outer.entries.values()].find((entry) => entry.kind === 'model' && entry.scope === this)!;
  }

  /** Of the frame of the model, seen from that of the scope around it. */
  private placedIn(outer: Scope | undefined): readonly number[] {
    const { pose, frame } = this.placement;
    const around =
      pose.relativeTo === undefined || !outer
        ? NO_POSE
        : outer.localPoseOf(pose.relativeTo, pose.element!.at('relative_to'));
    const whole = composed(around, pose.pose);
    return frame ? composed(whole, relative(this.localPoseOf(frame.name, frame.place), NO_POSE)) : whole;
  }

  private localPoseOf(name: string, at: Place): readonly number[] {
    if (name === MODEL || (name === WORLD && this.element.name === 'world')) return NO_POSE;
    const [first, rest] = split(name);
    const entry = this.entry(first, at);
    const own = this.localPose(entry);
    return rest === undefined ? own : composed(own, scopeOf(entry, at).localPoseOf(rest, at));
  }

  private localPose(entry: Entry): readonly number[] {
    const known = this.poses.get(entry);
    if (known === 'open') throw circular(entry.name, entry.element.place);
    if (known) return known;
    this.poses.set(entry, 'open');
    const pose = entry.kind === 'model' ? entry.scope.placedIn(this) : this.givenPose(entry);
    this.poses.set(entry, pose);
    return pose;
  }

  private givenPose({ kind, element }: SdfLink | SdfFrame): readonly number[] {
    const { pose, relativeTo, element: own } = readPose(element);
    const [name, at] =
      relativeTo !== undefined
        ? [relativeTo, own!.at('relative_to')]
        : kind === 'joint'
          ? reference(element, 'child')
          : [element.attribute('attached_to')?.trim() || MODEL, element.at('attached_to')];
    return composed(this.localPoseOf(name, at), pose);
  }

  private entry(name: string, at: Place): Entry {
    const found = this.entries.get(name);
    if (found) return found;
    const close = nearest(name, this.names);
    throw at.error(
      'unknown-frame',
      `there is no link, frame, joint or model \`${name}\` in \`${this.prefix.replace(/::$/, '') || this.element.name}\``,
      close ? `did you mean \`${close}\`?` : `names there: ${this.names.slice(0, 30).join(', ')}`,
    );
  }
}

/** The frame of the model around an element. */
export const MODEL = '__model__';

function split(name: string): readonly [first: string, rest: string | undefined] {
  const at = name.indexOf('::');
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 2)];
}

function scopeOf(entry: Entry, at: Place): Scope {
  if (entry.kind === 'model') return entry.scope;
  throw at.error(
    'unknown-frame',
    `\`${entry.name}\` is a ${entry.kind}, which has no names inside of it`,
    'name a model',
  );
}

const circular = (name: string, at: Place): Error =>
  at.error('circular-frames', `\`${name}\` is given by itself`, 'give one of these frames in another one');

/** The name that a joint gives as its parent or child, and where. @throws KanegenError `malformed-sdf` */
export function reference(joint: XmlElement, key: 'parent' | 'child'): [name: string, at: Place] {
  const name = textOf(joint, key);
  if (name === undefined)
    throw joint.place.error('malformed-sdf', `<joint> has no <${key}>`, `write <${key}>…</${key}>`);
  return [name, childOf(joint, key)!.text!];
}

/** @param include that places the model; what it does not say, the model does. */
export function placementOf(model: XmlElement, include: XmlElement | undefined): Placement {
  const own = readPose(model);
  const given = include && readPose(include);
  const stated = include && textOf(include, 'placement_frame');
  const frame =
    stated !== undefined
      ? { name: stated, place: childOf(include, 'placement_frame')!.text! }
      : model.attribute('placement_frame')?.trim()
        ? { name: model.attribute('placement_frame')!.trim(), place: model.at('placement_frame') }
        : undefined;
  if (stated !== undefined && !given!.element)
    throw include!.place.error('malformed-sdf', '<include> has a <placement_frame> and no <pose>', 'add a <pose>');
  const isSaid = include !== undefined && childOf(include, 'static') !== undefined;
  return {
    pose: given?.element ? given : { ...own, relativeTo: include ? undefined : own.relativeTo },
    frame,
    isStatic: isSaid ? flagOf(include, 'static') : flagOf(model, 'static'),
  };
}

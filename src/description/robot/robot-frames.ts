/** The frames of a robot that can be named: distal frames of links, those of the file, links of URDF files within rigid bodies. */
import type { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import { composeFrames, identityFrame } from '../../symbolic/graph/vector.ts';
import { readPose } from '../bodies/pose.ts';
import type { RawFrame, RawLink, RobotFile } from '../language/schema.ts';
import type { Link, NamedFrame } from '../model/robot.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { isPointOfBody, originOf, proximalFrame } from './places-on-links.ts';
import { readCarriedFrame, type PointContext, type RawCarriedFrame } from './points-of-bodies.ts';
import { UNREAD } from './link-body.ts';
import { identifierOf } from './robot-coordinates.ts';

export class RobotFrames {
  private readonly place: Place;
  private readonly problems: Problems;
  private readonly context: PointContext;
  private readonly links: readonly Link[];
  private readonly linkNames = new Set<string>();
  /** Those that generated code reports. */
  readonly list: NamedFrame[] = [];
  /** Frames that can be named and are not reported: links of URDF files within a rigid body. */
  readonly references: NamedFrame[] = [];

  /**
   * @param place - the robot file.
   * @param links - of the robot, as far as they are read.
   */
  constructor(place: Place, problems: Problems, context: PointContext, links: readonly Link[]) {
    this.place = place;
    this.problems = problems;
    this.context = context;
    this.links = links;
  }

  /** The distal frame of the link with this index. */
  addDistal(name: string, link: number): void {
    this.linkNames.add(name);
    this.list.push({ name, link, offset: identityFrame });
  }

  /** Reads the `frames:` of the file; mistakes are noted. */
  readAll(written: NonNullable<RobotFile['frames']>): void {
    for (const [name, raw] of Object.entries(written)) {
      const at = this.place.at('frames', name);
      this.problems.attempt(() => {
        const problem = nameProblem(at, name, 'a frame', 'frame', 'key');
        if (problem) throw problem;
        if (this.list.some((frame) => identifierOf(frame.name) === identifierOf(name)))
          throw at.keyError(
            'duplicate-name',
            `\`${name}\` is already the name of a frame or link`,
            'choose another name',
          );
        const { at: point, frame: end, ...others } = raw;
        const offset = readPose(at.at('offset'), raw.offset, this.context.scope);
        if (isWithinBody(others) || isPointOfBody(point)) {
          if (end) throw at.at('frame').keyError('several-kinds', 'a frame within a body has no `frame`', 'remove it');
          const within = { ...others, ...(isPointOfBody(point) && { at: point }) };
          this.list.push({ name, ...this.withinBody(at, within), offset });
          return;
        }
        const parent = end ? this.proximal(at, raw.on) : this.named(at.at('on'), raw.on, 'link');
        const placed = composeFrames(originOf(at.at('at'), point, this.context.scope), offset);
        this.list.push({ name, link: parent.link, offset: composeFrames(parent.offset, placed) });
      });
    }
  }

  /** @throws KanegenError `unknown-link`, `wrong-value`. */
  private proximal(at: Place, name: string): Pick<NamedFrame, 'link' | 'offset'> {
    const { link } = this.known(at.at('on'), name, 'link');
    return { link, offset: proximalFrame(at, name, this.links[link]!.body) };
  }

  /** @throws KanegenError `unknown-link`, `wrong-value`, or what reading points throws. */
  private withinBody(at: Place, raw: RawCarriedFrame): Pick<NamedFrame, 'link' | 'within'> {
    const { link } = this.known(at.at('on'), raw.on, 'link');
    const { body } = this.links[link]!;
    if (body === UNREAD) return { link };
    if (body.kind !== 'deformable')
      throw at
        .at('on')
        .error(
          'wrong-value',
          `\`${raw.on}\` is not a deformable body with material points`,
          'write three lengths, `at: [x, y, z]`, in the axes of its distal frame',
        );
    return { link, within: readCarriedFrame(at, body, raw, this.context) };
  }

  /**
   * The frame that a name means: the distal frame of a link, or a named frame.
   * @throws KanegenError when no frame has the name, or its body ends in none.
   */
  named(at: Place, name: string, what: 'link' | 'frame'): NamedFrame {
    const frame = this.known(at, name, what);
    if (frame.within || hasDistalFrame(this.links[frame.link]!)) return frame;
    throw at.error(
      'missing-distal-frame',
      `the body of \`${name}\` has \`distal: none\``,
      'give its body type a distal frame',
    );
  }

  private known(at: Place, name: string, what: 'link' | 'frame'): NamedFrame {
    const fixed = this.references.find((reference) => reference.name === name && reference.link < 0);
    if (fixed)
      throw at.error('unknown-frame', `\`${name}\` is fixed to the base and never moves`, 'name a link behind a joint');
    const own = what === 'link' ? this.list.filter((frame) => this.linkNames.has(frame.name)) : this.list;
    const candidates = [...own, ...this.references.filter(({ link }) => link >= 0)];
    const frame = candidates.find((candidate) => candidate.name === name);
    if (!frame) {
      const known = candidates.map((candidate) => candidate.name);
      const problem = this.elsewhere(at, name, what);
      if (problem) throw problem;
      const close = nearest(name, known);
      const numbered = known.find((other) => other.replace(/\d+$/, '') === name);
      const guess = numbered ?? close;
      throw at.error(
        `unknown-${what}`,
        `unknown ${what} \`${name}\``,
        guess ? `did you mean \`${guess}\`?` : knownText(known, what),
      );
    }
    return frame;
  }

  /** A name that the file gives to a link or a frame, and that is not known here; undefined where it gives it to none. */
  private elsewhere(at: Place, name: string, what: 'link' | 'frame'): KanegenError | undefined {
    const { links, frames } = this.place.document.data as RobotFile;
    const error = (message: string, remedy: string): KanegenError => at.error(`unknown-${what}`, message, remedy);
    const index = links?.findIndex((raw, i) => isNameOf(raw, i, name)) ?? -1;
    const here = at.path[0] === 'links' ? Number(at.path[1]) : Infinity;
    if (index === here) return error(`\`${name}\` cannot be its own parent`, 'name a link before it, or base');
    if (index > here)
      return error(`\`${name}\` comes later in the file`, `parents come before their children: move \`${name}\` up`);
    if (index >= 0) return error(`\`${name}\` itself has an error`, 'mend that first');
    const isFrame = frames && Object.hasOwn(frames, name) && at.path[0] === 'frames';
    return isFrame ? error(`\`${name}\` is a frame, not a link`, 'write the link of this frame') : undefined;
  }

  /** Index of the frame that `tip` names, that of the last link where it names none. */
  tip(name: string | undefined): number {
    if (name === undefined) return this.links.length - 1;
    const frame = this.named(this.place.at('tip'), name, 'frame');
    if (!this.list.includes(frame)) this.list.push(frame);
    return this.list.indexOf(frame);
  }
}

/** Does a link, or one of those that it is repeated to, have a name? */
function isNameOf({ name: own, repeat }: RawLink, index: number, name: string): boolean {
  if (repeat === undefined) return (own ?? `link${index + 1}`) === name;
  return own !== undefined && name.startsWith(own) && /^\d+$/.test(name.slice(own.length));
}

function knownText(known: readonly string[], what: 'link' | 'frame'): string {
  if (known.length > 0) return `known here: ${known.slice(0, 30).join(', ')}`;
  return `there is no ${what} before this one`;
}

const POINTS = ['pivot', 'x-axis', 'y-axis', 'z-axis'] as const;

function isWithinBody(raw: Omit<RawFrame, 'at'>): boolean {
  return POINTS.some((key) => raw[key] !== undefined);
}

export function hasDistalFrame({ body }: Link): boolean {
  return (
    body.kind === 'rigid' || body.type.kinematics.kind !== 'position' || body.type.kinematics.distal.kind !== 'none'
  );
}

/** Names of URDF, MJCF and SDF files, which may be any text, as names of robot files. */
import { reservedReason } from '../values/reserved-names.ts';
import type { Location } from '../model/robot.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place } from '../source/source.ts';

const LONGEST_NAME = 64;

/** What has a name in such a file; an empty one where the file gives none. */
export interface Named {
  readonly name: string;
  readonly place: Place;
}

/**
 * The names of all links, or of all joints: what is no letter, digit or _ becomes _, and a name that is taken, or nothing but
 * signs, gets a number.
 */
export class ImportedNames {
  private readonly what: 'link' | 'joint';
  private readonly prefix: string;
  private readonly known = new Map<Place, string>();
  /** As names look in generated code. */
  private readonly taken = new Set<string>();
  private readonly changes: { readonly location: Location; readonly text: string }[] = [];

  /** @param prefix - in front of every name, with its dot; names without one are identifiers: a letter first, no reserved word. */
  constructor(what: 'link' | 'joint', prefix: string) {
    this.what = what;
    this.prefix = prefix;
  }

  of({ name, place }: Named): string {
    const known = this.known.get(place);
    if (known !== undefined) return known;
    const full = `${this.prefix}${this.free(this.safe(name))}`;
    this.known.set(place, full);
    this.taken.add(full.slice(this.prefix.length).toUpperCase());
    if (full !== `${this.prefix}${name}`)
      this.changes.push({ location: place.location, text: `\`${name.slice(0, LONGEST_NAME)}\` is called \`${full}\`` });
    return full;
  }

  /** One note for all names that were changed. */
  get notes(): Remark[] {
    const [first] = this.changes;
    return first ? [{ location: first.location, message: this.changes.map(({ text }) => text).join(', ') }] : [];
  }

  private safe(name: string): string {
    const bare = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '') || `unnamed_${this.what}`;
    const short = bare.slice(0, LONGEST_NAME).replace(/_$/, '');
    if (this.prefix !== '') return short;
    if (/^\d/.test(short)) return `${this.what}${short}`.slice(0, LONGEST_NAME);
    const kind = this.what === 'link' ? 'frame' : 'identifier';
    return reservedReason(short, kind) !== undefined || /^(kg|kanegen)_/i.test(short) ? `${this.what}_${short}` : short;
  }

  private free(name: string): string {
    for (let n = 1; ; n++) {
      const ending = n === 1 ? '' : `_${n}`;
      const candidate = `${name.slice(0, LONGEST_NAME - ending.length)}${ending}`;
      if (!this.taken.has(candidate.toUpperCase())) return candidate;
    }
  }
}

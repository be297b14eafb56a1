/**
 * Tendons and pressure chambers of a reference file → actuators, and chambers of bodies, in the language of robot files. Numbers in
 * their formulas have no unit: each becomes a parameter of the robot, which fits anything.
 */
export interface ReferenceTendon {
  readonly name: string;
  readonly path: readonly PathElement[];
}

export interface BodyElement {
  readonly body: number;
  readonly from: number;
  readonly to: number;
  readonly x: string;
  readonly y: string;
}

interface PointElement {
  readonly point: readonly number[];
  /** −1 is the base. */
  readonly link: number;
  readonly frame: 'proximal' | 'distal';
}

type PathElement = BodyElement | PointElement;

export interface TendonLanguage {
  readonly actuators: Readonly<Record<string, object>>;
  readonly parameters: Readonly<Record<string, number>>;
}

/** @param place where a segment of the file is in the robot: its link, and the name of the coordinate along its body. */
export function referenceTendons(
  tendons: readonly ReferenceTendon[],
  place: (segment: number) => { readonly link: string; readonly axial: string },
): TendonLanguage {
  const parameters: Record<string, number> = {};
  const formula = (text: string): string =>
    text
      .replace(/\bR_base\b/g, 'R0')
      .replace(/\bR_tip\b/g, 'R1')
      .replace(/(?<![\w.])\d+(\.\d+)?([eE][+-]?\d+)?/g, (number) => {
        const name = `number${Object.keys(parameters).length + 1}`;
        parameters[name] = Number(number);
        return name;
      });
  const piece = (element: PathElement): object => {
    if ('point' in element) {
      const { point, link, frame } = element;
      if (link < 0) return { on: 'base', at: point };
      return { on: place(link).link, at: point, ...(frame === 'proximal' && { frame }) };
    }
    const { link, axial } = place(element.body);
    const own = (text: string): string => formula(text).replace(/\bs\b/g, axial);
    return {
      through: link,
      route: { x: own(element.x), y: own(element.y) },
      from: { [axial]: element.from },
      to: { [axial]: element.to },
    };
  };
  const actuators = tendons.map(({ name, path }) => {
    const pieces = path.map(piece);
    return [`tendon_${name}`, { tendon: pieces.length === 1 ? pieces[0]! : { path: pieces } }] as const;
  });
  return { actuators: Object.fromEntries(actuators), parameters };
}

/** Are all of them parallel to their bodies, so that lengths have closed forms where the bodies do? */
export function areParallel(tendons: readonly ReferenceTendon[]): boolean {
  return tendons.every(({ path }) =>
    path.every((element) => 'point' in element || !/[sS]/.test(`${element.x} ${element.y}`.replace(/cos|sin/g, ''))),
  );
}

/** A chamber of the one body of a file: half a disc, a region of material, or what a wall encloses. */
export interface ReferenceChamber {
  readonly name: string;
  /** Thickness of the material around it, m: the parameter `wall` of the body. */
  readonly wall?: number;
  readonly side?: 'x>0' | 'x<0';
  /** A range of angles: `[0, pi]`. */
  readonly phi?: string;
  /** `r = R_inner, 0 <= z <= L`: the whole inner wall. */
  readonly surface?: string;
  readonly r_max?: number;
}

const HALVES = { 'x>0': ['-pi/2', 'pi/2'], 'x<0': ['pi/2', '3*pi/2'] } as const;

/** @returns undefined where the material of the body keeps its volume: such a chamber is refused. */
export function referenceChamber({ wall, side, phi, surface }: ReferenceChamber): object | undefined {
  if (surface !== undefined) return { wall: { r: 'Ri' } };
  if (wall === undefined) return undefined;
  const angles = side
    ? HALVES[side]
    : phi!
        .replace(/[[\]]/g, '')
        .split(',')
        .map((angle) => angle.trim().replace(/ +/g, '*'));
  return { r: [0, 'R - wall'], phi: angles };
}

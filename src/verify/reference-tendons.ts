/**
 * Tendons of a reference file → actuators in the language of robot files. Numbers in their formulas have no unit: each becomes a
 * parameter of the robot, which fits anything.
 */
export interface ReferenceTendon {
  readonly name: string;
  readonly path: readonly PathElement[];
}

interface BodyElement {
  readonly body: number;
  readonly from: number;
  readonly to: number;
  readonly x: string;
  readonly y: string;
}

interface PointElement {
  readonly point: readonly number[];
  readonly link: number;
  readonly frame: 'proximal' | 'distal';
}

type PathElement = BodyElement | PointElement;

export interface TendonLanguage {
  readonly actuators: Readonly<Record<string, object>>;
  readonly parameters: Readonly<Record<string, number>>;
}

/**
 * @param place where a segment of the file is in the robot: its link, and the name of the coordinate along its body.
 * @returns undefined where a tendon has points outside of bodies.
 */
export function referenceTendons(
  tendons: readonly ReferenceTendon[],
  place: (segment: number) => { readonly link: string; readonly axial: string },
): TendonLanguage | undefined {
  const parameters: Record<string, number> = {};
  const actuators: Record<string, object> = {};
  const formula = (text: string): string =>
    text
      .replace(/\bR_base\b/g, 'R0')
      .replace(/\bR_tip\b/g, 'R1')
      .replace(/(?<![\w.])\d+(\.\d+)?([eE][+-]?\d+)?/g, (number) => {
        const name = `number${Object.keys(parameters).length + 1}`;
        parameters[name] = Number(number);
        return name;
      });
  for (const { name, path } of tendons) {
    const bodies = path.filter((element): element is BodyElement => 'body' in element);
    const [first] = bodies;
    const last = bodies.at(-1);
    if (bodies.length < path.length || !first || !last) return undefined;
    const { axial } = place(first.body);
    const own = (text: string): string => formula(text).replace(/\bs\b/g, axial);
    actuators[`tendon_${name}`] = {
      tendon: {
        through: bodies.map(({ body }) => place(body).link),
        route: { x: own(first.x), y: own(first.y) },
        from: { [axial]: first.from },
        to: { [place(last.body).axial]: last.to },
      },
    };
  }
  return { actuators, parameters };
}

/** What a page has of a moving robot: numbers, written by `animation.ts` and read by the viewer. */

export type Triple = readonly [number, number, number];

/** What is drawn of a robot, whatever its state: lists of points, in the order of the parts. */
export interface Structure {
  readonly count: number;
  /** By volume; their vertices are the first points, one surface after the other. */
  readonly surfaces: readonly {
    readonly link: string;
    readonly count: number;
    readonly triangles: readonly number[];
  }[];
  /** Curves through bodies; their points follow those of the surfaces. */
  readonly tendons: readonly { readonly name: string; readonly count: number }[];
  /** Straight parts of rigid links between two points each. */
  readonly lines: readonly (readonly [number, number])[];
  /** Against gravity. */
  readonly up: Triple;
}

/** Where all of it goes: a box around everything, and the lowest place against gravity; m. */
export interface Bounds {
  readonly least: Triple;
  readonly extent: Triple;
  readonly low: number;
}

/** Pictures one after the other: x, y, z as least + scale × an unsigned number of 16 bits, little-endian, in base 64. */
export interface Pictures {
  readonly points: string;
  readonly least: Triple;
  readonly scale: number;
}

/** Numbers for the page of a report. Lengths in m, times in s. */
export interface Animation extends Structure, Bounds, Pictures {
  readonly times: readonly number[];
  /** The point that leaves a trace. */
  readonly tip: number | undefined;
  /** Size of a plot, in its own units. */
  readonly panel: { readonly width: number; readonly height: number };
}

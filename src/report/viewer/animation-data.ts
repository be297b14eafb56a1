/** What a page has of a moving robot: numbers, written by `animation.ts` and read by the viewer. */

export type Triple = readonly [number, number, number];

/** Numbers for the page of a report. Lengths in m, times in s. */
export interface Animation {
  readonly times: readonly number[];
  /** Points of one time, and of all: x, y, z as least + scale × an unsigned number of 16 bits, little-endian, in base 64. */
  readonly count: number;
  readonly points: string;
  readonly least: Triple;
  readonly scale: number;
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
  /** The point that leaves a trace. */
  readonly tip: number | undefined;
  /** Against gravity. */
  readonly up: Triple;
  /** Lowest place in that direction. */
  readonly low: number;
  /** Of the box around everything, from `least`. */
  readonly extent: Triple;
  /** Size of a plot, in its own units. */
  readonly panel: { readonly width: number; readonly height: number };
}

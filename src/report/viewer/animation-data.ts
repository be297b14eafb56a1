/** What a page has of a moving robot: numbers, written by `animation.ts` and read by the viewer. */

export type Triple = readonly [number, number, number];

/**
 * What is drawn of a robot, whatever its state. A picture is a list of numbers: x, y, z of points in the order of the parts (m), then the
 * poses of frames (rotation by rows, origin).
 */
export interface Structure {
  /** Points. */
  readonly count: number;
  /** By volume; their vertices are the first points, one surface after the other. */
  readonly surfaces: readonly Surface[];
  /** Curves through bodies; their points follow those of the surfaces. */
  readonly tendons: readonly { readonly name: string; readonly count: number }[];
  /** Pressure chambers; their vertices follow those of the tendons. */
  readonly chambers: readonly Chamber[];
  /** Straight parts of rigid links between two points each. */
  readonly lines: readonly (readonly [number, number])[];
  /** Poses; those without a name carry solids. */
  readonly frames: readonly { readonly name?: string }[];
  readonly solids: readonly Solid[];
  /** Against gravity. */
  readonly up: Triple;
}

interface Surface {
  readonly link: string;
  readonly count: number;
  readonly triangles: readonly number[];
  /** Its vertices where nothing is strained: 32-bit numbers, little-endian, in base 64. */
  readonly reference: string;
}

interface Chamber {
  readonly name: string;
  /** The actuator whose input is its pressure. */
  readonly actuator?: string;
  readonly count: number;
  readonly triangles: readonly number[];
}

/** What keeps its shape. */
export interface Solid {
  readonly name: string;
  readonly look: 'obstacle' | 'shape' | 'mesh';
  /** The index of the frame in whose axes it is; missing: the world. */
  readonly frame?: number;
  readonly position: readonly number[];
  readonly triangles: readonly number[];
  /** In place of triangles: half of the space, seen by a square. */
  readonly plane?: { readonly at: Triple; readonly normal: Triple };
  /** `#rrggbb` */
  readonly colour?: string;
}

/** A force on the robot; N, world axes. */
export interface Arrow {
  readonly name: string;
  readonly kind: 'contact' | 'loop' | 'load' | 'input';
  readonly at: Triple;
  readonly force: Triple;
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
  /** By time: poses of frames, 32-bit numbers, little-endian, in base 64. */
  readonly poses: string;
  /** By time. */
  readonly arrows: readonly (readonly Arrow[])[];
  /** By time, in the order of `actuators`. */
  readonly inputs: readonly (readonly number[])[];
  readonly actuators: readonly { readonly name: string; readonly unit: string }[];
  /** World axes; m/s², m/s. */
  readonly gravity: Triple;
  readonly current?: Triple;
  /** The point that leaves a trace. */
  readonly tip: number | undefined;
  /** Size of a plot, in its own units. */
  readonly panel: { readonly width: number; readonly height: number };
}

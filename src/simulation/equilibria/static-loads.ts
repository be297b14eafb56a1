/** What acts on a robot that is to come to rest. */

export interface StaticWrench {
  readonly frame: number;
  /** Moment (3) and force (3) at the origin of the frame. */
  readonly wrench: readonly number[];
  /** In axes of the frame, which it follows, or in world axes. */
  readonly follows?: boolean;
}

export interface StaticLoads {
  /** By actuator; none: all zero. */
  readonly inputs?: readonly number[];
  /** Generalized forces by coordinate, N or N m. */
  readonly forces?: readonly number[];
  readonly wrenches?: readonly StaticWrench[];
  /** Coordinates, by index, that brakes hold where the search begins, by whatever force it takes. */
  readonly held?: readonly number[];
}

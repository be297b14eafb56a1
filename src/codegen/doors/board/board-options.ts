/** What a program may choose of a board; declarations of the package name it, and nothing that they would need more packages for. */

export interface BoardOptions {
  /** A name under `controllers:`; the first when missing. */
  readonly controller?: string | undefined;
  /** A state of the robot file, to which the reference moves from the defaults within a second; it rests when missing. */
  readonly to?: string | undefined;
}

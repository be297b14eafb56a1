/** Texts that outlive the process: the interface of a cache to the parts of the compiler that use one. */
export interface KeptTexts {
  /** @returns undefined where nothing is kept by that name, or where it is damaged. */
  read(name: string): string | undefined;
  /** Replaces the text of that name. */
  write(name: string, text: string): void;
}

/** Versions of the Functional Mock-up Interface (fmi-standard.org). */
export type FmiVersion = 2 | 3;

export const FMI_VERSIONS: readonly FmiVersion[] = [2, 3];

/** `2`, `3`, `2,3` as a list, without repetition; undefined when something is no version. */
export function parseFmiVersions(text: string): readonly FmiVersion[] | undefined {
  const given = text.split(',').map((own) => own.trim());
  if (!given.every((own) => FMI_VERSIONS.some((version) => String(version) === own))) return undefined;
  return FMI_VERSIONS.filter((version) => given.includes(String(version)));
}

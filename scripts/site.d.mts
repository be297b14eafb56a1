/** @returns the folder of the site. */
export function buildSite(out?: string): Promise<string>;

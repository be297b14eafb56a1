/** The version that generated files name, and the build of it. */
import { packageVersion } from './assets.ts';

export const VERSION: string = packageVersion();

declare const KANEGEN_BUILD: string | undefined;

/** Differs between builds of different sources; empty where the sources themselves run. `scripts/build.mjs` states it. */
export const BUILD: string = typeof KANEGEN_BUILD === 'undefined' ? '' : KANEGEN_BUILD;

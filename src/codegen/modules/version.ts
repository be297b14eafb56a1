/** The version that generated files name. */
import { packageVersion } from './assets.ts';

export const VERSION: string = packageVersion();

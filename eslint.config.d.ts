export const allowedImports: Readonly<Record<string, readonly string[]>>;
export const rooms: Readonly<Record<string, readonly string[]>>;
declare const config: readonly object[];
export default config;

export const allowedImports: Readonly<Record<string, readonly string[]>>;
declare const config: readonly object[];
export default config;

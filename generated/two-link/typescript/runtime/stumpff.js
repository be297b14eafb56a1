// For Node and Deno, which run TypeScript as it is; every other tool takes stumpff.ts itself.
export * from './stumpff.ts';

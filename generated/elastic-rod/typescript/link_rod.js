// For Node and Deno, which run TypeScript as it is; every other tool takes link_rod.ts itself.
export * from './link_rod.ts';

// For Node and Deno, which run TypeScript as it is; every other tool takes elastic_rod.ts itself.
export * from './elastic_rod.ts';

// For Node and Deno, which run TypeScript as it is; every other tool takes planar_cc.ts itself.
export * from './planar_cc.ts';

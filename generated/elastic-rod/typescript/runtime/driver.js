// For Node and Deno, which run TypeScript as it is; every other tool takes driver.ts itself.
export * from './driver.ts';

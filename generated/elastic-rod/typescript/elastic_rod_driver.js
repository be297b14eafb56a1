// For Node and Deno, which run TypeScript as it is; every other tool takes elastic_rod_driver.ts itself.
export * from './elastic_rod_driver.ts';

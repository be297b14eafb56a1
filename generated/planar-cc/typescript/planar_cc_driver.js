// For Node and Deno, which run TypeScript as it is; every other tool takes planar_cc_driver.ts itself.
export * from './planar_cc_driver.ts';

// For Node and Deno, which run TypeScript as it is; every other tool takes ur10e_straight.ts itself.
export * from './ur10e_straight.ts';

// For Node and Deno, which run TypeScript as it is; every other tool takes two_link_straight.ts itself.
export * from './two_link_straight.ts';

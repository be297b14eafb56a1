// For Node and Deno, which run TypeScript as it is; every other tool takes link_segment.ts itself.
export * from './link_segment.ts';

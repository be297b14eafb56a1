// For Node and Deno, which run TypeScript as it is; every other tool takes rosenbrock.ts itself.
export * from './rosenbrock.ts';

// For Node, which runs TypeScript as it is; every other tool takes link_cylinder.ts itself.
export * from './link_cylinder.ts';

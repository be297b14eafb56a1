// For Node, which runs TypeScript as it is; every other tool takes link_cone.ts itself.
export * from './link_cone.ts';

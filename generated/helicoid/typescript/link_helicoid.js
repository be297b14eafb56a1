// For Node, which runs TypeScript as it is; every other tool takes link_helicoid.ts itself.
export * from './link_helicoid.ts';

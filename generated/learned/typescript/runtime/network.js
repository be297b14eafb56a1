// For Node, which runs TypeScript as it is; every other tool takes network.ts itself.
export * from './network.ts';

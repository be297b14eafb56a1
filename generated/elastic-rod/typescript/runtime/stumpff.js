// For Node, which runs TypeScript as it is; every other tool takes stumpff.ts itself.
export * from './stumpff.ts';

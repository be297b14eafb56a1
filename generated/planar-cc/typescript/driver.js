// For Node, which runs TypeScript as it is; every other tool takes driver.ts itself.
export * from './driver.ts';

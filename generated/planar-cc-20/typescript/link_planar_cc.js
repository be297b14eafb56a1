// For Node, which runs TypeScript as it is; every other tool takes link_planar_cc.ts itself.
export * from './link_planar_cc.ts';

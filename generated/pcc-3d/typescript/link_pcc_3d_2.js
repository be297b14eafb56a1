// For Node, which runs TypeScript as it is; every other tool takes link_pcc_3d_2.ts itself.
export * from './link_pcc_3d_2.ts';

// For Node and Deno, which run TypeScript as it is; every other tool takes link_revolute_z_rigid.ts itself.
export * from './link_revolute_z_rigid.ts';

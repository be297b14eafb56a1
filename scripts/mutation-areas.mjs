/** Areas of mutation testing: the files that are mutated, and the quick tests nearest to them. */
export const areas = {
  equations: {
    mutate: [
      'src/kane/equations/recursion.ts',
      'src/kane/equations/composite.ts',
      'src/kane/equations/rates.ts',
      'src/kane/equations/joint.ts',
    ],
    tests: [
      'test/kane/equations/*.test.ts',
      'test/kane/recursion.test.ts',
      'test/kane/rates.test.ts',
      'test/kane/joint.test.ts',
      'test/kane/link-builder.test.ts',
    ],
  },
  links: {
    mutate: ['src/kane/link/link-builder.ts', 'src/kane/points/orientation.ts'],
    tests: ['test/kane/link-builder.test.ts', 'test/kane/orientation.test.ts'],
  },
  specialise: {
    mutate: ['src/kane/link/specialise.ts'],
    tests: ['test/kane/specialise.test.ts'],
  },
  rods: {
    mutate: [
      'src/kane/rods/rod-*.ts',
      'src/kane/rod-points/rod-*.ts',
      'src/kane/rod-points/line-points.ts',
      '!src/kane/rod-points/rod-choice.ts',
    ],
    tests: ['test/kane/rod*.test.ts'],
  },
  optimise: {
    mutate: ['src/codegen/optimise/*.ts', 'src/codegen/operations/literal.ts'],
    tests: ['test/codegen/optimise/*.test.ts', '!test/codegen/optimise/gate.test.ts'],
  },
  runtime: {
    mutate: ['control', 'driver', 'network', 'stumpff', 'trajectories'].map((name) => `src/runtime/${name}.ts`),
    tests: ['test/runtime/*.test.ts'],
  },
  integrators: {
    mutate: ['generalized-alpha', 'rosenbrock'].map((name) => `src/runtime/${name}.ts`),
    tests: ['rosenbrock', 'generalized-alpha'].map((name) => `test/runtime/${name}.test.ts`),
  },
};

/** The area that the environment names: set by `scripts/mutation.mjs`. */
export function chosenArea() {
  const name = process.env.KANEGEN_MUTATION ?? '';
  if (!Object.hasOwn(areas, name)) throw new Error(`KANEGEN_MUTATION is none of ${Object.keys(areas).join(', ')}`);
  return { name, ...areas[name] };
}

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
    mutate: ['src/kane/kernels/specialise.ts'],
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
  description: {
    mutate: ['actuators', 'bodies', 'language', 'robot', 'urdf', 'values'].map(
      (name) => `src/description/${name}/*.ts`,
    ),
    tests: [
      'test/description/*.test.ts',
      ...['examples', 'untrusted-files', 'urdf', 'urdf-cuts'].map((name) => `!test/description/${name}.test.ts`),
    ],
  },
  identification: {
    mutate: ['src/identification/*.ts', 'src/identification/motion/*.ts'],
    tests: ['test/identification/*.test.ts', '!test/identification/noisy-logs.test.ts'],
  },
  simulation: {
    mutate: ['equilibria', 'integrators', 'run', 'scenario'].map((name) => `src/simulation/${name}/*.ts`),
    tests: [
      'test/simulation/*.test.ts',
      ...['generalized-alpha', 'motion', 'run-in-c', 'trial'].map((name) => `!test/simulation/${name}.test.ts`),
    ],
  },
  fluid: {
    mutate: ['src/kane/fluid/*.ts', 'src/kane/body/water-on-rod.ts', 'src/description/bodies/water.ts'],
    tests: [
      'test/description/water.test.ts',
      'test/verify/water.test.ts',
      'test/verify/reference-water.test.ts',
      'test/simulation/in-water.test.ts',
    ],
  },
  actuation: {
    mutate: [
      'src/kane/actuation.ts',
      'src/kane/placed-terms.ts',
      'src/kane/body/actuation-terms.ts',
      'src/kane/body/coordinate-forces.ts',
      'src/kane/routes/*.ts',
    ],
    tests: [
      'test/codegen/actuation-in-time.test.ts',
      'test/kane/chamber-volume.test.ts',
      'test/kane/kinks.test.ts',
      'test/kane/meeting-places.test.ts',
      'test/straight/frame-terms.test.ts',
      'test/verify/chambers.test.ts',
      'test/verify/reference-actuators.test.ts',
      'test/verify/frame-terms.test.ts',
    ],
  },
  controllers: {
    mutate: ['src/codegen/controllers/*.ts', 'src/codegen/typescript/controller-typescript.ts'],
    tests: ['test/codegen/controllers/*.test.ts', 'test/description/controllers.test.ts'],
  },
};

/** The area that the environment names: set by `scripts/mutation.mjs`. */
export function chosenArea() {
  const name = process.env.KANEGEN_MUTATION ?? '';
  if (!Object.hasOwn(areas, name)) throw new Error(`KANEGEN_MUTATION is none of ${Object.keys(areas).join(', ')}`);
  return { name, ...areas[name] };
}

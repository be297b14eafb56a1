/**
 * Lint rules, and the boundaries between the folders of src/: data flows description → library → kane → codegen, with
 * symbolic and integration underneath and verify, report and cli on top (docs/architecture.md).
 */
import tseslint from 'typescript-eslint';

/** What each folder may import from, beside itself. `types` folders may be imported for their types only. */
export const allowedImports = {
  common: [],
  host: ['common'],
  files: ['common', 'host', 'description'],
  symbolic: ['common', 'host', 'runtime'],
  runtime: [],
  mesh: ['common', 'host', 'symbolic'],
  network: ['common', 'host', 'symbolic'],
  integration: ['common', 'host', 'symbolic', 'mesh'],
  description: ['common', 'host', 'symbolic', 'library', 'mesh', 'network'],
  library: ['common', 'host', 'symbolic'],
  kane: ['common', 'host', 'symbolic', 'mesh', 'network', 'integration', 'description', 'runtime'],
  straight: ['common', 'host', 'symbolic', 'integration', 'description', 'kane'],
  lagrange: ['common', 'host', 'symbolic', 'integration', 'description', 'kane', 'straight'],
  codegen: ['common', 'host', 'symbolic', 'network', 'kane', 'straight', 'description', 'runtime'],
  simulation: ['common', 'host', 'symbolic', 'description', 'codegen', 'runtime'],
  identification: ['common', 'host', 'symbolic', 'description', 'kane', 'codegen', 'runtime', 'simulation'],
  verify: [
    'common',
    'host',
    'symbolic',
    'mesh',
    'network',
    'integration',
    'description',
    'library',
    'kane',
    'straight',
    'lagrange',
    'codegen',
    'runtime',
  ],
  report: [
    'common',
    'host',
    'symbolic',
    'mesh',
    'network',
    'integration',
    'description',
    'kane',
    'straight',
    'lagrange',
    'codegen',
    'simulation',
    'verify',
  ],
  api: [
    'common',
    'host',
    'files',
    'symbolic',
    'description',
    'kane',
    'straight',
    'codegen',
    'runtime',
    'simulation',
    'identification',
    'verify',
    'report',
  ],
  cli: [
    'common',
    'host',
    'files',
    'api',
    'symbolic',
    'mesh',
    'network',
    'integration',
    'description',
    'library',
    'kane',
    'straight',
    'lagrange',
    'codegen',
    'runtime',
    'simulation',
    'identification',
    'verify',
    'report',
  ],
  browser: ['common', 'host', 'api', 'description', 'codegen', 'report', 'cli'],
};

/**
 * The rooms of the large folders, each of which may import from those before it and from no others; files outside of the
 * rooms stand on top.
 */
export const rooms = {
  symbolic: ['graph', 'evaluation', 'poles', 'formulas'],
  integration: ['exact', 'rules', 'choice'],
  description: [
    'source',
    'model',
    'values',
    'language',
    'volumes',
    'bodies',
    'joints',
    'robot',
    'actuators',
    'loops',
    'contacts',
    'controllers',
    'imported',
    'urdf',
    'mjcf',
    'sdf',
  ],
  kane: [
    'equations',
    'loops',
    'body',
    'kernels',
    'link',
    'kinematics',
    'closed',
    'points',
    'rod-points',
    'sections',
    'rods',
    'loaded',
    'routes',
    'fluid',
  ],
  straight: ['mechanism', 'functions'],
  codegen: [
    'operations',
    'optimise',
    'naming',
    'programs',
    'printing',
    'modules',
    'sweeps',
    'drivers',
    'whole-robot',
    'translation',
    'controllers',
    'c-language',
    'interface',
    'c',
    'doors',
    'amalgamation',
    'gpu',
    'typescript',
    'rod-statics',
    'wasm',
    'assembled',
  ],
  simulation: ['scenario', 'integrators', 'run', 'equilibria', 'small-motions'],
  verify: ['arithmetic', 'generated', 'written', 'energies', 'along-rods', 'independent', 'laws', 'reference'],
  cli: ['terminal', 'files', 'options', 'runs', 'view', 'commands'],
};

/** Folders that run on any machine: what they need of one, `#host` has. */
const ANYWHERE = Object.keys(allowedImports).filter((folder) => !['host', 'files', 'cli'].includes(folder));
/** Modules that need a file system or other programs; browsers are without them (scripts/browser-build.mjs). */
const MACHINE = [
  'src/codegen/c/{build-c,code-size,objects,shared-objects}.ts',
  'src/codegen/doors/{fmu/fmu,python/wheel}.ts',
  'src/report/pictures/**',
  'src/simulation/run/run-in-c.ts',
  'src/verify/reference/compare-reference.ts',
];

const folders = Object.keys(allowedImports);

function forbiddenFolders(folder) {
  const forbidden = folders.filter((other) => other !== folder && !allowedImports[folder].includes(other));
  return forbidden.map((other) => ({
    regex: `^\\.\\.(/\\.\\.)*/${other}(/|$)`,
    message: `src/${folder} must not import from src/${other}: see the boundaries in docs/architecture.md.`,
  }));
}

function restricted(files, patterns) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

function boundary(folder) {
  const patterns = forbiddenFolders(folder);
  /** Files of a room, and those of rooms within it. */
  const ofRoom = (room, index) =>
    [0, 1].map((depth) => {
      const up = `^${'\\.\\./'.repeat(depth + 1)}`;
      return restricted(
        [`src/${folder}/${room}/${'*/'.repeat(depth)}*.ts`],
        [
          ...patterns,
          ...rooms[folder].slice(index + 1).map((later) => ({
            regex: `${up}${later}/`,
            message: `src/${folder}/${room} must not import from src/${folder}/${later}: rooms import one way.`,
          })),
          {
            regex: `${up}[^./]+\\.ts$`,
            message: `src/${folder}/${room} must not import what stands above the rooms of src/${folder}.`,
          },
        ],
      );
    });
  return [restricted([`src/${folder}/**/*.ts`], patterns), ...(rooms[folder] ?? []).flatMap(ofRoom)];
}

/** What tsconfig.json names. */
const TYPED = ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'];
const UNTYPED = ['src/report/viewer/**', 'src/browser/page/**'];

export default tseslint.config(
  {
    ignores: [
      'demo-output/',
      'dist/',
      'docs/api/',
      'generated/',
      'node_modules/',
      'coverage/',
      'reports/',
      'site/',
      '.stryker-tmp/',
    ],
  },
  ...tseslint.configs.strict,
  {
    files: TYPED,
    ignores: UNTYPED,
    extends: tseslint.configs.recommendedTypeCheckedOnly,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    languageOptions: { parserOptions: { ecmaVersion: 2023, sourceType: 'module' } },
    rules: {
      // Robots and their parts are records of closures, which need no `this`.
      '@typescript-eslint/unbound-method': 'off',
      // What must return a promise need not wait for one.
      '@typescript-eslint/require-await': 'off',
      // Messages show scalars of files and of callers, whose types are not known.
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: TYPED,
    ignores: UNTYPED,
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
    },
  },
  // Commander hands over what it read as `any`; so do matchers of tests.
  { files: ['src/cli/main.ts'], rules: { '@typescript-eslint/no-unsafe-argument': 'off' } },
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
  ...folders.flatMap(boundary),
  {
    files: ANYWHERE.map((folder) => `src/${folder}/**/*.ts`),
    ignores: MACHINE,
    rules: {
      'no-restricted-globals': ['error', 'process', 'Buffer'],
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(ImportDeclaration, ImportExpression) > Literal[value=/^node:/]',
          message: 'this runs in browsers too: `#host` has what it needs of a machine.',
        },
      ],
    },
  },
);

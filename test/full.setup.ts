/**
 * What `npm test` leaves to `npm run test:full`: single tests of seconds whose like is in every run, by file and by the words that they begin
 * with. They are counted as skipped. (Tests that choose among their own cases read KANEGEN_FULL themselves.)
 */
import path from 'node:path';
import { afterAll, beforeEach, type RunnerTask, type RunnerTestSuite } from 'vitest';

const LEFT: Readonly<Record<string, readonly string[]>> = {
  'cli/cache': ['see what changed in an imported file'],
  'cli/commands': ['gives the same terms with straight-line functions (c)', 'has loads on frames in tau (c undefined)'],
  'cli/compare': ['prints a table over lengths'],
  'cli/sweep': ['are other sweeps where a table', 'run through designs of a robot', 'keep the rows that are done'],
  'codegen/actuator-names': ['compile in C, where headers'],
  'codegen/assembled/assembled-c': [
    'has the numbers of TypeScript: a tree of segments',
    'has the numbers of TypeScript: two links with a payload',
    'has the numbers of TypeScript: a UR10e',
  ],
  'codegen/batch': [
    "agrees with single states within and beyond its range ('soft_two', 'clang'",
    "touches nothing that it must not ('clang'",
    "agrees with single states where compilers may reorder sums ('gcc'",
  ],
  'codegen/c': [
    'agrees with the TypeScript to 1e-14 of each quantity with library functions, to 2e-5 in float (needs clang)',
    'compiles in single without a warning and passes its self-test (needs clang)',
  ],
  'codegen/controllers/closed-loop': [
    'and PD lead the robot the same way in C: both',
    'and PD lead the robot the same way in C: part',
  ],
  'codegen/controllers/operational-space': ['is the same in C: point'],
  'codegen/controllers/shape': ['does the same in C'],
  'codegen/controllers/straight': ['has the same bits in C, where'],
  'codegen/designs': ['give at any value what'],
  'codegen/every-option': [
    'leave C that compilers take: ur10e',
    'leave C that compilers take: eel',
    'leave C that compilers take: planar-cc-elongation',
    'leave C that compilers take: two-link',
  ],
  'codegen/frame-forces': ['have in straight-line TypeScript'],
  'codegen/javascript': ['compiles in a project of CommonJS modules', 'compiles in a strict project (bundler)'],
  'codegen/line-lengths': ['branched, with derivatives', 'ur10e-motors, with derivatives'],
  'codegen/newton-step': [
    'solve with the tangent of inverse dynamics: touching',
    'solve with the tangent of inverse dynamics: tree',
  ],
  'codegen/self-tests': ['pass: scenarios/swing'],
  'codegen/sine-cosine': ['cost the same far from zero in single precision'],
  'codegen/status': [
    'say what was computed (clang, double, -O3',
    'say what was computed (gcc, single',
    'say what was computed (clang, single',
  ],
  'codegen/status-promises': [
    'finds no promise broken under sanitizers',
    'notices it where results that are not finite stay',
  ],
  'codegen/straight': [
    'takes NULL in parts of long functions, and gives the bits of the TypeScript (needs clang',
    'passes a compiler stricter',
    'compiles in single without a warning and passes the self-test against the driver (needs gcc',
    'runs clean under sanitizers (needs clang',
  ],
  'codegen/without-types': ['are those of the compiler: learned'],
  'fuzz/inputs': ['robots that are accepted compute the same'],
  generated: [
    'the self-test of planar-cc passes under sanitizers',
    "the self-test of 'ur10e' passes",
    "the self-test of 'eel' passes",
  ],
  'identification/soft': ['of motor, elastic rod and gripper'],
  'integration/choose-rule': ['meets 1e-11 for a volume preserving body', 'finds the edge of a chamber'],
  'kane/chamber-volume': ['of P_var_radius_phi90'],
  'kane/general-closed-form': ['agree with sums over material points: a decaying wave'],
  'kane/limits': ['of points holds at the ends of limits of ±25 rad'],
  'kane/loaded-rod': [
    'is what more and more coordinates approach',
    'has the derivatives of its equilibria, with forces on arms',
  ],
  'kane/modes': ['passes every check of the independent evaluation'],
  'kane/near-poles': ['a segment of variable radius, written by position'],
  'report/understanding': ['of rubber does not stand on its foot'],
  'simulation/contacts': ['are pushed as by obstacles', 'push these with opposite forces along one line'],
  'simulation/examples': ['capstan meets', 'octopus meets', 'strip meets'],
  'simulation/generalized-alpha': ['has loads in the tangent where they are actuators'],
  'simulation/lifted-strip': ['leaves the floor'],
  'simulation/linearise': ['of a stiff wire'],
  'simulation/rollout-gradient': ['of a step has the same bits in C'],
  'simulation/run-in-c': ['that is ended has its steps until then: rosenbrock'],
  'simulation/statics': ['moves its tip as it should'],
  'straight/passive-forces': ['has the forces of the reference data, damping_viscosity'],
  'straight/written-out': ['have derivatives of the forces'],
  'verify/catalogue': [
    'pcc-3d on a revolute joint, twice',
    'a spatial arc with the rotation written as cos',
    'planar-pcs on a revolute joint',
    'planar-cc on a revolute joint',
    'cylindrical between',
    'a helix at rest',
  ],
  'verify/discs': ['are as long as those of a disc-by-disc arm'],
  'verify/fields': ['are what the independent path has'],
  'verify/frames-in-bodies': ['are those of the same body in Cartesian ones, on the axis'],
  'verify/natural-strain': [
    'are what the independent path has, in motion and along directions: still',
    'do work as they move, which closes the balance of energy: c',
    'have the energy of what is left of the strain: c',
    'are those of a rod at rest without loads',
  ],
  'verify/points-on-bodies': ['are those of B u at the same inputs'],
  'verify/reference': [
    'are wrong where one entry of a matrix is',
    'in TypeScript meet L2_box_ritz',
    'in TypeScript meet E3_gvs_affine_3d_N1',
    'in TypeScript meet F_pgc_N1',
    'meets C_pcc3d_N1_phys',
    'meets C_pcc3d_N2_phys',
    'meets C_pcc3d_N2_unit',
    'meets D_pcs_N1_phys',
    'meets D_pcs_N2_mixed',
    'meets D_pcs_N2_phys',
    'meets D_pcs_N2_unit',
    'in TypeScript meet D_pcs_N1_unit',
    'in TypeScript meet C_pcc3d_N1_phys',
    'meets B_planar_cce_N1_phys',
    'in C meet F_pgc_N2_sigma',
    'meet F_pgc_N2_sigma.json to 1e-11 when',
    'in TypeScript meet K_cc_with_tip_rigid',
    'in TypeScript meet G_7R_panda_like',
  ],
  'verify/reference-actuators': ["in 'ts' meet 'T_pcc3d_N3'"],
  'verify/reference-equilibria': ['meet R1_rod3.json to 1e-11 in ts'],
  'verify/reference-loops': [
    "as straight-line functions in 'c' meet 'Q1_fourbar_pin'",
    "in 'c' meet 'Q2_two_arms_weld'",
  ],
  'verify/rod-materials': ['that couple strains otherwise are noticed'],
  'verify/solids': [
    'of an elliptic taper in polar coordinates',
    'of volumes with materials of their own',
    'of a mesh of two tetrahedra',
  ],
  'verify/tubes': ['are verified, as they touch'],
};

const nameOf = (file: string): string => path.relative('test', file).replace(/\.test\.ts$/, '');
const titlesBelow = (task: RunnerTask): readonly string[] =>
  'tasks' in task ? task.tasks.flatMap(titlesBelow) : [task.name];

if (process.env['KANEGEN_FULL'] !== '1')
  beforeEach(({ task, skip }) => {
    if (LEFT[nameOf(task.file.filepath)]?.some((words) => task.name.startsWith(words))) skip('in npm run test:full');
  });

afterAll(({}, { file }: Readonly<RunnerTestSuite>) => {
  const titles = titlesBelow(file);
  for (const words of LEFT[nameOf(file.filepath)] ?? [])
    if (!titles.some((title) => title.startsWith(words)))
      throw new Error(`test/full.setup.ts leaves "${words}" to the full tests, which no test begins with`);
});

/**
 * What `npm test` leaves to `npm run test:full`: single tests of seconds whose like is in every run, by file and by the words that they begin
 * with. They are counted as skipped. (Tests that choose among their own cases read KANEGEN_FULL themselves.)
 */
import path from 'node:path';
import { afterAll, beforeEach, type RunnerTask, type RunnerTestSuite } from 'vitest';

const LEFT: Readonly<Record<string, readonly string[]>> = {
  'bench/programs': ['puma560', 'planar-pcs-2', 'hyq'],
  'cli/cache': ['see what changed in an imported file'],
  'cli/commands': ['gives the same terms with straight-line functions (c)', 'has loads on frames in tau (c undefined)'],
  'cli/compare': ['prints a table over lengths'],
  'cli/statics': ['stands beside the equilibrium of them'],
  'cli/sweep': ['are other sweeps where a table', 'run through designs of a robot', 'keep the rows that are done'],
  'codegen/actuator-names': ['compile in C, where headers'],
  'codegen/around-drums': ['moves a knuckle as the file says, with all derivatives'],
  'codegen/assembled/assembled-c': [
    'has the numbers of TypeScript: a tree of segments',
    'has the numbers of TypeScript: two links with a payload',
    'has the numbers of TypeScript: a UR10e',
  ],
  'codegen/c': [
    'agrees with the TypeScript to 1e-14 of each quantity with library functions, to 2e-5 in float (needs clang)',
    'compiles in single without a warning and passes its self-test (needs clang)',
  ],
  'codegen/controllers/closed-loop': [
    'and PD lead the robot the same way in C: both',
    'and PD lead the robot the same way in C: part',
    'leads the robot the same way in C',
  ],
  'codegen/controllers/operational-space': ['is the same in C: point', 'is the same in C: whole'],
  'codegen/controllers/shape': ['does the same in C'],
  'codegen/controllers/straight': ['has the same bits in C, where'],
  'codegen/derivatives-of-constraints': ['are the same (needs'],
  'codegen/derivatives-of-contacts': ['are the same in C', 'go through loops'],
  'codegen/designs': ['give at any value what'],
  'codegen/doors/packaging': ['Zephyr builds the sources'],
  'codegen/doors/python': ['has rollouts of robots with loops'],
  'codegen/drivers/mass-entries': ['has the same bits in C'],
  'codegen/every-option': [
    'leave C that compilers take: ur10e',
    'leave C that compilers take: eel',
    'leave C that compilers take: planar-cc-elongation',
    'leave C that compilers take: two-link',
    'leave C that compilers take: planar-cc (',
  ],
  'codegen/force-matrices': ['are the same in C'],
  'codegen/frame-forces': ['have in straight-line TypeScript'],
  'codegen/javascript': [
    'compiles in a project of CommonJS modules',
    'compiles in a strict project (bundler)',
    'compiles in a strict project (node16)',
  ],
  'codegen/line-lengths': [
    'branched, with derivatives',
    'ur10e-motors, with derivatives',
    'functions of many states at once',
  ],
  'codegen/linking': ['builds a project with two robots of two precisions'],
  'codegen/memory': ['does not grow with the robots that were loaded'],
  'codegen/newton-step': [
    'solve as steps do, whatever state is staged: touching',
    'have a wrench on a frame in them: tied',
    'solve with the tangent of inverse dynamics: balanced',
    'solve with the tangent of inverse dynamics: touching',
    'solve with the tangent of inverse dynamics: tree',
    'take the tangent of touching through',
    'solve with the tangent of inverse dynamics: tied',
    'are those of TypeScript to the bit: tied',
    'have a wrench on a frame in them: touching',
    'take the tangent of tied through',
  ],
  'codegen/self-tests': ['pass: mechanisms/four-bar', 'pass: scenarios/swing'],
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
    'passes a compiler stricter',
    'notices when gravity is wrong',
    'notices when massMatrix is wrong',
    'notices when inverseDynamicsDerivatives',
  ],
  'codegen/without-types': ['are those of the compiler: learned'],
  'description/urdf': ['random chains have the dynamics'],
  'fuzz/inputs': ['robots that are accepted compute the same'],
  generated: [
    'the self-test of planar-cc passes under sanitizers',
    "the self-test of 'ur10e' passes",
    "the self-test of 'eel' passes",
    'ur10e compiles silently (needs clang',
    'learned compiles silently (needs clang',
    'eel compiles silently (needs clang',
  ],
  'identification/noisy-logs': ['taken for smoother than it is'],
  'identification/reference': ['F_pgc_N1_sigma.json'],
  'identification/soft': ['of motor, elastic rod and gripper'],
  'integration/choose-rule': ['meets 1e-11 for a volume preserving body', 'finds the edge of a chamber'],
  'kane/chamber-volume': [
    'of P_var_radius_phi90',
    'have rates and second rates',
    'within walls of constant thickness are',
  ],
  'kane/general-closed-form': ['agree with sums over material points: a decaying wave'],
  'kane/limits': ['of points holds at the ends of limits of ±25 rad'],
  'kane/loaded-rod': [
    'is what more and more coordinates approach',
    'has the derivatives of its equilibria, with forces on arms',
  ],
  'kane/modes': ['passes every check of the independent evaluation', 'a bent beam stretches by linear modes'],
  'kane/near-poles': ['a segment of variable radius, written by position'],
  'kane/network': ['agrees in C and in TypeScript'],
  'kane/solid-on-mesh': ['is summed over a small share of the points'],
  'lagrange/planar-chains': ['have that of the recursion with twenty bodies'],
  'report/understanding': ['of rubber does not stand on its foot'],
  'simulation/concentric-tubes': ['have the derivatives of their equilibria'],
  'simulation/contacts': ['are pushed as by obstacles', 'push these with opposite forces along one line'],
  'simulation/driven-loops': ['does so in C'],
  'simulation/examples': [
    'capstan meets',
    'octopus meets',
    'strip meets',
    'closed-circle meets',
    'travelling-bend meets',
    'two-rods-planar meets',
    'tentacle-rest meets',
    'swing meets',
    'ur10e-track meets',
  ],
  'simulation/generalized-alpha': ['has loads in the tangent where they are actuators'],
  'simulation/kept-factors': ['lead where exact ones do, by fewer factors: touching'],
  'simulation/lifted-strip': ['leaves the floor'],
  'simulation/linearise': ['of a stiff wire'],
  'simulation/rollout-gradient': ['of a step has the same bits in C'],
  'simulation/rollout-gradient-of-loops': ['a four-bar, its pin a redundant hinge'],
  'simulation/run-in-c': ['that is ended has its steps until then: rosenbrock'],
  'simulation/standing': ['are those of a robot that stands where it is then'],
  'simulation/statics': ['moves its tip as it should'],
  'straight/passive-forces': ['has the forces of the reference data, damping_viscosity'],
  'straight/regressor': ['has Y π of forces of the driver'],
  'straight/written-out': ['have derivatives of the forces'],
  'symbolic/expr': ['knows nodes again, and no others'],
  'verify/alembert': ['agrees with the reference for six constant strains'],
  'verify/alembert-reference': ['agrees with the spatial arc written by hand'],
  'verify/catalogue': [
    'pcc-3d on a revolute joint, twice',
    'a spatial arc with the rotation written as cos',
    'planar-pcs on a revolute joint',
    'planar-cc on a revolute joint',
    'cylindrical between',
    'a helix at rest',
    'free between',
    'a box with a dense layer',
    'a section that swells',
    'planar-cc-elongation on a revolute joint',
    'planar between',
    'helical between',
    'prismatic between',
  ],
  'verify/deforming-rods': ['are solids'],
  'verify/discs': ['are as long as those of a disc-by-disc arm'],
  'verify/fields': ['are what the independent path has'],
  'verify/frames-in-bodies': [
    'are those of the same body in Cartesian ones, off the axis',
    'are those of the same body in Cartesian ones, on the axis',
  ],
  'verify/mutants': ['with no shear factor fails', 'with a shear modulus a thousandth', 'with a section turned'],
  'verify/natural-strain': [
    'are what the independent path has, in motion and along directions: still',
    'do work as they move, which closes the balance of energy: c',
    'have the energy of what is left of the strain: c',
    'are those of a rod at rest without loads',
  ],
  'verify/points-on-bodies': ['are those of B u at the same inputs'],
  'verify/prescribed': ['are verified beside contacts'],
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
    'in C meet G_7R_panda_like',
    'in TypeScript meet L1_octopus',
    'in C meet D_pcs_N1_unit',
    'in C meet K_cc_with_tip_rigid',
    'in TypeScript meet E3_gvs_affine_3d_N2_mixed',
    'meets K_revolute_pcc3d_N2',
    'in TypeScript meet A_planar_cc_N6_phys',
    'in TypeScript meet F_pgc_N2_sigma',
    'in C meet A_planar_cc_N6_phys',
  ],
  'verify/reference-actuators': ["in 'ts' meet 'T_pcc3d_N3'", "in 'c' meet 'T_gvs_affine_3d_tapered'"],
  'verify/reference-equilibria': ['meet R1_rod3.json to 1e-11 in ts', 'meet R1_rod3.json to 1e-11 in c'],
  'verify/reference-loops': [
    "as straight-line functions in 'c' meet 'Q1_fourbar_pin'",
    "in 'c' meet 'Q2_two_arms_weld'",
  ],
  'verify/reference-water': ['meets Z_planar_cc in ts'],
  'verify/rod-materials': ['that couple strains otherwise are noticed', 'that differ are noticed'],
  'verify/solids': [
    'of an elliptic taper in polar coordinates',
    'of volumes with materials of their own',
    'of a mesh of two tetrahedra',
    'of two volumes in modes, whose integrals are constants',
  ],
  'verify/tubes': ['are verified, as they touch'],
  'verify/water': [
    'have the forces of D’Alembert: of a planar body, with a current and separate drag',
    'have the forces of D’Alembert: of a planar body, with lift',
  ],
  'verify/winding-routes': ['of 8 turns and waves'],
};

const nameOf = (file: string): string => path.relative('test', file).replace(/\.test\.ts$/, '');
const titlesBelow = (task: RunnerTask): readonly string[] =>
  'tasks' in task ? task.tasks.flatMap(titlesBelow) : [task.name];

/** Of tests that run once with each compiler, every run has those with gcc; these files share them out by themselves. */
const SHARED = ['generated', 'codegen/c'];
const isAgain = (name: string, title: string): boolean => /needs clang|'clang'/.test(title) && !SHARED.includes(name);

if (process.env['KANEGEN_FULL'] !== '1')
  beforeEach(({ task, skip }) => {
    const name = nameOf(task.file.filepath);
    const isLeft = LEFT[name]?.some((words) => task.name.startsWith(words));
    if (isLeft || isAgain(name, task.name)) skip('in npm run test:full');
  });

afterAll(({}, { file }: Readonly<RunnerTestSuite>) => {
  const titles = titlesBelow(file);
  for (const words of LEFT[nameOf(file.filepath)] ?? [])
    if (!titles.some((title) => title.startsWith(words)))
      throw new Error(`test/full.setup.ts leaves "${words}" to the full tests, which no test begins with`);
});

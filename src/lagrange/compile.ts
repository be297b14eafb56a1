/**
 * The Euler–Lagrange baseline: a whole robot derived from its kinetic and potential energy instead of by the recursion,
 * in the form that the recursion has, so that the same optimiser and the same printers make code of both.
 *
 * It is given every advantage that does not come from the recursion itself: energies through moving frames over the same
 * tree of frames (chains in normal form, masses lumped), the same closed forms of the bodies, regular when they are
 * straight, the same hash-consing.
 */
import { refuseContacts } from '../description/model/contact.ts';
import { refuseLoops } from '../description/model/loop.ts';
import { KanegenError } from '../common/error.ts';
import { demandOptions } from '../common/options.ts';
import type { Robot } from '../description/model/robot.ts';
import { closedFormOf, demandClosable } from '../kane/compile-body.ts';
import { compileBodies } from '../kane/compile.ts';
import { frameTreeOf } from '../straight/mechanism/frame-tree.ts';
import { lump } from '../straight/mechanism/lump.ts';
import { demandWritten, mechanismOf } from '../straight/mechanism/mechanism.ts';
import { normalForm } from '../straight/mechanism/normal-form.ts';
import type {
  StraightFunction,
  StraightFunctionName,
  StraightInput,
  StraightOutput,
  StraightRobot,
} from '../straight/straight-robot.ts';
import { foldConstants } from '../symbolic/evaluation/evaluate.ts';
import { decimal, negate, type Expr } from '../symbolic/graph/expr.ts';
import { multiplyTransposed, vector3 } from '../symbolic/graph/vector.ts';
import { robotEnergies, type Checkpoint } from './energies.ts';
import { lagrangeEquations, type EquationsOfMotion, type LagrangeMethod } from './equations.ts';

export interface LagrangeOptions {
  /** `algorithmic` unless given. */
  readonly method?: LagrangeMethod;
  /** What to derive: inverse dynamics, mass matrix and gravity unless given; derivatives are not among the baseline's. */
  readonly functions?: readonly LagrangeFunction[];
  /** Called between the steps of the derivation; may throw. */
  readonly checkpoint?: Checkpoint;
}

type LagrangeFunction = Extract<
  StraightFunctionName,
  'inverseDynamics' | 'massMatrix' | 'inverseDynamicsAndMassMatrix' | 'gravity' | 'massMatrixAndForcing'
>;

const ALL: readonly LagrangeFunction[] = [
  'inverseDynamics',
  'massMatrix',
  'inverseDynamicsAndMassMatrix',
  'gravity',
  'massMatrixAndForcing',
];

/**
 * The equations of motion of a robot by Lagrange's method; parameters folded but for the run-time ones.
 * @throws KanegenError located in the robot file when a body has no closed form; whatever `checkpoint` throws.
 */
export function compileLagrange(robot: Robot, options: LagrangeOptions = {}): StraightRobot {
  demandOptions(options);
  demandEnergies(robot);
  for (const body of compileBodies(robot).values()) closedFormOf(body, WHAT);
  const { method = 'algorithmic', functions = ALL, checkpoint = () => undefined } = options;
  const tree = frameTreeOf(lump(normalForm(mechanismOf(robot), 'after'), 'diagonal'));
  const gravity = vector3(robot.gravity.map((g) => decimal(g)));
  const energies = robotEnergies(tree, multiplyTransposed(robot.base.rotation, gravity), checkpoint);
  const equations = lagrangeEquations(energies, tree.symbols, method, checkpoint);
  const kept: readonly StraightInput[] = robot.parameters.length > 0 ? ['parameters'] : [];
  return {
    parameters: robot.parameters.map(({ name, symbol, unit, value }) => ({
      name,
      symbol,
      unit,
      value: foldConstants([value])[0]!,
    })),
    inputs: { parameters: robot.parameters.map((p) => p.symbol), ...NONE, ...tree.symbols },
    functions: functions.map((name) => functionOf(name, equations, kept)),
    hints: new Map(),
    method:
      method === 'algorithmic'
        ? 'Euler–Lagrange: Lagrange’s equation by algorithmic differentiation of the energies'
        : 'Euler–Lagrange: mass matrix and Christoffel symbols by differentiation of the energies',
  };
}

const WHAT = 'code by Lagrange’s equations';

/** @throws KanegenError `not-supported` at what has no energies that Lagrange's equations know, as the description tells. */
export function demandEnergies(robot: Robot): void {
  refuseLoops(robot, 'Lagrange’s equations');
  refuseContacts(robot, `${WHAT} has`);
  requireDry(robot);
  for (const { body } of robot.links) if (body.kind === 'deformable') demandClosable(body.type, WHAT);
  demandWritten(robot);
}

/** Inputs that no function of these has. */
const NONE = { h: [], alpha: [], beta: [], u: [], tau: [] };

function functionOf(
  name: LagrangeFunction,
  equations: EquationsOfMotion,
  kept: readonly StraightInput[],
): StraightFunction {
  const tau = output('tau', 'tau = M qdd + c + g, generalized forces', equations.inverseDynamics);
  const M = output('M', 'mass matrix, row-major', equations.massMatrix);
  const g = output('g', 'generalized gravity forces', equations.gravity);
  const forcing = output('forcing', 'forcing −(c + g): M qdd = forcing', () => equations.bias().map(negate));
  const moving: readonly StraightInput[] = [...kept, 'q', 'qd', 'qdd'];
  switch (name) {
    case 'inverseDynamics':
      return { name, summary: 'Inverse dynamics.', reads: moving, outputs: [tau()] };
    case 'massMatrix':
      return { name, summary: 'Mass matrix.', reads: [...kept, 'q'], outputs: [M()] };
    case 'inverseDynamicsAndMassMatrix':
      return { name, summary: 'Inverse dynamics and mass matrix.', reads: moving, outputs: [tau(), M()] };
    case 'gravity':
      return { name, summary: 'Gravity forces.', reads: [...kept, 'q'], outputs: [g()] };
    case 'massMatrixAndForcing':
      return { name, summary: 'Mass matrix and forcing.', reads: [...kept, 'q', 'qd'], outputs: [M(), forcing()] };
  }
}

function output(buffer: string, summary: string, values: () => readonly Expr[]): () => StraightOutput {
  return () => ({ buffer, values: values(), optional: false, summary });
}

/** @throws KanegenError `not-supported` at `water:` and fields, whose forces have no energies. */
function requireDry({ links }: Robot): void {
  const [field] = links.flatMap(({ fields = [] }) => fields);
  if (field)
    throw new KanegenError('not-supported', `${WHAT} has no fields along rods`, {
      remedy: `use the driver, or straight-line code by the recursion, or leave out \`${field.name}\``,
      location: field.location,
    });
  const [water] = links.flatMap((link) => link.water ?? link.rigidWater ?? []);
  if (!water) return;
  throw new KanegenError('not-supported', `${WHAT} has no forces of water`, {
    remedy: 'use the driver, or straight-line code by the recursion, or leave out `water`',
    location: water.location,
  });
}

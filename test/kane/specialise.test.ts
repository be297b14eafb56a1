/** Kernels without what a robot's tree makes zero or never reads, against the kernels that hold for every tree. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { baseNeeds, baseValues } from '../../src/kane/kernels/base-values.ts';
import type { CompiledRobot, InputBuffer, LinkType } from '../../src/kane/kernels/link-type.ts';
import { specialise } from '../../src/kane/kernels/specialise.ts';
import { loopExpressions } from '../../src/kane/loops/loop.ts';
import { zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../src/symbolic/graph/traverse.ts';
import { planarCcChain } from '../codegen/sample-robots.ts';
import { KernelInterpreter } from './interpreter.ts';
import { randomNumbers } from './point-masses.ts';

function specialised(robot: Robot, compiled: CompiledRobot): CompiledRobot {
  return specialise(compiled, baseValues(robot), baseNeeds(robot));
}

const example = (name: string): Robot => loadRobotFile(path.resolve('examples', `${name}.robot.yaml`));

describe.each([
  ['a planar chain', () => planarCcChain(3)],
  ['six different links', () => example('ur10e')],
  ['seven links', () => example('panda')],
  ['a rod of varying strain on a motor', () => example('elastic-rod')],
])('kernels of %s', (_, load) => {
  it('compute what the general ones compute', () => {
    const robot = load();
    const compiled = compileRobot(robot);
    const [general, special] = [new KernelInterpreter(compiled), new KernelInterpreter(specialised(robot, compiled))];
    const random = randomNumbers(5);
    const numbers = (): number[] => Array.from({ length: general.size }, () => 2 * random());
    const state = { q: numbers(), qd: numbers(), qdd: numbers() };
    const g = [1.5, -2.5, -9];
    const of = (kernels: KernelInterpreter): number[][] => [
      kernels.inverseDynamics(state, g),
      kernels.gravity(state, g),
      kernels.energies(state, g),
      ...kernels.massMatrix(state),
    ];
    const expected = of(general);
    of(special).forEach((row, i) => {
      const scale = Math.max(...expected[i]!.map(Math.abs));
      row.forEach((value, k) => expect(Math.abs(value - expected[i]![k]!)).toBeLessThanOrEqual(1e-13 * scale));
    });
  });
});

/** Which entries of a buffer the kernels of a type read. */
function read(type: LinkType, buffer: InputBuffer): number[] {
  const used = new Set(
    freeSymbols(type.kernels.flatMap(({ outputs }) => outputs.flatMap(({ values }) => [...values]))),
  );
  return type.inputs[buffer].flatMap((own, i) => (used.has(own) ? [i] : []));
}

describe('a planar chain', () => {
  const robot = planarCcChain(3);
  const compiled = compileRobot(robot);

  it('turns about one axis and hands on forces in its plane only', () => {
    const [type] = specialised(robot, compiled).types;
    expect(read(compiled.types[0]!, 'parentVelocity')).toEqual([0, 1, 2]);
    expect(read(type!, 'parentVelocity')).toEqual([1]);
    expect(read(type!, 'parentAcceleration')).toEqual([1, 3, 5]);
    expect(read(type!, 'distalWrench')).toEqual([0, 2, 4]);
    // Mass, first moment in the plane, inertia about the axis.
    expect(read(type!, 'distalComposite')).toEqual([0, 1, 3, 5]);
  });

  it('reads every entry again where a link turns it out of its plane', () => {
    const { types, links } = compiled;
    const spatial = compileRobot(example('two-link')).types.find((type) => type.coordinates.length > 0)!;
    const [first, ...others] = links;
    const tilted = [
      { name: 'turn', type: spatial, parent: -1, parameters: [], actuators: [] },
      { ...first!, parent: 0 },
      ...others.map((link) => ({ ...link, parent: link.parent + 1 })),
    ];
    const found = specialised(robot, { types: [...types, spatial], links: tilted, frames: [] }).types[0]!;
    expect(read(found, 'parentVelocity')).toEqual([0, 1, 2]);
  });
});

describe('a rod of varying strain on a motor about the vertical', () => {
  const robot = example('elastic-rod');
  const rod = specialised(robot, compileRobot(robot)).types.find((type) => type.loops.length > 0)!;
  const written = (kernel: string, buffer: string): readonly Expr[] =>
    rod.kernels.find(({ name }) => name === kernel)!.outputs.find((output) => output.buffer === buffer)!.values;
  const nonzero = (values: readonly Expr[]): number[] => values.flatMap((value, i) => (value === zero ? [] : [i]));

  it('knows in its loops too what the motor does not do, and that nothing hangs on it', () => {
    const inLoops = new Set(freeSymbols(rod.loops.flatMap((loop) => [...loopExpressions(loop)])));
    const { parentVelocity } = rod.inputs;
    expect(parentVelocity.map((s) => inLoops.has(s))).toEqual([false, false, true]);
    for (const buffer of ['distalComposite', 'distalArticulated'] as const) expect(read(rod, buffer)).toEqual([]);
  });

  it('hands on what turns the motor, computes no velocity of its end, and keeps what its loops hand to its kernels', () => {
    expect(nonzero(written('backward', 'parentWrench'))).toEqual([5]);
    expect(nonzero(written('articulate', 'parentArticulated'))).toEqual([8]);
    expect(nonzero(written('velocity', 'ownVelocity'))).toEqual([]);
    expect(read(rod, 'quotients')).toHaveLength(5);
  });
});

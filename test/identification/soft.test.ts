/** Soft and hybrid robots: regressors of material parameters, refusals of what is not linear, identification from the example data. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadRobot, loadRobotObject, loadRobotText, KanegenError } from '../../src/index.ts';
import { baseParameters } from '../../src/identification/base-parameters.ts';
import { identifyWith } from '../../src/identification/identify.ts';
import { readMeasurements } from '../../src/identification/measurements.ts';
import { compileRegressor, type Regressor } from '../../src/identification/regressor.ts';
import { measured } from './motions.ts';

const EXAMPLE = 'examples/identification/soft-arm';
const example = readFileSync(`${EXAMPLE}.robot.yaml`, 'utf8');
const text = readFileSync(`${EXAMPLE}.csv`, 'utf8');
const robot = loadRobotText(example, `${EXAMPLE}.robot.yaml`);

const PARAMETERS = {
  rho: '1100 kg/m^3',
  E: '0.8 MPa',
  nu: 0.45,
  eta: '500 Pa s',
  k: '2 N m/rad',
  n: 1.5,
  d: '0.2 N m s/rad',
  a: '0.01 kg m^2',
};

/** A motor with springs, a rod of constant strain on it, a gripper at its end. */
const HYBRID = {
  kanegen: 1,
  name: 'motor-rod-gripper',
  parameters: PARAMETERS,
  'body-types': {
    rod: {
      extends: 'pcs',
      parameters: {
        L: 0.25,
        R: 0.012,
        rho: { unit: 'kg/m^3' },
        E: { unit: 'Pa' },
        nu: { unit: '1' },
        eta: { unit: 'Pa s' },
      },
      material: { 'rod-elasticity': { E: 'E', nu: 'nu' }, viscosity: 'eta' },
    },
  },
  links: [
    {
      name: 'motor',
      joint: { revolute: 'y', stiffness: 'k*n', damping: 'd', armature: 'a' },
      rigid: {
        mass: 0.4,
        com: [0.01, 0, 0.02],
        inertia: { xx: 1e-4, yy: 1e-4, zz: 1e-4 },
        distal: { xyz: [0, 0, 0.05] },
      },
    },
    { name: 'rod', body: 'rod', parameters: { rho: 'rho', E: 'E', nu: 'nu', eta: 'eta' } },
    {
      name: 'gripper',
      rigid: { mass: 0.2, com: [5e-3, 0, 0.03], inertia: { xx: 2e-4, yy: 2e-4, zz: 1e-4, xz: 3e-5 } },
    },
  ],
};
const KEPT = Object.keys(PARAMETERS);
const LINEAR = KEPT.filter((name) => name !== 'nu' && name !== 'n');
/** The same code for every choice of parameters. */
const regressorOf = (only: readonly string[]): Promise<Regressor> =>
  compileRegressor(loadRobotObject(HYBRID, { keep: KEPT }), { only, inertial: ['gripper'] });

/** Largest difference of offset + Y π from τ of code that has the parameters folded, in units of τ. */
async function distance(regressor: Regressor, folded: object): Promise<number> {
  const { dynamics } = await loadRobot(folded);
  const tau = new Float64Array(regressor.coordinates);
  const p = regressor.parameters.length;
  const errors = regressor.excitingStates(20).map((state) => {
    dynamics.update(state.q, state.qd);
    dynamics.activeInverseDynamics(state.qdd, tau);
    const { offset, Y } = regressor.at(state)!;
    const scale = Math.max(...tau.map(Math.abs));
    return Math.max(
      ...offset.map((own, k) => {
        const sum = regressor.parameters.reduce((total, { value }, i) => total + Y[k * p + i]! * value, own);
        return Math.abs(sum - tau[k]!) / scale;
      }),
    );
  });
  return Math.max(...errors);
}

describe('the regressor', () => {
  it('of motor, elastic rod and gripper times the parameters of the file is τ of code that has them folded, and tells all apart', async () => {
    const regressor = await regressorOf(LINEAR);
    expect(regressor.parameters.map(({ name }) => name).slice(0, 7)).toEqual([...LINEAR, 'gripper.m']);
    expect(await distance(regressor, HYBRID)).toBeLessThan(1e-12);
    const { base, without } = baseParameters(regressor);
    expect(without).toEqual([]);
    expect(base).toHaveLength(regressor.parameters.length);
  });

  it('refuses by name what forces are not linear in, and what multiplies each other', async () => {
    await expect(regressorOf([...LINEAR, 'nu'])).rejects.toThrow('forces are not linear in nu');
    await expect(regressorOf([...LINEAR, 'n'])).rejects.toThrow('products of k and n');
    await expect(regressorOf(['gamma'])).rejects.toThrow('no run-time parameter "gamma"');
  });
});

describe('identification', () => {
  it('finds density, modulus and viscosity behind noisy sensors, accelerations made of rates', async () => {
    const regressor = await compileRegressor(robot);
    const data = readMeasurements(robot, text, `${EXAMPLE}.csv`);
    const { base, parameters, notes, warnings } = identifyWith(regressor, baseParameters(regressor), data);
    expect(notes.join()).toMatch(/accelerations are not measured: motion is estimated .* upper.q 0.0001. rad/);
    expect(warnings).toEqual([]);
    expect(base.map(({ name }) => name)).toEqual(['rho', 'E', 'eta']);
    // What `set` of the scenario has.
    [1062, 0.41e6, 2100].forEach((truth, i) => {
      const { estimate, deviation } = base[i]!;
      expect(Math.abs(estimate - truth)).toBeLessThan(3 * deviation);
      expect(deviation).toBeLessThan(0.02 * truth);
      // The barrier at zero draws by a hundredth of the square of the relative deviation.
      expect(Math.abs(parameters[i]!.value - estimate)).toBeLessThan(1e-3 * deviation);
      expect(parameters[i]!.told).toBe('alone');
    });
  });

  it('of springs, dampers, drives, materials and a gripper is exact without noise, and within deviations with it', async () => {
    const regressor = await regressorOf(LINEAR);
    const structure = baseParameters(regressor);
    const truth = regressor.parameters.map(({ value }, i) => value * (1 + 0.1 * Math.sin(5 * i)));
    const motion = { count: 80, step: 0.075, reach: [1, 2, 2, 2, 0.2, 0.2, 0.2], middle: [0, 0, 0, 0, 0, 0, 0] };
    const exact = identifyWith(regressor, structure, measured(regressor, truth, motion, new Array<number>(7).fill(0)));
    exact.base.forEach(({ estimate }, i) =>
      expect(Math.abs(estimate - truth[i]!)).toBeLessThan(1e-9 * regressor.parameters[i]!.size),
    );
    const noise = exact.coordinates.map(({ force }) => 0.005 * force);
    const { base, coordinates } = identifyWith(regressor, structure, measured(regressor, truth, motion, noise));
    base.forEach(({ estimate, deviation }, i) => expect(Math.abs(estimate - truth[i]!) / deviation).toBeLessThan(3));
    coordinates.forEach(({ residual }, k) => expect(residual / noise[k]!).toBeCloseTo(1, 0));
  });

  it('keeps a damper that the data want to be negative at zero', async () => {
    const regressor = await compileRegressor(robot);
    const truth = [1000, 0.5e6, -400];
    const data = measured(regressor, truth, { count: 80, step: 0.05, reach: [1, 1] }, [1e-3, 1e-3]);
    const { base, parameters, coordinates } = identifyWith(regressor, baseParameters(regressor), data);
    expect(Math.abs(base[2]!.estimate + 400)).toBeLessThan(3 * base[2]!.deviation);
    expect(parameters[2]!.value).toBe(0);
    expect(coordinates[0]!.physicalResidual).toBeGreaterThan(coordinates[0]!.residual);
  });
});

describe('data that cannot be used are refused with their place', () => {
  const [header, ...lines] = text.trimEnd().split('\n') as [string, ...string[]];
  const change = (line: number, cell: number, value: string): string =>
    [header, ...lines]
      .map((own, i) =>
        i === line - 1
          ? own
              .split(',')
              .map((old, j) => (j === cell ? value : old))
              .join(',')
          : own,
      )
      .join('\n');
  const failure = (data: string): { code: string; message: string; place: string } => {
    try {
      readMeasurements(robot, data, 'log.csv');
    } catch (error) {
      if (!(error instanceof KanegenError)) throw error;
      const { line, column } = error.location!;
      return { code: error.code, message: error.message, place: `${error.location!.file}:${line}:${column}` };
    }
    throw new Error('nothing was refused');
  };

  it.each([
    ['no number', change(5, 3, 'NaN'), 'wrong-value', 'log.csv:5:23'],
    ['an empty cell', change(7, 1, ''), 'wrong-value', 'log.csv:7:6'],
    ['a line that is too short', `${header}\n0,1,2\n`, 'wrong-length', 'log.csv:2:6'],
    ['a time that comes again', change(4, 0, '0.01'), 'wrong-time', 'log.csv:4:1'],
    ['a gap', [header, ...lines.slice(0, 50), ...lines.slice(60)].join('\n'), 'gap', 'log.csv:52:1'],
    ['no lines', header, 'no-data', 'log.csv:1:1'],
    ['too few lines', [header, ...lines.slice(0, 15)].join('\n'), 'no-data', 'log.csv:1:1'],
    ['a column of one actuator only', text.replace(',back', ',bakc'), 'missing-column', 'log.csv:1:1'],
    ['a unit of something else', text.replace(/^t,/, 't [mm],'), 'wrong-unit', 'log.csv:1:1'],
    ['semicolons', text.replaceAll(',', ';'), 'no-commas', 'log.csv:1:1'],
    ['two columns of a name', text.replace(',back', ',front'), 'duplicate-column', 'log.csv:1:45'],
  ])('%s', (_, data, code, place) => {
    expect(failure(data)).toMatchObject({ code, place });
  });

  it('naming columns that are missing, and those that would do', () => {
    expect(failure(text.replace('lower.q,', 'lower.p,')).message).toBe('the column `lower.q` is missing');
    // What stands for something else is no misspelling.
    const without = text.replaceAll(/^([^,]*,[^,]*),[^,]*/gm, '$1');
    expect(() => readMeasurements(robot, without, 'log.csv')).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('its columns are t, upper.q, ') as string }),
    );
    expect(failure(text.replace('front,back', 'a,b')).message).toBe('the column `tau upper.q` is missing');
  });
});

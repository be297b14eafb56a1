/** Elastic forces of solids that are hardly deformed: as many digits as the deformation has, against closed formulas. */
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

const [L, R, E, NU] = [0.2, 0.01, 1e6, 0.3];
/** λ and μ. */
const LAME = (E * NU) / ((1 + NU) * (1 - 2 * NU));
const SHEAR = E / (2 * (1 + NU));
const SIZES = [1, 1e-3, 1e-6, 1e-9, 1e-12];

async function forcesOf(
  type: string,
  links: readonly string[] = ['body: solid'],
): Promise<(q: readonly number[]) => { forces: number[]; energy: number }> {
  const robot = loadRobotText(
    `kanegen: 1
name: solid
gravity: [0, 0, 0]
silence: [locking, unused-parameter]
body-types:
  solid:
    parameters: { L: ${L} m, R: ${R} m, rho: 1000 kg/m^3, E: ${E} Pa, p: 0 }
    ${type}
links: [ ${links.map((own) => `{ ${own} }`).join(', ')} ]
`,
    'solid.robot.yaml',
  );
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  return (q) => {
    const [forces, energies] = [new Float64Array(q.length), new Float64Array(3)];
    expect(dynamics.update([...q], new Array<number>(q.length).fill(0))).toBe(0);
    expect(dynamics.terms(null, null, forces, null)).toBe(0);
    expect(dynamics.energies(energies)).toBe(0);
    return { forces: [...forces], energy: energies[2]! };
  };
}

const BENDS = `let: { a: th*s/L }
    position: ["L*(1 - cos(a))/th + x*cos(a)", y, "L*sin(a)/th - x*sin(a)"]
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`;

describe('a solid whose sections stay rigid', () => {
  it.each([
    ['by its position', BENDS, 'disc: R, cartesian: [x, y]'],
    [
      'in polar coordinates',
      BENDS.replaceAll('x*', 'r*cos(f)*')
        .replace(', y, "', ', r*sin(f), "')
        .replace(/distal.*/, 'distal: none'),
      'disc: R, polar: [r, f]',
    ],
    ['by its pose', 'pose: { xyz: ["L*(1 - cos(th*s/L))/th", 0, L*sin(th*s/L)/th], rpy: [0, th*s/L, 0] }', 'disc: R'],
  ])('keeps its digits when it is hardly bent: %s', async (_, kinematics, section) => {
    const at = await forcesOf(`coordinates: { th: { unit: rad, limits: [-2, 2] } }
    volume: { rod: { s: [0, L] }, section: { ${section} }, density: rho }
    ${kinematics}
    material: { st-venant-kirchhoff: { E: E, nu: ${NU} } }`);
    // W = (λ/2 + μ) e², e = −κ x + κ² x²/2, over a disc.
    const [second, fourth] = [(Math.PI / 4) * R ** 4, (Math.PI / 8) * R ** 6];
    for (const th of SIZES) {
      const k = th / L;
      const { forces, energy } = at([th]);
      const due = (LAME + 2 * SHEAR) * (k * second + (k ** 3 / 2) * fourth);
      expect(Math.abs(forces[0]! / due - 1)).toBeLessThan(1e-13);
      const stored = (LAME / 2 + SHEAR) * L * (k ** 2 * second + (k ** 4 / 4) * fourth);
      expect(Math.abs(energy / stored - 1)).toBeLessThan(1e-13);
    }
  });
});

describe('a solid whose points move by polynomials', () => {
  const BOX = `coordinates: { e: { limits: [-0.9, 2] }, g: {} }
    volume: { box: { x: [0, L], y: [0, L], z: [0, L] }, density: rho }
    position: [x + g*z, y, z*(1 + e)]
    distal: none`;
  const strains = (e: number, g: number) => ({ zz: e + (e * e + g * g) / 2, xz: g / 2 });

  it('keeps its digits when it is hardly stretched and sheared', async () => {
    const at = await forcesOf(`${BOX}
    material: { st-venant-kirchhoff: { E: E, nu: ${NU} } }`);
    for (const size of SIZES) {
      const [e, g] = [0.7 * size, -0.4 * size];
      const { zz, xz } = strains(e, g);
      const stress = (LAME + 2 * SHEAR) * zz;
      const { forces } = at([e, g]);
      const due = [stress * (1 + e), stress * g + 2 * SHEAR * xz].map((x) => x * L ** 3);
      forces.forEach((force, i) => expect(Math.abs(force / due[i]! - 1)).toBeLessThan(1e-13));
    }
  });

  it('has them in the invariants that laws of rubber are written in', async () => {
    const at = await forcesOf(`${BOX}
    material: { energy: "E*(I1 - 3) + 2*E*(I2 - 3)" }`);
    for (const size of SIZES) {
      const [e, g] = [0.7 * size, -0.4 * size];
      const { zz, xz } = strains(e, g);
      // I1 − 3 = 2 tr e, I2 − 3 = 4 tr e + 2 (tr e)² − 2 e:e of C = 1 + 2 e.
      const first = 2 * zz;
      const second = 4 * zz + 2 * zz ** 2 - 2 * (zz ** 2 + 2 * xz ** 2);
      const { energy } = at([e, g]);
      expect(Math.abs(energy / (E * (first + 2 * second) * L ** 3) - 1)).toBeLessThan(1e-12);
    }
  });
});

describe('a solid whose sections turn and grow', () => {
  const Wide = Decimal.clone({ precision: 60 });
  const [one, length, w, h] = [1, L, R, R / 2].map((x) => new Wide(x)) as [Decimal, Decimal, Decimal, Decimal];
  const lambda = new Wide(E)
    .times(NU)
    .div(new Wide(1).plus(NU))
    .div(new Wide(1).minus(new Wide(NU).times(2)));
  const mu = new Wide(E).div(new Wide(1).plus(NU)).div(2);
  const volume = w.times(h).times(length);
  type Energy = (turn: Decimal, growth: Decimal) => Decimal;
  /** Mean of (λ/2)(2 e_b + e_z)² + μ (2 e_b² + e_z² + 2 (e_xz² + e_yz²)) from e_b and the means of e_z, e_z² and e_xz² + e_yz². */
  const stored = (across: Decimal, along: Decimal, square: Decimal, shear: Decimal): Decimal => {
    const trace = across.times(2).pow(2).plus(across.times(4).times(along)).plus(square);
    const double = across.pow(2).times(2).plus(square).plus(shear.times(2));
    return lambda.div(2).times(trace).plus(mu.times(double)).times(volume);
  };
  const [xx, yy] = [w.pow(2).div(12), h.pow(2).div(12)];
  const [xxxx, yyyy] = [w.pow(4).div(80), h.pow(4).div(80)];
  /** e_z = −κ b x + κ² b² x²/2. */
  const bent: Energy = (th, growth) => {
    const b = growth.plus(1);
    const k = th.div(length).times(b);
    const square = k.pow(2).times(xx).plus(k.pow(4).times(xxxx).div(4));
    return stored(b.pow(2).minus(one).div(2), k.pow(2).times(xx).div(2), square, new Wide(0));
  };
  /** e_z = ω² b² r²/2, (e_xz, e_yz) = ω b² (−y, x)/2. */
  const twisted: Energy = (th, growth) => {
    const b = growth.plus(1);
    const rate = th.div(length);
    const half = rate.times(b).pow(2).div(2);
    const fourth = xxxx.plus(yyyy).plus(xx.times(yy).times(2));
    const [along, square] = [half.times(xx.plus(yy)), half.pow(2).times(fourth)];
    const shear = rate.times(b.pow(2)).div(2).pow(2).times(xx.plus(yy));
    return stored(b.pow(2).minus(one).div(2), along, square, shear);
  };
  /** e_z = f + f²/2 with f = 2 e s/L. */
  const unevenly: Energy = (e, growth) => {
    const along = e.plus(e.pow(2).times(2).div(3));
    const square = e.pow(2).times(4).div(3).plus(e.pow(3).times(2)).plus(e.pow(4).times(4).div(5));
    return stored(growth.plus(1).pow(2).minus(one).div(2), along, square, new Wide(0));
  };
  const slope = (f: (x: Decimal) => Decimal, x: number, size: number): Decimal => {
    const step = new Wide('1e-20').times(size);
    const at = new Wide(x);
    return f(at.plus(step))
      .minus(f(at.minus(step)))
      .div(step.times(2));
  };

  it.each([
    ['bent', bent, '["L*(1 - cos(a))/th + b*x*cos(a)", b*y, "L*sin(a)/th - b*x*sin(a)"]'],
    ['twisted', twisted, '[b*(x*cos(a) - y*sin(a)), b*(x*sin(a) + y*cos(a)), s]'],
    ['stretched otherwise at every place', unevenly, '[b*x, b*y, s + th*s^2/L]'],
  ] as const)('keeps its digits when it is hardly %s', async (_, energyOf, position) => {
    const at = await forcesOf(`coordinates: { th: { unit: rad, limits: [-2, 2] }, c: { limits: [-0.5, 0.5] } }
    volume: { rod: { s: [0, L] }, section: { rectangle: [R, R/2], cartesian: [x, y] }, density: rho }
    let: { a: th*s/L, b: 1 + c }
    position: ${position}
    distal: none
    material: { st-venant-kirchhoff: { E: E, nu: ${NU} } }`);
    for (const size of SIZES) {
      const [th, c] = [0.7 * size, -0.2 * size];
      const { forces, energy } = at([th, c]);
      const due = [slope((x) => energyOf(x, new Wide(c)), th, size), slope((x) => energyOf(new Wide(th), x), c, size)];
      forces.forEach((force, i) => expect(new Wide(force).div(due[i]!).minus(1).abs().toNumber()).toBeLessThan(1e-13));
      const whole = energyOf(new Wide(th), new Wide(c));
      expect(new Wide(energy).div(whole).minus(1).abs().toNumber()).toBeLessThan(1e-13);
    }
  });

  it('is that of every link, where some only are stretched otherwise at every place', async () => {
    const at = await forcesOf(
      `coordinates: { e: { limits: [-0.4, 0.4] }, c: { limits: [-0.5, 0.5] } }
    volume: { rod: { s: [0, L] }, section: { rectangle: [R, R/2], cartesian: [x, y] }, density: rho }
    position: [x*(1 + c), y*(1 + c), s*(1 + (1 - p)*e) + p*e*s^2/L]
    distal: none
    material: { st-venant-kirchhoff: { E: E, nu: ${NU} } }`,
      ['body: solid, parent: base', 'name: other, body: solid, parent: base, parameters: { p: 1 }'],
    );
    const evenly: Energy = (e, growth) => {
      const along = e.plus(e.pow(2).div(2));
      return stored(growth.plus(1).pow(2).minus(one).div(2), along, along.pow(2), new Wide(0));
    };
    const [e, c] = [0.3, -0.1];
    const due = [evenly, unevenly].flatMap((energyOf) => [
      slope((x) => energyOf(x, new Wide(c)), e, 1),
      slope((x) => energyOf(new Wide(e), x), c, 1),
    ]);
    const { forces } = at([e, c, e, c]);
    forces.forEach((force, i) => expect(new Wide(force).div(due[i]!).minus(1).abs().toNumber()).toBeLessThan(1e-13));
  });
});

/**
 * A volume-preserving body of eight coordinates of St. Venant-Kirchhoff material: generated elastic forces against difference quotients of
 * its energy in fifty digits, with the deformation gradient from difference quotients of positions. Under KANEGEN_FULL.
 */
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { DeformableBody } from '../../src/description/model/robot.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { gaussLegendre } from '../../src/verify/arithmetic/gauss-legendre.ts';
import { fieldFormulas } from '../../src/verify/written/material-field.ts';

const [L, R, E, nu] = [0.2, 0.02, 1.06e6, 0.4];
const n = 8;

const text = `
kanegen: 1
name: cylinder
body-types:
  rubber:
    extends: lvp-8
    material: { st-venant-kirchhoff: { E: ${E} Pa, nu: ${nu} } }
    integration: { tolerance: 1e-11 }
links: [ { name: soft, body: rubber, parameters: { L: ${L} m, R: ${R} m } } ]
`;

const Number_ = decimalOfPrecision(50);
const PI = Number_.acos(-1);
type Vector = readonly Decimal[];

/** Gauss points: along the axis, along the radius, and angles. */
const [AXIAL, RADIAL, ANGLES] = [20, 5, 10];

/** V by the formulas as they are written. */
class Energy {
  private readonly formulas: readonly Expr[];
  private readonly symbols: readonly Expr[];
  private readonly coordinates: readonly Expr[];
  private readonly parameters: readonly (readonly [Expr, Decimal])[];

  constructor({ type }: DeformableBody) {
    const [volume] = type.volumes as readonly [RodVolume];
    this.formulas = fieldFormulas(type, volume).slice(0, 3);
    this.symbols = [...volume.section, volume.axial];
    this.coordinates = type.coordinates.map(({ symbol }) => symbol);
    this.parameters = type.parameters.map((p) => [p.symbol, new Number_(p.name === 'L' ? L : R)] as const);
  }

  private place(at: Vector, q: Vector): Decimal[] {
    const bindings = new Map([
      ...this.parameters,
      ...this.symbols.map((s, i) => [s, at[i]!] as const),
      ...this.coordinates.map((s, a) => [s, q[a]!] as const),
    ]);
    return evaluateDecimal(this.formulas, bindings, Number_);
  }

  /** W of the deformation at a point: λ/2 (tr E)² + μ E : E. */
  private density(at: Vector, q: Vector): Decimal {
    const h = new Number_('1e-14');
    const columns = [0, 1, 2].map((i) => {
      const [after, before] = [h, h.neg()].map((by) =>
        this.place(
          at.map((x, k) => (k === i ? x.plus(by) : x)),
          q,
        ),
      ) as [Decimal[], Decimal[]];
      return after.map((x, k) => x.minus(before[k]!).div(h.times(2)));
    });
    const strain = (i: number, j: number): Decimal =>
      columns[i]!.reduce((sum, x, k) => sum.plus(x.times(columns[j]![k]!)), new Number_(i === j ? -1 : 0)).div(2);
    const mu = new Number_(E).div(new Number_(nu).plus(1).times(2));
    const lambda = mu
      .times(2)
      .times(nu)
      .div(new Number_(1).minus(new Number_(nu).times(2)));
    const trace = strain(0, 0).plus(strain(1, 1)).plus(strain(2, 2));
    const all = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => strain(i, j).pow(2)));
    const squares = all.reduce((sum, x) => sum.plus(x), new Number_(0));
    return lambda.times(trace.pow(2)).div(2).plus(mu.times(squares));
  }

  at(q: Vector): Decimal {
    let total = new Number_(0);
    for (const axial of gaussLegendre(AXIAL, Number_))
      for (const radial of gaussLegendre(RADIAL, Number_)) {
        const [z, r] = [axial.position.times(L), radial.position.times(R)];
        for (let k = 0; k < ANGLES; k++) {
          const angle = PI.times(2 * k).div(ANGLES);
          const weight = r.times(axial.weight).times(radial.weight);
          total = total.plus(weight.times(this.density([r.times(angle.cos()), r.times(angle.sin()), z], q)));
        }
      }
    return total.times(L).times(R).times(PI).times(2).div(ANGLES);
  }

  /** dV along a direction. */
  along(q: readonly number[], direction: readonly number[]): Decimal {
    const h = new Number_('1e-10');
    const at = (by: Decimal): Decimal => this.at(q.map((x, a) => by.times(direction[a]!).plus(x)));
    return at(h).minus(at(h.neg())).div(h.times(2));
  }
}

describe.runIf(process.env['KANEGEN_FULL'] === '1')('elastic forces of a volume-preserving cylinder', () => {
  it('are derivatives of its energy to ten digits, with a symmetric stiffness', { timeout: 900_000 }, async () => {
    const robot = loadRobotText(text, 'cylinder.robot.yaml');
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const energy = new Energy(robot.links[0]!.body as DeformableBody);
    const forcesAt = (q: readonly number[]): number[] => {
      const elastic = new Float64Array(n);
      expect(dynamics.update([...q], new Array<number>(n).fill(0))).toBe(KG_OK);
      expect(dynamics.terms(null, null, elastic, null)).toBe(KG_OK);
      return [...elastic];
    };
    const q = [0.21, -0.34, 0.12, -0.27, 0.25, -0.18, 0.2, 0.29];
    const elastic = forcesAt(q);
    const K = new Float64Array(n * n);
    expect(dynamics.stiffness(K)).toBe(KG_OK);
    for (let a = 0; a < n; a++)
      for (let b = 0; b < a; b++)
        expect(Math.abs(K[a * n + b]! - K[b * n + a]!) / Math.sqrt(K[a * n + a]! * K[b * n + b]!)).toBeLessThan(1e-12);
    const direction = q.map((_, a) => Math.sin(2.3 * a + 1));
    const parts = elastic.map((force, a) => force * direction[a]!);
    const found = parts.reduce((sum, x) => sum.plus(x), new Decimal(0));
    const size = parts.reduce((sum, x) => sum + Math.abs(x), 0);
    expect(found.minus(energy.along(q, direction)).abs().toNumber() / size).toBeLessThan(1e-10);
    const [far, near, after, beyond] = [-2, -1, 1, 2].map((k) =>
      forcesAt(q.map((x, a) => x + 1e-3 * k * direction[a]!)),
    ) as [number[], number[], number[], number[]];
    for (let a = 0; a < n; a++) {
      const quotient = (far[a]! - 8 * near[a]! + 8 * after[a]! - beyond[a]!) / 12e-3;
      const terms = direction.map((x, b) => K[a * n + b]! * x);
      const change = terms.reduce((sum, x) => sum + x, 0);
      expect(Math.abs(change - quotient) / terms.reduce((sum, x) => sum + Math.abs(x), 0)).toBeLessThan(1e-8);
    }
  });
});

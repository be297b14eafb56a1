/**
 * The deforming section of a row, at its frame. With ρ = Σ_m β_m b_m in the plane of the section, M_mn = ∫ β_m β_n dm and A_m = ∫ β_m dm,
 * a point of it accelerates by a + α × ρ + ω × (ω × ρ) + 2 ω × ρ̇ + ρ̈, and the modes take
 *   h_m = A_m a + N Σ_n M_mn b_n + 2 ω_z J Σ_n M_mn ḃ_n + Σ_n M_mn b̈_n
 * in that plane, with N = ω ωᵀ − ω² + α_z J and J a quarter turn, all in the axes of the section. Coordinate a feels Σ_m ∂b_m/∂q_a · h_m.
 */
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { half, integer, minus, negate, one, plus, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  dot,
  multiplySymmetric,
  multiplyTransposed,
  multiplyVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import { simplest, timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import type { MassMoments } from '../equations/recursion.ts';
import { RodLump, type SectionFlow, type SectionLoads, type SectionMotion } from './rod-lump.ts';
import type { KeptValues } from './rod-rows.ts';
import type { SectionModes } from './section-modes.ts';

type Plane = readonly [Expr, Expr];

/** Where the row is, and what of it is kept: what the parameters decide, and what the configuration decides. */
export interface SectionRow {
  readonly axial: Expr;
  readonly section: Expr;
  /** Length of rod that the row stands for. */
  readonly weight: Expr;
  /** Of the body, for labels. */
  readonly names: readonly string[];
  readonly constants: KeptValues;
  readonly steps: KeptValues;
}

/** The modes at a row, their masses times the length of it. */
interface RowModes {
  readonly moments: MassMoments;
  readonly first: readonly Expr[];
  readonly second: readonly (readonly Expr[])[];
  /** b_m, and Σ_n M_mn b_n. */
  readonly value: readonly Plane[];
  readonly weighed: readonly Plane[];
  /** ∂b_m/∂q_a by coordinate, then ∂b_m/∂time. */
  readonly by: readonly (readonly Plane[])[];
  /** b̈_m at q̈ = 0. */
  readonly bias: readonly Plane[];
}

export class DeformingLump extends RodLump {
  override readonly moving: readonly number[];
  private readonly rotation: Matrix3;
  private readonly modes: RowModes;
  private readonly symbols: CoordinateSymbols;

  /** @param rotation from the section's axes to those that everything is given in. */
  constructor(modes: SectionModes, row: SectionRow, symbols: CoordinateSymbols, rotation: Matrix3) {
    const own = modesAt(modes, row, symbols);
    super(own.moments, rotation);
    this.modes = own;
    this.rotation = rotation;
    this.symbols = symbols;
    this.moving = symbols.q.flatMap((_, a) => (own.by[a]!.some((b) => !isNone(b)) ? [a] : []));
  }

  override loads({ flow, ...motion }: SectionMotion): SectionLoads {
    const { rotation, modes, moving } = this;
    const { mass, first, inertia } = modes.moments;
    const [w, alpha, a] = [motion.angularVelocity, motion.angularAcceleration, motion.acceleration].map((v) =>
      multiplyTransposed(rotation, v),
    ) as [Vector3, Vector3, Vector3];
    const { rates, second } = this.flowing(flow);
    const [wx, wy, wz] = w;
    const twice = integer(2);
    const across: Plane = [a[0], a[1]];
    const [flowOfModes, weighedRates] = [second, rates].map((list) => this.weigh(list)) as [Plane[], Plane[]];
    /** N v + 2 ω_z J v' + v'' */
    const turned = ([x, y]: Plane, [rx, ry]: Plane, [sx, sy]: Plane): Plane => [
      plus(
        negate(times(plus(square(wy), square(wz)), x)),
        times(minus(times(wx, wy), alpha[2]), y),
        negate(times(twice, wz, ry)),
        sx,
      ),
      plus(
        times(plus(times(wx, wy), alpha[2]), x),
        negate(times(plus(square(wx), square(wz)), y)),
        times(twice, wz, rx),
        sy,
      ),
    ];
    const onModes = modes.weighed.map((b, m): Plane => {
      const [x, y] = turned(b, weighedRates[m]!, flowOfModes[m]!);
      return [plus(times(modes.first[m]!, across[0]), x), plus(times(modes.first[m]!, across[1]), y)];
    });
    const [c, rate, bend] = [[first[0], first[1]] as Plane, this.total(rates), this.total(second)];
    const [fx, fy] = turned(c, rate, bend);
    // Out of the plane the acceleration is a_z + g · ρ + 2 (ω_x ρ̇_y − ω_y ρ̇_x).
    const g: Plane = [minus(times(wz, wx), alpha[1]), plus(times(wz, wy), alpha[0])];
    const outOf = ([x, y]: Plane): Expr => times(twice, minus(times(wx, y), times(wy, x)));
    const force: Vector3 = [
      plus(times(mass, a[0]), fx),
      plus(times(mass, a[1]), fy),
      plus(times(mass, a[2]), dotPlane(g, c), outOf(rate)),
    ];
    const [yy, xx, , xy] = [inertia[0], inertia[1], inertia[2], negate(inertia[3])];
    const mixed = (axis: 0 | 1): Plane => [
      plus(...rates.map(([x], m) => times(modes.weighed[m]![axis], x))),
      plus(...rates.map(([, y], m) => times(modes.weighed[m]![axis], y))),
    ];
    const moment: Vector3 = [
      plus(times(a[2], c[1]), dotPlane(g, [xy, yy]), outOf(mixed(1))),
      negate(plus(times(a[2], c[0]), dotPlane(g, [xx, xy]), outOf(mixed(0)))),
      plus(...modes.value.map((b, m) => crossPlane(b, onModes[m]!))),
    ];
    return {
      force: multiplyVector(rotation, force),
      moment: multiplyVector(rotation, moment),
      generalized: moving.map((q) => plus(...modes.by[q]!.map((b, m) => dotPlane(b, onModes[m]!)))),
    };
  }

  override kineticEnergy(velocity: Vector3, angularVelocity: Vector3): Expr {
    const { mass, first, inertia } = this.modes.moments;
    const [v, w] = [velocity, angularVelocity].map((e) => multiplyTransposed(this.rotation, e)) as [Vector3, Vector3];
    const { rates } = this.flowing('velocities');
    const weighed = this.weigh(rates);
    const [cx, cy] = this.total(rates);
    const momentum: Vector3 = addVectors(cross(w, first), [cx, cy, zero]);
    return times(
      half,
      plus(
        times(mass, dot(v, v)),
        times(integer(2), dot(v, momentum)),
        dot(w, multiplySymmetric(inertia, w)),
        times(integer(2), w[2], plus(...this.modes.value.map((b, m) => crossPlane(b, weighed[m]!)))),
        ...rates.map((b, m) => dotPlane(b, weighed[m]!)),
      ),
    );
  }

  /** ḃ_m and b̈_m. */
  private flowing(flow: SectionFlow): { readonly rates: readonly Plane[]; readonly second: readonly Plane[] } {
    const { modes, symbols } = this;
    const { q, qd, qdd, time } = symbols;
    const still = modes.value.map((): Plane => [zero, zero]);
    const along = (factors: readonly Expr[], m: number, axis: 0 | 1): Expr =>
      plus(...factors.map((f, a) => times(f, modes.by[a]![m]![axis])));
    const combined = (factors: readonly Expr[]): readonly Plane[] =>
      still.map((_, m): Plane => [along(factors, m, 0), along(factors, m, 1)]);
    const rates = (): readonly Plane[] => combined(time ? [...qd, one] : qd);
    const sum = (a: readonly Plane[], b: readonly Plane[]): readonly Plane[] =>
      a.map(([x, y], m): Plane => [plus(x, b[m]![0]), plus(y, b[m]![1])]);
    switch (flow) {
      case 'none':
        return { rates: still, second: still };
      case 'velocities':
        return { rates: rates(), second: modes.bias };
      case 'accelerations':
        return { rates: still, second: combined(qdd) };
      case 'both':
        return { rates: rates(), second: sum(combined(qdd), modes.bias) };
      default:
        return { rates: still, second: combined(q.map((_, a) => (a === flow ? one : zero))) };
    }
  }

  /** Σ_n M_mn u_n */
  private weigh(u: readonly Plane[]): readonly Plane[] {
    return weighedBy(this.modes.second, u);
  }

  /** ∫ Σ β_m u_m dm */
  private total(u: readonly Plane[]): Plane {
    return totalBy(this.modes.first, u);
  }
}

const isNone = ([x, y]: Plane): boolean => x === zero && y === zero;
const dotPlane = ([a, b]: Plane, [c, d]: Plane): Expr => plus(times(a, c), times(b, d));
const crossPlane = ([a, b]: Plane, [c, d]: Plane): Expr => minus(times(a, d), times(b, c));

const weighedBy = (M: readonly (readonly Expr[])[], u: readonly Plane[]): readonly Plane[] =>
  M.map((row): Plane => [
    plus(...row.map((e, n) => times(e, u[n]![0]))),
    plus(...row.map((e, n) => times(e, u[n]![1]))),
  ]);

const totalBy = (A: readonly Expr[], u: readonly Plane[]): Plane => [
  plus(...A.map((e, m) => times(e, u[m]![0]))),
  plus(...A.map((e, m) => times(e, u[m]![1]))),
];

function modesAt(
  { mass, first, second, coefficients }: SectionModes,
  { axial, section, weight, names, constants, steps }: SectionRow,
  symbols: CoordinateSymbols,
): RowModes {
  const here = new Map<Expr, Expr>([[axial, section]]);
  const at = (e: Expr): Expr => substitute([e], here)[0]!;
  const constant = (label: string, e: Expr): Expr => constants.keep(label, times(weight, at(e)));
  const variables = symbols.time ? [...symbols.q, symbols.time] : symbols.q;
  const labels = symbols.time ? [...names, 'time'] : names;
  const moving = new Set<Expr>(variables);
  const still = { ...symbols, qdd: symbols.q.map(() => zero) };
  const AXES = ['x', 'y'];
  const sampled = coefficients.map((b, m) =>
    b.map((e, i) => {
      const label = `mode_${m + 1}_${AXES[i]!}`;
      const partials = variables.map((q) => simplest(differentiateAll([e], q)[0]!));
      const isLinear = partials.every((p) => !dependsOn(p, moving));
      const by = partials.map((p, a) => (isLinear ? constants : steps).keep(`${label}_by_${labels[a]!}`, at(p)));
      if (!isLinear) {
        const bias = at(timeDerivative(timeDerivative([e], symbols), still)[0]!);
        return { value: steps.keep(label, at(e)), by, bias };
      }
      const rest = constants.keep(`${label}_rest`, at(substitute([e], new Map(variables.map((q) => [q, zero])))[0]!));
      return { value: steps.keep(label, plus(rest, ...by.map((p, a) => times(p, variables[a]!)))), by, bias: zero };
    }),
  );
  const plane = (pick: (own: (typeof sampled)[number][number]) => Expr): readonly Plane[] =>
    sampled.map(([x, y]): Plane => [pick(x!), pick(y!)]);
  const A = first.map((e, m) => constant(`mode_${m + 1}_mass`, e));
  const M = second.map((row, m) =>
    row.map((e, n) => constant(`modes_${Math.max(m, n) + 1}_${Math.min(m, n) + 1}_mass`, e)),
  );
  const kept = (label: string, e: Expr): Expr => steps.keep(label, e);
  const value = plane((own) => own.value);
  const weighed = weighedBy(M, value).map(([x, y], m): Plane => [
    kept(`mode_${m + 1}_weighed_x`, x),
    kept(`mode_${m + 1}_weighed_y`, y),
  ]);
  const moment = (i: 0 | 1, j: 0 | 1): Expr => plus(...value.map((b, m) => times(b[i], weighed[m]![j])));
  const [xx, yy, xy] = [
    kept('section_xx', moment(0, 0)),
    kept('section_yy', moment(1, 1)),
    kept('section_xy', moment(0, 1)),
  ];
  const [cx, cy] = totalBy(A, value).map((e, i) => kept(`section_first_${AXES[i]!}`, e)) as [Expr, Expr];
  const inertia: Symmetric3 = [yy, xx, plus(xx, yy), negate(xy), zero, zero];
  return {
    moments: { mass: constant('section_mass', mass), first: [cx, cy, zero], inertia },
    first: A,
    second: M,
    value,
    weighed,
    by: variables.map((_, a) => plane((own) => own.by[a]!)),
    bias: plane((own) => own.bias),
  };
}

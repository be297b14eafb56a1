/**
 * The terms that the seed papers name for one body, as expressions, for comparison term by term with other tools
 * (Pustina et al., recursive inverse dynamics: eqs. 30–47, where they are taken about the centre of mass in the axes of
 * the distal frame) beside the shape integrals that kanegen computes with (about the proximal origin, proximal axes).
 *
 * With ρ = p − p_CoM in proximal axes and r = Rᵀ ρ its components in the distal frame {S}, time derivatives of r are
 * those an observer in {S} sees: ṙ = Rᵀ(ρ̇ − ω_r × ρ).
 */
import { differentiateAll } from '../symbolic/graph/differentiate.ts';
import { divide, half, integer, minus, negate, plus, times, type Expr } from '../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  mapSymmetric,
  mapVector,
  multiplySymmetric,
  multiplyTransposed,
  pointInertia,
  rotateSymmetric,
  scaleVector,
  subtractVectors,
  transpose,
  zeroVector,
  type Symmetric3,
  type Vector3,
  symmetric3,
} from '../symbolic/graph/vector.ts';
import { closedFormOf, type CompiledBody } from './compile-body.ts';
import { timeDerivative } from './equations/rates.ts';

export interface BodyTerm {
  /** Identifier-safe. */
  readonly name: string;
  readonly summary: string;
  /** The symbol in the paper or in docs/mathematics.md. */
  readonly notation: string;
  readonly frame: 'proximal' | 'distal' | 'none';
  readonly unit: string;
  readonly values: readonly Expr[];
}

const subtractSymmetric = (a: Symmetric3, b: Symmetric3): Symmetric3 => symmetric3(a.map((e, i) => minus(e, b[i]!)));

/** All terms of a body; rates and accelerations as the symbols of `body.symbols`. */
export function bodyTerms(body: CompiledBody): BodyTerm[] {
  return [...shapeTerms(body), ...distalTerms(body)];
}

function shapeTerms(body: CompiledBody): BodyTerm[] {
  const s = closedFormOf(body, 'the list of terms').integrals();
  const names = body.type.coordinates.map((c) => c.name);
  const upper = names.flatMap((_, a) => names.slice(a).map((__, j) => [a, a + j] as const));
  const proximal = { frame: 'proximal' as const };
  return [
    { name: 'mass', notation: 'm', summary: 'mass', frame: 'none', unit: 'kg', values: [s.mass] },
    { ...proximal, name: 'first_moment', notation: 'c', summary: '∫ p dm', unit: 'kg m', values: s.first },
    {
      ...proximal,
      name: 'inertia',
      notation: 'I',
      summary: '∫ (p·p 1 − p pᵀ) dm: xx, yy, zz, xy, xz, yz',
      unit: 'kg m^2',
      values: s.inertia,
    },
    ...names.map((n, a) => ({
      ...proximal,
      name: `angular_${n}`,
      notation: `H_${n}`,
      summary: `∫ p × ∂p/∂${n} dm`,
      unit: 'kg m^2',
      values: s.angular[a]!,
    })),
    ...upper.map(([a, b]) => ({
      frame: 'none' as const,
      name: `gram_${names[a]}_${names[b]}`,
      notation: `G_${names[a]},${names[b]}`,
      summary: `∫ ∂p/∂${names[a]} · ∂p/∂${names[b]} dm`,
      unit: 'kg m^2',
      values: [s.gram[a]![b]!],
    })),
    ...upper
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({
        ...proximal,
        name: `gyroscopic_${names[a]}_${names[b]}`,
        notation: `Y_${names[a]},${names[b]}`,
        summary: `∫ ∂p/∂${names[a]} × ∂p/∂${names[b]} dm`,
        unit: 'kg m^2',
        values: s.gyroscopic[a]![b]!,
      })),
  ];
}

function distalTerms(body: CompiledBody): BodyTerm[] {
  const { symbols } = body;
  const closed = closedFormOf(body, 'the list of terms');
  const { mass, first, inertia, angular, gram } = closed.integrals();
  const { frame, angular: w } = closed.distal;
  const rateOf = <T extends readonly Expr[]>(values: T): T => timeDerivative(values, symbols) as unknown as T;
  const toDistal = (v: Vector3): Vector3 => multiplyTransposed(frame.rotation, v);
  const centre = mapVector(first, (e) => divide(e, mass));
  const centreDistal = toDistal(subtractVectors(centre, frame.translation));
  const centreRate = rateOf(centreDistal);
  const inertiaCentre = subtractSymmetric(
    inertia,
    mapSymmetric(pointInertia(first), (e) => divide(e, mass)),
  );
  const inertiaDistal = rotateSymmetric(transpose(frame.rotation), inertiaCentre);
  const relativeRate = addVectors(zeroVector, ...w.map((v, a) => scaleVector(symbols.qd[a]!, v)));
  // ∫ ρ × ρ̇ and ∫ ρ̇·ρ̇ about the moving centre of mass, proximal axes.
  const firstRate = rateOf(first);
  const momentum = subtractVectors(
    addVectors(zeroVector, ...angular.map((H, a) => scaleVector(symbols.qd[a]!, H))),
    mapVector(cross(first, firstRate), (e) => divide(e, mass)),
  );
  const speedSquared = minus(
    plus(...gram.flatMap((row, a) => row.map((G, b) => times(G, symbols.qd[a]!, symbols.qd[b]!)))),
    divide(dot(firstRate, firstRate), mass),
  );
  const crossRate = toDistal(subtractVectors(momentum, multiplySymmetric(inertiaCentre, relativeRate)));
  const kinetic = times(
    half,
    plus(
      speedSquared,
      negate(times(integer(2), dot(relativeRate, momentum))),
      dot(relativeRate, multiplySymmetric(inertiaCentre, relativeRate)),
    ),
  );
  const distal = { frame: 'distal' as const };
  return [
    {
      ...distal,
      name: 'centre_of_mass',
      notation: 'p_CoM',
      summary: 'centre of mass from the distal origin',
      unit: 'm',
      values: centreDistal,
    },
    {
      ...distal,
      name: 'centre_of_mass_rate',
      notation: 'ṗ_CoM',
      summary: 'its first derivative in the distal frame',
      unit: 'm/s',
      values: centreRate,
    },
    {
      ...distal,
      name: 'centre_of_mass_acceleration',
      notation: 'p̈_CoM',
      summary: 'its second derivative in the distal frame',
      unit: 'm/s^2',
      values: rateOf(centreRate),
    },
    {
      ...distal,
      name: 'inertia_about_centre',
      notation: 'I',
      summary: 'inertia about the centre of mass: xx, yy, zz, xy, xz, yz',
      unit: 'kg m^2',
      values: inertiaDistal,
    },
    {
      ...distal,
      name: 'inertia_rate',
      notation: 'J',
      summary: 'its time derivative',
      unit: 'kg m^2/s',
      values: rateOf(inertiaDistal),
    },
    {
      ...distal,
      name: 'r_cross_rate',
      notation: '∫ r × ṙ dm',
      summary: 'angular momentum of the deformation about the centre of mass',
      unit: 'kg m^2/s',
      values: crossRate,
    },
    {
      ...distal,
      name: 'r_cross_acceleration',
      notation: '∫ r × r̈ dm',
      summary: 'its time derivative',
      unit: 'kg m^2/s^2',
      values: rateOf(crossRate),
    },
    {
      frame: 'none',
      name: 'projected_acceleration',
      notation: '∫ (∂ṙ/∂q̇)ᵀ r̈ dm',
      summary: 'inertial force of the deformation on each coordinate',
      unit: 'N m',
      values: symbols.q.map((q, a) => {
        const [momentumOf] = differentiateAll([kinetic], symbols.qd[a]!) as [Expr];
        return minus(timeDerivative([momentumOf], symbols)[0]!, differentiateAll([kinetic], q)[0]!);
      }),
    },
    ...body.type.coordinates.flatMap((c, a) => [
      {
        frame: 'proximal' as const,
        name: `linear_projector_${c.name}`,
        notation: `∂t/∂${c.name}`,
        summary: `velocity of the distal origin per unit rate of ${c.name}`,
        unit: '1',
        values: closed.distal.linear[a] ?? zeroVector,
      },
      {
        frame: 'proximal' as const,
        name: `angular_projector_${c.name}`,
        notation: `∂ω/∂${c.name}`,
        summary: `angular velocity of the distal frame per unit rate of ${c.name}`,
        unit: '1',
        values: w[a] ?? zeroVector,
      },
    ]),
  ];
}

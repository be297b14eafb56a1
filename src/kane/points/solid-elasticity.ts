/**
 * Elastic and viscous forces of solids, by virtual work over the points of a quadrature rule of their own:
 *   elastic_a = ∂/∂q_a ∫ W(F) dV,   damping_a = ∂/∂q̇_a ½ ∫ η ė : ė dV,
 * with F = ∂p/∂X in Cartesian axes of the reference volume and e = ½(FᵀF − 1), and their matrices
 *   ∂elastic_a/∂q_b = ∂²/∂q_a∂q_b ∫ W(F) dV,   ∂damping_a/∂q̇_b = ∫ η e_a : e_b dV
 * over the same points: exact derivatives of the forces as they are computed. It does not matter to them how the inertial
 * terms of the body are had. Where W, or ½ η ė : ė, is Σ m_k(X) c_k(q, q̇), as those of bodies whose position is linear in functions of the
 * coordinates are for laws that are polynomials of e, the ∫ m_k dV are constants, summed once (`constant-energy.ts`).
 */
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { differentiateAll, gradient } from '../../symbolic/graph/differentiate.ts';
import { half, one, times, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { Volume } from '../../description/model/reference-volume.ts';
import type { SolidMaterial } from '../../description/model/material.ts';
import { timeDerivative, type CoordinateSymbols } from '../equations/rates.ts';
import { pointKinematics } from '../kinematics/point-kinematics.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import { loopsNeeded } from '../loops/loop.ts';
import { FORCE_KINDS, symmetricMatrix, type ForceKind, type ForceTerm } from '../body/force-terms.ts';
import { constantEnergy } from './constant-energy.ts';
import { deformationOf, doubleDot, measuresOf, type Deformation } from './deformation.ts';
import { PointLoops } from './point-loops.ts';
import { choosePointRules } from './point-rules.ts';
import { statesFor, statesOf } from './point-ways.ts';

/** About as many as inertial terms of a body of eight coordinates have. */
const MESH_CONDITIONS = 1600;

/**
 * @param symbols the body's own coordinates, their rates and accelerations.
 * @param parameters of all links of the type.
 * @returns one generalized force per coordinate and term, J over the unit of the coordinate, on the left-hand side.
 * @throws KanegenError `tolerance-not-met` at the volume, `not-supported` for volumes of different coordinates.
 */
export function solidElasticity(
  type: BodyType,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): readonly ForceTerm[] {
  const { solids = [] } = type;
  return [...new Set(solids)].flatMap((solid, k) => {
    const own = type.volumes.filter((_, i) => solids[i] === solid);
    return solid ? ofMaterial(type, own, solid, k === 0 ? '' : `_material_${k + 1}`, symbols, parameters) : [];
  });
}

/**
 * Forces of the volumes that are of one material.
 * @param own these volumes.
 * @param ending tells their loops from those of other materials.
 */
function ofMaterial(
  whole: BodyType,
  own: readonly Volume[],
  solid: SolidMaterial,
  ending: string,
  symbols: CoordinateSymbols,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
): readonly ForceTerm[] {
  const position = whole.kinematics.kind === 'strain' ? undefined : pointKinematics(whole, parameters[0]).position;
  const type: BodyType = { ...whole, volumes: own };
  const deformation = deformationOf(type, position, parameters);
  const elastic = elasticIntegrands(solid, deformation, symbols);
  const viscous = viscousIntegrands(solid, deformation, symbols);
  // Sums over volumes: every point counts with its volume in place of its mass.
  const volumes: BodyType = { ...type, volumes: type.volumes.map((volume) => ({ ...volume, density: one })) };
  // Constants differ between links, not between states.
  const still = statesOf(whole, position, symbols, parameters, 3 * parameters.length);
  const named = [
    { name: `elasticity (${solid.name})`, kind: 'elastic', variables: symbols.q, integrands: elastic },
    { name: 'viscosity', kind: 'damping', variables: symbols.qd, integrands: viscous },
  ] as const;
  const constants = named.map(({ name, kind, variables, integrands }) =>
    integrands
      ? constantEnergy(
          { volumes, symbols, samples: still, name, kind, ending, variables },
          integrands.density,
          integrands.forces,
        )
      : undefined,
  );
  const summed = named.flatMap(({ name, kind, integrands }, i) =>
    integrands && !constants[i] ? [{ name, kind, integrands }] : [],
  );
  const count = statesOfForces(
    type,
    parameters,
    summed.flatMap(({ integrands }) => integrands.forces),
  );
  const samples = (): readonly StateSample[] => statesOf(whole, position, symbols, parameters, count);
  const overPoints = sumsOverPoints(volumes, samples, summed, `_solid${ending}`);
  return named.flatMap(({ integrands }, i) => (integrands ? [constants[i] ?? overPoints.shift()!] : []));
}

/** Points of a mesh are chosen by conditions, one for each integral at each state: with few of them, other states are not met. */
function statesOfForces(
  type: BodyType,
  parameters: readonly [ParameterValues, ...ParameterValues[]],
  forces: readonly Expr[],
): number {
  const isMesh = type.volumes.some(({ kind }) => kind === 'mesh') && forces.length > 0;
  const count = isMesh ? 3 * Math.ceil(MESH_CONDITIONS / (3 * forces.length)) : 0;
  return Math.max(count, statesFor(type, parameters));
}

interface NamedIntegrands {
  readonly name: string;
  readonly kind: ForceKind;
  readonly integrands: Integrands;
}

/** Sums at run time; all terms share their points. @param ending of the names of loops. */
function sumsOverPoints(
  volumes: BodyType,
  samples: () => readonly StateSample[],
  summed: readonly NamedIntegrands[],
  ending: string,
): ForceTerm[] {
  if (summed.length === 0) return [];
  const forces = summed.flatMap(({ integrands }) => integrands.forces);
  const sums = new PointLoops(
    choosePointRules(volumes, forces, samples()).map((chosen) => chosen.rule),
    volumes.parameters.map((p) => p.symbol),
    ending,
  );
  // In the last stage: whoever does not ask for these forces does not pay for them.
  const names = volumes.coordinates.map((c) => c.name);
  const terms = summed.map(({ name, kind, integrands: { forces: own, matrix, density } }): ForceTerm => {
    const labelled = new Map(own.map((e, a) => [names[a]!, e]));
    const entries = matrix.map((row, a) => row.map((e, b) => [`${names[a]}_${names[b]}`, e] as const));
    const sum = sums.integrate(FORCE_KINDS[kind].matrix, 3, new Map(entries.flat()));
    return {
      name,
      kind,
      generalized: sums.integrate(kind, 3, labelled),
      matrix: symmetricMatrix(names.length, (a, b) => sum[(a * (a + 1)) / 2 + b]!),
      ...(kind === 'elastic' && { energy: sums.integrate('stored', 3, new Map([['energy', density]]))[0]! }),
      loops: [],
    };
  });
  const loops = sums.loops();
  return terms.map((own) => ({
    ...own,
    loops: loopsNeeded(loops, [...own.generalized, ...own.matrix, ...(own.energy ? [own.energy] : [])], []),
  }));
}

/** Per unit of volume. */
interface Integrands {
  /** W, or the dissipation ½ η ė : ė. */
  readonly density: Expr;
  /** Its derivatives, one per coordinate. */
  readonly forces: readonly Expr[];
  /** Lower triangle by rows. */
  readonly matrix: readonly (readonly Expr[])[];
}

/** ∂W/∂q_a and ∂²W/∂q_a∂q_b. */
function elasticIntegrands(
  { energy }: SolidMaterial,
  deformation: Deformation,
  symbols: CoordinateSymbols,
): Integrands {
  const [density] = substitute([energy], measuresOf(energy, deformation));
  const forces = cheapest(density!, symbols.q);
  return {
    density: density!,
    forces,
    matrix: forces.map((force, a) => differentiateBy(force, symbols.q.slice(0, a + 1))),
  };
}

function viscousIntegrands(
  { viscosity }: SolidMaterial,
  { shortest: { strain: entries } }: Deformation,
  symbols: CoordinateSymbols,
): Integrands | undefined {
  if (viscosity === undefined) return undefined;
  const rates = timeDerivative(entries, symbols);
  const byCoordinate = symbols.q.map((q) => differentiateAll(entries, q));
  const matrix = byCoordinate.map((left, a) =>
    byCoordinate.slice(0, a + 1).map((right) => times(viscosity, doubleDot(left, right))),
  );
  const density = times(half, viscosity, doubleDot(rates));
  return { density, forces: cheapest(density, symbols.qd), matrix };
}

function differentiateBy(e: Expr, variables: readonly Expr[]): readonly Expr[] {
  return variables.map((variable) => differentiateAll([e], variable)[0]!);
}

/** The gradient, forwards or backwards through the formula, whichever is less work. */
function cheapest(potential: Expr, variables: readonly Expr[]): readonly Expr[] {
  const forward = differentiateBy(potential, variables);
  const backward = gradient(potential, variables);
  const cost = (values: readonly Expr[]): number => totalOperations(countOperations(values));
  return cost(backward) < cost(forward) ? backward : forward;
}

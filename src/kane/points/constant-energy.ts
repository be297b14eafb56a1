/**
 * Energies of solids whose density is Σ m_k(X) c_k(q, q̇): V = Σ K_k c_k with constants K_k = ∫ m_k dV, which are summed over points once with
 * the parameters. Forces are derivatives of V, and nothing is summed when the robot moves. So it is for positions that are linear in
 * functions of the coordinates and laws that are polynomials of the strain: the constants are the entries of stiffness tensors.
 */
import { KanegenError } from '../../common/error.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { gradient } from '../../symbolic/graph/differentiate.ts';
import { one, plus, times, type Expr } from '../../symbolic/graph/expr.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import { materialSymbolsOf } from '../kinematics/distal-frame.ts';
import { forceMatrix, type ForceKind, type ForceTerm } from '../body/force-terms.ts';
import { loopsNeeded } from '../loops/loop.ts';
import { ConstantSums } from './constant-sums.ts';
import { separateRows } from './separate-rows.ts';
import { choosePointRules, forConstants } from './point-rules.ts';

/** Beyond so many constants sums over points are taken, whatever they cost. */
const MOST_CONSTANTS = 300;

/** Of polynomials that are multiplied out, generated code finds at least every second operation to be a common one (a bar of five modes: 2,835 become 774). */
const SHARED = 2;

export interface EnergyRequest {
  /** The body with density 1: integrals over its mass are those over its volume. */
  readonly volumes: BodyType;
  readonly symbols: CoordinateSymbols;
  readonly samples: readonly StateSample[];
  readonly name: string;
  readonly kind: ForceKind;
  /** Of the names of loops. */
  readonly ending: string;
  /** The coordinates, or their rates, by which forces are derivatives. */
  readonly variables: readonly Expr[];
}

/**
 * @param density J/m³, or W/m³ of a dissipation.
 * @param atPoint the same forces at one point, which are summed at run time otherwise.
 * @returns undefined where there is no such form, and where sums at run time cost less.
 */
export function constantEnergy(
  { volumes, symbols, samples, name, kind, ending, variables }: EnergyRequest,
  density: Expr,
  atPoint: readonly Expr[],
): ForceTerm | undefined {
  const material = materialSymbolsOf(volumes.volumes);
  const moving = new Set<Expr>([...symbols.q, ...symbols.qd, ...(symbols.time ? [symbols.time] : [])]);
  const separated = separate(density, material, moving);
  if (!separated) return undefined;
  const modes = separated.map(({ mode }) => mode);
  const sums = constantSums(volumes, samples, modes, `${kind}_constants`, `_${kind}${ending}`);
  if (!sums) return undefined;
  const constants = modes.map((mode, k) => (mode === one ? sums.mass() : sums.integrate(`mode_${k + 1}`, mode)));
  const energy = plus(...separated.map(({ coefficient }, k) => times(constants[k]!, coefficient)));
  const generalized = gradient(energy, variables);
  if (operations(generalized) > SHARED * sums.points * operations(atPoint)) return undefined;
  const matrix = forceMatrix(generalized, variables);
  return {
    name,
    kind,
    generalized,
    matrix,
    ...(kind === 'elastic' && { energy }),
    loops: loopsNeeded(sums.loops(), [...generalized, ...matrix, energy], []),
  };
}

interface EnergyPart {
  readonly mode: Expr;
  readonly coefficient: Expr;
}

/** By functions m_k of the point, or by functions c_k of the coordinates: of a mesh with modes there are far fewer of these. */
function separate(
  density: Expr,
  material: ReadonlySet<Expr>,
  moving: ReadonlySet<Expr>,
): readonly EnergyPart[] | undefined {
  const byPoint = separateRows([density], material, moving, MOST_CONSTANTS);
  const byCoordinates = separateRows([density], moving, material, MOST_CONSTANTS);
  if (!byCoordinates || (byPoint && byPoint.length <= byCoordinates.length))
    return byPoint?.map(({ mode, coefficient }) => ({ mode, coefficient: coefficient[0]! }));
  return byCoordinates.map(({ mode, coefficient }) => ({ mode: coefficient[0]!, coefficient: mode }));
}

/** Over points that are good for all of them; undefined where the tolerance cannot be met. */
function constantSums(
  volumes: BodyType,
  samples: readonly StateSample[],
  modes: readonly Expr[],
  loop: string,
  family: string,
): ConstantSums | undefined {
  try {
    const chosen = choosePointRules(forConstants(volumes), modes, samples);
    return new ConstantSums(
      volumes,
      chosen.map(({ rule }) => rule),
      loop,
      family,
    );
  } catch (error) {
    if (error instanceof KanegenError && error.code === 'tolerance-not-met') return undefined;
    throw error;
  }
}

const operations = (values: readonly Expr[]): number => totalOperations(countOperations(values));

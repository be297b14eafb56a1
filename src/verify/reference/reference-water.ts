/** Water of a reference file, one effect at a time, in the language of robot files. */
import { KanegenError } from '../../common/error.ts';

/** Contents of `parameters.fluid`. */
export interface ReferenceFluid {
  readonly rho_w: number;
  readonly C_n: number;
  readonly C_t: number;
  readonly C_a: number;
  readonly c_n: number;
  readonly c_t: number;
}

/** Effects that a file has numbers for. */
export const WATER_KINDS = [
  'drag_separate',
  'drag_common',
  'drag_linear',
  'buoyancy',
  'added_mass_lagrange',
  'added_mass_normal_acceleration',
] as const;

export type WaterKind = (typeof WATER_KINDS)[number];

export const isAddedMass = (kind: WaterKind): boolean => kind.startsWith('added_mass');

/** @param points along each rod, for drag that has kinks. */
export function referenceWater(
  { rho_w: density, C_n, C_t, C_a, c_n, c_t }: ReferenceFluid,
  kind: WaterKind,
  points?: number,
): object {
  const drag = { normal: C_n, tangential: C_t };
  const effects: Record<WaterKind, object> = {
    drag_separate: { drag },
    drag_common: { drag: { ...drag, form: 'common' } },
    drag_linear: { 'linear-drag': { normal: c_n, tangential: c_t } },
    buoyancy: {},
    added_mass_lagrange: { 'added-mass': C_a },
    added_mass_normal_acceleration: { 'added-mass': { coefficient: C_a, form: 'normal-acceleration' } },
  };
  return { density, buoyancy: kind === 'buoyancy', ...effects[kind], ...(points !== undefined && { points }) };
}

/** A rod so light that all of its inertia is that of the water. */
export const WEIGHTLESS = 1e-17;

export function requireFluid(fluid: ReferenceFluid | undefined): ReferenceFluid {
  if (fluid) return fluid;
  throw new KanegenError('malformed-reference', 'numbers of water need `parameters.fluid`', {
    remedy: 'see the format of the files in test/reference',
  });
}

/** How the integrals over a body are to be had, and how where its type does not say. */
export interface IntegrationChoice {
  readonly method: 'auto' | 'closed-form' | 'quadrature';
  /** Relative error that the inertial terms may have. */
  readonly tolerance: number;
  /** Replace the points of a rule by fewer that match the same moments. */
  readonly compress: boolean;
  /** Rods given by strain: order of the Magnus steps of the rotations; what costs least when missing. */
  readonly magnus?: 4 | 6 | 8;
  /** Rods given by strain: points along the rod; chosen for the tolerance when missing. */
  readonly points?: number;
  /** Rods given by strain: recursion in the material domain, or one with the Jacobian of every point. */
  readonly recursion: 'newton-euler' | 'jacobian';
}

/** Far below what is known of any soft robot; every further digit costs points. */
const DEFAULT_TOLERANCE = 1e-8;

export const DEFAULT_INTEGRATION: IntegrationChoice = {
  method: 'auto',
  tolerance: DEFAULT_TOLERANCE,
  compress: true,
  recursion: 'newton-euler',
};

/** Meshes stand for their shape to no more digits than this; thousands of points become a few dozen. */
const MESH_TOLERANCE = 1e-6;

/** Where a body type does not say otherwise. */
export function defaultIntegration(volumes: readonly { readonly kind: string }[]): IntegrationChoice {
  const isMeshed = volumes.some((volume) => volume.kind === 'mesh');
  return isMeshed ? { ...DEFAULT_INTEGRATION, tolerance: MESH_TOLERANCE } : DEFAULT_INTEGRATION;
}

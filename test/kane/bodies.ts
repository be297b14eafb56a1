/** Body types built by hand, as the loader would build them: for tests of the compiler alone. */
import {
  cos,
  decimal,
  divide,
  minus,
  one,
  plus,
  sin,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { Provenance } from '../../src/description/model/provenance.ts';
import type { BodyKinematics, BodyType, Quantity, StrainKinematics } from '../../src/description/model/robot.ts';
import type { MaterialPoint } from '../../src/description/model/reference-volume.ts';
import { DEFAULT_INTEGRATION } from '../../src/description/model/reference-volume.ts';
import { zeroVector, type Vector3 } from '../../src/symbolic/graph/vector.ts';

/** Straight, without shear or stretch. */
export const REST_STRAIN: StrainKinematics['rest'] = { angular: zeroVector, linear: [zero, zero, one] };

export const [s, x, y] = [symbol('material.s'), symbol('material.x'), symbol('material.y')];
export const [L, R, rho] = [symbol('body.L'), symbol('body.R'), symbol('body.rho')];
export const q = (i: number) => symbol(`body.q${i}`);

const location = { file: '', line: 1, column: 1, path: '' };
const quantity = (name: string, value = 0): Quantity => ({
  name,
  symbol: symbol(`body.${name}`),
  unit: '1',
  value: decimal(value),
});

export function point(values: { s?: Expr; x?: Expr; y?: Expr }): MaterialPoint {
  const entries = (
    [
      ['s', s],
      ['x', x],
      ['y', y],
    ] as const
  ).flatMap(([name, sym]) => (values[name] ? [[sym, values[name]] as const] : []));
  return new Map(entries);
}

export function bodyType(name: string, coordinates: number, kinematics: BodyKinematics, radius: Expr = R): BodyType {
  return {
    name,
    summary: name,
    parameters: [quantity('L', 0.2), quantity('R', 0.02), quantity('rho', 1000)],
    coordinates: Array.from({ length: coordinates }, (_, i) => quantity(`q${i + 1}`)),
    volumes: [
      {
        kind: 'rod',
        axial: s,
        section: [x, y],
        start: zero,
        end: L,
        shape: { shape: 'disc', radius },
        density: rho,
        coordinates: 'cartesian',
        breaks: new Map(),
      },
    ],
    integration: { ...DEFAULT_INTEGRATION, tolerance: 1e-11 },
    kinematics,
    provenance: new Provenance(),
    locations: { whole: location, kinematics: location, distal: location, volume: location },
  };
}

const angle = divide(times(q(1), s), L);

/** A planar arc of angle q1 and length `length`, written as everybody writes it: 0/0 at q1 = 0. */
export function planarArc(length: Expr): Vector3 {
  return [
    plus(divide(times(length, minus(one, cos(angle))), q(1)), times(x, cos(angle))),
    y,
    minus(divide(times(length, sin(angle)), q(1)), times(x, sin(angle))),
  ];
}

export const contact = {
  kind: 'contact' as const,
  contact: { pivot: point({ s: L }), axes: { x: point({ s: L, x: R }), y: point({ s: L, y: R }) } },
};

export const planarElongation = (): BodyType =>
  bodyType('planar-cc-elongation', 2, { kind: 'position', position: planarArc(plus(L, q(2))), distal: contact });

const perLength = (e: Expr): Expr => divide(e, L);

export const spatial = (): BodyType =>
  bodyType('pcc-3d', 3, {
    kind: 'strain',
    rest: REST_STRAIN,
    angular: [perLength(q(1)), perLength(q(2)), zero],
    linear: [zero, zero, plus(one, perLength(q(3)))],
  });

export const sixStrains = (): BodyType =>
  bodyType('pcs', 6, {
    kind: 'strain',
    rest: REST_STRAIN,
    angular: [perLength(q(1)), perLength(q(2)), perLength(q(3))],
    linear: [perLength(q(4)), perLength(q(5)), plus(one, perLength(q(6)))],
  });

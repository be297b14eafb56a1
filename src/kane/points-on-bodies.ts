/**
 * Material points that actuators hold on to, as instances beside the links: points at different places of equal links share a
 * type, whose parameters their material coordinates are.
 */
import { zero, type Expr, type SymbolExpr } from '../symbolic/graph/expr.ts';
import type { BodyType, DeformableBody, Robot } from '../description/model/robot.ts';
import type { CompiledBody } from './compile-body.ts';
import { linkCoordinate } from './link/link-coordinate.ts';
import type { LinkInstance, LinkType } from './link/link-type.ts';
import { pointKernels } from './link/point-kernels.ts';
import { addBodyParameters, ParameterTable, placeJoint } from './parameter-table.ts';
import type { PointOnBody } from './reaching.ts';

export interface PointOptions {
  readonly derivatives: boolean;
  /** Identifies links that share a type. */
  readonly linkKey: (link: number) => string;
  readonly nameType: (wanted: string) => string;
}

export function compilePoints(
  robot: Robot,
  bodies: ReadonlyMap<BodyType, CompiledBody>,
  points: readonly PointOnBody[],
  { derivatives, linkKey, nameType }: PointOptions,
): { readonly types: readonly LinkType[]; readonly instances: readonly LinkInstance[] } {
  const types = new Map<string, LinkType>();
  const instances = points.map(({ link: index, at }): LinkInstance => {
    const link = robot.links[index]!;
    const body = link.body as DeformableBody;
    const table = new ParameterTable();
    const jointSteps = placeJoint(table, link);
    addBodyParameters(body, table);
    const places = new Map<SymbolExpr, Expr>(
      [...at].map(([axis, e]) => {
        const name = axis.name.replace(/^.*\./, '');
        return [axis, table.place(e, `at_${name}`, 'SI', `material coordinate ${name} of the point`)];
      }),
    );
    const key = `${linkKey(index)}|${[...at.keys()].map((axis) => axis.id).join(',')}|${table.key}`;
    const make = (): LinkType => {
      const known = new Set([...places.values()].filter((e) => e !== zero));
      const point = bodies.get(body.type)!.chosen.point({ at: places, name: 'point', known });
      const coordinates = [...link.joint.coordinates, ...body.type.coordinates].map(linkCoordinate);
      const bodyCoordinates = body.type.coordinates.map((_, i) => link.joint.coordinates.length + i);
      const { parameters } = table;
      return {
        name: nameType(`${body.type.name}_point`.replace(/[^A-Za-z0-9]+/g, '_')),
        summary: `material point of ${body.type.summary || body.type.name}`,
        parameters,
        coordinates,
        ...pointKernels({ jointSteps, point, coordinates, bodyCoordinates, parameters }, derivatives),
        hints: new Map(),
        method: bodies.get(body.type)!.chosen.part().method,
        actuationMethods: [],
      };
    };
    const type = types.get(key) ?? make();
    types.set(key, type);
    return {
      name: `point of ${link.name}`,
      type,
      parent: link.parent,
      parameters: table.values,
      actuators: [],
      pointOf: index,
    };
  });
  return { types: [...types.values()], instances };
}

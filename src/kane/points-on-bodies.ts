/**
 * Material points that actuators hold on to, and frames within bodies, as instances beside the links: those at different places
 * of equal links share a type, whose parameters their material coordinates are.
 */
import { zero, type Expr, type SymbolExpr } from '../symbolic/graph/expr.ts';
import { timeOf, type BodyType, type DeformableBody, type Robot } from '../description/model/robot.ts';
import { fieldSymbols, type CarriedFrame, type MaterialPoint } from '../description/model/reference-volume.ts';
import type { CompiledBody } from './compile-body.ts';
import { linkCoordinate } from './link/link-coordinate.ts';
import type { LinkInstance, LinkType } from './kernels/link-type.ts';
import type { Derivatives } from './link/link-builder.ts';
import { pointKernels } from './link/point-kernels.ts';
import { addBodyParameters, ParameterTable, placeJoint } from './parameter-table.ts';
import { unturned } from './body/moving-point.ts';
import { KanegenError, type SourceLocation } from '../common/error.ts';
import { BARE_UNIT } from '../description/values/units.ts';

/** A material point that moves with the coordinates of the link on whose body it is, over parameters of the robot. */
export interface PointOnBody {
  readonly link: number;
  readonly at: MaterialPoint;
  /** With axes that turn with the material; `axes` as in `CarriedFrame`. */
  readonly turning?: {
    readonly axes?: CarriedFrame['axes'];
    /** Also with its Jacobian. */
    readonly isReported: boolean;
    readonly location: CarriedFrame['location'];
  };
}

export interface PointOptions {
  /** With those of derivatives, and of changes along parameters where there are run-time parameters. */
  readonly derivatives: ({ readonly isParametric: boolean } & Pick<Derivatives, 'ofMotions'>) | undefined;
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
  const instances = points.map(({ link: index, at, turning }): LinkInstance => {
    const link = robot.links[index]!;
    const body = link.body as DeformableBody;
    const table = new ParameterTable();
    const jointSteps = placeJoint(table, link);
    addBodyParameters(body, table);
    // Points of a rigid area make a frame together: their coordinates are part of the type. So are those in a mesh with modes.
    const isFixed = turning?.axes !== undefined || body.type.volumes.some((own) => fieldSymbols(own).length > 0);
    const places = new Map<SymbolExpr, Expr>(
      [...at].map(([axis, e]) => {
        const name = axis.name.replace(/^.*\./, '');
        return [
          axis,
          isFixed ? e : table.place(e, `at_${name}`, BARE_UNIT, `material coordinate ${name} of the point`),
        ];
      }),
    );
    const written = [...at.entries(), ...Object.values(turning?.axes ?? {}).flatMap((own) => [...own.entries()])];
    const key = [
      linkKey(index),
      written.map(([axis, e]) => (isFixed ? `${axis.id}=${e.id}` : axis.id)).join(','),
      `${turning ? `frame ${Object.keys(turning.axes ?? {}).join('')}` : 'point'} ${turning?.isReported ?? false}`,
      table.key,
    ].join('|');
    const make = (): LinkType => {
      const known = new Set([...places.values()].filter((e) => e !== zero));
      const { chosen } = bodies.get(body.type)!;
      const request = { at: places, name: 'point', known };
      const within = turning
        ? located(turning.location, () => chosen.frame({ ...request, ...(turning.axes && { axes: turning.axes }) }))
        : unturned(chosen.point(request));
      const isReported = turning?.isReported ?? false;
      const coordinates = [...link.joint.coordinates, ...body.type.coordinates].map(linkCoordinate);
      const bodyCoordinates = body.type.coordinates.map((_, i) => link.joint.coordinates.length + i);
      const { parameters } = table;
      const time = timeOf(link);
      return {
        name: nameType(`${body.type.name}_${turning ? 'frame' : 'point'}`.replace(/[^A-Za-z0-9]+/g, '_')),
        summary: `${turning ? 'frame within' : 'material point of'} ${body.type.summary || body.type.name}`,
        parameters,
        coordinates,
        ...pointKernels(
          {
            ...{ jointSteps, within, isReported, coordinates, bodyCoordinates, parameters },
            ...(time && { time }),
          },
          derivatives && {
            ...(derivatives.ofMotions && { ofMotions: true }),
            ...(derivatives.isParametric && { changing: new Set(parameters.map((own) => own.symbol)) }),
          },
        ),
        hints: new Map(),
        method: bodies.get(body.type)!.chosen.part().method,
        actuationMethods: [],
      };
    };
    const type = types.get(key) ?? make();
    types.set(key, type);
    return {
      name: `${turning ? 'frame' : 'point'} of ${link.name}`,
      type,
      parent: link.parent,
      parameters: table.values,
      actuators: [],
      pointOf: index,
    };
  });
  return { types: [...types.values()], instances };
}

/** What goes wrong with a frame stands where the frame does, not where its body type does. */
function located<T>(location: SourceLocation, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof KanegenError)
      throw new KanegenError(error.code, error.message, { remedy: error.remedy, location });
    throw error;
  }
}

/**
 * Where everything lies in the workspace of a C robot. The fixed part mirrors the enums of kanegen_runtime.h.
 */
import type { RobotModel } from './robot-model.ts';

/** KG_BLOCK and KG_SHARED of kanegen_runtime.h. */
const BLOCK = 31;
const SHARED = 3 + BLOCK + 6 + 6;

export interface WorkspaceLayout {
  /** Coordinates of the robot. */
  readonly n: number;
  readonly q: number;
  readonly qd: number;
  readonly qdd: number;
  readonly unitWrenches: number;
  readonly columns: number;
  readonly massBlock: number;
  readonly share: number;
  /** Null where the values are constants of the robot. */
  readonly atBase: number | null;
  readonly atFrames: number | null;
  readonly linkParameters: number;
  readonly links: readonly {
    readonly block: number;
    readonly bodyWrench: number;
    readonly slot: number;
    /** Only for links whose constants depend on run-time parameters. */
    readonly constants: number;
    readonly parameters: number;
  }[];
  /** Numbers in all. */
  readonly size: number;
}

export function layOutWorkspace(model: RobotModel): WorkspaceLayout {
  let next = SHARED;
  const take = (size: number): number => {
    const start = next;
    next += size;
    return start;
  };
  const n = model.robot.coordinates.length;
  const widest = Math.max(0, ...model.instances.map(({ link }) => link.type.coordinates.length));
  const written = writtenBuffers(model);
  const shared = {
    n,
    q: take(n),
    qd: take(n),
    qdd: take(n),
    unitWrenches: take(6 * widest),
    columns: take(6 * widest),
    massBlock: take(widest * widest),
    share: take(widest),
    atBase: written.has('base') ? take(12) : null,
    atFrames: written.has('frames') ? take(12 * model.frames.length) : null,
    linkParameters: next,
  };
  const parameters = model.instances.map(({ constants, link }) => (constants ? 0 : take(link.type.parameters.length)));
  const links = model.instances.map(({ link, constants }, i) => ({
    block: take(BLOCK),
    bodyWrench: take(link.type.bodyWrenchSize),
    slot: take(link.staged.slot.length),
    constants: constants ? 0 : take(link.staged.constants.length),
    parameters: parameters[i]!,
  }));
  return { ...shared, links, size: next };
}

/** Buffers that the set-up program writes. */
function writtenBuffers(model: RobotModel): ReadonlySet<string> {
  const statements = model.setup?.statements ?? [];
  return new Set(statements.flatMap((statement) => (statement.kind === 'store' ? [statement.place.buffer] : [])));
}

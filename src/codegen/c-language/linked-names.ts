/** Names that the linker sees: they end in precision and ABI, so that what does not fit does not link. */
import type { RobotModel } from '../modules/robot-model.ts';
import { layOutWorkspace, type WorkspaceLayout } from '../modules/workspace.ts';

/** The preprocessor's line by which a name ends in precision and ABI wherever it is linked. */
export function linkedName(model: RobotModel, symbol: string, layout = layOutWorkspace(model)): string {
  const [head, tail] = [`#define ${symbol}`, `KG_LINKED(${symbol}, ${abiText(model, layout)})`];
  return head.length + tail.length < 120 ? `${head} ${tail}` : `${head} \\\n  ${tail}`;
}

/** Hexadecimal, as C reads it after `0x` and the ends of linked names have it. */
export function abiText(model: RobotModel, layout: WorkspaceLayout): string {
  return signature(model, layout).toString(16).padStart(8, '0');
}

/** 31-bit FNV-1a hash of everything that callers see by name, order or size. */
function signature(model: RobotModel, layout: WorkspaceLayout): number {
  const seen = [
    model.robot.coordinates.map((c) => [c.name, c.unit]),
    model.robot.actuators.map((actuator) => [actuator.name, actuator.unit]),
    model.frames.map((f) => f.name),
    model.members.map((p) => [p.name, p.unit]),
    layout.size,
  ];
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(seen))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash >>> 1;
}

import type { GeneratedFile } from '../modules/robot-model.ts';
import type { StraightModel } from '../whole-robot/straight-model.ts';
export async function wgslFiles(_: StraightModel): Promise<GeneratedFile[]> {
  return [];
}

/** What a shared library in C has beside the functions of a robot, `NAME_shared.h` and `.c`: its ABI and sizes, by plain names. */
import { loadTemplates } from '../c-language/templates.ts';
import type { RobotInterface } from '../interface/robot-interface.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';

export async function sharedLibrary(of: RobotInterface, header: readonly string[]): Promise<GeneratedFile[]> {
  const render = await loadTemplates();
  const name = of.robot.identifier;
  const data = { name, upper: name.toUpperCase(), abi: of.abi, header };
  return ['h', 'c'].map((kind) => ({ path: `${name}_shared.${kind}`, text: render(`shared.${kind}`, data) }));
}

/** Templates of generated files, by the folder of their language. */
import { packageFile } from '../modules/assets.ts';

export type Render = (template: string, data: object) => string;

type Folder = 'board' | 'c' | 'cuda' | 'fmu' | 'matlab' | 'python' | 'ros2' | 'rust' | 'wgsl';

export async function loadTemplates(folder: Folder = 'c'): Promise<Render> {
  const { Eta } = await import('eta/core');
  const eta = new Eta({ autoEscape: false, autoTrim: [false, 'nl'], cache: true });
  return (template, data) => eta.renderString(packageFile(`templates/${folder}/${template}.eta`), data);
}

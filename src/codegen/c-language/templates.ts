/** Templates of generated files, by the folder of their language. */
import { packageFile } from '../modules/assets.ts';

export type Render = (template: string, data: object) => string;

export async function loadTemplates(folder: 'board' | 'c' | 'cuda' | 'fmu' | 'python' | 'ros2' | 'rust' | 'wgsl' = 'c'): Promise<Render> {
  const { Eta } = await import('eta/core');
  const eta = new Eta({ autoEscape: false, autoTrim: [false, 'nl'], cache: true });
  return (template, data) => eta.renderString(packageFile(`templates/${folder}/${template}.eta`), data);
}

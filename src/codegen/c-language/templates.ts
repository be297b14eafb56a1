/** Templates of C. */
import { packageFile } from '../modules/assets.ts';

export type Render = (template: string, data: object) => string;

export async function loadTemplates(): Promise<Render> {
  const { Eta } = await import('eta');
  const eta = new Eta({ autoEscape: false, autoTrim: [false, 'nl'], cache: true });
  return (template, data) => eta.renderString(packageFile(`templates/c/${template}.eta`), data);
}

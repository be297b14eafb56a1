/** A sweep over links that are known when the driver runs only: one loop over all of them. */
import { linkFunction } from '../../kane/kernels/link-functions.ts';
import type { DriverLanguage } from './driver-language.ts';
import type { LinkStepPrinter } from './link-steps.ts';
import type { Run } from './equal-links.ts';
import type { BlockPlace } from '../modules/workspace.ts';
import { sweepOf, type SweepName } from '../sweeps/sweeps.ts';

/** @param handed what links find in their blocks from their children: zero where they have none. */
export function loopOverLinks(
  language: DriverLanguage,
  printer: LinkStepPrinter,
  name: SweepName,
  run: Run,
  handed: readonly { readonly place: BlockPlace; readonly size: number }[],
): string[] {
  const { links, isLeaf, has, clearOwn } = language.atRunTime!;
  const { direction, steps, upTo, from, at } = sweepOf(name);
  const inwards = direction === 'inwards';
  const access = language.row('i');
  const printed = steps.flatMap((step) => printer.print(step, { run, access, index: 'i', start: at ? 'at' : 0 }));
  const optional = steps.flatMap((step) =>
    step.step === 'call' && linkFunction(step.function).optional ? [has(step.function)] : [],
  );
  const own = optional.length > 0 ? language.branch(optional.join(' && '), printed) : printed;
  const clears = inwards ? handed.map((part) => clearOwn(part.place, part.size)) : [];
  const lines = [
    ...access.declarations,
    ...(clears.length > 0 ? language.branch(isLeaf, clears) : []),
    ...(from ? language.branch('start <= i', own) : own),
  ];
  return [
    language.loop('i', 0, links, inwards, upTo ? 'i <= last' : undefined),
    ...lines.map((line) => `  ${line}`),
    '}',
  ];
}

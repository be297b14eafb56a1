/** What a link does in a sweep, as statements; and sweeps as loops over links. */
import { PAIR_SIZE, pairsBefore } from '../../description/model/contact.ts';
import { linkFunction } from '../../kane/kernels/link-functions.ts';
import { BUFFERS, tangentOf, type Buffer } from '../../kane/kernels/buffers.ts';
import { printProgram } from '../printing/print-arithmetic.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { blockPlaceOf, type BlockPlace } from '../modules/workspace.ts';
import {
  added,
  matrixIndex,
  multiple,
  sum,
  within,
  type DriverLanguage,
  type Index,
  type LinkAccess,
} from './driver-language.ts';
import type { Run } from './equal-links.ts';
import { EliminationPrinter } from './elimination-steps.ts';
import {
  addendLines,
  implicitLoadLines,
  repeatStepLines,
  stepAdjointLines,
  stepTangentLines,
} from './implicit-steps.ts';
import { blockOf, callOf, countOf, each, hasFunction, pairLines, whereHas, type LinkPlace } from './link-calls.ts';
import { product } from '../sweeps/indices.ts';
import { inverseProgram } from './robot-programs.ts';
import type { LinkStep } from '../sweeps/sweep-steps.ts';
import { sweepOf, type SweepName } from '../sweeps/sweeps.ts';

/** Of a robot with n coordinates and u actuators. */
export class LinkStepPrinter {
  private readonly language: DriverLanguage;
  private readonly n: Index;
  private readonly u: Index;
  /** Is there a coordinate with another below it, whose unit wrench is carried there? */
  private readonly carries: boolean;
  private readonly gathers: boolean;
  private readonly elimination: EliminationPrinter;
  /** By link, the index of its first coordinate that follows the time. */
  private readonly firstHeld: readonly number[];
  private readonly robot: RobotModel['robot'];

  constructor(
    language: DriverLanguage,
    model: RobotModel,
    { n, u, carries, gathers }: { n: Index; u: Index; carries: boolean; gathers: boolean },
  ) {
    this.language = language;
    this.n = n;
    this.u = u;
    this.carries = carries;
    this.gathers = gathers;
    this.robot = model.robot;
    let next = 0;
    this.firstHeld = model.robot.links.map(({ joint }) => {
      const first = next;
      next += joint.prescribed?.coordinates.length ?? 0;
      return first;
    });
    this.elimination = new EliminationPrinter(language, model);
  }

  print(step: LinkStep, at: LinkPlace): string[] {
    const { language } = this;
    const { run, access, index, start } = at;
    const count = countOf(language, run.link);
    const terms = run.link.type.inputs.inputs.length;
    const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
    const place = (array: string, a: Index): string => `${array}[${sum(start, sum(access.first, a))}]`;
    switch (step.step) {
      case 'put':
        return each(language, 'a', count, (a) => [`${own(step.buffer, a)} = ${language.value(place(step.array, a))};`]);
      case 'clear':
        return each(language, 'a', count, (a) => [`${own(step.buffer, a)} = ${language.target.number(0)};`]);
      case 'time':
        return [`${own('time', 0)} = ${language.value(language.sharedNumber('time', 0))};`];
      case 'take':
        return each(language, 'a', count, (a) => [`${place(step.array, a)} = ${language.value(own(step.buffer, a))};`]);
      case 'direct': {
        const to = (a: Index): string => own(tangentOf(step.buffer), a);
        const given = each(language, 'a', count, (a) => [`${to(a)} = ${language.value(place(step.array, a))};`]);
        return [
          ...each(language, 'a', count, (a) => [`${to(a)} = ${language.target.number(0)};`]),
          ...(count !== 0 ? language.branch(language.isGiven(step.array), given) : []),
        ];
      }
      case 'unit':
        return this.elimination.unit(at);
      case 'remain': {
        const rest = (a: Index): string => own('load', a);
        const given = each(language, 'a', count, (a) => [added(language, rest(a), place(step.array, a))]);
        return [
          ...each(language, 'a', count, (a) => [`${rest(a)} = -${language.value(place(step.less, a))};`]),
          ...(count !== 0 ? language.branch(language.isGiven(step.array), given) : []),
        ];
      }
      case 'subtract':
        return whereHas(language, run.link, step.function, () => [
          ...callOf(language, step.function, at),
          ...each(language, 'a', count, (a) => {
            const rest = own('load', a);
            return [`${rest} = ${language.value(rest)} - ${language.value(own('generalizedForce', a))};`];
          }),
        ]);
      case 'keepWater': {
        const isMore = step.more && hasFunction(run.link, 'dragAndBuoyancy');
        return each(language, 'a', count, (a) => {
          const [held, force] = [own('waterForce', a), language.value(own('generalizedForce', a))];
          return [`${held} = ${isMore ? `${language.value(held)} + ` : ''}${force};`];
        });
      }
      case 'subtractWater':
        if (!hasFunction(run.link, 'backwardFluid')) return [];
        return each(language, 'a', count, (a) => {
          const rest = own('load', a);
          return [`${rest} = ${language.value(rest)} - ${language.value(own('waterForce', a))};`];
        });
      case 'addend':
        return addendLines(language, step.of, at);
      case 'implicitLoad':
        return implicitLoadLines(language, at, (a) => ({ rq: place(step.rq, a), rv: place(step.rv, a) }));
      case 'implicitSolution': {
        const of = (a: Index): string[] => {
          const [rq, rv, xq, xv] = [step.rq, step.rv, step.xq, step.xv].map((array) => place(array, a));
          return [
            `${xv} = h * ${language.value(rv!)} + ${language.value(own('accelerations', a))};`,
            `${xq} = h * (${language.value(rq!)} + ${language.value(xv!)});`,
          ];
        };
        return each(language, 'a', count, of);
      }
      case 'repeatStep':
        return repeatStepLines(language, at, 'qddTangent', (a) => place(step.array, a));
      case 'stepTangent': {
        const qdd = (a: Index): string => `${step.qdd}[${sum(access.first, a)}]`;
        return stepTangentLines(language, at, qdd, (a) => place(step.array, a));
      }
      case 'stepAdjoint':
        return stepAdjointLines(language, at, (array, a) => place(step[array], a));
      case 'advance':
        return each(language, 'a', count, (a) => [
          `${place(step.qd, a)} = ${language.value(own('qd', a))} + h * ${language.value(own('accelerations', a))};`,
          `${place(step.q, a)} = ${language.value(own('q', a))} + h * ${language.value(place(step.qd, a))};`,
        ]);
      case 'eliminateTangent':
        return this.elimination.eliminate(step.underLoad === true, at);
      case 'reduceFactored':
        return this.elimination.reduce(at);
      case 'restoreFactored':
        return this.elimination.restore(step.array, at);
      case 'require': {
        const refused = language.sharedNumber('refused', 0);
        const isBelow = (number: string): string => `${language.value(number)} <= ${language.target.number(0)}`;
        return each(language, 'a', count, (a) =>
          language.branch(`${isBelow(own('pivots', a))} && ${isBelow(refused)}`, [
            `${refused} = ${language.asNumber(sum(index, 1))};`,
          ]),
        );
      }
      case 'add':
        return each(language, 'a', count, (a) => [
          added(language, place(step.array, a), own(step.buffer ?? 'generalizedForce', a)),
        ]);
      case 'deduct':
        return each(language, 'a', count, (a) => {
          const [all, part] = [place(step.array, a), own(step.buffer, a)];
          return [`${all} = ${language.value(all)} - ${language.value(part)};`];
        });
      case 'inputs':
        return each(language, 'k', terms, (k) => [
          `${language.sharedNumber('inputs', k)} = ${language.value(`${step.array}[${access.actuator(k)}]`)};`,
        ]);
      case 'shares': {
        const shares = each(language, 'k', terms, (k) => {
          const share = language.sharedNumber(step.buffer, sum(step.part * terms, k));
          return [added(language, `${step.array}[${access.actuator(k)}]`, share)];
        });
        return language.branch(language.isGiven(step.array), shares);
      }
      case 'columns': {
        const columns = each(language, 'k', terms, (k) =>
          each(language, 'a', count, (a) => {
            const entry = `${step.array}[${matrixIndex(sum(access.first, a), access.actuator(k), this.u)}]`;
            const share = language.sharedNumber(step.buffer, matrixIndex(k, a, count));
            return [run.writesColumns ? `${entry} = ${language.value(share)};` : added(language, entry, share)];
          }),
        );
        return language.branch(language.isGiven(step.array), columns);
      }
      case 'total':
        return Array.from({ length: BUFFERS[step.buffer].size }, (_, k) =>
          added(language, `${step.array}[${k}]`, language.sharedNumber(step.buffer, k)),
        );
      case 'unsolved': {
        const found = (k: number): string => language.value(language.sharedNumber('unsolvedSection', k));
        const place = (k: number): string => `${step.array}[${k}]`;
        const isBelow = (number: string, least: number): string => `${number} < ${language.target.number(least)}`;
        return language.branch(`${isBelow(language.value(place(0)), 0)} && ${isBelow(found(0), 1)}`, [
          `${place(0)} = ${language.asNumber(index)};`,
          `${place(1)} = ${found(1)};`,
        ]);
      }
      case 'pairs':
        return this.pairs(at);
      case 'held':
        return this.held(step, at);
      case 'call':
        return callOf(language, step.function, at);
      case 'block':
        return this.block(step.array, 'forceMatrix', count, access);
      case 'entries':
        return this.entries(step.array, count, access);
      case 'motionSubspaces':
        return this.motionSubspaces(at);
      case 'momenta':
        return each(language, 'a', count, (a) => [
          language.call('unitMomentum', [
            access.array('parent'),
            String(a),
            String(sum(access.first, a)),
            step.all,
            step.linear,
          ]),
        ]);
    }
  }

  /** Links of a run are of one type, and have as many pairs each. */
  private pairs({ index, run }: LinkPlace): string[] {
    const count = run.link.staged.sizes.contactPairs / PAIR_SIZE;
    const first = pairsBefore(this.robot, run.from);
    const before = typeof index === 'number' ? index - run.from : run.from === 0 ? index : `(${index} - ${run.from})`;
    return pairLines(this.language, count, sum(product(count, before), first));
  }

  /** Links whose joints follow the time are none of a loop over links: their coordinates have known places. */
  private held(step: LinkStep & { readonly step: 'held' }, at: LinkPlace): string[] {
    const { language } = this;
    const { index, run } = at;
    if (!hasFunction(run.link, step.function)) return [];
    const kernel = run.link.type.kernels.find(({ name }) => name === step.function)!;
    const first = this.firstHeld[Number(index)]!;
    return [
      ...callOf(language, step.function, at),
      ...kernel.outputs[0]!.values.map((_, k) =>
        added(language, `${step.array}[${first + k}]`, language.sharedNumber('heldForce', k)),
      ),
    ];
  }

  /** Rows and columns of the mass matrix that belong to a link. */
  private entries(array: string, count: Index, access: LinkAccess): string[] {
    const { language } = this;
    const block = this.block(array, 'massBlock', count, access);
    const { parentIndex } = access;
    if (parentIndex === -1 || !this.carries) return block;
    const beyond = each(language, 'a', count, (a) => [
      language.call(this.gathers ? 'gather' : 'carry', [
        String(parentIndex),
        language.unitWrench(a),
        String(sum(access.first, a)),
        array,
      ]),
    ]);
    const isKnown = typeof parentIndex === 'number' || !this.gathers;
    return [...block, ...(isKnown || count === 0 ? beyond : language.branch(`${parentIndex} >= 0`, beyond))];
  }

  /** In the first link of the tree: that link has the base before it, as it sees it. */
  private motionSubspaces(place: LinkPlace): string[] {
    const { language } = this;
    const { run, access } = place;
    const at = (block: 'parent' | 'own', k: number): string => access.number(block, 'pose', k);
    const stands = (block: 'parent' | 'own'): string[] =>
      [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0].map((value, k) => `${at(block, k)} = ${language.target.number(value)};`);
    const inverse = printProgram(
      inverseProgram(),
      {
        ...language.target,
        read: ({ index }) => language.value(at('own', index)),
        write: ({ index }) => at('parent', index),
      },
      Infinity,
    ).parts[0]!;
    const pose = callOf(language, 'pose', place);
    const ofFirst = (lines: readonly string[]): readonly string[] => {
      const { parentIndex } = access;
      if (typeof parentIndex === 'number') return parentIndex < 0 ? lines : [];
      return language.branch(`${parentIndex} < 0`, lines);
    };
    const count = countOf(language, run.link);
    return [
      ...ofFirst(stands('parent')),
      ...pose,
      ...ofFirst(within('{', inverse)),
      ...callOf(language, 'jacobian', place),
      ...each(language, 'a', count, (a) =>
        [0, 1, 2, 3, 4, 5].map((k) => {
          const to = language.sharedNumber('motions', sum(sum(access.first, a), product(k, this.n)));
          return `${to} = ${language.value(language.sharedNumber('jacobianColumns', sum(multiple(6, a), k)))};`;
        }),
      ),
      ...ofFirst(stands('own')),
    ];
  }

  /** A matrix between the coordinates of a link to its place on the diagonal. */
  private block(array: string, from: 'massBlock' | 'forceMatrix', count: Index, access: LinkAccess): string[] {
    const { language, n } = this;
    return each(language, 'a', count, (a) =>
      each(language, 'b', count, (b) => {
        const entry = language.sharedNumber(from, matrixIndex(a, b, count));
        return [`${array}[${matrixIndex(sum(access.first, a), sum(access.first, b), n)}] = ${language.value(entry)};`];
      }),
    );
  }
}

/**
 * A sweep over links that are known when the driver runs only: one loop over all of them.
 * @param handed what links find in their blocks from their children: zero where they have none.
 */
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
  return language.loop('i', 0, links, lines, inwards, upTo ? 'i <= last' : undefined);
}

/** What a link does in a sweep, as statements. */
import { BUFFERS, tangentOf, type Buffer, type BufferRecord, type FrameQuantity } from '../../kane/link/buffers.ts';
import { linkFunction, type LinkFunctionName } from '../../kane/link/kernels.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { printProgram } from '../printing/print-arithmetic.ts';
import { borderOf, type Border } from '../modules/border.ts';
import type { LinkModel, RobotModel } from '../modules/robot-model.ts';
import {
  BLOCK,
  eliminationOf,
  FRAME_PLACES,
  ownBuffers,
  regionSignature,
  type Elimination,
  type Region,
  type SharedPart,
} from '../modules/workspace.ts';
import {
  added,
  matrixIndex,
  multiple,
  sum,
  type DriverLanguage,
  type Index,
  type LinkAccess,
  type LinkRegion,
} from './driver-language.ts';
import { inverseProgram } from './robot-programs.ts';
import type { Run } from './runs.ts';
import type { LinkAddend, LinkStep, StateArray } from './sweep-steps.ts';

/** A link in a sweep. */
export interface LinkPlace {
  readonly run: Run;
  readonly access: LinkAccess;
  readonly index: Index;
  /** Where arrays begin. */
  readonly start: Index;
}

/** Statements that follow each other rather than stand in a loop, at most. */
export const UNROLLED = 3;

/** Of a robot with n coordinates and u actuators. */
export class LinkStepPrinter {
  private readonly language: DriverLanguage;
  private readonly n: number;
  private readonly u: number;
  /** Is there a coordinate with another below it, whose unit wrench is carried there? */
  private readonly carries: boolean;
  private readonly gathers: boolean;
  private readonly elimination: Elimination;
  private readonly border: Border | undefined;

  constructor(
    language: DriverLanguage,
    model: RobotModel,
    { n, u, carries, gathers }: { n: number; u: number; carries: boolean; gathers: boolean },
  ) {
    this.language = language;
    this.n = n;
    this.u = u;
    this.carries = carries;
    this.gathers = gathers;
    this.elimination = eliminationOf(model);
    this.border = borderOf(model);
  }

  print(step: LinkStep, { run, access, index, start }: LinkPlace): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    const terms = run.link.type.inputs.inputs.length;
    const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), sum(a, startOf(run.link, buffer)));
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
          ...(count > 0 ? language.branch(language.isGiven(step.array), given) : []),
        ];
      }
      case 'remain': {
        const rest = (a: Index): string => own('load', a);
        const given = each(language, 'a', count, (a) => [added(language, rest(a), place(step.array, a))]);
        return [
          ...each(language, 'a', count, (a) => [`${rest(a)} = -${language.value(place(step.less, a))};`]),
          ...(count > 0 ? language.branch(language.isGiven(step.array), given) : []),
        ];
      }
      case 'resist':
        if (!hasFunction(run.link, step.function)) return [];
        return [
          ...this.call(step.function, run, access),
          ...each(language, 'a', count, (a) => {
            const rest = own('load', a);
            return [`${rest} = ${language.value(rest)} - ${language.value(own('generalizedForce', a))};`];
          }),
        ];
      case 'hold': {
        const isMore = step.more && hasFunction(run.link, 'flow');
        return each(language, 'a', count, (a) => {
          const [held, force] = [own('waterForce', a), language.value(own('generalizedForce', a))];
          return [`${held} = ${isMore ? `${language.value(held)} + ` : ''}${force};`];
        });
      }
      case 'yield':
        if (!hasFunction(run.link, 'shed')) return [];
        return each(language, 'a', count, (a) => {
          const rest = own('load', a);
          return [`${rest} = ${language.value(rest)} - ${language.value(own('waterForce', a))};`];
        });
      case 'addend':
        return this.addend(step.of, run, access);
      case 'disturb':
        return this.disturb(run, access, (a) => ({ rq: place(step.rq, a), rv: place(step.rv, a) }));
      case 'settle': {
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
        return each(language, 'a', count, (a) => {
          const gain = own('qddTangent', a);
          return [
            `${gain} = h * ${language.value(place(step.array, a))};`,
            `${own('load', a)} = h * (${language.value(own('qd', a))} + ${language.value(gain)});`,
          ];
        });
      case 'pullStep':
        return this.pullStep(run, access, (array, a) => place(step[array], a));
      case 'advance':
        return each(language, 'a', count, (a) => [
          `${place(step.qd, a)} = ${language.value(own('qd', a))} + h * ${language.value(own('accelerations', a))};`,
          `${place(step.q, a)} = ${language.value(own('q', a))} + h * ${language.value(place(step.qd, a))};`,
        ]);
      case 'condense':
        return this.condense(step.array, run, access, index);
      case 'expand': {
        const { own, parent, q, qd, qdd } = this.changes(run, access);
        const { velocity, motion } = FRAME_PLACES;
        const { motion: motions } = this.elimination;
        const right = sum(sum(start, access.first), motions * this.n);
        const solved = [language.shared('solved'), multiple(motions, access.first), right];
        const to = [own, q, qd, qdd, parent, velocity, motion, ...solved];
        return count === 0 ? [] : [`${language.runTime('expand', [count, motions, 'rate', 'acceleration', ...to])};`];
      }
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
        return [0, 1, 2].map((k) => {
          const all = `${step.array}[${k}]`;
          return `${all} = ${language.value(all)} + ${language.value(language.sharedNumber('energy', k))};`;
        });
      case 'call':
        return this.call(step.function, run, access);
      case 'block':
        return this.block(step.array, 'forceMatrix', count, access);
      case 'entries':
        return this.entries(step.array, count, access);
      case 'span':
        return this.span(run, access);
    }
  }

  /** Places of the changes of a link, and of its parent, for functions of the run time. */
  private changes(run: Run, access: LinkAccess): Record<'own' | 'parent', string> & Record<StateArray, number> {
    const place = (buffer: StateArray): number => startOf(run.link, tangentOf(buffer));
    return {
      own: access.array('ownTangent'),
      parent: access.array('parentTangent'),
      ...{ q: place('q'), qd: place('qd'), qdd: place('qdd') },
    };
  }

  /** Column by column what changes of the link, of its parent's motion and of right-hand sides change; then the coordinates go. */
  private condense(array: string, run: Run, access: LinkAccess, index: Index): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    const { own, parent, q, qd, qdd } = this.changes(run, access);
    const { velocity, motion, wrench } = FRAME_PLACES;
    const [loads, tableau] = [language.shared('loads'), language.shared('tableau')];
    const force = startOf(run.link, tangentOf('generalizedForce'));
    const { motion: motions, rightHandSides, loads: perLink, stride } = this.elimination;
    const width = count + motions + rightHandSides;
    const runTime = (name: string, ...parameters: readonly Index[]): string =>
      `${language.runTime(name, ['column', count, ...parameters])};`;
    const invoke = (name: LinkFunctionName): string => this.invocation(name, run, access);
    const lines = [
      runTime('seedChange', motions, 'rate', 'acceleration', own, q, qd, qdd, parent, velocity, motion, wrench),
      // Nothing moves on right-hand sides: what the first of them leaves is true of all.
      ...(rightHandSides > 1
        ? language.branch(`column <= ${count + motions}`, [invoke('perturb')])
        : [invoke('perturb')]),
      runTime('loadChange', motions, own, velocity, motion, wrench, loads, multiple(perLink, sum(index, 1))),
      invoke('perturbBack'),
      runTime('gatherChange', width, own, force, parent, wrench, tableau),
      ...(hasFunction(run.link, 'perturbDrive')
        ? [invoke('perturbDrive'), runTime('deductChange', width, own, force, tableau)]
        : []),
      ...(this.border && this.border.held.length > 0
        ? [runTime('bearChange', width, language.shared('borne'), stride, access.first, tableau)]
        : []),
      ...(this.border && this.border.columns > 0
        ? [runTime('feedChange', motions, width, language.shared('fed'), stride, index, tableau)]
        : []),
    ];
    const idle = idleNumbers(run.link, motions).map((k) => `column ${language.equal} ${count + k}`);
    const each = idle.length > 0 ? language.branch(`!(${idle.join(' || ')})`, lines) : lines;
    const right = sum(access.first, motions * this.n);
    const solved = [language.shared('solved'), multiple(motions, access.first), right, this.n];
    const toParent = multiple(perLink, sum(access.parentIndex, 1));
    const given = [count, motions, width, array, access.first, tableau, ...solved, loads, toParent];
    const isSolved = language.runTime('condense', given);
    const refused = language.sharedNumber('refused', 0);
    return [
      ...(idle.length > 0 ? [language.clearShared('tableau')] : []),
      language.loop('column', 0, width, false),
      ...each.map((line) => `  ${line}`),
      '}',
      ...language.branch(`!${isSolved} && ${language.value(refused)} <= ${language.target.number(0)}`, [
        `${refused} = ${language.asNumber(sum(index, 1))};`,
      ]),
    ];
  }

  private invocation(name: LinkFunctionName, run: Run, access: LinkAccess): string {
    const { language } = this;
    const argument = (region: Region): string =>
      LINK_REGIONS.has(region) ? access.array(region as LinkRegion) : language.shared(region as SharedPart);
    return language.callLink(run.link, name, regionSignature(name).regions.map(argument));
  }

  private call(name: LinkFunctionName, run: Run, access: LinkAccess): string[] {
    const { language } = this;
    const handed = handedInwards(name);
    const adds = handed.length > 0 && !run.writesFirst;
    const argument = (region: Region): string => {
      if (adds && handed.some(({ block }) => block === region)) return language.shared('addend');
      return LINK_REGIONS.has(region) ? access.array(region as LinkRegion) : language.shared(region as SharedPart);
    };
    const { regions } = regionSignature(name);
    const call = language.callLink(run.link, name, regions.map(argument));
    if (!adds) return [call];
    // What stands in the parent's block is read where it will be written, too.
    const readings = readFromParent(name).flatMap(({ quantity, size, block }) => {
      if (!handed.some((own) => own.block === block)) return [];
      const from = FRAME_PLACES[quantity];
      return [
        language.loop('k', from, from + size, false),
        `  ${language.sharedNumber('addend', 'k')} = ${language.value(access.number(block, 'k'))};`,
        '}',
      ];
    });
    const additions = handed.flatMap(({ quantity, size, block }) => {
      const from = FRAME_PLACES[quantity];
      const total = access.number(block, 'k');
      const part = language.sharedNumber('addend', 'k');
      return [
        language.loop('k', from, from + size, false),
        `  ${total} = ${language.value(total)} + ${language.value(part)};`,
        '}',
      ];
    });
    return [...readings, call, ...additions];
  }

  /** Rows and columns of the mass matrix that belong to a link. */
  private entries(array: string, count: number, access: LinkAccess): string[] {
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
  private span(run: Run, access: LinkAccess): string[] {
    const { language } = this;
    const at = (block: 'parent' | 'own', k: number): string => access.number(block, FRAME_PLACES.motion + k);
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
    const pose = this.call('pose', run, access);
    const ofFirst = (lines: readonly string[]): readonly string[] => {
      const { parentIndex } = access;
      if (typeof parentIndex === 'number') return parentIndex < 0 ? lines : [];
      return language.branch(`${parentIndex} < 0`, lines);
    };
    const count = run.link.type.coordinates.length;
    return [
      ...ofFirst(stands('parent')),
      ...pose,
      ...ofFirst(['{', ...inverse.map((line) => `  ${line}`), '}']),
      ...this.call('jacobian', run, access),
      ...each(language, 'a', count, (a) =>
        [0, 1, 2, 3, 4, 5].map((k) => {
          const to = language.sharedNumber('motions', sum(sum(access.first, a), k * this.n));
          return `${to} = ${language.value(language.sharedNumber('jacobianColumns', sum(multiple(6, a), k)))};`;
        }),
      ),
      ...ofFirst(stands('own')),
    ];
  }

  /** A matrix between the coordinates of a link to its place on the diagonal. */
  private block(array: string, from: 'massBlock' | 'forceMatrix', count: number, access: LinkAccess): string[] {
    const { language, n } = this;
    return each(language, 'a', count, (a) =>
      each(language, 'b', count, (b) => {
        const entry = language.sharedNumber(from, matrixIndex(a, b, count));
        return [`${array}[${matrixIndex(sum(access.first, a), sum(access.first, b), n)}] = ${language.value(entry)};`];
      }),
    );
  }

  /**
   * h D + h² K to the addend. `step`: h K q̇ off the load, forces at the end of a step to first order; `linear`: K is kept
   * for right-hand sides to come.
   */
  private addend(of: LinkAddend, run: Run, access: LinkAccess): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    const size = run.link.type.inputs.addend.length;
    if (size === 0) return [];
    const own = (buffer: Buffer, a: Index): string => access.number('own', sum(a, startOf(run.link, buffer)));
    const cleared = each(language, 'a', size, (a) => [`${own('addend', a)} = ${language.target.number(0)};`]);
    if (of === 'nothing') return cleared;
    const keeps =
      of === 'linear' ? each(language, 'a', size, (a) => [`${own('springs', a)} = ${language.target.number(0)};`]) : [];
    const matrices = (['dissipation', 'stiffness'] as const).filter((name) => hasFunction(run.link, name));
    const added = matrices.flatMap((name) => [
      ...this.call(name, run, access),
      ...each(language, 'a', count, (a) =>
        each(language, 'b', count, (b) => {
          const index = matrixIndex(a, b, count);
          const entry = language.value(language.sharedNumber('forceMatrix', index));
          const [total, rest] = [own('addend', index), own('load', a)];
          const share = `${name === 'stiffness' ? 'h * h' : 'h'} * ${entry}`;
          const force = `h * ${entry} * ${language.value(own('qd', b))}`;
          const ofStiffness =
            of === 'step' ? `${rest} = ${language.value(rest)} - ${force};` : `${own('springs', index)} = ${entry};`;
          return [`${total} = ${language.value(total)} + ${share};`, ...(name === 'stiffness' ? [ofStiffness] : [])];
        }),
      ),
    ]);
    return [...cleared, ...keeps, ...added];
  }

  /**
   * −h ((h D + h² K) rv + h K rq) as load: M + h D + h² K times what is missing from h rv to the rates of
   * (1 − h J) x = h r.
   */
  private disturb(run: Run, access: LinkAccess, place: (a: Index) => { rq: string; rv: string }): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    const own = (buffer: Buffer, a: Index): string => access.number('own', sum(a, startOf(run.link, buffer)));
    const cleared = each(language, 'a', count, (a) => [`${own('load', a)} = ${language.target.number(0)};`]);
    if (run.link.type.inputs.addend.length === 0) return cleared;
    const loaded = each(language, 'a', count, (a) =>
      each(language, 'b', count, (b) => {
        const index = matrixIndex(a, b, count);
        const load = own('load', a);
        const { rq, rv } = place(b);
        const [ofRate, ofPosition] = [own('addend', index), own('springs', index)].map((x) => language.value(x));
        const force = `${ofRate!} * ${language.value(rv)} + h * ${ofPosition!} * ${language.value(rq)}`;
        return [`${load} = ${language.value(load)} - h * (${force});`];
      }),
    );
    return [...cleared, ...loaded];
  }

  /** Of weights · (D h q̈ + K h (q̇ + h q̈)), by coordinates and rates; K is kept where the step was factored. */
  private pullStep(run: Run, access: LinkAccess, place: (array: 'qdd' | 'q' | 'qd', a: Index) => string): string[] {
    const { language } = this;
    const count = run.link.type.coordinates.length;
    if (run.link.type.inputs.addend.length === 0) return [];
    const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), sum(a, startOf(run.link, buffer)));
    const value = (buffer: Buffer, a: Index): string => language.value(own(buffer, a));
    const byRates = each(language, 'a', count, (a) =>
      each(language, 'b', count, (b) => {
        const force = `h * ${value('springs', matrixIndex(a, b, count))} * ${value('generalizedForceAdjoint', b)}`;
        return [`${place('qd', a)} = ${language.value(place('qd', a))} + ${force};`];
      }),
    );
    if (!hasFunction(run.link, 'pullStep')) return byRates;
    return [
      ...byRates,
      ...each(language, 'a', count, (a) => [
        `${own('qdd', a)} = h * ${language.value(place('qdd', a))};`,
        `${own('load', a)} = h * (${value('qd', a)} + ${value('qdd', a)});`,
      ]),
      ...this.call('pullStep', run, access),
      ...each(language, 'a', count, (a) => [
        added(language, place('q', a), own('qAdjoint', a)),
        added(language, place('qd', a), own('qdAdjoint', a)),
      ]),
    ];
  }
}

/** Numbers of the motion (ω, α, a) of its parent whose changes a link does not see: others are all that its parents have. */
export function idleNumbers({ type }: LinkModel, motions: number): number[] {
  const kernel = type.kernels.find(({ name }) => name === 'accelerationTangent');
  if (!kernel || type.loops.length > 0) return [];
  const used = new Set<Expr>(freeSymbols(kernel.outputs.flatMap(({ values }) => [...values])));
  const { parentVelocityTangent, parentAccelerationTangent, parentStreamTangent } = type.inputs;
  const all = [...parentVelocityTangent, ...parentAccelerationTangent, ...parentStreamTangent].slice(0, motions);
  return all.flatMap((s, k) => (used.has(s) ? [] : [k]));
}

function each(
  language: DriverLanguage,
  variable: string,
  count: number,
  lines: (index: Index) => readonly string[],
): string[] {
  if (count <= UNROLLED) return Array.from({ length: count }, (_, a) => lines(a)).flat();
  const head = language.loop(variable, 0, count, false);
  return [head, ...lines(variable).map((line) => `  ${line}`), '}'];
}

const LINK_REGIONS: ReadonlySet<string> = new Set<LinkRegion>([
  ...([
    'constants',
    'parameters',
    'parametersTangent',
    'parametersAdjoint',
    'parent',
    'own',
    'parentTangent',
    'ownTangent',
  ] as const),
]);

const isChange = (buffer: Buffer): boolean => (BUFFERS[buffer] as BufferRecord).mirrors !== undefined;

function blockOf(buffer: Buffer): 'own' | 'ownTangent' {
  return isChange(buffer) ? 'ownTangent' : 'own';
}

/** A quantity at the parent's frame, in its block or in that of its changes. */
interface Handed {
  readonly quantity: FrameQuantity;
  readonly size: number;
  readonly block: 'parent' | 'parentTangent';
}

/** What a function leaves at the parent's frame. */
export function handedInwards(name: LinkFunctionName): Handed[] {
  const { writes, apart = [] } = linkFunction(name);
  return ofParent(writes.filter((buffer) => !apart.includes(buffer)));
}

function readFromParent(name: LinkFunctionName): Handed[] {
  const { reads, apart = [] } = linkFunction(name);
  return ofParent(reads.filter((buffer) => !apart.includes(buffer)));
}

/** Those of the buffers that stand in the block of the parent. */
function ofParent(buffers: readonly Buffer[]): Handed[] {
  return buffers.flatMap((buffer): Handed[] => {
    const [frame, quantity] = BUFFERS[buffer].place.split('.');
    if (frame !== 'parent') return [];
    const { size } = BUFFERS[buffer] as BufferRecord;
    return [
      {
        quantity: quantity as FrameQuantity,
        size: size as number,
        block: isChange(buffer) ? 'parentTangent' : 'parent',
      },
    ];
  });
}

export function hasFunction(link: LinkModel, name: LinkFunctionName): boolean {
  return link.programs.some((program) => program.name === name);
}

/** Where a buffer that is laid out by link type begins in the block. */
export function startOf({ staged }: LinkModel, wanted: Buffer): number {
  let next = BLOCK;
  const { mirrors = wanted }: BufferRecord = BUFFERS[wanted];
  for (const { buffer, size } of ownBuffers(staged)) {
    if (buffer === mirrors) return next;
    next += size;
  }
  throw new Error(`${wanted} is no buffer of a block`);
}

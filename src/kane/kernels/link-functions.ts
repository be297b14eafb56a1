/** All functions of links, and the kernels and buffers that these have. */
import type { Buffer } from './buffers.ts';
import {
  DERIVATIVE_FUNCTIONS,
  type AfloatOutput,
  type DerivativeFunction,
  type DerivativeKernelName,
} from './derivative-kernels.ts';
import { PRIMAL_FUNCTIONS, type LinkFunctionRecord, type PrimalFunction } from './kernels.ts';

export type { LinkFunctionRecord };

export const LINK_FUNCTIONS: Readonly<Record<LinkFunctionName, LinkFunctionRecord>> = {
  ...PRIMAL_FUNCTIONS,
  ...DERIVATIVE_FUNCTIONS,
};

export type LinkFunctionName = PrimalFunction | DerivativeFunction;

/** Functions of these stages fill tables, and compute no kernel. */
type TableStage = 'parameters' | 'configuration';

type Primals = typeof PRIMAL_FUNCTIONS;

export type KernelName =
  | {
      [F in PrimalFunction]: Primals[F] extends { readonly kernel: string } | { readonly stage: TableStage }
        ? never
        : F;
    }[PrimalFunction]
  | DerivativeKernelName;

type Read = Primals[PrimalFunction]['reads'][number];
type Written = Primals[PrimalFunction]['writes'][number] | AfloatOutput;

/** Buffers that kernels write. */
export type OutputBuffer =
  | Exclude<Written, 'constants' | 'slot' | 'linearised'>
  | Extract<Buffer, `${Written}Tangent` | `${Read}Adjoint` | 'parametersAdjoint'>;

export const LINK_FUNCTION_NAMES = Object.keys(LINK_FUNCTIONS) as readonly LinkFunctionName[];

/** What depends on the configuration may depend on the time. */
const RECORDS = new Map(
  LINK_FUNCTION_NAMES.map((name): [LinkFunctionName, LinkFunctionRecord] => {
    const { reads, ...rest } = LINK_FUNCTIONS[name];
    const isTable = rest.stage === 'parameters' || rest.stage === 'configuration';
    const timed = reads.flatMap((buffer): Buffer[] => (buffer === 'q' ? ['q', 'time'] : [buffer]));
    return [name, { ...(!isTable && { kernel: name }), ...rest, reads: timed }];
  }),
);

/** The record of a function, as one type for all. */
export function linkFunction(name: LinkFunctionName): LinkFunctionRecord {
  return RECORDS.get(name)!;
}

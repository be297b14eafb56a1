/** Errors on their way from a thread: messages between threads keep text, and nothing of what a `KanegenError` has beside it. */
import { KanegenError, type SourceLocation } from '../../common/error.ts';

export type ThreadError = ErrorOfUser | { readonly kind: 'other'; readonly message: string; readonly stack?: string };

interface ErrorOfUser {
  readonly kind: 'user';
  readonly code: string;
  readonly message: string;
  readonly remedy: string | undefined;
  readonly location: SourceLocation | undefined;
  readonly others: readonly ErrorOfUser[];
}

export function packed(error: unknown): ThreadError {
  if (error instanceof KanegenError) return packedOfUser(error);
  if (!(error instanceof Error)) return { kind: 'other', message: String(error) };
  const { message, stack } = error;
  return { kind: 'other', message, ...(stack !== undefined && { stack }) };
}

function packedOfUser({ code, message, remedy, location, others }: KanegenError): ErrorOfUser {
  return { kind: 'user', code, message, remedy, location, others: others.map(packedOfUser) };
}

export function unpacked(error: ThreadError): Error {
  if (error.kind === 'user') return unpackedOfUser(error);
  const { message, stack } = error;
  return Object.assign(new Error(message), stack !== undefined && { stack });
}

function unpackedOfUser({ code, message, remedy, location, others }: ErrorOfUser): KanegenError {
  return new KanegenError(code, message, { remedy, location, others: others.map(unpackedOfUser) });
}

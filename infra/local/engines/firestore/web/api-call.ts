/** A call of an API on databases other than that of documents. */
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { RpcError } from '../base/types.ts';

// zod/mini has no messages of its own.
z.config(en());

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface ApiCall {
  /** The name of the method for faults and counts. */
  readonly method: string;
  /** Begins with `projects/p`. */
  readonly name: string;
  readonly run: () => unknown;
}

const pageMax = 1_000;

/** One page of a list, as Google's APIs give them: `pageSize`, and a `pageToken` that is the place to go on. */
export const pageOf = <T>(all: readonly T[], query: URLSearchParams, key: string): Record<string, unknown> => {
  const size = Number(query.get('pageSize') ?? 0);
  const from = Number(query.get('pageToken') ?? 0);
  if (!Number.isInteger(size) || size < 0 || !Number.isInteger(from) || from < 0)
    throw new RpcError('INVALID_ARGUMENT', 'Invalid page size or page token.');
  const to = from + Math.min(size || pageMax, pageMax);
  const page = all.slice(from, to);
  return { ...(page.length > 0 && { [key]: page }), ...(to < all.length && { nextPageToken: String(to) }) };
};

/** The parts that `updateMask` names; undefined without one. */
export const maskOf = (query: URLSearchParams): ReadonlySet<string> | undefined => {
  const mask = query.get('updateMask');
  return mask ? new Set(mask.split(',').map((path) => path.trim().split('.')[0] ?? '')) : undefined;
};

import { RpcError } from '../base/types.ts';

/** What every page of one listing has in common. */
export type ListQuery = Readonly<Record<string, unknown>>;

/** The service gives at most 300 at a time, and 100 when it is not told. */
const maxPageSize = 300;
const usualPageSize = 100;

/** How many to give: 0 leaves the choice to the service. */
export function pageLimit(asked: number): number {
  if (asked < 0) throw new RpcError('INVALID_ARGUMENT', 'Page size must be nonnegative.');
  return asked === 0 ? usualPageSize : Math.min(asked, maxPageSize);
}

/** A token that goes on after `after`, for the same query only. */
export const writePageToken = (after: string | undefined, query: ListQuery): string =>
  Buffer.from(JSON.stringify({ after, query })).toString('base64url');

/** Where the page before ended; undefined for the first page. */
export function readPageToken(token: string, query: ListQuery): string | undefined {
  if (token === '') return undefined;
  const stored = parse(token);
  if (typeof stored?.after !== 'string' || JSON.stringify(stored.query) !== JSON.stringify(query))
    throw new RpcError('INVALID_ARGUMENT', 'invalid page token');
  return stored.after;
}

function parse(token: string): { readonly after?: unknown; readonly query?: unknown } | undefined {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

import { RpcError } from '../base/types.ts';

/** The parameters shared by all pages of a list. */
type ListQuery = Readonly<Record<string, unknown>>;

/** The service's maximum and default page sizes. */
const maxPageSize = 300;
const usualPageSize = 100;

/** The page size; 0 means the default. */
export function pageLimit(requested: number): number {
  if (requested < 0) throw new RpcError('INVALID_ARGUMENT', 'Page size must be nonnegative.');
  return requested === 0 ? usualPageSize : Math.min(requested, maxPageSize);
}

/** A token that continues after `after`, valid for the same query only. */
export const writePageToken = (after: string | undefined, query: ListQuery): string =>
  Buffer.from(JSON.stringify({ after, query })).toString('base64url');

/** The end of the previous page; undefined for the first page. */
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

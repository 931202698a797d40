/** Cursors: where a list goes on. Sealed, and bound to the organization (or user) and the route that made them. */
import { invalid } from '../contract/errors.ts';
import { pageDefault, pageMax } from '../contract/limits.ts';
import { seal, unseal } from '../platform/index.ts';

export interface Page {
  readonly limit: number;
  /** The position a page before this one ended at. */
  readonly after: string | undefined;
}

const purpose = 'cursor';
/** The longest name of a document, sealed: what a comparison may have to go on with. */
const cursorMax = 8_704;

export const readPage = async (query: Readonly<Record<string, string>>, scope: string, route: string): Promise<Page> => {
  const { limit = String(pageDefault), cursor } = query;
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > pageMax) {
    throw invalid('limit', `must be a whole number from 1 to ${pageMax}`);
  }
  if (cursor === undefined) return { limit: Number(limit), after: undefined };
  const after = cursor.length > cursorMax ? undefined : await unseal(purpose, `${scope}|${route}`, cursor);
  if (after === undefined) throw invalid('cursor', 'must be a nextCursor from this same list');
  return { limit: Number(limit), after };
};

export const paginate = async (
  next: string | undefined,
  scope: string,
  route: string,
): Promise<{ nextCursor: string | null; hasMore: boolean }> => ({
  nextCursor: next === undefined ? null : await seal(purpose, `${scope}|${route}`, next),
  hasMore: next !== undefined,
});

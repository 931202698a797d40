/** List cursors: encrypted, and bound to the organization (or user) and the route. */
import { invalid } from '../contract/errors.ts';
import { pageDefault, pageMax } from '../contract/limits.ts';
import { seal, unseal } from '../platform/index.ts';

export interface RequestedPage {
  readonly limit: number;
  /** The position after which this page starts. */
  readonly after: string | undefined;
}

const purpose = 'cursor';
/** The longest document name, encrypted: the position of a comparison. */
const cursorMax = 8_704;

export const readPage = async (query: Readonly<Record<string, string>>, scope: string, route: string): Promise<RequestedPage> => {
  const { limit = String(pageDefault), cursor } = query;
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > pageMax) {
    throw invalid('limit', `must be a whole number from 1 to ${pageMax}`);
  }
  if (cursor === undefined) return { limit: Number(limit), after: undefined };
  const after = cursor.length > cursorMax ? undefined : await unseal(purpose, `${scope}|${route}`, cursor);
  if (after === undefined) throw invalid('cursor', 'must be a nextCursor of the same list');
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

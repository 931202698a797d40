/** Looks for a document in ever older backups. The API examines a page of them with each call. */
import type { Client } from '../../../shared/client/index.ts';
import type { Located } from '../output/located-view.ts';

interface DocumentSearch {
  readonly query: {
    readonly projectId: string | undefined;
    readonly path: string;
    readonly cursor?: string | undefined;
  };
  readonly signal: AbortSignal;
}

export interface Searched {
  /** All pages so far as one. */
  readonly located: Located;
  /** Where older backups begin; null if there are none. */
  readonly nextCursor: string | null;
}

/** One result after each page. */
export async function* searchDocument(client: Client, { query, signal }: DocumentSearch): AsyncGenerator<Searched> {
  let located: Located | undefined;
  for await (const { data, pagination } of client.pages('GET /documents/locate', { query, signal })) {
    located = located ? withOlder(located, data) : data;
    yield { located, nextCursor: pagination.hasMore ? pagination.nextCursor : null };
  }
}

/** Whether older backups could tell more: there is nothing to restore yet, and the live database does not have the document. */
export const needsOlder = ({ candidates, live, recommended }: Located): boolean =>
  candidates.length === 0 && recommended === null && live?.exists !== true;

/** Each page says what its own backups tell; the newer one wins. */
const withOlder = (newer: Located, older: Located): Located => ({
  ...newer,
  path: newer.path ?? older.path,
  candidates: newer.candidates.length > 0 ? newer.candidates : older.candidates,
  notSearched: [...newer.notSearched, ...older.notSearched],
  live: newer.live ?? older.live,
  moments: newer.moments ?? older.moments,
  backups: [...newer.backups, ...older.backups],
  examined: newer.examined + older.examined,
  summary: {
    found: newer.summary.found || older.summary.found,
    lastSeen: latest(newer.summary.lastSeen, older.summary.lastSeen),
    lastChangedAt: latest(newer.summary.lastChangedAt, older.summary.lastChangedAt),
    vanishedBetween: newer.summary.vanishedBetween ?? narrowed(older.summary.vanishedBetween, newer.backups),
  },
  recommended: newer.recommended ?? older.recommended,
});

const latest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && Date.parse(other) > Date.parse(one)) ? other : one;

/** A newer backup without the document may have been made before what the older page knows. */
const narrowed = (
  vanished: Located['summary']['vanishedBetween'],
  newer: Located['backups'],
): Located['summary']['vanishedBetween'] => {
  if (!vanished) return null;
  const missing = newer.flatMap(({ exists, readTime, createdAt }) => (exists === false ? [readTime ?? createdAt] : []));
  const to = missing
    .filter((time) => Date.parse(time) > Date.parse(vanished.from))
    .reduce((first, time) => (Date.parse(time) < Date.parse(first) ? time : first), vanished.to);
  return { from: vanished.from, to };
};

/** The root collections of a project's database. */
import { countCollection, type FirestoreDatabase, listCollections, probeSource, SourceError } from '../firestore/index.ts';
import type { Tenant } from '../platform/index.ts';
import { askSource } from './probe-project.ts';
import type { ProjectRecord } from './record.ts';

export interface RootCollection {
  readonly id: string;
  /** Documents right in it; null where the source does not count, or not in time. */
  readonly count: number | null;
}

/** Counts are asked for so many at a time. */
const countsAtOnce = 20;
/** Of the function's 20 s; counting a large collection takes the source seconds. */
const withinMs = 15_000;
const countMs = 10_000;

/** One page in the order of the ids, as of one moment. */
export const listRootCollections = (
  tenant: Tenant,
  project: ProjectRecord,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ items: readonly RootCollection[]; next: string | undefined }> =>
  askSource(
    tenant,
    project,
    async (source, signal) => {
      const { readTime } = await probeSource(source, signal);
      const ids = [...(await listCollections(source, source.root, readTime, signal))].sort(inOrder);
      const { after } = page;
      const ahead = after === undefined ? ids : ids.filter((id) => inOrder(id, after) > 0);
      const shown = ahead.slice(0, page.limit);
      const items = await countAll(source, shown, readTime, signal);
      return { items, next: ahead.length > shown.length ? shown.at(-1) : undefined };
    },
    withinMs,
  );

const inOrder = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const countAll = async (
  source: FirestoreDatabase,
  ids: readonly string[],
  readTime: string,
  signal: AbortSignal,
): Promise<readonly RootCollection[]> => {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(countMs)]);
  const items: RootCollection[] = [];
  for (let n = 0; n < ids.length; n += countsAtOnce) {
    const batch = ids.slice(n, n + countsAtOnce).map(async (id) => ({ id, count: await countOne(source, id, readTime, inTime) }));
    items.push(...(await Promise.all(batch)));
  }
  return items;
};

/** A list without a number is worth more than no list. */
const countOne = async (source: FirestoreDatabase, id: string, readTime: string, signal: AbortSignal): Promise<number | null> => {
  try {
    return (await countCollection(source, id, readTime, signal)) ?? null;
  } catch (error) {
    if (error instanceof SourceError && (error.isTransient || error.code === 'CANCELLED')) return null;
    throw error;
  }
};

import {
  compareTextNames,
  countRootCollection,
  type FirestoreDatabase,
  listCollections,
  probeSource,
  SourceError,
} from '../firestore/index.ts';
import { mapConcurrent, type Tenant } from '../platform/index.ts';
import { askSource } from './probe-project.ts';
import type { ProjectRecord } from './record.ts';

interface RootCollection {
  readonly id: string;
  /** Documents directly in it; null if the source does not count them, or not in time. */
  readonly count: number | null;
}

const maxConcurrentCounts = 20;
/** The function times out after 20 s. Counting a large collection takes seconds. */
const withinMs = 15_000;
const countMs = 10_000;

/** One page of the root collections, ordered by id, at one read time. */
export const listRootCollections = (
  tenant: Tenant,
  project: ProjectRecord,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ items: readonly RootCollection[]; next: string | undefined }> =>
  askSource(tenant, {
    project,
    work: async (source, signal) => {
      const { readTime } = await probeSource(source, signal);
      const ids = [...(await listCollections(source, { parent: source.root, readTime, signal }))].sort(compareTextNames);
      const { after } = page;
      const remaining = after === undefined ? ids : ids.filter((id) => compareTextNames(id, after) > 0);
      const shown = remaining.slice(0, page.limit);
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(countMs)]);
      const items = await mapConcurrent(shown, maxConcurrentCounts, async (id) => {
        return { id, count: await countOne(source, { id, readTime, signal: inTime }) };
      });
      return { items, next: remaining.length > shown.length ? shown.at(-1) : undefined };
    },
    withinMs,
  });

/** A list without a count is better than no list. */
const countOne = async (
  source: FirestoreDatabase,
  { id, readTime, signal }: { readonly id: string; readonly readTime: string; readonly signal: AbortSignal },
): Promise<number | null> => {
  try {
    return (await countRootCollection(source, { collectionId: id, readTime, signal })) ?? null;
  } catch (error) {
    if (error instanceof SourceError && (error.isTransient || error.code === 'CANCELLED')) return null;
    throw error;
  }
};

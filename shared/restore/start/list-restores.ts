/** The history of restores, newest first: ids sort by time. */
import { query, type Tenant } from '../../platform/index.ts';
import { type RestoreRecord, restorePrefix } from '../model/record.ts';

export interface RestoreFilter {
  /** As the target, or as the project of the backup. */
  readonly projectId?: string | undefined;
}

/** One call reads the table at most this often, each time up to 1 MB. */
const readsMax = 20;
const lookedAtMax = 1_000;

/**
 * One page. `next` is undefined only when nothing more is there; a page may be short, even empty, and still have a `next`,
 * where the filter matched little in what one call may read.
 */
export const listRestores = async (
  tenant: Tenant,
  { projectId }: RestoreFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ restores: readonly RestoreRecord[]; next: string | undefined }> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix, newestFirst: true };
  const isWanted = (restore: RestoreRecord): boolean =>
    projectId === undefined || restore.targetProjectId === projectId || restore.projectId === projectId;
  const found: RestoreRecord[] = [];
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query({ ...range, after, limit: lookedAtMax });
    found.push(...(read.items as readonly RestoreRecord[]).filter(isWanted));
    // One more than asked for tells whether there is more.
    if (found.length > page.limit) return { restores: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { restores: found, next: undefined };
    after = read.next;
  }
  return { restores: found, next: after };
};

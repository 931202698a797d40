/** The history of restores, newest first: ids sort by time. */
import { spanOf } from '../../audit/index.ts';
import { idBounds, omitUndefined, query, type Range, type Tenant } from '../../platform/index.ts';
import { type RestoreRecord, restorePrefix } from '../model/record.ts';

interface RestoreFilter {
  /** Matches the target, or the project of the backup. */
  readonly projectId?: string | undefined;
  readonly backupId?: string | undefined;
  readonly status?: RestoreRecord['status'] | undefined;
  /** A date or a date-time, both inclusive; a bare date is its whole day, UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Queries per request; each reads up to 1 MB. */
const queriesMax = 20;
const itemsPerQuery = 1_000;

/** A page may be short, even empty, and still have a `next`, if the filter matched few of the items that one request may read. */
export const listRestores = async (
  tenant: Tenant,
  { projectId, ...filter }: RestoreFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ restores: readonly RestoreRecord[]; next: string | undefined }> => {
  const range = rangeOf(tenant, filter);
  const isMatch = (restore: RestoreRecord): boolean =>
    projectId === undefined || restore.targetProjectId === projectId || restore.projectId === projectId;
  const found: RestoreRecord[] = [];
  let after = page.after;
  for (let queries = 0; queries < queriesMax; queries++) {
    const read = await query<RestoreRecord>({ ...range, after, limit: itemsPerQuery });
    found.push(...read.items.filter(isMatch));
    // One more than the limit shows that there is a next page.
    if (found.length > page.limit) return { restores: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { restores: found, next: undefined };
    after = read.next;
  }
  return { restores: found, next: after };
};

const rangeOf = (tenant: Tenant, { from, to, backupId, status }: Omit<RestoreFilter, 'projectId'>): Range => {
  const { start, end } = spanOf({ from, to });
  const bounds = idBounds('restore', start, end);
  return {
    pk: `ORG#${tenant.organizationId}`,
    prefix: restorePrefix,
    from: `${restorePrefix}${bounds.first}`,
    to: `${restorePrefix}${bounds.last}`,
    newestFirst: true,
    where: omitUndefined({ backupId, status }),
  };
};

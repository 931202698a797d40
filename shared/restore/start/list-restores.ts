/** The history of restores, newest first: ids sort by time. */
import { spanOf } from '../../audit/index.ts';
import { listMatching } from '../../job/index.ts';
import { idBounds, omitUndefined, type Range, type Tenant } from '../../platform/index.ts';
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

/** A page may be short, even empty, and still have a `next`, if the filter matched few of the items that one request may read. */
export const listRestores = async (
  tenant: Tenant,
  { projectId, ...filter }: RestoreFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ restores: readonly RestoreRecord[]; next: string | undefined }> => {
  const range = rangeOf(tenant, filter);
  const isMatch = (restore: RestoreRecord): boolean =>
    projectId === undefined || restore.targetProjectId === projectId || restore.projectId === projectId;
  const { items, next } = await listMatching(range, isMatch, page);
  return { restores: items, next };
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

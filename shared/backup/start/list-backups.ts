/** Backups, newest first. Ids sort by time, so a range of time is a range of sort keys; the table compares the rest. */
import { spanOf } from '../../audit/index.ts';
import { idBounds, query, type Range, type Tenant } from '../../platform/index.ts';
import { visibleBackups } from '../model/read-backup.ts';
import { type BackupRecord, backupPrefix } from '../model/record.ts';
import { isRetired } from '../removal/retire-backup.ts';

export interface BackupFilter {
  readonly projectId?: string | undefined;
  readonly status?: BackupRecord['status'] | undefined;
  readonly type?: BackupRecord['type'] | undefined;
  /** A date or a date-time, both inclusive; a bare date is its whole day, UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** One call reads the table at most this often, each time up to 1 MB: some 10,000 backups. */
const readsMax = 20;
const lookedAtMax = 1_000;

/**
 * One page. `next` is undefined only when nothing more is there; a page may be short, even empty, and still have a `next`,
 * where a filter matched little in what one call may read.
 */
export const listBackups = async (
  tenant: Tenant,
  filter: BackupFilter,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ backups: readonly BackupRecord[]; next: string | undefined }> => {
  const range = rangeOf(tenant, filter);
  const found: BackupRecord[] = [];
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query({ ...range, after, limit: lookedAtMax });
    const listed = (read.items as readonly BackupRecord[]).filter((backup) => isListed(backup, filter));
    found.push(...(await visibleBackups(tenant, listed, now)));
    // One more than asked for tells whether there is more.
    if (found.length > page.limit) return { backups: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { backups: found, next: undefined };
    after = read.next;
  }
  return { backups: found, next: after };
};

/** What is gone is listed only if it is asked for. */
const isListed = (backup: BackupRecord, { status }: BackupFilter): boolean => backup.status === status || !isRetired(backup);

const rangeOf = (tenant: Tenant, { projectId, status, type, ...span }: BackupFilter): Range => {
  const { start, end } = spanOf(span);
  const bounds = idBounds('backup', start, end);
  const wanted = Object.entries({ projectId, status, type });
  return {
    pk: `ORG#${tenant.organizationId}`,
    prefix: backupPrefix,
    from: `${backupPrefix}${bounds.first}`,
    to: `${backupPrefix}${bounds.last}`,
    newestFirst: true,
    where: Object.fromEntries(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
};

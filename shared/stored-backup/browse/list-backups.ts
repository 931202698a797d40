/** Backups, newest first. Ids sort by time, so a time range is a range of sort keys; the table applies the other filters. */
import { spanOf } from '../../audit/index.ts';
import { idBounds, query, type Range, type Tenant } from '../../platform/index.ts';
import { isInternalBackup } from '../model/backup-fields.ts';
import { visibleBackups } from '../model/read-backup.ts';
import { type BackupRecord, backupPrefix } from '../model/record.ts';
import { isRetired } from '../removal/retire-backup.ts';

export interface BackupFilter {
  readonly projectId?: string | undefined;
  readonly status?: BackupRecord['status'] | undefined;
  readonly type?: BackupRecord['type'] | undefined;
  readonly trigger?: BackupRecord['trigger'] | undefined;
  readonly scheduleId?: string | undefined;
  readonly storageDestinationId?: string | undefined;
  /** A date or a date-time, both inclusive; a bare date is its whole day, UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Marked backups, or those that are not acknowledged. */
  readonly anomaly?: 'true' | 'unacknowledged' | undefined;
  /** `exclude`: without backups that a restore made for itself, unless `trigger` names them. */
  readonly internal?: 'exclude' | undefined;
}

/** Table reads per request, up to 1 MB each; about 10,000 backups. */
const readsMax = 20;
const pageItems = 1_000;

/**
 * One page. `next` is undefined only at the end of the list. A page may be short, even empty, and still have a `next`, if the
 * filter matched little within the reads of one request.
 */
export const listBackups = async (
  tenant: Tenant,
  {
    filter,
    page,
    now,
  }: {
    readonly filter: BackupFilter;
    readonly page: { readonly limit: number; readonly after: string | undefined };
    readonly now: Date;
  },
): Promise<{ backups: readonly BackupRecord[]; next: string | undefined }> => {
  const range = rangeOf(tenant, filter);
  const found: BackupRecord[] = [];
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query<BackupRecord>({ ...range, after, limit: pageItems });
    const listed = read.items.filter((backup) => isListed(backup, filter));
    found.push(...(await visibleBackups(tenant, listed, now)));
    // One more than requested shows that there is a next page.
    if (found.length > page.limit) return { backups: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { backups: found, next: undefined };
    after = read.next;
  }
  return { backups: found, next: after };
};

/** Retired backups are listed only if the filter names their status. */
const isListed = (backup: BackupRecord, { status, trigger, anomaly, internal }: BackupFilter): boolean =>
  (backup.status === status || !isRetired(backup)) &&
  (internal === undefined || trigger !== undefined || !isInternalBackup(backup)) &&
  (anomaly === undefined || (anomaly === 'true' ? backup.anomaly !== undefined : backup.anomalyState === 'open'));

const rangeOf = (
  tenant: Tenant,
  { from, to, storageDestinationId, anomaly: _anomaly, internal: _internal, ...filter }: BackupFilter,
): Range => {
  const { start, end } = spanOf({ from, to });
  const bounds = idBounds('backup', start, end);
  const wanted = Object.entries({ ...filter, 'storageDestination.id': storageDestinationId });
  return {
    pk: `ORG#${tenant.organizationId}`,
    prefix: backupPrefix,
    from: `${backupPrefix}${bounds.first}`,
    to: `${backupPrefix}${bounds.last}`,
    newestFirst: true,
    where: Object.fromEntries(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
};

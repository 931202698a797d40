/** The history that backups of a project, and of the same collections, are compared with. It outlives the backups. */
import { decodeHistory, encodeHistory, type History } from '../../anomaly/index.ts';
import {
  absentOr,
  after,
  epochSeconds,
  fingerprint,
  type Item,
  type Key,
  StaleReadError,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';

export interface HistoryRecord extends Item {
  readonly projectId: string;
  /** The last backup, and its exact read time. */
  readonly backupId: string;
  readonly readTime: string;
  /** JSON texts from `encodeHistory`: customers choose the names. */
  readonly runs: string;
  readonly stock: string;
  readonly at: number;
  readonly revision: number;
}

export const historyPrefix = (projectId: string): string => `ANOMALY#${projectId}#`;

type Scope = Pick<BackupRecord, 'projectId' | 'collections' | 'excludedCollections'>;

/** Backups of other collections have a history of their own. */
export const historyKey = (tenant: Tenant, { projectId, collections, excludedCollections }: Scope): Key<HistoryRecord> => {
  const lists = [collections, excludedCollections].map((list) => [...new Set(list)].sort());
  return { pk: `ORG#${tenant.organizationId}`, sk: `${historyPrefix(projectId)}${fingerprint(JSON.stringify(lists))}` };
};

export const historyOf = (record: HistoryRecord | undefined): History | undefined => record && decodeHistory(record);

/** A project that is not backed up for so long begins anew. */
const keptSeconds = 400 * 24 * 3_600;

interface NewHistory {
  readonly lastBackup: Pick<HistoryRecord, 'projectId' | 'backupId' | 'readTime'>;
  readonly history: History;
  /** As it was read. */
  readonly revision: number | undefined;
  readonly now: Date;
  readonly maxBytes?: number | undefined;
}

/** Stores the history, provided that it was not changed since it was read. */
export const putHistory = (
  key: Key<HistoryRecord>,
  { lastBackup: { projectId, backupId, readTime }, history, revision, now, maxBytes }: NewHistory,
): Write => ({
  put: {
    ...{ pk: key.pk, sk: key.sk },
    ...encodeHistory(history, maxBytes),
    projectId,
    backupId,
    readTime,
    revision: (revision ?? 0) + 1,
    ttl: epochSeconds(after(now, keptSeconds)),
  } satisfies HistoryRecord,
  ...absentOr({ revision: revision ?? 0 }),
  onConditionFailed: () => new StaleReadError(),
});

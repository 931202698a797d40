/** A backup as the API and the events show it. */

import type * as z from 'zod/mini';
import type { Actor } from '../../audit/index.ts';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import { formatBytes } from '../../contract/format-bytes.ts';
import type { Backup } from '../../contract/models/backup.ts';
import { readPriceOf, usdOf } from '../../contract/read-prices.ts';
import { type Patience, shownWait } from '../../job/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { formatDuration } from './format-duration.ts';
import type { BackupRecord, JobCreator } from './record.ts';
import { sourceReadingOf } from './source-reading.ts';

/**
 * The API model. It never contains the key file or the archive's identity. `names` are current names of projects; the name at the
 * start of the backup stands in for a project that is gone.
 */
export const backupData = (record: BackupRecord, names: ReadonlyMap<string, string> = new Map()): z.input<typeof Backup> => {
  const { id, projectId, type, parentBackupId, status, phase, trigger, scheduleId, readTime, size, originalSize } = record;
  const { storageDestination, path, documentCount, collectionCounts, countVerified, authUsers, encryption } = record;
  const { verification, verifiedAt, restoreTestedAt, lockedUntil, expiresAt, createdAt, startedAt, completedAt, error } = record;
  return {
    id,
    projectId,
    projectName: names.get(projectId) ?? record.projectName ?? null,
    type,
    parentBackupId,
    status,
    phase,
    progress: backupProgress(record),
    waitingFor: status === 'pending' || status === 'running' ? shownWait(record, backupPatience(record)) : null,
    trigger,
    scheduleId,
    ...(record.synthesizedFrom !== undefined && { synthesizedFrom: record.synthesizedFrom }),
    ...(record.fullBecause !== undefined && { fullBecause: record.fullBecause }),
    ...(record.source !== undefined && { source: record.source }),
    ...readingData(record),
    readTime,
    size,
    sizeFormatted: formatBytes(size),
    originalSize,
    duration: durationMsOf(record),
    storageDestination,
    path,
    collections: [...record.collections],
    excludedCollections: [...record.excludedCollections],
    ...(record.isPartial && { partial: true }),
    ...(record.isForeign && { foreign: true }),
    ...(record.lacks && { lacks: record.lacks }),
    unknownCollections: [...record.unknownCollections],
    documentCount,
    collectionCounts: Object.fromEntries(collectionCounts),
    countVerified,
    ...(authUsers !== undefined && { authUsers }),
    cost: costOf(record.reads, record.usdPerMillionReads),
    encryption,
    verification: verification && {
      ...verification,
      percent: verification.percent ?? (verification.status === 'running' ? 0 : 100),
    },
    verifiedAt,
    restoreTestedAt,
    anomaly: record.anomaly ?? null,
    lockedUntil,
    immutableUntil: record.immutableUntil ?? null,
    ...(record.lockProblem && { lockProblem: record.lockProblem }),
    expiresAt,
    ...(record.retentionDays !== undefined && { retention: record.retentionDays }),
    ...(record.retentionPolicy && { retentionPolicy: { ...record.retentionPolicy } }),
    createdBy: creatorData(record.createdBy),
    createdAt,
    startedAt,
    completedAt,
    error,
    ...(record.objectsKept && { objectsKept: record.objectsKept }),
  };
};

const readingData = (record: BackupRecord) => {
  const { readTime, builtFromReason, reads, documentCount } = record;
  const { builtFrom = null, auditedSince = null } = sourceReadingOf(record);
  const isBuilt = builtFrom === 'changes';
  return {
    builtFrom: readTime === null ? null : builtFrom,
    ...(builtFromReason !== undefined && { builtFromReason }),
    readsBilled: reads,
    ...(isBuilt && wasCompleted(record) && { costIfRead: costOf(readsOf(documentCount), record.usdPerMillionReads) }),
    auditedSince,
  };
};

/** What reading so many documents is billed: each, their count, and the probe. */
const readsOf = (documents: number): number => documents + Math.ceil(documents / 1_000) + 1;

/** An outage ends a backup before its timeout, so that the next one can start once the outage is over. */
const outageSeconds = 300;

export const backupPatience = ({ deadline }: Pick<BackupRecord, 'deadline'>): Patience => ({
  database: outageSeconds,
  storage: outageSeconds,
  deadline,
});

/** Null for records without one. */
export const creatorData = (creator: JobCreator | undefined): z.input<typeof Backup>['createdBy'] =>
  creator
    ? { type: creatorType(creator), id: creator.id, email: creator.email ?? null, ...(creator.name && { name: creator.name }) }
    : null;

const creatorType = ({ type }: JobCreator): Actor['type'] =>
  type === 'user' || type === 'service_account' || type === 'api_key' ? type : 'system';

/** 100 percent is reserved for completed backups. */
export const backupProgress = (record: BackupRecord): z.input<typeof Backup>['progress'] => {
  const { documents, totalDocuments, documentCount } = record;
  if (wasCompleted(record)) return { percent: 100, documents: documentCount, totalDocuments: documentCount };
  const percent = totalDocuments ? Math.min(99, Math.floor((documents / totalDocuments) * 100)) : 0;
  return { percent, documents, totalDocuments };
};

/** Whether the backup ever completed, even if it was deleted or expired since. */
export const wasCompleted = ({ status, completedAt, error }: Pick<BackupRecord, 'status' | 'completedAt' | 'error'>): boolean =>
  status === 'completed' || ((status === 'expired' || status === 'deleted') && completedAt !== null && error === null);

const durationMsOf = ({ startedAt, completedAt }: BackupRecord): number | null =>
  startedAt === null || completedAt === null ? null : Math.max(0, Date.parse(completedAt) - Date.parse(startedAt));

/** Rounded to micro-dollars. Without a price it is the dearest. */
export const costOf = (
  reads: number,
  usdPerMillion: number = readPriceOf({}).usdPerMillion,
): { reads: number; estimatedUsd: number } => ({ reads, estimatedUsd: usdOf(reads, usdPerMillion) });

/** The `data` of backup.started and backup.completed. backup.progress adds `progress`, backup.failed adds the backup's `error`. */
export const backupEvent = (
  record: BackupRecord,
  project: Pick<ProjectRecord, 'id' | 'name' | 'sourceProjectId'>,
  organization: Pick<OrganizationRecord, 'id' | 'name'>,
): EventData<'backup.completed'> => {
  const { duration, ...shown } = backupData(record);
  return {
    backup: {
      ...shown,
      duration,
      durationFormatted: duration === null ? null : formatDuration(duration),
      collectionsCount: record.collectionCounts.length,
    },
    project: { id: project.id, name: project.name, sourceProjectId: project.sourceProjectId },
    organization: { id: organization.id, name: organization.name },
  };
};

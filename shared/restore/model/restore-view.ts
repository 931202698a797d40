/** A restore as the API, the history and the events show it. */
import type * as z from 'zod/mini';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import { usdPerDelete, usdPerRead, usdPerWrite } from '../../contract/list-prices.ts';
import type { RestoreHistory, RestoreJob } from '../../contract/models/restore.ts';
import { shownWait } from '../../job/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import { microsOf, shownDivergence, shownMoment } from '../../pitr/index.ts';
import { omitUndefined, takeWithinBytes } from '../../platform/index.ts';
import { creatorData } from '../../stored-backup/index.ts';
import { ruleMatches, transformSummary } from '../transform/transform-view.ts';
import type { RestoreRecord } from './record.ts';
import { restorePatience } from './restore-patience.ts';
import { restoreProgress } from './restore-progress.ts';

/** The API's view: without the journal's location and key. */
export const restoreData = (record: RestoreRecord): z.input<typeof RestoreJob> => {
  const { id, backupId, projectId, targetProjectId, status, phase, mergeMode, dryRun, includeSubcollections } = record;
  const {
    includeAuthUsers,
    documentIds,
    plan,
    deleteDigest,
    deletions,
    notFound,
    failed,
    failures,
    users,
    collectionsRestored,
    attempt,
  } = record;
  const { transform, transformed } = record;
  const { safetyBackupId = null, undoUntil, undoOf, undoneBy, createdAt, startedAt, completedAt, error } = record;
  return {
    restoreJobId: id,
    backupId,
    pointInTime: pointInTimeOf(record),
    partial: partialOf(record),
    diverged: record.point?.diverged ? shownDivergence(record.point.diverged) : null,
    projectId,
    projectName: record.projectName,
    targetProjectId,
    targetProjectName: record.targetProjectName,
    status,
    phase,
    mergeMode,
    dryRun,
    collections: [...record.collections],
    ...(documentIds && { documentIds: [...documentIds] }),
    includeSubcollections,
    includeAuthUsers,
    progress: restoreProgress(record),
    waitingFor: isActive(record) ? shownWait(record, restorePatience(record)) : null,
    cancelling: isActive(record) && record.cancelling === true,
    plan: plan && {
      ...plan,
      documentsErased: record.erasedInCheck ?? 0,
      notFound: [...notFound],
      ...omitUndefined({ deleteDigest, deletions: deletions && [...deletions] }),
    },
    ...missingNames(record),
    ...findingsOf(record),
    ...countsOf(record),
    documentsFailed: failed,
    documentsErased: (record.erasedInCheck ?? 0) + (record.erased ?? 0),
    failures: [...failures],
    collectionsRestored,
    ...(users && { authUsers: users }),
    ...(transform && {
      transform: transformSummary(transform, transformed),
      ruleMatches: ruleMatches(transform, transformed),
    }),
    cost: restoreCost(record),
    duration: durationOf(record),
    attempts: attempt,
    safetyBackupId,
    undoUntil,
    undoOf,
    undoneBy,
    createdBy: creatorData(record.createdBy),
    createdAt,
    startedAt,
    completedAt,
    error,
  };
};

const partialOf = ({ point, lacks }: Pick<RestoreRecord, 'point' | 'lacks'>): z.input<typeof RestoreJob>['partial'] => {
  const lacking = point?.uncovered ?? lacks;
  return lacking ? { ...lacking, collections: [...lacking.collections] } : null;
};

const missingNames = ({ notFound, notFoundCount, unknownCollections = [], unknownCollectionsCount }: RestoreRecord) => ({
  unknownCollections: shownNames(unknownCollections),
  unknownCollectionsCount: unknownCollectionsCount ?? unknownCollections.length,
  notFound: shownNames(notFound),
  notFoundCount: notFoundCount ?? notFound.length,
});

const findingsOf = ({ findings = [], findingsCount = findings.length }: RestoreRecord) => ({
  findings: findings.map((finding) => ({ ...finding })),
  findingsCount,
});

/** The first names of a request: all of them may not fit into an event or a page of the history. */
export const shownNames = (names: readonly string[]): string[] => [
  ...takeWithinBytes(names, { sizeOf: (name) => Buffer.byteLength(name), maxBytes: 10_000, maxCount: 100 }),
];

const isActive = ({ status }: RestoreRecord): boolean => status === 'pending' || status === 'running';

const pointInTimeOf = ({ point }: RestoreRecord): string | null => (point ? shownMoment(microsOf(point.moment)) : null);

/** A dry run restores nothing. */
const countsOf = ({ plan, dryRun, sealedAt, raced, ...record }: RestoreRecord) => {
  const { written, deleted } = acknowledgedOf(record);
  const decided = dryRun || sealedAt === undefined ? undefined : plan;
  const documentsUnchanged = decided?.unchanged ?? 0;
  return {
    documentsRestored: written + documentsUnchanged,
    documentsUnchanged,
    documentsDeleted: deleted,
    documentsSkipped: (decided?.skip ?? 0) + raced,
  };
};

const acknowledgedOf = ({
  written,
  deleted,
  lateWritten = 0,
  lateDeleted = 0,
}: Pick<RestoreRecord, 'written' | 'deleted' | 'lateWritten' | 'lateDeleted'>) => ({
  written: written + lateWritten,
  deleted: deleted + lateDeleted,
});

/** The cost by Google's list prices, rounded to micro-dollars. */
export const restoreCost = ({
  reads,
  ...record
}: Pick<RestoreRecord, 'reads' | 'written' | 'deleted' | 'lateWritten' | 'lateDeleted'>): z.input<typeof RestoreJob>['cost'] => {
  const { written: writes, deleted: deletes } = acknowledgedOf(record);
  const estimatedUsd = Math.round((reads * usdPerRead + writes * usdPerWrite + deletes * usdPerDelete) * 1e6) / 1e6;
  return { reads, writes, deletes, estimatedUsd };
};

const durationOf = ({ startedAt, completedAt }: RestoreRecord): number | null =>
  startedAt === null || completedAt === null
    ? null
    : Math.max(0, Math.round((Date.parse(completedAt) - Date.parse(startedAt)) / 1_000));

const historyStatus = {
  pending: 'In Progress',
  running: 'In Progress',
  completed: 'Success',
  failed: 'Failed',
  cancelled: 'Failed',
} as const;

export const historyEntry = (record: RestoreRecord): z.input<typeof RestoreHistory> => {
  const { restoreJobId, status, progress, ruleMatches: _, ...shown } = restoreData(record);
  const { targetProjectName: name, backupCreatedAt } = record;
  return {
    ...shown,
    restoreJobId,
    date: record.createdAt,
    sourceBackup: { id: record.backupId, createdAt: backupCreatedAt },
    targetProject: { id: record.targetProjectId, name },
    status: historyStatus[status],
    jobStatus: status,
    documents: progress.documents,
  };
};

/** The organization and the projects of a restore. The names at the start of the restore stand in for projects that are gone. */
export interface RestoreParties {
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  readonly project: { readonly name: string } | undefined;
  readonly target: { readonly name: string } | undefined;
}

/** The `data` of restore.started and restore.completed; restore.progress adds `progress`, restore.failed requires an `error`. */
export const restoreEvent = (
  record: RestoreRecord,
  { project, target, organization: { id, name } }: RestoreParties,
): EventData<'restore.completed'> => {
  const { ruleMatches: _, ...shown } = restoreData(record);
  return {
    restore: {
      ...shown,
      projectName: project?.name ?? record.projectName,
      targetProjectName: target?.name ?? record.targetProjectName,
    },
    organization: { id, name },
  };
};

/** The resources of sample events: a shop's database, its bucket, its nightly backup and one restore. */
import type { EventData } from '../events/event-catalogue.ts';
import { idPrefixes } from '../ids.ts';
import { backupTimeoutMinutes, undoSeconds } from '../limits.ts';
import { sampleRestoreTestRun } from './sample-restore-test.ts';

/** Well-formed, but of no real resource. */
const ulid = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const laterUlid = '01JZ8Q9F5WB4D7Y1KM3S8G6TQE';
const scheduleId = `sch_${ulid}`;
const collections = ['customers', 'invoices', 'orders'];
const totalDocuments = 48_213;
const [bytesStored, bytesRead] = [41_236_480, 187_429_376];
const backupMs = 94_310;
const restoreSeconds = 71;

type ExportedEvent = EventData<'export.completed'>['export'];

/** The resources as of `now`. Their sizes, counts and times are consistent with each other. */
export const sampleResourcesAt = (now: Date) => {
  const later = (seconds: number): string => new Date(now.getTime() + seconds * 1_000).toISOString();
  const ago = (seconds: number): string => later(-seconds);
  const project = { id: `${idPrefixes.project}_${ulid}`, name: 'Web shop', sourceProjectId: 'web-shop-production' };
  const storageDestination = {
    id: `${idPrefixes.storageDestination}_${ulid}`,
    name: 'Backups in Frankfurt',
    type: 's3' as const,
  };
  const person = { id: `${idPrefixes.user}_${ulid}`, email: 'ada@example.com' };
  const [month, quarter] = [30 * 24 * 3_600, 90 * 24 * 3_600];

  const fullProject: EventData<'project.created'>['project'] = {
    ...project,
    databaseId: '(default)',
    labels: { team: 'shop' },
    status: 'connected',
    connection: { type: 'user', email: person.email },
    settings: { backupTimeoutMinutes, defaultStorageId: storageDestination.id },
    database: {
      state: 'known',
      edition: 'standard',
      locationId: 'eur3',
      pointInTimeRecovery: false,
      realtimeUpdates: true,
      permission: null,
      checkedAt: now.toISOString(),
      readPrice: {
        unit: 'document',
        usdPerMillion: 0.6,
        usdPerMillionChanges: 0.6,
        ofLocation: true,
        source: 'https://cloud.google.com/firestore/pricing',
      },
    },
    pitr: { enabled: false },
    lastBackupAt: null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  const storage: EventData<'storage.connected'>['storage'] = {
    ...storageDestination,
    bucket: 'web-shop-backups',
    prefix: 'production',
    region: 'eu-central-1',
    endpoint: null,
    immutable: false,
    objectLock: null,
    sse: null,
    sseKmsKeyId: null,
    status: 'connected',
    lastError: null,
    lastTestedAt: now.toISOString(),
    createdAt: ago(quarter),
    updatedAt: now.toISOString(),
  };
  const schedule: EventData<'schedule.created'>['schedule'] = {
    id: scheduleId,
    name: 'Every night',
    projectId: project.id,
    projectName: project.name,
    cron: '0 3 * * *',
    cronExpression: '0 3 * * *',
    timezone: 'Europe/Berlin',
    type: 'full',
    enabled: true,
    retention: 30,
    retentionPolicy: null,
    collections: ['*'],
    excludeCollections: [],
    includeAuthUsers: false,
    source: 'auto',
    storageDestinationId: storageDestination.id,
    nextRunAt: later(6 * 3_600),
    waitingFor: null,
    lastRunAt: ago(18 * 3_600),
    lastBackupId: `${idPrefixes.backup}_${ulid}`,
    lastSuccessAt: ago(18 * 3_600),
    lastOutcome: { status: 'completed', at: ago(18 * 3_600), backupId: `${idPrefixes.backup}_${ulid}`, error: null },
    failing: null,
    warning: null,
    createdBy: person,
    createdAt: ago(month),
    updatedAt: now.toISOString(),
  };

  const backup: EventData<'backup.completed'>['backup'] = {
    id: `${idPrefixes.backup}_${ulid}`,
    projectId: project.id,
    type: 'full',
    status: 'completed',
    size: bytesStored,
    sizeFormatted: '41.2 MB',
    originalSize: bytesRead,
    duration: backupMs,
    durationFormatted: '1m 34s',
    storageDestination,
    waitingFor: null,
    collections,
    unknownCollections: [],
    collectionsCount: collections.length,
    documentCount: totalDocuments,
    builtFrom: 'source',
    readsBilled: totalDocuments,
    auditedSince: ago(backupMs / 1_000),
    trigger: 'scheduled',
    scheduleId,
    createdAt: ago(backupMs / 1_000 + 2),
    completedAt: now.toISOString(),
  };
  /** A running backup has stored nothing yet. */
  const running: typeof backup = {
    ...backup,
    status: 'running',
    size: 0,
    sizeFormatted: '0 B',
    originalSize: 0,
    documentCount: 0,
    collectionsCount: 0,
    duration: null,
    durationFormatted: null,
    completedAt: null,
  };

  const restore: EventData<'restore.completed'>['restore'] = {
    restoreJobId: `${idPrefixes.restore}_${ulid}`,
    backupId: backup.id,
    pointInTime: null,
    partial: null,
    diverged: null,
    projectId: project.id,
    projectName: project.name,
    targetProjectId: project.id,
    targetProjectName: project.name,
    status: 'completed',
    phase: 'Completed',
    mergeMode: 'overwrite',
    dryRun: false,
    includeSubcollections: true,
    includeAuthUsers: false,
    progress: { percent: 100, documents: totalDocuments, totalDocuments },
    waitingFor: null,
    cancelling: false,
    unknownCollections: [],
    unknownCollectionsCount: 0,
    notFound: [],
    notFoundCount: 0,
    documentsRestored: totalDocuments,
    documentsUnchanged: 0,
    documentsDeleted: 0,
    documentsSkipped: 0,
    documentsFailed: 0,
    documentsErased: 0,
    findings: [],
    findingsCount: 0,
    collectionsRestored: collections.length,
    cost: { reads: totalDocuments, writes: totalDocuments, deletes: 0, estimatedUsd: 0.115711 },
    duration: restoreSeconds,
    attempts: 1,
    safetyBackupId: `${idPrefixes.backup}_${laterUlid}`,
    undoUntil: later(undoSeconds),
    undoOf: null,
    undoneBy: null,
    createdBy: { type: 'user', ...person },
    createdAt: ago(restoreSeconds + 2),
    startedAt: ago(restoreSeconds),
    completedAt: now.toISOString(),
    error: null,
  };
  const restoring: typeof restore = {
    ...restore,
    status: 'running',
    phase: 'Initializing',
    progress: { percent: 0, documents: 0, totalDocuments },
    documentsRestored: 0,
    collectionsRestored: 0,
    duration: null,
    completedAt: null,
    safetyBackupId: null,
    undoUntil: null,
    cost: { reads: 0, writes: 0, deletes: 0, estimatedUsd: 0 },
  };
  const exportId = `${idPrefixes.export}_${ulid}`;
  const exported = {
    id: exportId,
    projectId: project.id,
    projectName: project.name,
    backupId: backup.id,
    pointInTime: null,
    readTime: ago(quarter),
    format: 'parquet',
    unknownCollections: [],
    unknownCollectionsCount: 0,
    partial: null,
    exactText: false,
    storageDestination: { id: storage.id, name: storage.name, type: storage.type },
    path: `backups/exports/${project.id}/${exportId}`,
    status: 'completed',
    phase: 'finished',
    progress: { percent: 100, documents: totalDocuments, totalDocuments },
    cancelling: false,
    waitingFor: null,
    documents: totalDocuments,
    documentsErased: 0,
    files: 4,
    bytes: 41_236_480,
    manifest: {
      path: `backups/exports/${project.id}/${exportId}/manifest.json`,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
    download: false,
    recipients: [],
    retention: null,
    expiresAt: null,
    filesDeletedAt: null,
    filesKeptReason: null,
    resumableUntil: null,
    cost: { reads: 0, estimatedUsd: 0 },
    duration: restoreSeconds,
    createdBy: { type: 'user', ...person },
    createdAt: ago(restoreSeconds + 2),
    startedAt: ago(restoreSeconds),
    completedAt: now.toISOString(),
    error: null,
  } satisfies ExportedEvent;
  const exporting: ExportedEvent = {
    ...exported,
    status: 'running',
    phase: 'planning',
    progress: { percent: 0, documents: 0, totalDocuments: null },
    documents: 0,
    files: 0,
    bytes: 0,
    manifest: null,
    duration: null,
    completedAt: null,
  };
  const restoreTestRun = sampleRestoreTestRun({
    project,
    backupId: backup.id,
    ulid,
    documents: totalDocuments,
    bytes: bytesRead,
    ago,
  });
  const restored = { restore, restoring, restoreTestRun, exported, exporting };
  return { project, fullProject, storage, schedule, backup, running, ...restored, person, totalDocuments, ago, later };
};

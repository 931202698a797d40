/** Examples of backups, restores and what belongs to them. */
import type * as z from 'zod/mini';
import { idPrefixes } from '../../ids.ts';
import type { Backup, BackupEntry, Diff, Estimate } from '../../models/backup.ts';
import type { Export, ExportContent, ExportFile, ExportPlan } from '../../models/export.ts';
import type { Overview } from '../../models/overview.ts';
import type { DryRun, RestoreHistory, RestoreJob } from '../../models/restore.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { exampleTime } from './request-examples.ts';

const {
  project,
  fullProject,
  storage,
  backup: sample,
  restore,
  exported,
  schedule,
  person,
  totalDocuments,
  ago,
} = sampleResourcesAt(exampleTime);
const { durationFormatted: _formatted, collectionsCount: _count, ...common } = sample;
const now = exampleTime.toISOString();
const creator = { type: 'user' as const, ...person };
const cost = { reads: totalDocuments, estimatedUsd: 0.028928 };
const startedAt = ago(94);

export const backup: z.output<typeof Backup> = {
  ...common,
  projectName: project.name,
  parentBackupId: null,
  phase: 'finished',
  progress: { percent: 100, documents: totalDocuments, totalDocuments },
  readTime: startedAt,
  path: `${storage.prefix}/${project.id}/${sample.id}`,
  excludedCollections: [],
  collectionCounts: { orders: 31_002, invoices: 12_211, customers: 5_000 },
  countVerified: true,
  cost,
  encryption: { mode: 'kms', keyId: 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab' },
  verification: { status: 'passed', depth: 'sample', checkedAt: now, objects: 12, percent: 100, findings: [] },
  verifiedAt: now,
  restoreTestedAt: null,
  anomaly: null,
  lockedUntil: null,
  immutableUntil: null,
  expiresAt: '2026-03-02T12:00:00.000Z',
  createdBy: { type: 'system', id: schedule.id, email: null },
  startedAt,
  error: null,
};

export const estimate: z.output<typeof Estimate> = {
  documents: totalDocuments,
  bytes: common.originalSize,
  reads: totalDocuments,
  estimatedUsd: cost.estimatedUsd,
  builtFrom: 'source',
  readUnit: 'document',
  shards: 4,
  collections: common.collections,
  unknownCollections: [],
};

export const entry: z.output<typeof BackupEntry> = {
  type: 'document',
  path: 'customers/ada',
  id: 'ada',
  name: `projects/${project.sourceProjectId}/databases/(default)/documents/customers/ada`,
  fields: { name: { stringValue: 'Ada' }, orders: { integerValue: '3' } },
  createTime: '2025-06-01T08:00:00.000000Z',
  updateTime: '2026-01-30T17:21:09.125000Z',
};

export const diff: z.output<typeof Diff> = {
  against: 'live',
  counts: { added: 1, changed: 2, removed: 0, unchanged: totalDocuments - 3 },
  complete: true,
  changes: [
    { path: 'customers/ada', change: 'changed' },
    { path: 'orders/1042', change: 'added' },
  ],
  cost,
};

const plan = { create: 1, overwrite: 2, skip: 0, delete: 0, unchanged: totalDocuments - 3, documentsErased: 0, notFound: [] };
const missing = { unknownCollections: [], unknownCollectionsCount: 0, notFound: [], notFoundCount: 0 };

export const restoreJob: z.output<typeof RestoreJob> = {
  ...restore,
  ...missing,
  collections: ['*'],
  plan,
  documentsRestored: totalDocuments,
  documentsUnchanged: totalDocuments - 3,
  failures: [],
  error: null,
};

export const dryRun: z.output<typeof DryRun> = {
  ...plan,
  deletions: [],
  deleteDigest: '0'.repeat(64),
  ...missing,
  dryRun: true,
  backupId: backup.id,
  pointInTime: null,
  partial: null,
  diverged: null,
  projectId: project.id,
  targetProjectId: project.id,
  mergeMode: 'merge',
  readTime: now,
  changes: [
    { path: 'customers/ada', action: 'overwrite' },
    { path: 'orders/1042', action: 'create' },
  ],
  cost,
};

export const exportJob: z.output<typeof Export> = { ...exported, collections: ['*'], columns: null };

export const exportFile: z.output<typeof ExportFile> = {
  name: 'orders/part-00001.parquet',
  collection: 'orders',
  documents: 1_200,
  bytes: 4_194_308,
  sha256: '0'.repeat(64),
};

/** The last piece of the file. */
export const exportContent: z.output<typeof ExportContent> = {
  file: exportFile.name,
  offset: 4_194_304,
  bytes: 4,
  totalBytes: exportFile.bytes,
  nextOffset: null,
  content: 'UEFSMQ==',
};

export const exportPlan: z.output<typeof ExportPlan> = {
  dryRun: true,
  unknownCollections: [],
  unknownCollectionsCount: 0,
  partial: null,
  projectId: project.id,
  backupId: backup.id,
  pointInTime: null,
  format: 'parquet',
  documents: 31_002,
  bytes: 24_801_600,
  files: 1,
  storageDestination: exported.storageDestination,
  cost: exported.cost,
};

export const restoreHistory: z.output<typeof RestoreHistory> = {
  restoreJobId: restoreJob.restoreJobId,
  date: restoreJob.createdAt,
  backupId: backup.id,
  sourceBackup: { id: backup.id, createdAt: backup.createdAt },
  pointInTime: null,
  partial: null,
  projectId: project.id,
  projectName: project.name,
  targetProjectId: project.id,
  targetProject: { id: project.id, name: project.name },
  status: 'Success',
  jobStatus: 'completed',
  phase: 'Completed',
  mergeMode: 'merge',
  dryRun: false,
  collections: ['*'],
  documents: totalDocuments,
  documentsRestored: totalDocuments,
  documentsUnchanged: 0,
  documentsDeleted: 0,
  documentsSkipped: 0,
  documentsFailed: 0,
  documentsErased: 0,
  findingsCount: 0,
  ...missing,
  duration: restoreJob.duration,
  undoUntil: restoreJob.undoUntil,
  undoOf: null,
  undoneBy: null,
  createdBy: creator,
  createdAt: restoreJob.createdAt,
  completedAt: restoreJob.completedAt,
};

const message = `${project.name} is not backed up automatically. Create a schedule`;
export const overviewExample: z.output<typeof Overview> = {
  at: now,
  totals: {
    projects: 1,
    protected: 0,
    atRisk: 1,
    unprotected: 0,
    unverified: 0,
    proven: 0,
    backups: 1,
    storedBytes: backup.size,
    runningJobs: 0,
  },
  matching: 1,
  projects: [
    {
      id: project.id,
      name: project.name,
      sourceProjectId: project.sourceProjectId,
      databaseId: fullProject.databaseId,
      labels: fullProject.labels,
      status: 'connected',
      protection: 'at_risk',
      verified: true,
      reasons: [{ code: 'NOT_SCHEDULED', message }],
      lastGoodBackup: {
        id: backup.id,
        type: 'full',
        trigger: 'manual',
        completedAt: now,
        readTime: startedAt,
        ageSeconds: 94,
        size: backup.size,
        documents: totalDocuments,
        storageDestinationId: storage.id,
        verifiedAt: now,
      },
      expectedSince: null,
      lastVerification: { backupId: backup.id, at: now, status: 'passed', depth: 'sample' },
      lastRestoreTest: null,
      lastRestore: null,
      pitr: { status: 'disabled', precision: 'second', earliestRestorableAt: null, latestRestorableAt: null, problem: null },
      nextRun: null,
      schedules: { enabled: 0, failing: [] },
      runningJobs: [],
    },
  ],
  labels: [{ key: 'team', value: 'shop', projects: 1 }],
  attention: [
    {
      severity: 'warning',
      kind: 'NOT_SCHEDULED',
      message,
      since: null,
      projectId: project.id,
      resource: { type: 'project', id: project.id },
      incidentId: null,
    },
  ],
  failedJobs: [
    {
      kind: 'backup',
      id: `${idPrefixes.backup}_01JZ8Q9F5WB4D7Y1KM3S8G6TQE`,
      projectId: project.id,
      projectName: project.name,
      trigger: 'manual',
      scheduleId: null,
      status: 'failed',
      failedAt: ago(7_200),
      error: { code: 'SOURCE_AUTH_ERROR', message: 'The service is not allowed to read the source project', details: {} },
    },
  ],
  history: {
    complete: true,
    from: '2026-01-01T12:00:00.000Z',
    days: [
      {
        date: '2026-01-31',
        backups: 1,
        failed: 1,
        addedBytes: backup.size,
        storedBytes: backup.size,
        documents: totalDocuments,
        cost: { ...cost },
      },
    ],
  },
};

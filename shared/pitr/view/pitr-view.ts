/** Point-in-time recovery of a project as the API shows it. */
import type * as z from 'zod/mini';
import { auditDays, captureIntervalSeconds, pitrRetentionDays } from '../../contract/limits.ts';
import type { Pitr } from '../../contract/models/pitr.ts';
import { costOf } from '../../stored-backup/index.ts';
import type { PitrRecord } from '../model/record.ts';
import { problemOf } from '../timeline/problem.ts';
import { windowsOf } from '../timeline/windows.ts';

/** The finding is read from the bases (`captureAnomaly`), the audit from its own item (`readAuditView`). */
type Shown = Omit<z.input<typeof Pitr>, 'anomaly' | 'audit'>;

export const pitrData = (record: PitrRecord, now: Date): Shown => {
  const { windows } = windowsOf(record, now);
  const { lastCapture, bases, storageDestination } = record;
  return {
    projectId: record.projectId,
    enabled: record.status !== 'disabled',
    status: record.status,
    retentionDays: record.retentionDays,
    captureIntervalSeconds: record.captureIntervalSeconds,
    precision: record.precision,
    auditDays: record.auditDays ?? auditDays,
    storageDestinationId: storageDestination.id,
    enabledAt: record.enabledAt,
    baseBackupId: bases.at(-1)?.backupId ?? null,
    earliestRestorableAt: windows[0]?.from ?? null,
    latestRestorableAt: windows.at(-1)?.to ?? null,
    lastCapture: lastCapture && {
      at: lastCapture.at,
      changes: lastCapture.changes,
      cost: costOf(lastCapture.reads, record.usdPerMillionReads),
    },
    changesCaptured: record.changesCaptured,
    problem: problemOf(record, now) ?? record.lockProblem ?? null,
    cost: costOf(record.reads, record.usdPerMillionReads),
  };
};

/** For a project that never had it: the defaults of enabling it. */
export const neverEnabled = (projectId: string): Shown => ({
  projectId,
  enabled: false,
  status: 'disabled',
  retentionDays: pitrRetentionDays,
  captureIntervalSeconds,
  precision: 'second',
  auditDays,
  storageDestinationId: null,
  enabledAt: null,
  baseBackupId: null,
  earliestRestorableAt: null,
  latestRestorableAt: null,
  lastCapture: null,
  changesCaptured: 0,
  problem: null,
  cost: costOf(0),
});

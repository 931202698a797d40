/** A person has seen what was found in a backup: retention is free again, and the run counts as normal from then on. */
import type { Run } from '../../anomaly/index.ts';
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { type Change, get, iso, type Key, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { assertNotLeaving, notLeaving } from '../../project/index.ts';
import { type BackupRecord, backupKey, type JobCreator } from '../model/record.ts';
import { markRetentionDue } from '../model/retention-due.ts';
import { capturedPart } from './captured-part.ts';
import { type HistoryRecord, historyKey, historyOf, putHistory } from './history-record.ts';
import { captureHistoryKey } from './judge-capture.ts';

interface Acknowledgement {
  readonly by: JobCreator;
  readonly note: string | undefined;
}

/**
 * Idempotent: the first acknowledgement stays as it is. It is for what the given record shows: if more is found before it commits, it is
 * refused, and the mark stays open.
 */
export const acknowledgeAnomaly = async (
  tenant: Tenant,
  {
    backup,
    acknowledgement: { by, note },
    now,
  }: { readonly backup: BackupRecord; readonly acknowledgement: Acknowledgement; readonly now: Date },
): Promise<{ backup: BackupRecord; change: Change }> => {
  const { id, projectId, anomaly, anomalyState, anomalyRevision } = backup;
  if (!anomaly) throw new ApiError('CONFLICT', 'The backup is not marked: nothing unusual was found in it', { anomaly: null });
  if (anomalyState === 'acknowledged') return { backup, change: { writes: [], audit: [] } };
  assertNotLeaving(backup);
  const acknowledged = {
    ...anomaly,
    acknowledgedAt: iso(now),
    acknowledgedBy: { type: 'user', id: by.id, email: by.email ?? null },
    note: note ?? null,
  } as const;
  const state = { anomaly: acknowledged, anomalyState: 'acknowledged', anomalyCaptured: undefined } as const;
  const { keptBackupId, findings } = anomaly;
  return {
    backup: { ...backup, ...state },
    change: {
      writes: [
        set(backupKey.backup(tenant, id), state, {
          expected: { anomalyState, anomalyRevision, ...notLeaving },
          onConditionFailed: () => refusal(tenant, backup),
        }),
        ...(await releaseKept(tenant, keptBackupId, id)),
        ...(await acceptRuns(tenant, backup, now)),
        markRetentionDue(tenant, now),
        enqueue(tenant, { kind: 'apply-anomaly', backupId: id }, now),
      ],
      audit: [
        auditNote(tenant, {
          type: 'backup',
          id,
          details: { projectId, keptBackupId, findings: findings.length, note: note ?? null },
        }),
      ],
    },
  };
};

/** What was found meanwhile was not seen, so the acknowledgement is not tried again with it. */
const refusal = async (tenant: Tenant, { id, anomalyRevision }: BackupRecord): Promise<ApiError> => {
  const current = await get(backupKey.backup(tenant, id));
  if (current?.anomalyState !== 'open' || current.anomalyRevision === anomalyRevision) return new StaleReadError();
  const detectedAt = current.anomaly?.detectedAt ?? null;
  return new ApiError('CONFLICT', 'More unusual changes were found meanwhile; read the backup again', { detectedAt });
};

const releaseKept = async (tenant: Tenant, keptBackupId: string | null, id: string): Promise<readonly Write[]> => {
  const kept = keptBackupId === null || keptBackupId === id ? undefined : await get(backupKey.backup(tenant, keptBackupId));
  if (!kept?.heldFor) return [];
  const rest = kept.heldFor.filter((one) => one !== id);
  const onConditionFailed = (): StaleReadError => new StaleReadError();
  const expected = { heldFor: kept.heldFor };
  return [
    set(backupKey.backup(tenant, kept.id), { heldFor: rest.length > 0 ? rest : undefined }, { expected, onConditionFailed }),
  ];
};

/** The same level is then expected, and not reported again. Of captures, these are the batches that the mark tells of. */
const acceptRuns = async (tenant: Tenant, backup: BackupRecord, now: Date): Promise<readonly Write[]> => {
  const captured = capturedPart(backup);
  const isCaptured = ({ at }: Run): boolean => captured !== undefined && at >= captured.firstAt && at <= captured.lastAt;
  return [
    ...(await acceptIn(historyKey(tenant, backup), ({ id }) => id === backup.id, now)),
    ...(await acceptIn(captureHistoryKey(tenant, backup.projectId), isCaptured, now)),
  ];
};

const acceptIn = async (key: Key<HistoryRecord>, isSeen: (run: Run) => boolean, now: Date): Promise<readonly Write[]> => {
  const record = await get(key);
  const history = historyOf(record);
  const isMeant = (run: Run): boolean => run.state === 'open' && isSeen(run);
  if (!record || !history?.runs.some(isMeant)) return [];
  const runs = history.runs.map((run) => (isMeant(run) ? { ...run, state: 'accepted' as const } : run));
  return [putHistory(key, { lastBackup: record, history: { ...history, runs }, revision: record.revision, now })];
};

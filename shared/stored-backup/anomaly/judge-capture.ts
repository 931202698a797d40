/** Judges a batch of captured changes. What is found marks the backup that the changes build on. */
import { type CapturedBatch, detectCaptured } from '../../anomaly/index.ts';
import { getAll, type Key, StaleReadError, set, type Tenant, type Write, walk } from '../../platform/index.ts';
import type { EventContext } from '../model/backup-progress-events.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { addCaptured, capturedPart, type Marked } from './captured-part.ts';
import { type HistoryRecord, historyKey, historyOf, historyPrefix, putHistory } from './history-record.ts';
import { anomalyNotices } from './judge-backup.ts';

/** The history of batches is written with each of them, so it is small. */
const captureBytesMax = 6_000;

export const captureHistoryKey = (tenant: Tenant, projectId: string): Key<HistoryRecord> => ({
  pk: `ORG#${tenant.organizationId}`,
  sk: `${historyPrefix(projectId)}captures`,
});

interface JudgedCapture {
  readonly batch: CapturedBatch;
  /** The moment before the batch, which can be restored. */
  readonly from: string;
  readonly to: string;
  readonly baseId: string | undefined;
}

/** Writes for the transaction that stores the batch. A batch that is judged again changes nothing. */
export const captureWrites = async (
  context: EventContext,
  { batch, from, to, baseId }: JudgedCapture,
  now: Date,
): Promise<readonly Write[]> => {
  const { tenant, project } = context;
  const key = captureHistoryKey(tenant, project.id);
  const scope = { projectId: project.id, collections: ['*'], excludedCollections: [] };
  const [record, ofBackups, base] = await getAll([
    key,
    historyKey(tenant, scope),
    baseId === undefined ? undefined : backupKey.backup(tenant, baseId),
  ]);
  const before = historyOf(record);
  if (before?.runs.some(({ id }) => id === batch.id)) return [];
  const { findings, run } = detectCaptured(before?.runs ?? [], historyOf(ofBackups)?.stock ?? new Map(), batch);
  // A run is only open with a mark that tells of it: otherwise the next batch is judged together with it.
  const isMarked = findings.length > 0 && base?.status === 'completed';
  const judged = isMarked ? run : { ...run, state: 'normal' as const };
  const history = { runs: [...(before?.runs ?? []), judged], stock: new Map(), at: batch.at };
  const last = { projectId: project.id, backupId: batch.id, readTime: to };
  const stored = putHistory(key, { lastBackup: last, history, revision: record?.revision, now, maxBytes: captureBytesMax });
  if (!isMarked) return [stored];
  const { marked, news } = addCaptured(base, { findings, run, from }, now);
  const notices = news.length > 0 ? anomalyNotices(context, { ...base, ...marked }, { now, news }) : [];
  return [stored, mark(tenant, base, marked), ...notices];
};

const mark = (tenant: Tenant, { id, anomalyState, anomalyRevision }: BackupRecord, marked: Marked): Write =>
  set(backupKey.backup(tenant, id), marked, {
    expected: { status: 'completed', anomalyState, anomalyRevision },
    onConditionFailed: () => new StaleReadError(),
  });

/** An anomaly of captures may have begun in an earlier batch of its window. */
const capturedEarlierMs = 3_600_000;

/**
 * The earliest moment that unacknowledged anomalies of a project keep restorable, in milliseconds. From the marks themselves: a history
 * forgets its oldest runs.
 */
export const heldMoment = async (tenant: Tenant, projectId: string): Promise<number> => {
  const only = ['pk', 'sk', 'anomaly', 'anomalyCaptured'] as const;
  const range = { pk: backupKey.backup(tenant, '').pk, prefix: backupPrefix, only };
  let earliest = Number.POSITIVE_INFINITY;
  for await (const marked of walk<BackupRecord>({ ...range, where: { projectId, anomalyState: 'open' } })) {
    const { anomaly } = marked;
    const captured = capturedPart(marked);
    if (captured) earliest = Math.min(earliest, Date.parse(captured.before) - capturedEarlierMs);
    if (anomaly?.source !== 'capture') earliest = Math.min(earliest, anomaly?.before ? Date.parse(anomaly.before) : 0);
  }
  return earliest;
};

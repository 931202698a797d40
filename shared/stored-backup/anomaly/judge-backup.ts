/** Judges a backup that is about to complete, and what must be written with its completion. */

import { detectAnomaly, type StatisticsByCollection, type UnusualShare } from '../../anomaly/index.ts';
import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { emit, enqueue } from '../../event/index.ts';
import { get, getAll, iso, StaleReadError, set, type Tenant, takeWithinBytes, type Write } from '../../platform/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import type { EventContext } from '../model/backup-progress-events.ts';
import { backupEvent } from '../model/backup-view.ts';
import { type BackupAnomaly, type BackupRecord, backupKey, type PlannedBackup } from '../model/record.ts';
import { type HistoryRecord, historyKey, historyOf, putHistory } from './history-record.ts';

export interface JudgedBackup {
  readonly anomaly: BackupAnomaly | undefined;
  readonly writes: readonly Write[];
}

const findingsMax = 50;
/** An event has them twice, and its item at most 400 KB. */
const findingsMaxBytes = 60_000;

/** Findings on a record and in an event: those of the largest shares, as many as fit. Customers choose the names in them. */
export const shownFindings = (findings: readonly UnusualShare[]): BackupAnomaly['findings'] =>
  fitFindings(
    findings
      .toSorted((a, b) => b.observed.share - a.observed.share)
      .map((finding) => ({ ...finding, message: describeFinding(finding) })),
  );

/** The first that fit into a part of the limits. */
export const fitFindings = (findings: BackupAnomaly['findings'], part = 1): BackupAnomaly['findings'] => [
  ...takeWithinBytes(findings, {
    sizeOf: (finding) => Buffer.byteLength(JSON.stringify(finding)),
    maxBytes: findingsMaxBytes * part,
    maxCount: findingsMax * part,
  }),
];

/** A synthetic full does not read the source, so nothing is known about it that its origin does not say. */
export const judgeBackup = async (
  tenant: Tenant,
  {
    backup,
    statistics,
    lost,
    now,
  }: {
    readonly backup: BackupRecord;
    readonly statistics: StatisticsByCollection | undefined;
    /** What of the configuration is gone since the backup before. */
    readonly lost: BackupAnomaly['findings'];
    readonly now: Date;
  },
): Promise<JudgedBackup> => {
  if ((!statistics && lost.length === 0) || backup.synthesizedFrom !== undefined || backup.readTime === null)
    return { anomaly: undefined, writes: [] };
  const record = await get(historyKey(tenant, backup));
  const { unusual, stored } = statistics
    ? judgeDocuments(tenant, { backup: { ...backup, readTime: backup.readTime }, statistics, record, now })
    : { unusual: [], stored: [] };
  const findings = fitFindings([...lost, ...unusual]);
  if (findings.length === 0) return { anomaly: undefined, writes: stored };
  const { id } = backup;
  const kept = record && (await findLastBefore(tenant, record));
  const anomaly: BackupAnomaly = {
    detectedAt: iso(now),
    source: 'backup',
    findings,
    comparedWith: record?.backupId ?? null,
    keptBackupId: kept?.id ?? null,
    before: kept?.readTime ?? null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    note: null,
  };
  return { anomaly, writes: [...stored, ...(kept ? [holdFor(tenant, kept, id)] : [])] };
};

const judgeDocuments = (
  tenant: Tenant,
  {
    backup,
    statistics,
    record,
    now,
  }: {
    readonly backup: PlannedBackup;
    readonly statistics: StatisticsByCollection;
    readonly record: HistoryRecord | undefined;
    readonly now: Date;
  },
): { readonly unusual: BackupAnomaly['findings']; readonly stored: readonly Write[] } => {
  // The numbers of changes count from the backup that was the last one when this one was planned.
  const isComparable = record !== undefined && record.backupId === backup.comparedWith?.backupId;
  const { id, projectId, readTime } = backup;
  const run = { id, at: Date.parse(readTime), statistics };
  const { findings, history } = detectAnomaly(isComparable ? historyOf(record) : undefined, run);
  const lastBackup = { projectId, backupId: id, readTime };
  const stored = putHistory(historyKey(tenant, backup), { lastBackup, history, revision: record?.revision, now });
  return { unusual: shownFindings(findings), stored: [stored] };
};

/** The newest backup from before that still exists and in which nothing is unacknowledged. */
const findLastBefore = async (tenant: Tenant, record: HistoryRecord): Promise<BackupRecord | undefined> => {
  const suspects = new Set(
    historyOf(record)
      ?.runs.filter(({ state }) => state === 'open')
      .map(({ id }) => id),
  );
  const ids = [record.backupId, ...(historyOf(record)?.runs ?? []).toReversed().map(({ id }) => id)];
  const candidates = [...new Set(ids)].filter((id) => !suspects.has(id)).slice(0, candidatesMax);
  const found = await getAll(candidates.map((id) => backupKey.backup(tenant, id)));
  return found.find((one) => one?.status === 'completed' && one.damagedDepth === undefined && !isMoving(one));
};
const candidatesMax = 50;
const isMoving = ({ arriving, leaving }: BackupRecord): boolean => arriving !== undefined || leaving !== undefined;

/** Retention and deletion leave a backup alone while it is held for another one. */
const holdFor = (tenant: Tenant, { id, heldFor }: BackupRecord, anomalousId: string): Write =>
  set(
    backupKey.backup(tenant, id),
    { heldFor: [...(heldFor ?? []), anomalousId] },
    { expected: { status: 'completed', heldFor }, onConditionFailed: () => new StaleReadError() },
  );

/** The event and the audit entry of a marked backup. `news`: the findings that no earlier event of the mark has reported. */
export const anomalyNotices = (
  { tenant, project, organization }: EventContext,
  backup: BackupRecord,
  {
    now,
    news = backup.anomaly?.findings ?? [],
  }: { readonly now: Date; readonly news?: NonNullable<BackupRecord['anomaly']>['findings'] },
): readonly Write[] => {
  const { anomaly } = backup;
  if (!anomaly) return [];
  const data = backupEvent(backup, project, organization);
  const { keptBackupId, source } = anomaly;
  const findings = news.map(({ collection, kind, field, observed, expected }) => ({
    collection,
    kind,
    field,
    observed,
    expected,
  }));
  return [
    emit(tenant, {
      schemas: backupEvents,
      name: 'backup.anomaly',
      data: { ...data, backup: { ...data.backup, anomaly }, findings: news },
      now,
    }),
    enqueue(tenant, { kind: 'apply-anomaly', backupId: backup.id }, now),
    backupAudit(tenant, {
      action: 'backup.anomaly_detected',
      backup,
      details: { source, keptBackupId, findings: findings.slice(0, 10) },
      now,
    }),
  ];
};

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** Describes a finding in one sentence for people. */
export const describeFinding = ({ collection, kind, field, observed, expected }: UnusualShare): string => {
  const { documents, total, share } = observed;
  const where = collection === null ? 'of all documents' : `of the documents in ${collection}`;
  const range = `expected at most ${percent(expected.max)}`;
  const numbers = `${percent(share)} ${where} (${documents} of ${total})`;
  if (kind === 'deleted') return `${numbers} were deleted; ${range}`;
  if (kind === 'changed') return `${numbers} were changed; ${range}`;
  if (kind === 'added')
    return `${documents} documents were added to ${collection ?? 'the database'}, which had ${total}; ${range}`;
  if (kind === 'entropy')
    return `${numbers} became unreadable${field === null ? '' : ` in field ${field}`}, as encryption makes them; ${range}`;
  return `Field ${field} disappeared from ${percent(share)} of the documents in ${collection} that had it (${documents} of ${total})`;
};

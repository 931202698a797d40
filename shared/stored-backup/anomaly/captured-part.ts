/** What captured changes add to the mark of the backup that they build on. Pure. */
import type { CapturedPart, Run, UnusualShare } from '../../anomaly/index.ts';
import { iso } from '../../platform/index.ts';
import type { BackupAnomaly, BackupRecord } from '../model/record.ts';
import { describeFinding, fitFindings } from './judge-backup.ts';

export type Marked = Required<Pick<BackupRecord, 'anomaly' | 'anomalyState' | 'anomalyCaptured' | 'anomalyRevision'>>;

/** What captures added to the mark of a backup. A mark of an earlier version covers the batches until it was made. */
export const capturedPart = ({ anomaly, anomalyCaptured }: BackupRecord): CapturedPart | undefined => {
  if (anomalyCaptured || anomaly?.source !== 'capture') return anomalyCaptured;
  const { before, detectedAt, findings } = anomaly;
  const reported = findings.map(({ observed }) => observed.documents);
  const moment = before ?? detectedAt;
  return { before: moment, firstAt: Date.parse(moment), lastAt: Date.parse(detectedAt), reported };
};

/** The part of a mark that tells of captured changes, as a mark. The backup itself is what is from before. */
export const capturedAnomaly = (backup: BackupRecord): BackupAnomaly | undefined => {
  const { id, anomaly } = backup;
  const captured = capturedPart(backup);
  if (!anomaly || !captured || anomaly.source === 'capture') return captured && anomaly;
  const findings = anomaly.findings.slice(0, captured.reported.length);
  return { ...anomaly, source: 'capture', findings, comparedWith: id, keptBackupId: id, before: captured.before };
};

interface CapturedFindings {
  readonly findings: readonly UnusualShare[];
  readonly run: Run;
  readonly from: string;
}

type Counted = UnusualShare & { readonly reported: number; readonly isNews: boolean };

/** A finding that grew so much since the last event is reported again. */
const growthMin = 1.5;

/**
 * The mark after a batch. Findings in the same collection and of the same kind add up. `news` are those that an event must report: of
 * another collection or kind, or clearly larger than when it was last reported. Only these change `detectedAt`.
 */
export const addCaptured = (
  base: BackupRecord,
  { findings, run, from }: CapturedFindings,
  now: Date,
): { readonly marked: Marked; readonly news: BackupAnomaly['findings'] } => {
  const open = base.anomalyState === 'open' ? base.anomaly : undefined;
  const part = open && capturedPart(base);
  const reported = part?.reported ?? [];
  const before = open?.findings ?? [];
  const own = before.slice(reported.length);
  const known = before
    .slice(0, reported.length)
    .filter(isOfDocuments)
    .map((finding, n): Counted => ({ ...finding, reported: reported[n] ?? 0, isNews: false }));
  const found = findings.map((finding) => addUp(known.find(isSame(finding)), finding, run));
  const all = [...found, ...known.filter((one) => !found.some(isSame(one)))]
    .toSorted((a, b) => b.observed.share - a.observed.share)
    .map(({ reported: count, isNews, ...finding }) => ({ finding: shown(finding), count, isNews }));
  // The largest stay, with room for what was found in the backup itself; the newest of them come first.
  const shownAll = all.map(({ finding }) => finding);
  const kept = all.slice(0, fitFindings(shownAll, own.length > 0 ? 0.5 : 1).length);
  const captured = [...kept.filter(({ isNews }) => isNews), ...kept.filter(({ isNews }) => !isNews)];
  const news = kept.flatMap(({ finding, isNews }) => (isNews ? [finding] : []));
  const first: BackupAnomaly = {
    detectedAt: iso(now),
    source: 'capture',
    findings: [],
    comparedWith: base.id,
    keptBackupId: base.id,
    before: from,
    acknowledgedAt: null,
    acknowledgedBy: null,
    note: null,
  };
  return {
    marked: {
      anomaly: {
        ...(open ?? first),
        ...(news.length > 0 && { detectedAt: iso(now) }),
        findings: fitFindings([...captured.map(({ finding }) => finding), ...own]),
      },
      anomalyState: 'open',
      anomalyCaptured: {
        before: part?.before ?? from,
        firstAt: part?.firstAt ?? run.at,
        lastAt: run.at,
        reported: captured.map(({ count }) => count),
      },
      anomalyRevision: (base.anomalyRevision ?? 0) + 1,
    },
    news,
  };
};

/** Captured changes are of documents: the first findings are theirs alone. */
const isOfDocuments = (finding: BackupAnomaly['findings'][number]): finding is BackupAnomaly['findings'][number] & UnusualShare =>
  finding.kind !== 'configuration';

const isSame =
  (a: UnusualShare) =>
  (b: UnusualShare): boolean =>
    a.collection === b.collection && a.kind === b.kind;

const shown = (finding: UnusualShare): BackupAnomaly['findings'][number] => ({ ...finding, message: describeFinding(finding) });

/** The batches of a finding before are not in the window of the next one, so what the batch itself did comes on top. */
const addUp = (known: Counted | undefined, finding: UnusualShare, { activity }: Run): Counted => {
  if (!known) return { ...finding, reported: finding.observed.documents, isNews: true };
  const one = activity.get(finding.collection ?? '');
  const more = (finding.kind === 'entropy' ? one?.opaque : one?.deleted) ?? 0;
  const { documents, total } = known.observed;
  const sum = Math.min(total, documents + more);
  const observed =
    finding.observed.documents > sum ? finding.observed : { documents: sum, total, share: Math.round((sum / total) * 1e4) / 1e4 };
  const isNews = observed.documents >= known.reported * growthMin;
  return { ...finding, observed, reported: isNews ? observed.documents : known.reported, isNews };
};

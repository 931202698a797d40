export { runAudit } from './audit/run-audit.ts';
export { collectionsOf } from './base/base-backup.ts';
export { pinnedBackups } from './base/pinned-backups.ts';
export { type BatchLeaf, ChangeBatchReader, describeBatch } from './batch/change-batch-reader.ts';
export { searchCaptures } from './batch/search-captures.ts';
export { type CapturedVersion, searchNewest } from './batch/search-newest.ts';
export { captureOffer } from './budget/capture-offer.ts';
export { consequencesOf } from './budget/consequences.ts';
export { budgetReads } from './budget/daily-allowance.ts';
export {
  checkReadsOf,
  type DatabaseSize,
  type Forecast,
  forecastReads,
  type ProtectionSettings,
} from './budget/forecast-reads.ts';
export { runCaptureCycle } from './capture/capture-cycle.ts';
export { capturedChanges, changesAfter } from './capture/captured-changes.ts';
export { type ContinuousTask, type QueuedCycle, runContinuousCapture } from './capture/continuous-capture.ts';
export { cyclePriority } from './capture/cycle-priority.ts';
export { stalledSince } from './capture/stalled-capture.ts';
export { watchCaptures } from './capture/watch-captures.ts';
export { whyNotBuilt } from './capture/why-not-built.ts';
export { readPitr } from './model/cycle-context.ts';
export { canonicalMoment, floorSecond, lastSecondBefore, microsOf, momentOf, shownMoment } from './model/micro-time.ts';
export {
  type Base,
  type BatchRecord,
  batchPrefix,
  type Gap,
  type PitrRecord,
  pitrKey,
  pitrPrefix,
} from './model/record.ts';
export { buildRestorePoint } from './point/build-point.ts';
export { buildPointInMemory, isSmall, PointTooLarge } from './point/build-point-in-memory.ts';
export { latestChanges } from './point/latest-changes.ts';
export { mergeChanges } from './point/merge-changes.ts';
export type { MissingCoverage, PointRequest } from './point/missing-coverage.ts';
export { heldBy, loadRestorePoint, type PointPlan, planPoint } from './point/plan-point.ts';
export { pointBackupRecord } from './point/point-backup-record.ts';
export { baseOf, type PointInTime, requestedSecond, resolvePoint } from './point/resolve-point.ts';
export { captureUsing, refuseEnding } from './removal/delete-project-captures.ts';
export { expireCaptures } from './removal/expire-captures.ts';
export { purgeCaptures } from './removal/purge-captures.ts';
export { enablePitr, type PitrSettings } from './settings/enable-pitr.ts';
export { refuseIfCaptured } from './settings/refuse-if-captured.ts';
export { disablePitr, endWithProject, updatePitr } from './settings/update-pitr.ts';
export { shownDivergence } from './timeline/diverged-periods.ts';
export { baseFor, windowsOf } from './timeline/windows.ts';
export { listDivergences, readAuditView } from './view/audit-view.ts';
export { captureAnomaly } from './view/capture-anomaly.ts';
export { neverEnabled, pitrData } from './view/pitr-view.ts';
export { noWindows, readWindows } from './view/pitr-windows.ts';
export { readStoredCaptures, type StoredCaptures } from './view/stored-captures.ts';

export { collectionsOf } from './base/base-backup.ts';
export { pinnedBackups } from './base/pinned-backups.ts';
export { type BatchLeaf, ChangeBatchReader, describeBatch } from './batch/change-batch-reader.ts';
export { listBatchesBetween, readBatch } from './batch/list-batches.ts';
export { runCaptureCycle } from './capture/capture-cycle.ts';
export { watchCaptures } from './capture/capture-watchdog.ts';
export { type ContinuousRun, type ContinuousTask, type QueuedCycle, runContinuousCapture } from './capture/continuous-capture.ts';
export { readPitr } from './model/cycle-context.ts';
export { canonicalMoment, ceilSecond, floorSecond, microsOf, momentOf, shownMoment } from './model/micro-time.ts';
export {
  type Base,
  type BatchRecord,
  batchPrefix,
  capturingPartition,
  type Gap,
  type PitrRecord,
  pitrKey,
  pitrPrefix,
  type TokensRecord,
} from './model/record.ts';
export { buildRestorePoint, type PointRun } from './point/build-point.ts';
export { buildPointInMemory, isSmall, PointTooLarge } from './point/build-point-in-memory.ts';
export { type DocumentChange, latestChanges } from './point/latest-changes.ts';
export { mergeChanges, type PointSink, type PointTally } from './point/merge-changes.ts';
export { heldBy, loadRestorePoint, type PointPlan, planPoint } from './point/plan-point.ts';
export { type PointIdentity, pointBackupRecord } from './point/point-backup-record.ts';
export { baseOf, type PointInTime, type PointRequest, requestedSecond, resolvePoint } from './point/resolve-point.ts';
export { captureUsing, refuseEnding } from './removal/delete-project-captures.ts';
export { expireCaptures } from './removal/expire-captures.ts';
export { purgeCaptures } from './removal/purge-captures.ts';
export { enablePitr, type PitrSettings } from './settings/enable-pitr.ts';
export { refuseIfCaptured } from './settings/refuse-if-captured.ts';
export { disablePitr, endWithProject, updatePitr } from './settings/update-pitr.ts';
export { baseFor, horizonOf, shownGap, windowsOf } from './timeline/windows.ts';
export { neverEnabled, pitrData } from './view/pitr-view.ts';

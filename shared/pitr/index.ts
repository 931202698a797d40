export { collectionsOf } from './base.ts';
export { batchesBetween, readBatch } from './batch.ts';
export { BatchReader, describeBatch } from './batch-reader.ts';
export { changePitr, disablePitr, endWithProject } from './change.ts';
export { type BatchLeaf, changesOf, type DocumentChange } from './changes.ts';
export { enablePitr, type PitrWish } from './enabling.ts';
export { captureUsing, refuseEnding } from './ending.ts';
export { forgetCaptures } from './forgetting.ts';
export { refuseIfCaptured } from './leaving.ts';
export { type Arranged, captureLive, type LiveRun, type LiveTask } from './live.ts';
export { mergeChanges, type PointSink, type PointTally } from './merging.ts';
export { ceilSecond, floorSecond, microsOf, momentOf, shownMoment, spelled } from './moment.ts';
export { pinnedBackups } from './pins.ts';
export { baseOf, type Point, type PointWish, pointFor, secondAsked } from './point.ts';
export { type PointIdentity, pointBackup } from './point-backup.ts';
export { makePoint, type PointRun } from './point-making.ts';
export { isSmall, PointTooLarge, pointInMemory } from './point-memory.ts';
export { gatherPoint, heldBy, type PointPlan, planPoint } from './point-plan.ts';
export { purgeCaptures } from './purge.ts';
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
} from './record.ts';
export { readPitr } from './scene.ts';
export { neverEnabled, pitrData } from './state.ts';
export { captureTurn } from './turn.ts';
export { messageOf, watchCaptures } from './watch.ts';
export { baseFor, horizonOf, shownGap, windowsOf } from './windows.ts';

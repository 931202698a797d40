export { batchesBetween, readBatch } from './batch.ts';
export { ceilSecond, floorSecond, microsOf, momentOf, shownMoment, spelled } from './moment.ts';
export { pinnedBackups } from './pins.ts';
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
export { baseFor, horizonOf, shownGap, windowsOf } from './windows.ts';

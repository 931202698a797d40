export type { CapturedPart } from './captured-part.ts';
export { ChangeTally } from './change-tally.ts';
export {
  comparisonsMin,
  detectAnomaly,
  type FindingKind,
  findingKinds,
  type JudgedRun,
  minimums,
  type UnusualShare,
} from './detect-anomaly.ts';
export { batchesMin, type CapturedBatch, detectCaptured } from './detect-captured.ts';
export { decodeHistory, encodeHistory, type History, type Run } from './history.ts';
export { addOrigin, decodeStatistics, mergeStatistics, type StatisticsByCollection } from './statistics.ts';

export { type NamedDocuments, newJournal, type RestorePlace, type RestoreWish, startRestore } from './creation.ts';
export { historyOf, restoreData, restoreEvent } from './data.ts';
export { type RestoreEngine, restoreEngine } from './engine.ts';
export {
  type Journal,
  type RestoreRecord,
  type RestoreShardRecord,
  type RunningRestore,
  restoreKey,
  restorePrefix,
  restoreWork,
  runningRestores,
} from './record.ts';
export { answerStep, RestoreFailStep, RestoreShardStep, RestoreStep } from './step.ts';

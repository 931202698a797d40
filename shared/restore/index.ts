export { endOf, endWrites, type RestoreAround, readAround } from './around.ts';
export { cancelRestore } from './cancel.ts';
export { carryRestore, restoresInto } from './carrying.ts';
export { checkShard } from './check.ts';
export { cleanUpRestore, resumableUntil } from './cleaning.ts';
export { type NamedDocuments, newJournal, type RestorePlace, type RestoreWish, startRestore } from './creation.ts';
export { refuseRestoreCrowd } from './crowd.ts';
export { historyOf, restoreData, restoreEvent } from './data.ts';
export { failRestore, reasonFor } from './ending.ts';
export { cleaningEngine, type RestoreEngine, restoreEngine } from './engine.ts';
export { finishRestore } from './finish.ts';
export { journalKeyIds } from './journal-keys.ts';
export { listRestores, type RestoreFilter } from './list.ts';
export { planInCall } from './plan-in-call.ts';
export { planMomentInCall } from './plan-moment.ts';
export { type MomentAsked, refuseMissing, refuseUnknown } from './point-request.ts';
export type { RestorePoint } from './point-tries.ts';
export { prepareRestore } from './prepare.ts';
export { purgeRestores } from './purge.ts';
export { noSuchRestore, readRestore } from './read.ts';
export { type RestoreWorkflow, reapRestore, restoresUnderWay } from './reaping.ts';
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
export { type RestoreRequest, readRequest } from './request.ts';
export { resumeRestore } from './resume.ts';
export { endUndo } from './safety.ts';
export { sealJournal } from './seal.ts';
export { answerStep, RestoreFailStep, RestoreShardStep, RestoreStep } from './step.ts';
export { undoRestore } from './undo.ts';
export { writeShard } from './write.ts';

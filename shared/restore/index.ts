export { checkShard } from './check/check-shard.ts';
export { planInRequest } from './dry-run/plan-in-request.ts';
export { planPointInTime } from './dry-run/plan-point-in-time.ts';
export { cancelRestore } from './end/cancel-restore.ts';
export { cleanUpRestore, resumableUntil } from './end/clean-up-restore.ts';
export { extendUndo } from './end/extend-undo.ts';
export { failRestore, failureReason } from './end/fail-restore.ts';
export { journalKeyIds } from './end/journal-key-ids.ts';
export { moveRestore, restoresInto } from './end/move-restore.ts';
export { purgeRestores } from './end/purge-restores.ts';
export { restoreJobs } from './end/restore-jobs.ts';
export { assertRestoreCapacity, countRunningRestores, restoreMarks } from './model/assert-restore-capacity.ts';
export { getRestore } from './model/get-restore.ts';
export {
  type RestoreRecord,
  type RestoreShardRecord,
  type RunningRestore,
  restoreKey,
  restorePrefix,
  workPartition,
} from './model/record.ts';
export { historyEntry, restoreCost, restoreData } from './model/restore-view.ts';
export type { NamedDocuments, StartRestoreOptions } from './model/start-options.ts';
export { closeUndoWindow } from './model/undo-window.ts';
export { hasActiveWriter } from './model/writer-lease.ts';
export { assertBatchesPresent, readPointRequest, withKnownCollections } from './point-in-time/point-request.ts';
export { cleanUpDeps, type RestoreDeps, restoreDeps } from './restore-deps.ts';
export { answerRestoreStep, RestoreFailStep, RestoreShardStep, RestoreStep } from './run/restore-steps.ts';
export { sealJournal } from './seal/seal-journal.ts';
export { assertNamesFound } from './start/assert-names-found.ts';
export { assertRulesMatch } from './start/assert-rules-match.ts';
export { listRestores } from './start/list-restores.ts';
export { readRestoreRequest } from './start/restore-request.ts';
export { resumeRestore } from './start/resume-restore.ts';
export { holdBackup, startRestore } from './start/start-restore.ts';
export { undoRestore } from './start/undo-restore.ts';
export { finishRestore } from './steps/finish-restore.ts';
export { prepareRestore } from './steps/prepare-restore.ts';
export { writeShard } from './write/write-shard.ts';

export { acknowledgeAnomaly } from './anomaly/acknowledge-anomaly.ts';
export { capturedAnomaly } from './anomaly/captured-part.ts';
export { type HistoryRecord, historyKey, historyOf, historyPrefix } from './anomaly/history-record.ts';
export { captureWrites, heldMoment } from './anomaly/judge-capture.ts';
export { type BackupDeps, backupDeps } from './backup-deps.ts';
export { browseBackup } from './browse/browse-backup.ts';
export { withPart } from './copy/copy-run.ts';
export { copyShard } from './copy/copy-shard.ts';
export type { PartWriter } from './copy/part-writer.ts';
export { type NamedUser, sortUsers, userName } from './copy/sort-users.ts';
export { ArchiveCursor, archiveRanges } from './cursor/archive-cursor.ts';
export type { TargetCursor } from './cursor/document-cursor.ts';
export { LiveLookupCursor } from './cursor/live-lookup-cursor.ts';
export { LiveScanCursor, type ScannedRange } from './cursor/live-scan-cursor.ts';
export { mergeJoin } from './cursor/merge-join.ts';
export { compareBackup, type DiffRequest } from './diff/compare-backup.ts';
export { dataKeyOf, type NewDataKey, newDataKey, unlockKeyFile } from './encryption/data-key.ts';
export {
  changeEncryption,
  currentEncryption,
  type EncryptionRecord,
  encryptionData,
  encryptionKey,
  readEncryption,
  rewrapArrived,
  rotateKeys,
} from './encryption/encryption-settings.ts';
export { rewrapKeys } from './encryption/rewrap-keys.ts';
export { backupJobs } from './end/backup-jobs.ts';
export { cancelBackup } from './end/cancel-backup.ts';
export { cleanUpBackup } from './end/clean-up-backup.ts';
export { failBackup, reasonFor } from './end/fail-backup.ts';
export { assessErasures } from './erasure/assess-erasures.ts';
export { FoundPaths } from './erasure/found-paths.ts';
export { isLastingFailure } from './erasure/is-lasting-failure.ts';
export type { AssessOptions } from './erasure/search-kept-backup.ts';
export { ledgerOf, storeErasureCopy, storeErasures } from './erasure/store-erasures.ts';
export { importBackup } from './import/import-backup.ts';
export {
  asIncrementalOf,
  chainLengthOf,
  findParent,
  resolveType,
} from './incremental/find-parent.ts';
export { holdParent } from './incremental/hold-parent.ts';
export {
  type ArchiveContents,
  type CompletedArchive,
  completedFields,
  expiryOf,
  finishedFields,
  isRestorePointBackup,
  newBackupRecord,
  topCollections,
} from './model/backup-fields.ts';
export { backupData, backupEvent, backupProgress, costOf, creatorData, wasCompleted } from './model/backup-view.ts';
export { type ChainLockResult, ChainLocks, extendGenuine } from './model/chain-locks.ts';
export { countInOrganization } from './model/count-in-organization.ts';
export { addedBackupErasureTasks, removedDataErasureTasks } from './model/erasure-tasks.ts';
export { formatSize } from './model/format-units.ts';
export {
  assertBackupCapacity,
  assertVerificationCapacity,
  countRunningBackups,
  countRunningVerifications,
  readBackupCapacity,
  runningBackupIds,
  verificationSeconds,
} from './model/job-capacity.ts';
export { lifecycleEvents } from './model/lifecycle-events.ts';
export { lockFields, lockProblemAudit, lockProblemOf } from './model/lock-problem.ts';
export { markDamaged } from './model/mark-damaged.ts';
export { noSuchBackup, readBackup, visibleBackups } from './model/read-backup.ts';
export {
  type BackupAnomaly,
  type BackupRecord,
  backupKey,
  backupPrefix,
  isPlanned,
  type JobCreator,
  type PartContents,
  type PlannedBackup,
  type RunningRecord,
} from './model/record.ts';
export { type DueRetention, markRetentionDue, retentionKey, retentionPartition } from './model/retention-due.ts';
export { type ArchiveLink, findErasing, findOtherOwner } from './model/shared-archives.ts';
export type { StartBackupOptions } from './model/start-options.ts';
export { readUnstoredObjects, unstoredObjects } from './model/unstored-objects.ts';
export {
  type ArchiveDeps,
  type ArchiveSource,
  fetchManifest,
  filterFor,
  keyWith,
  manifestWith,
  type OpenArchive,
  openArchive,
  openOwnManifest,
  openRawArchive,
  openWithManifest,
  ownerOf,
} from './read/open-archive.ts';
export { isDoubtful } from './read/read-again.ts';
export { classifyReadError, reportDamage } from './read/report-damage.ts';
export { streamObject } from './read/stream-object.ts';
export { requestArchiveDeps, toReadError, withArchiveInRequest } from './read/with-archive-in-request.ts';
export { type RequestCaller, sourceRequestTimeoutMs, withSourceInRequest } from './read/with-source-in-request.ts';
export { type ArchiveLocation, deleteArchiveObjects, eraseBackup } from './removal/delete-archive-objects.ts';
export { deleteBackup, findDependentBackup } from './removal/delete-backup.ts';
export { purgeBackups } from './removal/purge-backups.ts';
export { isRetired, retireWrites } from './removal/retire-backup.ts';
export type { ArchiveParts } from './seal/archive-contents.ts';
export { sealBackup } from './seal/seal-backup.ts';
export { assertObjectsStored, deleteOrphans, extendKeyLocks, writeManifest } from './seal/write-manifest.ts';
export { assertValidCollections, defaultDestination, requireParent } from './start/backup-request.ts';
export { estimateBackup } from './start/estimate-backup.ts';
export { type BackupFilter, listBackups } from './start/list-backups.ts';
export { startBackup } from './start/start-backup.ts';
export { startSyntheticFull } from './start/start-synthetic-full.ts';
export { answerBackupStep, BackupStep, CopyStep, FailStep, runBackupStep } from './steps/backup-steps.ts';
export { planBackup } from './steps/plan-backup.ts';
export { prepareBackup } from './steps/prepare-backup.ts';
export { type FoundDamage, type Inspection, inspectObjects } from './verify/inspect-objects.ts';
export { startVerification } from './verify/start-verification.ts';
export { giveUpVerification, VerifyStep, verifyBackup } from './verify/verify-backup.ts';

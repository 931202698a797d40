/**
 * Backups that are stored in a bucket: their records, reading, browsing, comparing, verifying and deleting them, and writing archives. Also
 * the encryption settings of an organization and the rewrapping of keys, the judgement of unusual changes, and what erasures hide.
 */
export { acknowledgeAnomaly } from './anomaly/acknowledge-anomaly.ts';
export { capturedAnomaly } from './anomaly/captured-part.ts';
export { type HistoryRecord, historyKey, historyPrefix } from './anomaly/history-record.ts';
export { anomalyNotices, type JudgedBackup, judgeBackup } from './anomaly/judge-backup.ts';
export { captureWrites, heldMoment } from './anomaly/judge-capture.ts';
export { type BackupDeps, backupDeps, type CapturedMoment, type ChangeSource, type DocumentChange } from './backup-deps.ts';
export { browseBackup } from './browse/browse-backup.ts';
export { findById } from './browse/find-by-id.ts';
export { listBackups } from './browse/list-backups.ts';
export { archivedConfiguration } from './configuration/archived-configuration.ts';
export { restoreConfiguration } from './configuration/restore-configuration.ts';
export { diffConfiguration, readArchivedConfiguration, showConfiguration } from './configuration/show-configuration.ts';
export { vanishedConfiguration } from './configuration/vanished-configuration.ts';
export { ArchiveCursor, type ArchivePart, archivePartsIn, archiveRanges } from './cursor/archive-cursor.ts';
export type { TargetCursor } from './cursor/document-cursor.ts';
export { LiveLookupCursor } from './cursor/live-lookup-cursor.ts';
export { LiveScanCursor, type ScannedRange } from './cursor/live-scan-cursor.ts';
export { type JoinSide, mergeJoin } from './cursor/merge-join.ts';
export { compareBackup } from './diff/compare-backup.ts';
export { type DocumentState, readDocumentState } from './diff/document-state.ts';
export { dataKeyOf, isSameKey, type NewDataKey, unlockKeyFile } from './encryption/data-key.ts';
export {
  changeEncryption,
  currentEncryption,
  type EncryptionRecord,
  encryptionData,
  keepPassphrase,
  readEncryption,
  rewrapArrived,
  rotateKeys,
} from './encryption/encryption-settings.ts';
export { throwForeignKmsFailure } from './encryption/key-errors.ts';
export { rewrapKeys } from './encryption/rewrap-keys.ts';
export { assessErasures } from './erasure/assess-erasures.ts';
export { FoundPaths } from './erasure/found-paths.ts';
export { isLastingFailure } from './erasure/is-lasting-failure.ts';
export { previewErasure } from './erasure/preview-erasure.ts';
export { ledgerOf, storeErasureCopy, storeErasures } from './erasure/store-erasures.ts';
export { backupAudit } from './model/backup-audit.ts';
export {
  type CompletedArchive,
  chainLengthOf,
  completedFields,
  expiryOf,
  finishedFields,
  isInternalBackup,
  isRestorePointBackup,
  newBackupRecord,
  preferWhole,
  topCollections,
} from './model/backup-fields.ts';
export { backupProgressEvents, type EventContext, progressEvent } from './model/backup-progress-events.ts';
export {
  backupData,
  backupEvent,
  backupPatience,
  backupProgress,
  costOf,
  creatorData,
  wasCompleted,
} from './model/backup-view.ts';
export { type ChainLockResult, ChainLocks, extendGenuine } from './model/chain-locks.ts';
export { countInOrganization } from './model/count-in-organization.ts';
export { addedBackupErasureTasks, removedDataErasureTasks } from './model/erasure-tasks.ts';
export { holdDependency, holdParent, holdParentOnce } from './model/hold-parent.ts';
export { lifecycleEvents } from './model/lifecycle-events.ts';
export { lockFields, lockProblemAudit, lockProblemOf } from './model/lock-problem.ts';
export { markDamaged } from './model/mark-damaged.ts';
export { deltaNumber, partObjectNames } from './model/part-objects.ts';
export { noSuchBackup, readBackup, visibleBackups } from './model/read-backup.ts';
export {
  assertPlanned,
  type BackupAnomaly,
  type BackupRecord,
  backupKey,
  backupPrefix,
  type DeltaPageRecord,
  isPlanned,
  type JobCreator,
  objectLockOf,
  type PartContents,
  type PartRecord,
  type PlannedBackup,
  type RunningRecord,
  runningPartition,
  type ShardRecord,
  type StoredDelta,
} from './model/record.ts';
export { type DueRetention, markRetentionDue, retentionKey, retentionPartition } from './model/retention-due.ts';
export {
  type ArchiveLink,
  ArchiveMovedError,
  assertArchiveShareable,
  findErasing,
  findOtherOwner,
  findOwner,
} from './model/shared-archives.ts';
export { type SourceReading, sourceReadingOf } from './model/source-reading.ts';
export { readUnstoredObjects, unstoredObjects } from './model/unstored-objects.ts';
export { assertVerificationCapacity, countRunningVerifications, verificationSeconds } from './model/verification-capacity.ts';
export { type DocumentEntry, documentEntry } from './read/document-entry.ts';
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
  storedManifestMax,
} from './read/open-archive.ts';
export { isDoubtful } from './read/read-again.ts';
export { classifyReadError, type ReadProblem, reportDamage, reportFoundDamage } from './read/report-damage.ts';
export { streamObject } from './read/stream-object.ts';
export { requestArchiveDeps, toReadError, withArchiveInRequest } from './read/with-archive-in-request.ts';
export { type RequestCaller, sourceRequestTimeoutMs, withSourceInRequest } from './read/with-source-in-request.ts';
export { type ArchiveLocation, deleteArchiveObjects, eraseBackup, objectsKeptWrites } from './removal/delete-archive-objects.ts';
export { deleteBackup, findDependentBackup } from './removal/delete-backup.ts';
export { purgeBackups } from './removal/purge-backups.ts';
export { isRetired, retireWrites } from './removal/retire-backup.ts';
export { type FoundDamage, type Inspection, inspectObjects } from './verify/inspect-objects.ts';
export { startVerification } from './verify/start-verification.ts';
export { giveUpVerification, VerifyStep, verifyBackup } from './verify/verify-backup.ts';
export {
  type ArchiveParts,
  dependencyArchives,
  inheritedObjects,
  type OriginContents,
  presentIn,
  summarizeContents,
} from './write/archive-contents.ts';
export { finishFilter, LazyUpload, PartWriter } from './write/part-writer.ts';
export { searchFilter } from './write/search-filter.ts';
export { type NamedUser, sortUsers, userName } from './write/sort-users.ts';
export { withPart, writerOptions } from './write/with-part.ts';
export {
  assertObjectsStored,
  type Completion,
  deleteOrphans,
  extendKeyLocks,
  sealConcurrency,
  writeManifest,
} from './write/write-manifest.ts';

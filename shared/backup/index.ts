export { type BackupDeps, backupDeps } from './backup-deps.ts';
export { type BrowseQuery, browseBackup } from './browse/browse-backup.ts';
export { withPart } from './copy/copy-run.ts';
export { copyShard } from './copy/copy-shard.ts';
export type { PartWriter } from './copy/part-writer.ts';
export { inOrderOfNames, type NamedUser, userName } from './copy/sort-users.ts';
export { ArchiveCursor, type ArchivePart, archiveRanges, rootOf } from './cursor/archive-cursor.ts';
export { orderOf, type TargetCursor } from './cursor/document-cursor.ts';
export { LiveLookupCursor } from './cursor/live-lookup-cursor.ts';
export { LiveScanCursor, type Stretch } from './cursor/live-scan-cursor.ts';
export { compareBackup, type DiffCall } from './diff/compare-backup.ts';
export { dataKeyOf, isSameKey, type NewDataKey, newDataKey, unlockKeyFile } from './encryption/data-key.ts';
export {
  changeEncryption,
  currentEncryption,
  encryptionData,
  readEncryption,
  rotateKeys,
} from './encryption/encryption-settings.ts';
export { rewrapKeys } from './encryption/rewrap-keys.ts';
export { reapBackup, runningBackups, type Workflow } from './end/backup-reaper.ts';
export { cancelBackup } from './end/cancel-backup.ts';
export { cleanUp } from './end/clean-up-backup.ts';
export { failBackup, reasonFor } from './end/fail-backup.ts';
export { importBackup } from './import/import-backup.ts';
export {
  asIncrementalOf,
  chainLengthOf,
  findParent,
  type ParentWish,
  type ResolvedType,
  resolveType,
} from './incremental/find-parent.ts';
export { holdParent } from './incremental/hold-parent.ts';
export { backupData, backupEvent, costOf, progressOf } from './model/backup-view.ts';
export { assertBackupCapacity, assertVerificationCapacity, verificationSeconds } from './model/concurrency-limits.ts';
export { noSuchBackup, readBackup } from './model/get-backup.ts';
export { countInOrganization } from './model/organization-totals.ts';
export {
  type BackupRecord,
  backupKey,
  backupPrefix,
  isRestorePointBackup,
  type PartContents,
  type PartRecord,
  type RunningRecord,
  type ShardRecord,
  workPartition,
} from './model/record.ts';
export { type DueRetention, retentionKey, retentionNote, retentionPartition } from './model/retention-due.ts';
export type { ArchiveLink } from './model/shared-archives.ts';
export { type Doors, fetchManifest, type OpenArchive, openArchive, openOwnManifest, openParts } from './read/open-archive.ts';
export { type RequestCaller, sourceRequestTimeoutMs, withSourceInRequest } from './read/query-source-in-request.ts';
export { asReadingError, requestArchiveDeps, withArchiveInRequest } from './read/read-in-request.ts';
export { piecesOf } from './read/stream-object.ts';
export { findDependentBackup, removeBackup } from './removal/delete-backup.ts';
export { type ArchiveLocation, deleteArchiveObjects, eraseBackup } from './removal/delete-objects.ts';
export { purgeBackups } from './removal/purge-backups.ts';
export { isRetired, retireWrites } from './removal/retire-backup.ts';
export { type ArchiveNotes, type Contents, contentsOf, topCollections } from './seal/archive-contents.ts';
export { sealBackup } from './seal/seal-backup.ts';
export { proveObjects, removeOrphans, storeManifest } from './seal/write-manifest.ts';
export { defaultDestination, refuseBadCollections, requireParent } from './start/backup-request.ts';
export { estimateBackup } from './start/estimate-backup.ts';
export { type BackupFilter, listBackups } from './start/list-backups.ts';
export {
  expiryOf,
  initialBackupFields,
  type StartBackupContext,
  type StartBackupOptions,
  startBackup,
} from './start/start-backup.ts';
export { synthesizeFull } from './start/start-synthetic-full.ts';
export { answerStep, BackupStep, CopyStep, FailStep, runStep } from './steps/backup-steps.ts';
export { estimateReads, planBackup } from './steps/plan-backup.ts';
export { prepareBackup } from './steps/prepare-backup.ts';
export { startVerification } from './verify/request-verification.ts';
export { giveUpVerification, VerifyStep, verifyBackup } from './verify/verify-backup.ts';

export { type ArchivePart, ArchiveSide, archiveRanges, firstFrom, rootOf } from './archive-side.ts';
export { type Asker, askingMs, askingSource } from './asking.ts';
export { type BrowseQuery, browseBackup } from './browsing.ts';
export { cancelBackup } from './cancel.ts';
export { cleanUp } from './cleaning.ts';
export { type ArchiveNotes, type Contents, contentsOf, largest } from './contents.ts';
export { copyShard } from './copy.ts';
export { withPart } from './copy-run.ts';
export { type BackupPlace, type BackupWish, expiryOf, nothingYet, startBackup } from './creation.ts';
export { refuseCrowd, refuseVerifiers, verificationSeconds } from './crowd.ts';
export { backupData, backupEvent, costOf, progressOf } from './data.ts';
export { departureWrites, isGone } from './departure.ts';
export { compareBackup, type DiffCall } from './diffing.ts';
export { changeEncryption, encryptionData, presentKey, readEncryption, rotateKeys } from './encryption.ts';
export { failBackup, reasonFor } from './ending.ts';
export { type Engine, engine } from './engine.ts';
export { eraseBackup, eraseObjects, type Stored } from './erasure.ts';
export { estimateBackup } from './estimate.ts';
export { importBackup } from './import.ts';
export { dataKeyOf, isSameKey, type NewDataKey, newDataKey, unlockKeyFile } from './key.ts';
export { type BackupFilter, listBackups } from './list.ts';
export { LiveSide, type Stretch } from './live-side.ts';
export { LookupSide } from './lookup-side.ts';
export { proveObjects, removeOrphans, storeManifest } from './manifest-sealing.ts';
export { type Doors, fetchManifest, type OpenArchive, openArchive, openOwnManifest, openParts } from './open.ts';
export { chainLengthOf, findParent, type ParentWish, type ResolvedType, resolveType, uponParent } from './parent.ts';
export type { PartWriter } from './part.ts';
export { piecesOf } from './pieces.ts';
export { expectedReads, planBackup } from './planning.ts';
export { prepareBackup } from './prepare.ts';
export { purgeBackups } from './purge.ts';
export { noSuchBackup, readBackup } from './read.ts';
export { asReadingError, callersDoors, reading } from './reading.ts';
export { reapBackup, runningBackups, type Workflow } from './reaping.ts';
export {
  type BackupRecord,
  backupKey,
  backupPrefix,
  isPoint,
  type PartContents,
  type PartRecord,
  type RunningRecord,
  type ShardRecord,
  workPartition,
} from './record.ts';
export { childOf, removeBackup } from './removal.ts';
export { defaultDestination, refuseBadCollections, requireParent } from './request.ts';
export { retentionKey, retentionNote, retentionPartition } from './retention-note.ts';
export { rewrapKeys } from './rewrap.ts';
export { sealBackup } from './sealing.ts';
export type { ArchiveLink } from './sharing.ts';
export { orderOf, type TargetSide } from './side.ts';
export { countInOrganization } from './statistics.ts';
export { answerStep, BackupStep, CopyStep, FailStep, runStep } from './step.ts';
export { synthesizeFull } from './synthesis.ts';
export { buildUpon } from './upon.ts';
export { inOrderOfNames, type NamedUser, userName } from './user-order.ts';
export { startVerification } from './verification.ts';
export { giveUpVerification, VerifyStep, verifyBackup } from './verifying.ts';

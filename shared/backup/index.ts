export { cancelBackup } from './cancel.ts';
export { type BackupPlace, type BackupWish, expiryOf, startBackup } from './creation.ts';
export { backupData, backupEvent, costOf, progressOf } from './data.ts';
export { changeEncryption, encryptionData, presentKey, readEncryption, rotateKeys } from './encryption.ts';
export { eraseBackup } from './erasure.ts';
export { estimateBackup } from './estimate.ts';
export { JobFailure } from './failure.ts';
export { dataKeyOf, type NewDataKey, newDataKey, unlockKeyFile } from './key.ts';
export { type BackupFilter, listBackups } from './list.ts';
export { purgeBackups } from './purge.ts';
export { noSuchBackup, readBackup } from './read.ts';
export {
  type BackupRecord,
  backupKey,
  backupPrefix,
  type PartRecord,
  type ShardRecord,
  workPartition,
} from './record.ts';
export { childOf, removeBackup } from './removal.ts';
export { chooseDestination, refuseBadCollections, refuseIncremental } from './request.ts';
export { rewrapKeys } from './rewrap.ts';
export { countInOrganization } from './statistics.ts';
export { startVerification } from './verification.ts';

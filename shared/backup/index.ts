export { type BackupPlace, type BackupWish, expiryOf, startBackup } from './creation.ts';
export { backupData, backupEvent, costOf, progressOf } from './data.ts';
export { JobFailure } from './failure.ts';
export { dataKeyOf, type NewDataKey, newDataKey, unlockKeyFile } from './key.ts';
export { noSuchBackup, readBackup } from './read.ts';
export {
  type BackupRecord,
  backupKey,
  backupPrefix,
  type PartRecord,
  type ShardRecord,
  workPartition,
} from './record.ts';
export { countInOrganization } from './statistics.ts';

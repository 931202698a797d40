/** What a backup is built upon: its parent, of which most stays where it is, or the base of the captured changes. */
import { parseMoment } from '../../archive/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import {
  type BackupRecord,
  backupKey,
  type CapturedMoment,
  isPlanned,
  type PlannedBackup,
  sourceReadingOf,
} from '../../stored-backup/index.ts';

export const chooseOrigin = async (
  tenant: Tenant,
  { parentBackupId }: Pick<BackupRecord, 'parentBackupId'>,
  { base, moment, correctedFrom }: CapturedMoment,
): Promise<PlannedBackup> => {
  if (parentBackupId === null || parentBackupId === base.id) return base;
  const parent = await get(backupKey.backup(tenant, parentBackupId));
  const isFit = parent && isPlanned(parent) && isExact(parent) && isBetween(parent, base, moment);
  return isFit && !mayLack(parent, correctedFrom) ? parent : base;
};

/** A correction is added after the moment that it counts from. */
const mayLack = (parent: PlannedBackup, correctedFrom: string | undefined): boolean =>
  parent.builtFrom === 'changes' && correctedFrom !== undefined && inMicros(correctedFrom) <= inMicros(parent.readTime);

/** Whether it has exactly the documents that the source had at its read time, as far as is known. */
const isExact = (backup: BackupRecord): boolean =>
  backup.status === 'completed' &&
  backup.trigger !== 'import' &&
  !backup.isPartial &&
  !backup.lacks &&
  !backup.mayLackCollections &&
  backup.unknownCollections.length === 0 &&
  backup.countVerified !== false &&
  backup.damagedDepth === undefined &&
  sourceReadingOf(backup).auditedSince !== undefined;

/** Only from the base on are all changes known. */
const isBetween = ({ readTime }: PlannedBackup, base: PlannedBackup, moment: string): boolean =>
  inMicros(base.readTime) <= inMicros(readTime) && inMicros(readTime) <= inMicros(moment);

export const inMicros = (moment: string): number => {
  const { seconds, nanos } = parseMoment(moment);
  return seconds * 1_000_000 + Math.floor(nanos / 1_000);
};

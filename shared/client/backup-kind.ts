import type { ElementOf } from './routes.ts';

type Backup = ElementOf<'GET /backups'>;

/** Made for one restore from captured changes. It expires in days, which a base of captures never does. */
export const isRestorePoint = ({ trigger, expiresAt }: Pick<Backup, 'trigger' | 'expiresAt'>): boolean =>
  trigger === 'pitr-base' && expiresAt !== null;

/**
 * Whether the backup may stand for its project. A restore made the others: of single documents, or of an earlier moment. Or they were
 * imported from another database.
 */
export const isOwnBackup = (backup: Pick<Backup, 'trigger' | 'expiresAt' | 'partial' | 'foreign'>): boolean =>
  !backup.partial && !backup.foreign && backup.trigger !== 'safety' && !isRestorePoint(backup);

/** A verification failed, or passed before something else found the backup damaged: that clears `verifiedAt`. */
export const isFoundDamaged = ({ verification, verifiedAt }: Pick<Backup, 'verification' | 'verifiedAt'>): boolean =>
  verification?.status === 'failed' || (verification?.status === 'passed' && verifiedAt === null);

import { keyFileName } from '../../archive/index.ts';
import { headExpected } from '../../destination/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import type { BackupRecord } from '../model/record.ts';
import { findNeighbour, neighbourPath } from '../model/shared-archives.ts';
import { keyWith } from '../read/open-archive.ts';
import { toProblem } from './check-object.ts';
import { checkKeyFile } from './open-for-verification.ts';
import type { VerificationFinding, VerificationReport } from './verification-report.ts';
import type { VerifyWork } from './verify-work.ts';

type KeyWork = Pick<VerifyWork, 'tenant' | 'open'> & { readonly deps: Pick<BackupDeps, 'unlockKeyFile'> };

/**
 * Checks the key objects of the backups that an incremental one depends on, where the archive command looks for them: without
 * the service, the backup can be read only if each is in the folder next to it and opens to the right data key.
 */
export const checkParentKeys = async (work: KeyWork, backup: BackupRecord, report: VerificationReport): Promise<void> => {
  for (const archiveId of backup.needs ?? []) {
    const found = await checkParentKey(work, backup, archiveId).catch(toProblem);
    if (found) report.add(`${archiveId}/${keyFileName}`, found.problem, found.message);
  }
};

const checkParentKey = async (
  { tenant, open, deps }: KeyWork,
  backup: BackupRecord,
  archiveId: string,
): Promise<Pick<VerificationFinding, 'problem' | 'message'> | undefined> => {
  const owner = await findNeighbour(tenant, archiveId, backup);
  if (!owner)
    return {
      problem: 'unreadable',
      message: `The backup ${archiveId}, which this one depends on, is not at ${neighbourPath(backup.path, archiveId)}, where the archive command looks for it`,
    };
  const source = await open.sourceOf(archiveId);
  const stored = await headExpected(source.store, keyWith(owner.keyFile));
  return checkKeyFile(tenant, { backup: owner, own: { ...source, size: stored?.size }, deps });
};

import { keyFileName, manifestName } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { headExpected, type ObjectState, readDestination, StorageError } from '../../destination/index.ts';
import { iso, type Tenant } from '../../platform/index.ts';
import { ChainLocks, type LockCounts } from '../model/chain-locks.ts';
import type { BackupRecord } from '../model/record.ts';
import { keyWith, manifestWith, type OpenArchive } from '../read/open-archive.ts';
import type { VerificationReport } from './verification-report.ts';

/** Whether the objects of the backup can have locks: those of an imported one only if its destination has object lock now. */
export const hasLocks = async (tenant: Tenant, { lockedUntil, storageDestination }: BackupRecord): Promise<boolean> => {
  if (lockedUntil !== null) return true;
  try {
    return (await readDestination(tenant, storageDestination.id)).objectLock !== null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') return false;
    throw error;
  }
};

/** Compares the locks that the store reports with what the record says. Reports each object that is locked for less. */
export class LockCheck {
  readonly #recorded: string | null;
  readonly #report: VerificationReport;
  readonly locks: ChainLocks;

  constructor({ lockedUntil, immutableUntil = null }: BackupRecord, report: VerificationReport, before: LockCounts | undefined) {
    this.#recorded = immutableUntil;
    this.#report = report;
    this.locks = new ChainLocks(lockedUntil, before);
  }

  add(object: string, { lockedUntil, isHidden }: ObjectState): void {
    this.locks.count(lockedUntil);
    const recorded = this.#recorded;
    if (recorded !== null && (lockedUntil === undefined || iso(lockedUntil) < recorded))
      this.#report.add(
        object,
        'unlocked',
        lockedUntil === undefined
          ? `The store reports no lock of the object. It was locked until ${recorded}`
          : `The store keeps the object locked until ${iso(lockedUntil)}. It was locked until ${recorded}`,
      );
    if (isHidden)
      this.#report.add(
        object,
        'hidden',
        'A delete marker or a newer version hides the object. The version that was stored is read instead; delete what hides it',
      );
  }

  /** The keys of all archives it depends on, and its own key and manifest. A missing one is reported by other checks. */
  async addKeys(open: OpenArchive, { archive, needs = [], manifestDigest }: BackupRecord): Promise<void> {
    const own = archive.backup;
    for (const [archiveId, name] of [[own, keyFileName], [own, manifestName], ...needs.map((id) => [id, keyFileName])] as const)
      try {
        const { store, keyFile } = await open.sourceOf(archiveId);
        const state = await headExpected(store, name === keyFileName ? keyWith(keyFile) : manifestWith(manifestDigest));
        if (state) this.add(archiveId === own ? name : `${archiveId}/${name}`, state);
        else this.locks.count(undefined);
      } catch (error) {
        if (!(error instanceof StorageError) || error.isTransient) throw error;
        this.locks.count(undefined);
      }
  }
}

/** Builds a restore point in memory, for reading only. Nothing is stored. */

import { MemoryStore } from '../../destination/index.ts';
import { RunControl } from '../../job/index.ts';
import { type Clock, secureRandomBytes, type Tenant } from '../../platform/index.ts';
import type { ArchiveDeps, BackupRecord } from '../../stored-backup/index.ts';
import { buildRestorePoint } from './build-point.ts';
import type { PointPlan } from './plan-point.ts';

/** What one API call can process in its time. */
const changesMaxBytes = 20 << 20;
const baseMaxDocuments = 2_000_000;

/** Whether the point can be built within an API call. */
export const isSmall = ({ base, batches }: PointPlan): boolean =>
  base.documentCount <= baseMaxDocuments && batches.reduce((sum, { chunk }) => sum + chunk.size, 0) <= changesMaxBytes;

/** The deadline passed before the point was built. */
export class PointTooLarge extends Error {}

interface PointInMemory<D extends ArchiveDeps> {
  readonly backup: BackupRecord;
  readonly plan: PointPlan;
  readonly deps: D;
  readonly until: Date;
  readonly clock: Clock;
}

/** Returns the backup of the point, and deps that read it from memory. Its random data key is never stored. */
export const buildPointInMemory = async <D extends ArchiveDeps>(
  tenant: Tenant,
  { backup, plan, deps, until, clock }: PointInMemory<D>,
): Promise<{ backup: BackupRecord; deps: D }> => {
  const store = new MemoryStore();
  const dataKey = secureRandomBytes(32);
  const control = new RunControl(until, clock);
  const beat = async (): Promise<void> => {
    if (clock.now() >= until) throw new PointTooLarge('the restore point cannot be built within the call');
  };
  try {
    const { manifestDigest, contents } = await buildRestorePoint({ tenant, backup, plan, store, dataKey, deps, control, beat });
    return {
      backup: { ...backup, manifestDigest, documentCount: contents.documents },
      deps: {
        ...deps,
        openStore: async (owner, destination, folder) =>
          folder === backup.path ? store : deps.openStore(owner, destination, folder),
        dataKeyOf: async (owner, record) => (record.id === backup.id ? dataKey : deps.dataKeyOf(owner, record)),
      },
    };
  } finally {
    control.close();
  }
};

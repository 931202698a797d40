/** A moment that is only looked at: it is made in memory, and nothing is stored. */
import type { BackupRecord, Doors } from '../../backup/index.ts';
import { MemoryStore } from '../../destination/index.ts';
import { RunControl } from '../../job/index.ts';
import { type Clock, secureRandomBytes, type Tenant } from '../../platform/index.ts';
import { buildRestorePoint } from './build-point.ts';
import type { PointPlan } from './plan-point.ts';

/** What one call can read, hold and write in its time. */
const changesMaxBytes = 20 << 20;
const baseMaxDocuments = 2_000_000;

/** Whether it may be made within a call. */
export const isSmall = ({ base, batches }: PointPlan): boolean =>
  base.documentCount <= baseMaxDocuments && batches.reduce((sum, { chunk }) => sum + chunk.size, 0) <= changesMaxBytes;

/** Its time is over. */
export class PointTooLarge extends Error {}

/** The backup with what is known of it once it is made, and doors behind which it lies; its key is nobody's. */
export const buildPointInMemory = async <D extends Doors>(
  tenant: Tenant,
  backup: BackupRecord,
  plan: PointPlan,
  doors: D,
  { until, clock }: { readonly until: Date; readonly clock: Clock },
): Promise<{ backup: BackupRecord; doors: D }> => {
  const store = new MemoryStore();
  const dataKey = secureRandomBytes(32);
  const halt = new RunControl(until, clock);
  const beat = async (): Promise<void> => {
    if (clock.now() >= until) throw new PointTooLarge('the call would end before it is made');
  };
  try {
    const { manifestDigest, contents } = await buildRestorePoint({ tenant, backup, plan, store, dataKey, doors, halt, beat });
    const made = { ...backup, manifestDigest, documentCount: contents.documents };
    const isIt = ({ id }: { readonly id: string }): boolean => id === backup.id;
    return {
      backup: made,
      doors: {
        ...doors,
        openStore: async (who, destination, folder) =>
          folder === backup.path ? store : doors.openStore(who, destination, folder),
        dataKeyOf: async (who, record) => (isIt(record) ? dataKey : doors.dataKeyOf(who, record)),
      },
    };
  } finally {
    halt.close();
  }
};

import type { LedgerEntry } from '../../archive/index.ts';
import type { openStore } from '../../destination/index.ts';
import { type Clock, log, type Tenant } from '../../platform/index.ts';
import { dataKeyOf } from '../encryption/data-key.ts';
import type { BackupRecord } from '../model/record.ts';
import { openRawArchive } from '../read/open-archive.ts';
import { isLastingFailure } from './is-lasting-failure.ts';
import { type SearchOptions, type SearchResult, searchBackup } from './search-backup.ts';

/** What a search of captured changes found. */
interface CapturesSearch {
  readonly isFound: boolean;
  readonly paths: readonly string[];
  /** What cannot be read may hold the documents. */
  readonly isComplete: boolean;
  /** Where the next search continues, if the time is up. */
  readonly after?: string;
}

export interface AssessOptions {
  readonly deadline: Date;
  readonly clock: Clock;
  readonly openStore: typeof openStore;
  readonly dataKeyOf?: typeof dataKeyOf;
  /** Searches the captured changes of point-in-time recovery. */
  readonly searchCaptures: (
    tenant: Tenant,
    search: {
      readonly projectId: string;
      readonly erasure: LedgerEntry;
      readonly after?: string;
      readonly isFirstEnough?: boolean;
    },
  ) => Promise<CapturesSearch>;
}

/** Undefined if the backup cannot be read now. Rejects if a retry may help. */
export const searchKeptBackup = async (
  tenant: Tenant,
  {
    backup,
    search: { erasure, ...search },
    options,
  }: {
    readonly backup: BackupRecord;
    readonly search: Omit<SearchOptions, 'isOver'> & { readonly erasure: LedgerEntry };
    readonly options: AssessOptions;
  },
): Promise<SearchResult | undefined> => {
  const { clock, deadline } = options;
  try {
    const deps = { openStore: options.openStore, dataKeyOf: options.dataKeyOf ?? dataKeyOf };
    const { archive, close } = await openRawArchive(tenant, { backup, deps });
    try {
      return await searchBackup(archive, erasure, { ...search, isOver: () => clock.now() >= deadline });
    } finally {
      close();
    }
  } catch (error) {
    if (!isLastingFailure(error)) throw error;
    log.warn('a backup could not be searched for erased documents', { backupId: backup.id, reason: error.message });
    return undefined;
  }
};

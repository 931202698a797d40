import { type DocumentRange, type NameRange, readRange, verifyCount } from '../../firestore/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { BackupDeps, PlannedBackup } from '../../stored-backup/index.ts';
import { openParentArchive } from '../incremental/parent-archive.ts';
import { BuiltRange } from './built-range.ts';
import { Delta } from './delta.ts';

/** Where the documents of a backup come from: the source, or a base and the changes since. */
export interface DocumentReading {
  read(options: {
    readonly range: NameRange;
    readonly after: string | undefined;
    readonly signal: AbortSignal;
    readonly collectionBytesMax: number;
  }): DocumentRange & {
    /** How many documents more than in the base, if there is one. */
    readonly difference?: number;
  };
  /** Compares the documents that all runs have read with what the range has. */
  count(options: {
    readonly range: NameRange;
    readonly read: number;
    readonly collectionIds: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<{ readonly countVerified: boolean; readonly reads: number }>;
  close(): void;
}

interface ReadingRun {
  readonly backup: PlannedBackup;
  readonly project: ProjectRecord;
  readonly deps: BackupDeps;
}

/** Opens what the plan has chosen. */
export const openReading = (tenant: Tenant, run: ReadingRun): Promise<DocumentReading> =>
  run.backup.buildBase ? readBuilt(tenant, run, run.backup.buildBase.backupId) : readSource(tenant, run);

const readSource = async (tenant: Tenant, { backup: { readTime }, project, deps }: ReadingRun): Promise<DocumentReading> => {
  const source = deps.openSource(tenant, project);
  return {
    read: (options) => readRange(source, { ...options, readTime }),
    count: (options) => verifyCount(source, { ...options, readTime }),
    close: () => source.close(),
  };
};

/** What is read was counted when the moment was proven; the last step compares the number of all documents with the base and the changes. */
const readBuilt = async (tenant: Tenant, { backup, deps }: ReadingRun, baseId: string): Promise<DocumentReading> => {
  const base = await openParentArchive(tenant, { child: backup, parentId: baseId, deps });
  try {
    const delta = await Delta.open(tenant, { backup, deps });
    return {
      read: (options) => new BuiltRange({ ...options, base, delta }),
      count: async () => ({ countVerified: base.backup.countVerified === true, reads: 0 }),
      close: () => {
        base.close();
        delta.close();
      },
    };
  } catch (error) {
    base.close();
    throw error;
  }
};

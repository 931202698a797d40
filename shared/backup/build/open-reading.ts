import { type DocumentRange, type NameRange, readRange, verifyCount } from '../../firestore/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { BackupDeps, PlannedBackup } from '../../stored-backup/index.ts';
import { openParentArchive } from '../incremental/parent-archive.ts';
import { BuiltRange } from './built-range.ts';

/** Where the documents of a backup come from: the source, or a base and the changes since. */
export interface DocumentReading {
  read(options: {
    readonly range: NameRange;
    readonly after: string | undefined;
    readonly signal: AbortSignal;
    readonly collectionBytesMax: number;
  }): DocumentRange;
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

/** What is read was counted when the moment was proven; the last step compares the number of all documents with the plan. */
const readBuilt = async (tenant: Tenant, { backup, deps }: ReadingRun, baseId: string): Promise<DocumentReading> => {
  const { changes } = deps;
  if (!changes) throw new Error('a backup is built only where captured changes can be read');
  const base = await openParentArchive(tenant, { child: backup, parentId: baseId, deps });
  const root = base.archive.documentsRoot;
  return {
    read: (options) =>
      new BuiltRange({ ...options, base, changes: (range) => changes.readChanges(tenant, { backup, range, root, deps }) }),
    count: async () => ({ countVerified: base.backup.countVerified === true, reads: 0 }),
    close: () => base.close(),
  };
};

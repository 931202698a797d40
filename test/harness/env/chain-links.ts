/** Makes the backups of a chain, and reads what each contains from its objects only. */

import { recordKind, streamLeaves } from '../../../shared/archive/index.ts';
import { openReading } from '../../../shared/backup/build/open-reading.ts';
import { copyDocuments } from '../../../shared/backup/copy/copy-documents.ts';
import { claimNextPart } from '../../../shared/backup/copy/shard-progress.ts';
import { findParent } from '../../../shared/backup/incremental/find-parent.ts';
import { openParent } from '../../../shared/backup/incremental/parent-archive.ts';
import { asIncrementalOf } from '../../../shared/backup/index.ts';
import { readRunningBackup } from '../../../shared/backup/model/running-backup.ts';
import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import { readDestination } from '../../../shared/destination/index.ts';
import { RunControl } from '../../../shared/job/index.ts';
import { after } from '../../../shared/platform/index.ts';
import { readProject } from '../../../shared/project/index.ts';
import { type BackupRecord, openArchive } from '../../../shared/stored-backup/index.ts';
import { assertPlanned } from '../../../shared/stored-backup/model/record.ts';
import type { ArchiveEnv } from './archive-env.ts';
import type { RunBackupOptions } from './backup-env.ts';

/** What the parent of a link has to contain. */
export const parentRequest = ({ destinationId }: ArchiveEnv) => ({
  collections: ['*'],
  excludeCollections: [],
  storageDestinationId: destinationId,
});

/** Options of an incremental backup of the latest one, resolved as for a request; of a full one if there is none. */
export const nextLink = async (t: ArchiveEnv): Promise<Partial<StartBackupOptions>> => {
  const parent = await findParent(t.tenant, { id: t.projectId }, parentRequest(t));
  return parent ? asIncrementalOf(parent) : {};
};

interface LinkOptions extends Omit<RunBackupOptions, 'afterPlan'> {
  readonly afterPlan?: (backupId: string) => unknown;
}

/** Makes the next backup of the chain. */
export const makeLink = async (
  t: ArchiveEnv,
  { afterPlan, ...options }: LinkOptions = {},
  more: Partial<StartBackupOptions> = {},
): Promise<BackupRecord> => {
  const id = await t.startBackup({ ...(await nextLink(t)), ...more });
  await t.runBackup(id, { ...options, afterPlan: () => afterPlan?.(id) });
  return t.backupOf(id);
};

/** Copies the first shard with workers that time out after one batch each; returns their number. */
export const copyBatchByBatch = async (t: ArchiveEnv, backupId: string): Promise<number> => {
  const { tenant, deps } = t;
  const { backup, organization } = await readRunningBackup(tenant, backupId, deps.clock.now());
  const [project, destination] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
  ]);
  const [store, dataKey] = await Promise.all([deps.openStore(tenant, destination, backup.path), deps.dataKeyOf(tenant, backup)]);
  const control = new AlwaysYielding(after(deps.clock.now(), 600), deps.clock);
  const reading = await openReading(tenant, { backup: assertPlanned(backup), project, deps });
  const parent = () => openParent(tenant, backup, deps);
  const run = {
    context: { tenant, project, organization },
    backup: assertPlanned(backup),
    project,
    deps,
    reading,
    store,
    dataKey,
    parent,
    control,
  };
  for (let parts = 0; ; parts++) {
    const claim = await claimNextPart(tenant, { backup, number: 0, clock: deps.clock });
    if (claim) await copyDocuments(run, claim);
    else {
      control.close();
      reading.close();
      return parts;
    }
  }
};

class AlwaysYielding extends RunControl {
  override get isYielding(): boolean {
    return true;
  }
}

export interface LinkContents {
  /** Encoded documents by path. */
  readonly documents: readonly (readonly [string, string])[];
  /** Paths with a tombstone. */
  readonly deleted: readonly string[];
  /** The archive id that stores each document. */
  readonly archives: ReadonlyMap<string, string>;
}

export const readLink = async (t: ArchiveEnv, backup: BackupRecord): Promise<LinkContents> => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const documents: [string, string][] = [];
  const deleted: string[] = [];
  const archives = new Map<string, string>();
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const path = leaf
        .name(slot)
        .toString()
        .slice(t.root.length + 1);
      if (leaf.kind(slot) === recordKind.tombstone) deleted.push(path);
      if (leaf.kind(slot) !== recordKind.document) continue;
      documents.push([path, leaf.content(slot).toString('hex')]);
      archives.set(path, segment.backup);
    }
  open.close();
  return { documents, deleted, archives };
};

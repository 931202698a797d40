/** Makes the backups of a chain, and reads what each contains from its objects only. */
import { recordKind, streamLeaves } from '../../../shared/archive/index.ts';
import { copyDocuments } from '../../../shared/backup/copy/copy-documents.ts';
import { claimNextPart } from '../../../shared/backup/copy/shard-progress.ts';
import { openParent } from '../../../shared/backup/incremental/parent-archive.ts';
import {
  asIncrementalOf,
  type BackupRecord,
  findParent,
  openArchive,
  type StartBackupOptions,
} from '../../../shared/backup/index.ts';
import { readRunningBackup } from '../../../shared/backup/model/running-backup.ts';
import { readDestination } from '../../../shared/destination/index.ts';
import { RunControl } from '../../../shared/job/index.ts';
import { after } from '../../../shared/platform/index.ts';
import { readProject } from '../../../shared/project/index.ts';
import { type ReadingWorld, recordOf } from './archive-env.ts';
import { begin, destinationId, projectId, type RunOptions, rootOf, runWorkflow, tenant } from './backup-env.ts';

export const wanted = { collections: ['*'], excludeCollections: [], storageDestinationId: destinationId };

/** Options of an incremental backup of the latest one, resolved as for a request; of a full one if there is none. */
export const nextLink = async (): Promise<Partial<StartBackupOptions>> => {
  const parent = await findParent(tenant, { id: projectId }, wanted);
  return parent ? asIncrementalOf(parent) : {};
};

interface LinkOptions extends Omit<RunOptions, 'afterPlan'> {
  readonly afterPlan?: (backupId: string) => unknown;
}

export const makeLink = async (
  world: ReadingWorld,
  { afterPlan, ...options }: LinkOptions = {},
  more: Partial<StartBackupOptions> = {},
): Promise<BackupRecord> => {
  const id = await begin(world, { ...(await nextLink()), ...more });
  await runWorkflow(world, id, { ...options, afterPlan: () => afterPlan?.(id) });
  return recordOf(id);
};

/** Copies the first shard with workers that time out after one batch each; returns their number. */
export const copyInHaste = async (world: ReadingWorld, backupId: string): Promise<number> => {
  const { engine } = world;
  const { backup, organization } = await readRunningBackup(tenant, backupId, engine.clock.now());
  const [project, destination] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
  ]);
  const [store, dataKey] = await Promise.all([
    engine.openStore(tenant, destination, backup.path),
    engine.dataKeyOf(tenant, backup),
  ]);
  const halt = new Haste(after(engine.clock.now(), 600), engine.clock);
  const source = engine.openSource(tenant, project);
  const parent = () => openParent(tenant, backup, engine);
  const run = {
    context: { tenant, project, organization },
    backup,
    project,
    deps: engine,
    source,
    store,
    dataKey,
    parent,
    control: halt,
  };
  for (let parts = 0; ; parts++) {
    const claim = await claimNextPart(tenant, backupId, 0, engine.clock);
    if (claim) await copyDocuments(run, claim);
    else {
      halt.close();
      source.close();
      return parts;
    }
  }
};

class Haste extends RunControl {
  override get isYielding(): boolean {
    return true;
  }
}

export interface Held {
  /** Encoded documents by path. */
  readonly documents: readonly (readonly [string, string])[];
  readonly gone: readonly string[];
  /** The archive id that stores each document. */
  readonly places: ReadonlyMap<string, string>;
}

export const readLink = async (world: ReadingWorld, backup: BackupRecord): Promise<Held> => {
  const open = await openArchive(tenant, backup, undefined, world.engine);
  const documents: [string, string][] = [];
  const gone: string[] = [];
  const places = new Map<string, string>();
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const path = leaf
        .name(slot)
        .toString()
        .slice(rootOf(world).length + 1);
      if (leaf.kind(slot) === recordKind.tombstone) gone.push(path);
      if (leaf.kind(slot) !== recordKind.document) continue;
      documents.push([path, leaf.content(slot).toString('hex')]);
      places.set(path, segment.backup);
    }
  open.close();
  return { documents, gone, places };
};

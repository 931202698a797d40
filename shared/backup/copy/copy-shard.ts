/** The third step: copies one shard into the destination, until it is done or the worker's time is over. */
import { readDestination } from '../../destination/index.ts';
import { loadFilter } from '../../erasure/index.ts';
import { RunControl, watchCalls } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { assertPlanned, type BackupDeps, type PlannedBackup, searchFilter } from '../../stored-backup/index.ts';
import { Delta } from '../build/delta.ts';
import { giveUpBuild } from '../build/give-up-build.ts';
import { openReading } from '../build/open-reading.ts';
import { openParent, openParentArchive, type ParentArchive } from '../incremental/parent-archive.ts';
import { BackupWaits } from '../model/backup-waits.ts';
import { type RunningBackup, readRunningBackup, timeoutFailure } from '../model/running-backup.ts';
import { type BuildRun, copyBuilt } from './copy-built.ts';
import { copyDocuments } from './copy-documents.ts';
import { copySyntheticFull } from './copy-synthetic-full.ts';
import { copyUsers } from './copy-users.ts';
import { type Claim, claimNextPart } from './shard-progress.ts';

interface CopyOptions {
  readonly backupId: string;
  readonly number: number;
  readonly handOver: Date;
  readonly deps: BackupDeps;
}

/** True if the shard is done, or its plan was given up; false if another run has to continue after the last stored part. */
export const copyShard = async (tenant: Tenant, options: CopyOptions): Promise<boolean> => {
  const { backupId, deps } = options;
  const running = await readRunningBackup(tenant, backupId, deps.clock.now());
  const { backup } = running;
  if (backup.shards === undefined) return true;
  try {
    return await copy(tenant, options, running);
  } catch (error) {
    if (await giveUpBuild(tenant, { backup, error, now: deps.clock.now() })) return true;
    throw error;
  }
};

const copy = async (
  tenant: Tenant,
  { backupId, number, handOver, deps: given }: CopyOptions,
  { backup: running, organization }: RunningBackup,
): Promise<boolean> => {
  const { clock } = given;
  const { deps, calls, database } = watchCalls(given);
  const backup = assertPlanned(running);
  const [project, destination] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
  ]);
  const store = await deps.openStore(tenant, destination, backup.path);
  const { synthesizedFrom } = backup;
  const built = await openBuild(tenant, backup, deps);
  // A synthetic full does not read the source.
  const reading = synthesizedFrom === undefined && !built ? await openReading(tenant, { backup, project, deps }) : undefined;
  let opened: Promise<ParentArchive | undefined> | undefined;
  const parent = () =>
    (opened ??=
      synthesizedFrom === undefined
        ? openParent(tenant, backup, deps)
        : openParentArchive(tenant, { child: backup, parentId: synthesizedFrom, deps }));
  const control = new RunControl(handOver, clock, { at: backup.deadline ?? '', error: timeoutFailure(backup) });
  try {
    const dataKey = await deps.dataKeyOf(tenant, backup);
    const context = { tenant, project, organization };
    const waits = new BackupWaits({ context, database, calls, clock });
    const filter = searchFilter(project);
    const run = { context, backup, project, deps, store, dataKey, control, waits };
    const copyPart = (claim: Claim): Promise<boolean> => {
      if (claim.shard.range === undefined)
        return synthesizedFrom === undefined ? copyUsers(run, claim) : copySyntheticFull({ ...run, origin: parent }, claim);
      if (synthesizedFrom !== undefined) return copySyntheticFull({ ...run, filter, origin: parent }, claim);
      if (built) return copyBuilt({ ...run, ...built, filter }, claim);
      if (!reading) throw new Error('the documents were not opened');
      return copyDocuments({ ...run, filter, reading, parent }, claim);
    };
    while (!control.isYielding) {
      const claim = await claimNextPart(tenant, { backup, number, clock });
      if (!claim) return true;
      const isDone = await copyPart(claim);
      log.info('copied a part', { backupId, number, part: claim.part, isDone });
      if (isDone) return true;
    }
    return false;
  } finally {
    control.close();
    reading?.close();
    built?.base.close();
    built?.delta.close();
    store.close();
    opened?.then((one) => one?.close()).catch(() => undefined);
  }
};

/** Undefined if the documents are read one by one, from the source or from a base. */
const openBuild = async (
  tenant: Tenant,
  backup: PlannedBackup,
  deps: BackupDeps,
): Promise<Pick<BuildRun, 'base' | 'delta' | 'erasures'> | undefined> => {
  const { buildBase, parentBackupId, comparedWith } = backup;
  if (!buildBase || (parentBackupId !== null && parentBackupId !== buildBase.backupId)) return undefined;
  // Changes from before the base are found only by looking at every document.
  if (comparedWith && Date.parse(comparedWith.readTime) < Date.parse(buildBase.readTime)) return undefined;
  const base = await openParentArchive(tenant, { child: backup, parentId: buildBase.backupId, deps });
  try {
    const { collections, counts } = base.manifest;
    const isListed = collections.reduce((sum, { documents }) => sum + documents, 0) === counts.documents;
    // After the plan, so that it has at least what that version of the ledger names.
    const erasures = parentBackupId === null ? await loadFilter(tenant, backup, base.archive.documentsRoot) : undefined;
    if (isListed) return { base, delta: await Delta.open(tenant, { backup, deps }), erasures };
  } catch (error) {
    base.close();
    throw error;
  }
  base.close();
  return undefined;
};

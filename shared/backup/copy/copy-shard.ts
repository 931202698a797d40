/** The third step: copies one shard into the destination, until it is done or the worker's time is over. */
import { readDestination } from '../../destination/index.ts';
import { RunControl, watchCalls } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { assertPlanned, type BackupDeps } from '../../stored-backup/index.ts';
import { type DocumentReading, openReading } from '../build/open-reading.ts';
import { openParent, openParentArchive, type ParentArchive } from '../incremental/parent-archive.ts';
import { BackupWaits } from '../model/backup-waits.ts';
import { readRunningBackup, timeoutFailure } from '../model/running-backup.ts';
import { copyDocuments } from './copy-documents.ts';
import { copySyntheticFull } from './copy-synthetic-full.ts';
import { copyUsers } from './copy-users.ts';
import { type Claim, claimNextPart } from './shard-progress.ts';

/** True if the shard is done; false if another run has to continue after the last stored part. */
export const copyShard = async (
  tenant: Tenant,
  {
    backupId,
    number,
    handOver,
    deps: given,
  }: { readonly backupId: string; readonly number: number; readonly handOver: Date; readonly deps: BackupDeps },
): Promise<boolean> => {
  const { clock } = given;
  const { deps, calls, database } = watchCalls(given);
  const { backup: running, organization } = await readRunningBackup(tenant, backupId, clock.now());
  const backup = assertPlanned(running);
  const [project, destination] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
  ]);
  const store = await deps.openStore(tenant, destination, backup.path);
  const { synthesizedFrom } = backup;
  // A synthetic full does not read the source.
  const reading = synthesizedFrom === undefined ? await openReading(tenant, { backup, project, deps }) : undefined;
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
    const run = { context, backup, project, deps, store, dataKey, control, waits };
    const copyRead = (from: DocumentReading, claim: Claim) =>
      (claim.shard.range === undefined ? copyUsers : copyDocuments)({ ...run, reading: from, parent }, claim);
    while (!control.isYielding) {
      const claim = await claimNextPart(tenant, { backupId, number, clock });
      if (!claim) return true;
      const isDone = await (reading ? copyRead(reading, claim) : copySyntheticFull({ ...run, origin: parent }, claim));
      log.info('copied a part', { backupId, number, part: claim.part, isDone });
      if (isDone) return true;
    }
    return false;
  } finally {
    control.close();
    reading?.close();
    store.close();
    opened?.then((one) => one?.close()).catch(() => undefined);
  }
};

/** The third step: copies one shard into the destination, as far as its time reaches. */

import { readDestination } from '../../destination/index.ts';
import { RunControl } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { openEarlier, openParent, type ParentArchive } from '../incremental/parent-archive.ts';
import { readRunning, timedOut } from '../model/running-backup.ts';
import { copyDocuments } from './copy-documents.ts';
import type { CopyRun } from './copy-run.ts';
import { copyArchived, type SynthesisRun } from './copy-synthetic-full.ts';
import { copyUsers } from './copy-users.ts';
import { type Claim, claimNextPart } from './shard-progress.ts';

/** True if the shard is done; false if another run is to go on behind what this one stored. */
export const copyShard = async (
  tenant: Tenant,
  backupId: string,
  number: number,
  handOver: Date,
  engine: BackupDeps,
): Promise<boolean> => {
  const { clock } = engine;
  const { backup, organization } = await readRunning(tenant, backupId, clock.now());
  const [project, destination] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
  ]);
  const store = await engine.openStore(tenant, destination, backup.path);
  const { synthesizedFrom } = backup;
  // What is made of another backup leaves the source alone.
  const source = synthesizedFrom === undefined ? engine.openSource(tenant, project) : undefined;
  let opened: Promise<ParentArchive | undefined> | undefined;
  const earlier = () =>
    (opened ??=
      synthesizedFrom === undefined ? openParent(tenant, backup, engine) : openEarlier(tenant, backup, synthesizedFrom, engine));
  const halt = new RunControl(handOver, clock, { at: backup.deadline ?? '', error: timedOut(backup) });
  try {
    const dataKey = await engine.dataKeyOf(tenant, backup);
    const parties = { tenant, project, organization };
    const run = { parties, backup, project, engine, store, dataKey, halt };
    const copyPart = source ? fromSource({ ...run, source, parent: earlier }) : fromArchive({ ...run, origin: earlier });
    while (!halt.isYielding) {
      const claim = await claimNextPart(tenant, backupId, number, clock);
      if (!claim) return true;
      const isDone = await copyPart(claim);
      log.info('copied a part', { backupId, number, part: claim.part, isDone });
      if (isDone) return true;
    }
    return false;
  } finally {
    halt.close();
    source?.close();
    store.close();
    opened?.then((one) => one?.close()).catch(() => undefined);
  }
};

type CopyPart = (claim: Claim) => Promise<boolean>;

const fromSource =
  (run: CopyRun): CopyPart =>
  (claim) =>
    (claim.shard.range === undefined ? copyUsers : copyDocuments)(run, claim);

const fromArchive =
  (run: SynthesisRun): CopyPart =>
  (claim) =>
    copyArchived(run, claim);

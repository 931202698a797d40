/** The third step: copies one shard into the destination, as far as its time reaches. */

import { readDestination } from '../destination/index.ts';
import { Halt } from '../job/index.ts';
import { log, type Tenant } from '../platform/index.ts';
import { readProject } from '../project/index.ts';
import { copyDocuments } from './copy-documents.ts';
import type { CopyRun } from './copy-run.ts';
import { copyUsers } from './copy-users.ts';
import type { Engine } from './engine.ts';
import { openParent } from './parent-archive.ts';
import { readRunning, timedOut } from './running.ts';
import { claimPart } from './shard.ts';

/** True if the shard is done; false if another run is to go on behind what this one stored. */
export const copyShard = async (
  tenant: Tenant,
  backupId: string,
  number: number,
  handOver: Date,
  engine: Engine,
): Promise<boolean> => {
  const { clock } = engine;
  const { backup, organization } = await readRunning(tenant, backupId, clock.now());
  const [project, destination] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
  ]);
  const store = await engine.openStore(tenant, destination, backup.path);
  const source = engine.openSource(tenant, project);
  let opened: ReturnType<typeof openParent> | undefined;
  const parent = () => (opened ??= openParent(tenant, backup, engine));
  const halt = new Halt(handOver, clock, { at: backup.deadline ?? '', error: timedOut(backup) });
  try {
    const dataKey = await engine.dataKeyOf(tenant, backup);
    const parties = { tenant, project, organization };
    const run: CopyRun = { parties, backup, project, engine, source, store, dataKey, parent, halt };
    while (!halt.isPaused) {
      const claim = await claimPart(tenant, backupId, number, clock);
      if (!claim) return true;
      const isDone = await (claim.shard.range === undefined ? copyUsers : copyDocuments)(run, claim);
      log.info('copied a part', { backupId, number, part: claim.part, isDone });
      if (isDone) return true;
    }
    return false;
  } finally {
    halt.close();
    source.close();
    store.close();
    opened?.then((one) => one?.close()).catch(() => undefined);
  }
};

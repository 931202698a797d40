/** The fourth step: writes one shard of the plan to the target, as far as its time reaches. */
import { openArchive, readBackup } from '../backup/index.ts';
import { Halt } from '../job/index.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import { get, log, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, projectKey, readProject } from '../project/index.ts';
import type { RestoreParties } from './check-run.ts';
import type { RestoreEngine } from './engine.ts';
import { journalBackup } from './journal.ts';
import { sharedPace } from './pace.ts';
import type { RestoreRecord } from './record.ts';
import { readRunning } from './running.ts';
import { writeDocuments } from './write-documents.ts';
import { claimShard, type WriteClaim, type WriteRun } from './write-run.ts';
import { writeUsers } from './write-users.ts';

/** True if the shard is done; false if another run is to go on behind what this one wrote. */
export const writeShard = async (
  tenant: Tenant,
  restoreJobId: string,
  number: number,
  handOver: Date,
  engine: RestoreEngine,
): Promise<boolean> => {
  const { restore, organization } = await readRunning(tenant, restoreJobId);
  const parties = await partiesOf(tenant, restore, organization);
  const backup = await readBackup(tenant, restore.backupId);
  const open = await openArchive(tenant, backup, undefined, engine);
  try {
    const journal = await openArchive(tenant, journalBackup(tenant, restore), undefined, engine);
    const target = engine.openSource(tenant, parties.target);
    const halt = new Halt(handOver, engine.clock);
    try {
      const claim = await claimShard(tenant, restoreJobId, number, engine.random);
      const pace = sharedPace(tenant, restore, engine);
      return !claim || (await writeClaimed({ parties, restore, backup, open, journal, target, halt, engine, pace }, claim));
    } finally {
      halt.close();
      target.close();
      journal.close();
    }
  } finally {
    open.close();
  }
};

const writeClaimed = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { number, range } = claim.shard;
  const isDone = await (range === undefined ? writeUsers(run, claim) : writeDocuments(run, claim));
  log.info('wrote to the target', { restoreJobId: run.restore.id, number, run: claim.run, isDone });
  return isDone;
};

const partiesOf = async (
  tenant: Tenant,
  { projectId, targetProjectId }: RestoreRecord,
  organization: OrganizationRecord,
): Promise<RestoreParties> => {
  const target = await readProject(tenant, targetProjectId);
  const project =
    projectId === targetProjectId ? target : ((await get(projectKey.project(tenant, projectId))) as ProjectRecord | undefined);
  return { tenant, organization, project, target };
};

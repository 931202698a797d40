import { erasureKey } from '../../erasure/index.ts';
import { enqueue } from '../../event/index.ts';
import { getAll, type Tenant, update, type Write } from '../../platform/index.ts';
import type { BackupRecord } from './record.ts';

interface Source {
  readonly projectId: string;
  readonly archive?: Pick<BackupRecord['archive'], 'project'>;
}

/** Writes of the transaction that adds a backup: it gets its copy of the ledger, and until then no entry says that all have one. */
export const addedBackupErasureTasks = async (tenant: Tenant, backup: Source, now: Date): Promise<readonly Write[]> =>
  (await projectsWithLedger(tenant, backup)).flatMap((projectId) => [
    update(erasureKey.ledger(tenant, projectId), { set: { storedVersion: 0 }, add: { round: 1 } }),
    enqueue(tenant, { kind: 'store-erasures', projectId }, now),
    enqueue(tenant, { kind: 'assess-erasures', projectId }, now),
  ]);

/** Writes of the transaction after which a backup or captured changes are gone. */
export const removedDataErasureTasks = async (tenant: Tenant, source: Source, now: Date): Promise<readonly Write[]> =>
  (await projectsWithLedger(tenant, source)).map((projectId) => enqueue(tenant, { kind: 'assess-erasures', projectId }, now));

/** Most projects have no ledger; that costs one read. */
const projectsWithLedger = async (tenant: Tenant, { projectId, archive }: Source): Promise<readonly string[]> => {
  const ids = [...new Set([projectId, archive?.project ?? projectId])];
  const ledgers = await getAll(ids.map((id) => erasureKey.ledger(tenant, id)));
  return ids.filter((_, n) => ledgers[n] !== undefined);
};

/**
 * Backups and restores of one project, one after the other: documents are changed, backed up, spoilt and rolled back, and then the
 * database must be what the backup was taken of, whatever died on the way.
 */
import { isDeepStrictEqual } from 'node:util';
import { backupContents } from '../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../shared/contract/endpoints/backups.ts';
import { restores as rows } from '../../shared/contract/endpoints/restores.ts';
import { seed } from '../harness/stage/backup.ts';
import { contentsOf, erase } from '../harness/stage/restore.ts';
import { untilThere } from './client.ts';
import { type Source, type Tenant, until } from './tenant.ts';

export interface JobCount {
  /** By how they ended. */
  readonly backups: Record<string, number>;
  readonly restores: Record<string, number>;
  /** Jobs that are under way now. */
  running: number;
}

export const newJobCount = (): JobCount => ({ backups: {}, restores: {}, running: 0 });

export interface Shift {
  readonly count: JobCount;
  /** Whether backups are restored, too. */
  readonly restores: boolean;
  readonly isOver: () => boolean;
}

export const workOn = async (tenant: Tenant, source: Source, { count, restores, isOver }: Shift): Promise<void> => {
  const { sourceProjectId } = source;
  for (let round = 1; !isOver(); round++) {
    const changed = { version: { integerValue: String(round) } };
    await untilThere(() => seed(sourceProjectId, { 'users/0': changed, [`rounds/${round}`]: changed }));
    const before = await untilThere(() => contentsOf(sourceProjectId));
    const backupId = await backUp(tenant, source, round % 3 === 1 ? 'full' : 'incremental', count);
    if (backupId === undefined || !restores || isOver()) continue;
    await tenant.client.ask(backupContents.documents, { params: { backupId }, query: { path: 'users/0' } }, 200);

    await untilThere(() => seed(sourceProjectId, { 'users/1': {}, 'users/nobody': {} }));
    await untilThere(() => erase(sourceProjectId, ['users/2']));
    const ended = await restore(tenant, backupId, count);
    const after = await untilThere(() => contentsOf(sourceProjectId));
    if (ended === 'completed' && !isDeepStrictEqual(before, after))
      tenant.meter.surprise(`after the rollback of round ${round} to ${backupId}, ${sourceProjectId} is not what it was`);
  }
};

/** The backup's id once it is completed. */
const backUp = async (
  { client, ledger, meter, destinationId }: Tenant,
  { projectId }: Source,
  type: 'full' | 'incremental',
  count: JobCount,
): Promise<string | undefined> => {
  const begun = await client.ask(backups.create, { body: { projectId, type, storageDestinationId: destinationId } }, 202);
  if (begun.status !== 202) return undefined;
  const { id: backupId } = begun.body.data as { id: string };
  ledger.wrote('backup', backupId);
  ledger.promise('backup.started', backupId);
  const { status, error } = await underWay(count, () =>
    endOf(async () => (await client.ask(backups.get, { params: { backupId } }, 200)).body.data),
  );
  count.backups[status] = (count.backups[status] ?? 0) + 1;
  ledger.promise(`backup.${status}`, backupId);
  if (status === 'completed') return backupId;
  meter.surprise(`${backupId} ended as ${status}: ${JSON.stringify(error)}`);
  return undefined;
};

const restore = async ({ client, ledger, meter }: Tenant, backupId: string, count: JobCount): Promise<string | undefined> => {
  const begun = await client.ask(rows.create, { body: { backupId, options: { mergeMode: 'rollback' } } }, 202);
  if (begun.status !== 202) return undefined;
  const { restoreJobId } = begun.body.data as { restoreJobId: string };
  ledger.wrote('restore', restoreJobId);
  ledger.promise('restore.started', restoreJobId);
  const { status, error } = await underWay(count, () =>
    endOf(async () => (await client.ask(rows.get, { params: { restoreJobId } }, 200)).body.data),
  );
  count.restores[status] = (count.restores[status] ?? 0) + 1;
  ledger.promise(`restore.${status}`, restoreJobId);
  if (status !== 'completed') meter.surprise(`${restoreJobId} ended as ${status}: ${JSON.stringify(error)}`);
  return status;
};

/** Of documents that are read in a second; whatever dies, its work is taken up within minutes. */
const patienceMs = 240_000;

/** A job once it has ended; one that does not is given up, and found by the judgement. */
const endOf = <T extends { readonly status: string }>(look: () => Promise<T>): Promise<T> => {
  const sinceMs = performance.now();
  const hasEnded = ({ status }: T): boolean => status !== 'pending' && status !== 'running';
  return until(look, (seen) => hasEnded(seen) || performance.now() - sinceMs > patienceMs);
};

const underWay = async <T>(count: JobCount, work: () => Promise<T>): Promise<T> => {
  count.running += 1;
  try {
    return await work();
  } finally {
    count.running -= 1;
  }
};

/**
 * Runs backups and restores of one project in a loop: changes documents, backs them up, damages them and rolls back. Then the database
 * must equal the backup, even if the stage was killed meanwhile.
 */
import { isDeepStrictEqual } from 'node:util';
import { backupContents } from '../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../shared/contract/endpoints/backups.ts';
import { restores as rows } from '../../shared/contract/endpoints/restores.ts';
import { seed } from '../harness/stage/backup.ts';
import { contentsOf, erase } from '../harness/stage/restore.ts';
import { retryUntilAvailable } from './client.ts';
import { type Source, type Tenant, until } from './tenant.ts';

export interface JobCount {
  /** Number by final status. */
  readonly backups: Record<string, number>;
  readonly restores: Record<string, number>;
  /** Jobs running now. */
  running: number;
}

export const newJobCount = (): JobCount => ({ backups: {}, restores: {}, running: 0 });

export interface JobOptions {
  readonly count: JobCount;
  /** Whether backups are restored, too. */
  readonly restores: boolean;
  readonly isOver: () => boolean;
}

export const runJobs = async (tenant: Tenant, source: Source, { count, restores, isOver }: JobOptions): Promise<void> => {
  const { sourceProjectId } = source;
  for (let round = 1; !isOver(); round++) {
    const changed = { version: { integerValue: String(round) } };
    await retryUntilAvailable(() => seed(sourceProjectId, { 'users/0': changed, [`rounds/${round}`]: changed }));
    const before = await retryUntilAvailable(() => contentsOf(sourceProjectId));
    const backupId = await backUp(tenant, { source, type: round % 3 === 1 ? 'full' : 'incremental', count });
    if (backupId === undefined || !restores || isOver()) continue;
    await tenant.client.ask(backupContents.documents, { params: { backupId }, query: { path: 'users/0' } }, 200);

    await retryUntilAvailable(() => seed(sourceProjectId, { 'users/1': {}, 'users/nobody': {} }));
    await retryUntilAvailable(() => erase(sourceProjectId, ['users/2']));
    const ended = await restore(tenant, backupId, count);
    const after = await retryUntilAvailable(() => contentsOf(sourceProjectId));
    if (ended === 'completed' && !isDeepStrictEqual(before, after))
      tenant.meter.reportUnexpected(`${sourceProjectId} differs from ${backupId} after the rollback of round ${round}`);
  }
};

/** Runs a backup; returns its id if it completes. */
const backUp = async (
  { client, ledger, meter, destinationId }: Tenant,
  {
    source: { projectId },
    type,
    count,
  }: { readonly source: Source; readonly type: 'full' | 'incremental'; readonly count: JobCount },
): Promise<string | undefined> => {
  const begun = await client.ask(backups.create, { body: { projectId, type, storageDestinationId: destinationId } }, 202);
  if (begun.status !== 202) return undefined;
  const { id: backupId } = begun.body.data as { id: string };
  ledger.wrote('backup', backupId);
  ledger.expectEvent('backup.started', backupId);
  const { status, error } = await whileRunning(count, () =>
    endOf(async () => (await client.ask(backups.get, { params: { backupId } }, 200)).body.data),
  );
  count.backups[status] = (count.backups[status] ?? 0) + 1;
  ledger.expectEvent(`backup.${status}`, backupId);
  if (status === 'completed') return backupId;
  meter.reportUnexpected(`${backupId} ended with status ${status}: ${JSON.stringify(error)}`);
  return undefined;
};

const restore = async ({ client, ledger, meter }: Tenant, backupId: string, count: JobCount): Promise<string | undefined> => {
  const begun = await client.ask(rows.create, { body: { backupId, options: { mergeMode: 'rollback' } } }, 202);
  if (begun.status !== 202) return undefined;
  const { restoreJobId } = begun.body.data as { restoreJobId: string };
  ledger.wrote('restore', restoreJobId);
  ledger.expectEvent('restore.started', restoreJobId);
  const { status, error } = await whileRunning(count, () =>
    endOf(async () => (await client.ask(rows.get, { params: { restoreJobId } }, 200)).body.data),
  );
  count.restores[status] = (count.restores[status] ?? 0) + 1;
  ledger.expectEvent(`restore.${status}`, restoreJobId);
  if (status !== 'completed') meter.reportUnexpected(`${restoreJobId} ended with status ${status}: ${JSON.stringify(error)}`);
  return status;
};

/** The documents are read within a second, and the work of a killed function is resumed within minutes. */
const timeoutMs = 240_000;

/** Waits for the end of a job. A job that does not end in time is reported by `verifyLoad`. */
const endOf = <T extends { readonly status: string }>(look: () => Promise<T>): Promise<T> => {
  const sinceMs = performance.now();
  const hasEnded = ({ status }: T): boolean => status !== 'pending' && status !== 'running';
  return until(look, (seen) => hasEnded(seen) || performance.now() - sinceMs > timeoutMs);
};

const whileRunning = async <T>(count: JobCount, work: () => Promise<T>): Promise<T> => {
  count.running += 1;
  try {
    return await work();
  } finally {
    count.running -= 1;
  }
};

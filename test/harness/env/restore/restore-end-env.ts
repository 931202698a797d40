/** A restore at a given stage, with all items that its end may touch or must leave alone. */
import { deepEqual, equal } from 'node:assert/strict';
import { type BackupRecord, backupKey } from '../../../../shared/backup/index.ts';
import { commit, iso, set } from '../../../../shared/platform/index.ts';
import { type JobRecord, projectKey } from '../../../../shared/project/index.ts';
import { type RestoreRecord, type RunningRestore, restoreKey, workPartition } from '../../../../shared/restore/model/record.ts';
import { endFields, endRestoreWrites, loadEndContext } from '../../../../shared/restore/model/restore-end-context.ts';
import { backupOf as sampleOf } from '../../builders/sample-backup.ts';
import {
  backupOf,
  createRestoreEnv,
  destinationId,
  projectId,
  type RestoreEnv,
  type RestoreInput,
  restoreOf,
  startTestRestore,
  table,
  targetId,
  tenant,
} from '../restore-env.ts';

/** Not begun; checking, with objects stored; checked, with a sealed journal. */
export type Stage = 'pending' | 'checking' | 'sealed';

export interface RestoreAtStage {
  readonly world: RestoreEnv;
  readonly id: string;
  readonly backupId: string;
}

export const dayMs = 24 * 3_600_000;

export const createRestoreAt = async (stage: Stage, input: RestoreInput = {}): Promise<RestoreAtStage> => {
  const world = createRestoreEnv();
  const storageDestination = { id: destinationId, name: 'Bucket', type: 's3' } as const;
  const sample = sampleOf({ projectId, storageDestination });
  const backup = { ...sample, ...backupKey.backup(tenant, sample.id) };
  table.put(backup);
  const startMs = Date.now();
  world.nowMs = () => startMs;
  const setup = { world, id: await startTestRestore(world, backup, input), backupId: backup.id };
  if (stage === 'pending') return setup;
  await advanceTo(setup, stage, input.safetyBackup ?? true);
  return setup;
};

const objects = ['key', 'chunk/00000000-0000', 'index/00000000-0000'];

const advanceTo = async ({ world, id }: RestoreAtStage, stage: Stage, safetyBackup: boolean): Promise<void> => {
  const { journal } = restoreOf(id);
  const store = await world.engine.openStore(tenant, {} as never, journal.path);
  for (const name of stage === 'sealed' ? [...objects, 'manifest'] : objects) await store.put(name, Buffer.from(name));
  await store.put('notes of the customer', Buffer.from('not ours'));
  for (const sk of ['SCOPE', 'SHARD#00000000', 'PART#00000000#0000', 'PACE']) table.put({ pk: workPartition(tenant, id), sk });
  const now = iso(world.engine.clock.now());
  const key = restoreKey.restore(tenant, id);
  await commit([set(key, { status: 'running', phase: 'Validating', startedAt: now })]);
  if (stage === 'checking') return;
  await commit(sealingWrites(id, safetyBackup, now));
};

/** The writes of sealing. */
export const sealingWrites = (id: string, safetyBackup: boolean, now: string) => {
  const { journal } = restoreOf(id);
  const { backupId, path, storageDestination } = journal;
  const archive = { organization: tenant.organizationId, project: targetId, backup: backupId };
  const safety = sampleOf({ id: backupId, trigger: 'safety', projectId: targetId, path, storageDestination, archive });
  const sealed = { phase: 'Restoring', sealedAt: now, ...(safetyBackup && { safetyBackupId: backupId }) };
  return [
    set(restoreKey.restore(tenant, id), sealed),
    ...(safetyBackup ? [{ put: { ...safety, ...backupKey.backup(tenant, backupId), restoring: 1 } }] : []),
    ...(safetyBackup ? [{ put: { ...backupKey.archive(tenant, backupId, backupId), backupId } }] : []),
  ];
};

/** Like POST /backups/restore/{id}/cancel and the last step: sets the status, with the writes of every end. */
export const endRestore = async ({ world, id }: RestoreAtStage, status: 'cancelled' | 'completed'): Promise<void> => {
  const now = world.engine.clock.now();
  const context = (await loadEndContext(tenant, id))!;
  const { restore } = context;
  await commit([
    set(restoreKey.restore(tenant, id), { status, ...endFields(context, now) }, { expected: { status: restore.status } }),
    ...endRestoreWrites(tenant, context, { status, now }),
  ]);
};

/** Like POST /backups/restore/{id}/resume, synchronously. */
export const resumeNow = (id: string): void => {
  const restore = restoreOf(id);
  const attempt = restore.attempt + 1;
  const journal = { ...restore.journal, backupId: `${restore.journal.backupId}x`, path: `${restore.journal.path}x` };
  const afresh = restore.sealedAt === undefined ? { journal, givenUp: [...(restore.givenUp ?? []), restore.journal] } : {};
  table.put({ ...restore, status: 'pending', attempt, completedAt: null, undoUntil: null, ...afresh });
  const { organizationId } = tenant;
  table.put({ ...restoreKey.running(tenant, id), organizationId, restoreJobId: id, attempt, since: iso(new Date()) });
  table.put({ ...projectKey.job(tenant, targetId), jobId: id, kind: 'restore', since: 'now' });
  table.put({ ...backupOf(restore.backupId), restoring: 1 });
};

export const runningItemOf = (id: string) => table.get<RunningRestore>(restoreKey.running(tenant, id));
export const lockOf = (project: string) => table.get<JobRecord>(projectKey.job(tenant, project));
export const workItemsOf = (id: string): readonly string[] =>
  table
    .find(workPartition(tenant, id))
    .map(({ sk }) => String(sk))
    .sort();
export const objectsOf = ({ world }: RestoreAtStage, { journal }: Pick<RestoreRecord, 'journal'>): readonly string[] =>
  [...(world.stores.get(journal.path)?.objects.keys() ?? [])].sort();
export const all = ['chunk/00000000-0000', 'index/00000000-0000', 'key', 'manifest', 'notes of the customer'];
export const foreign = ['notes of the customer'];
export const allWorkItems = ['PACE', 'PART#00000000#0000', 'SCOPE', 'SHARD#00000000'];

/** The target and both backups are released, and the safety backup is kept as long as the restore can be undone. */
export const assertReleased = ({ id, backupId }: RestoreAtStage): void => {
  const { undoUntil, safetyBackupId } = restoreOf(id);
  equal(lockOf(targetId), undefined);
  equal(backupOf(backupId).restoring, 0);
  const safety: BackupRecord | undefined = safetyBackupId === undefined ? undefined : backupOf(safetyBackupId);
  deepEqual([safety?.restoring, safety?.expiresAt], safety ? [0, undoUntil] : [undefined, undefined]);
};

/** The environment of the end of a restore: a restore at a given stage, with all items that its end may touch or must leave alone. */
import { deepEqual, equal } from 'node:assert/strict';
import { workPartition } from '../../../../shared/job/index.ts';
import { commit, iso, set } from '../../../../shared/platform/index.ts';
import { type JobLock, projectKey } from '../../../../shared/project/index.ts';
import { type RestoreRecord, type RunningRestore, restoreKey } from '../../../../shared/restore/model/record.ts';
import { endFields, endRestoreWrites, loadEndContext } from '../../../../shared/restore/model/restore-end-context.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { backupOf as sampleOf } from '../../builders/sample-backup.ts';
import { createEnv } from '../backup-env.ts';
import { RestoreEnv, type RestoreInput } from '../restore-env.ts';

/** Not begun; checking, with objects stored; checked, with a sealed journal. */
export type Stage = 'pending' | 'checking' | 'sealed';

export interface RestoreAtStage {
  readonly id: string;
  readonly backupId: string;
}

export const dayMs = 24 * 3_600_000;
const objects = ['key', 'chunk/00000000-0000', 'index/00000000-0000'];
export const allObjects = ['chunk/00000000-0000', 'index/00000000-0000', 'key', 'manifest', 'notes of the customer'];
export const foreignObjects = ['notes of the customer'];
export const allWorkItems = ['PACE', 'PART#00000000#0000', 'SCOPE', 'SHARD#00000000'];

export const createRestoreEndEnv = (): Promise<RestoreEndEnv> => createEnv(RestoreEndEnv);

export class RestoreEndEnv extends RestoreEnv {
  /** Resets the environment and starts a restore. */
  async startAt(stage: Stage, input: RestoreInput = {}): Promise<RestoreAtStage> {
    this.reset();
    const storageDestination = { id: this.destinationId, name: 'Bucket', type: 's3' } as const;
    const sample = sampleOf({ projectId: this.projectId, storageDestination });
    const backup = { ...sample, ...backupKey.backup(this.tenant, sample.id) };
    this.table.put(backup);
    const startMs = Date.now();
    this.nowMs = () => startMs;
    const id = await this.startRestore(backup, input);
    if (stage !== 'pending') await this.#advance(id, stage, input.safetyBackup ?? true);
    return { id, backupId: backup.id };
  }

  async #advance(id: string, stage: Stage, safetyBackup: boolean): Promise<void> {
    const { tenant } = this;
    const { journal } = this.restoreOf(id);
    const store = await this.deps.openStore(tenant, {} as never, journal.path);
    for (const name of stage === 'sealed' ? [...objects, 'manifest'] : objects) await store.put(name, Buffer.from(name));
    await store.put('notes of the customer', Buffer.from('not ours'));
    const pk = workPartition(tenant, id);
    for (const sk of ['SCOPE', 'PACE']) this.table.put({ pk, sk });
    this.table.put({ pk, sk: 'SHARD#00000000', number: 0, parts: 1 });
    const index = { backup: 'earlier', name: 'index/00000000-0000', size: 1 };
    this.table.put({ pk, sk: 'PART#00000000#0000', number: 0, part: 0, index });
    const now = iso(this.clock.now());
    await commit([set(restoreKey.restore(tenant, id), { status: 'running', phase: 'Validating', startedAt: now })]);
    if (stage === 'sealed') await commit(this.sealingWrites(id, safetyBackup, now));
  }

  sealingWrites(id: string, safetyBackup: boolean, now: string) {
    const { tenant, targetId } = this;
    const { backupId, path, storageDestination } = this.restoreOf(id).journal;
    const archive = { organization: tenant.organizationId, project: targetId, backup: backupId };
    const safety = sampleOf({ id: backupId, trigger: 'safety', projectId: targetId, path, storageDestination, archive });
    const sealed = { phase: 'Restoring', sealedAt: now, ...(safetyBackup && { safetyBackupId: backupId }) };
    return [
      set(restoreKey.restore(tenant, id), sealed),
      ...(safetyBackup ? [{ put: { ...safety, ...backupKey.backup(tenant, backupId), restoring: 1 } }] : []),
      ...(safetyBackup ? [{ put: { ...backupKey.archive(tenant, backupId, backupId), backupId } }] : []),
    ];
  }

  /** Like POST /backups/restore/{id}/cancel and the last step: sets the status, with the writes of every end. */
  async endRestore(id: string, status: 'cancelled' | 'completed'): Promise<void> {
    const now = this.clock.now();
    const context = (await loadEndContext(this.tenant, id))!;
    const { restore } = context;
    await commit([
      set(restoreKey.restore(this.tenant, id), { status, ...endFields(context, now) }, { expected: { status: restore.status } }),
      ...endRestoreWrites(this.tenant, context, { status, now }),
    ]);
  }

  /** Like POST /backups/restore/{id}/resume, synchronously. */
  resumeNow(id: string): void {
    const { table, tenant, targetId } = this;
    const restore = this.restoreOf(id);
    const attempt = restore.attempt + 1;
    const journal = { ...restore.journal, backupId: `${restore.journal.backupId}x`, path: `${restore.journal.path}x` };
    const afresh = restore.sealedAt === undefined ? { journal, givenUp: [...(restore.givenUp ?? []), restore.journal] } : {};
    table.put({ ...restore, status: 'pending', attempt, completedAt: null, undoUntil: null, ...afresh });
    const { organizationId } = tenant;
    table.put({ ...restoreKey.running(tenant, id), organizationId, restoreJobId: id, attempt, since: iso(new Date()) });
    table.put({ ...projectKey.job(tenant, targetId), jobId: id, kind: 'restore', since: 'now' });
    table.put({ ...this.backupOf(restore.backupId), restoring: 1 });
  }

  runningItemOf(id: string): RunningRestore | undefined {
    return this.table.get<RunningRestore>(restoreKey.running(this.tenant, id));
  }

  lockOf(project: string): JobLock | undefined {
    return this.table.get<JobLock>(projectKey.job(this.tenant, project));
  }

  workItemsOf(id: string): readonly string[] {
    return this.table
      .find(workPartition(this.tenant, id))
      .map(({ sk }) => String(sk))
      .sort();
  }

  objectsOf({ journal }: Pick<RestoreRecord, 'journal'>): readonly string[] {
    return [...(this.stores.get(journal.path)?.objects.keys() ?? [])].sort();
  }

  /** The target and both backups are released, and the safety backup is kept as long as the restore can be undone. */
  assertReleased({ id, backupId }: RestoreAtStage): void {
    const { undoUntil, safetyBackupId } = this.restoreOf(id);
    equal(this.lockOf(this.targetId), undefined);
    equal(this.backupOf(backupId).restoring, 0);
    if (safetyBackupId === undefined) return;
    const { restoring, expiresAt } = this.backupOf(safetyBackupId);
    deepEqual({ restoring, expiresAt }, { restoring: 0, expiresAt: undoUntil });
  }
}

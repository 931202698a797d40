/** What becomes of a project while a backup of it is built from changes: it is not deleted, and moves nowhere, before the backup has ended. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { cancelBackup } from '../../../../shared/backup/index.ts';
import type { ObjectStore } from '../../../../shared/destination/index.ts';
import { moveProject } from '../../../../shared/move/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { changesAfter, endWithProject, microsOf, pitrKey } from '../../../../shared/pitr/index.ts';
import { commit, newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { projectKey, removeProject } from '../../../../shared/project/index.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../../../../shared/stored-backup/index.ts';
import { documentsIn } from '../../../harness/env/capture/built-backup.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const to = unsafeTenant(newId('organization'), 'record');
const userId = newId('user');

/** Captured, with a change since the base, and a second organization that the caller administers. `during` runs while a backup waits. */
const captured = async (during: () => Promise<void> = async () => undefined): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/a': '1', 'users/b': '1', 'users/b/notes/n': '1' });
  const runAsked = async (): Promise<void> => {
    await during();
    t.pass(1);
    if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
  };
  t.deps = { ...t.deps, changes: changesAfter(runAsked) };
  t.pass(1);
  await t.put({ 'users/a': '2', 'users/b': null, 'users/c': '1' });
  t.table.put({ ...organizationKey.organization(to), id: to.organizationId, name: 'Elsewhere', backupCount: 0, storageUsed: 0 });
  for (const tenant of [t.tenant, to]) t.table.put({ ...organizationKey.member(tenant, userId), userId, role: 'admin' });
  return t;
};

const callerOf = (t: CaptureEnv) => ({
  tenant: t.tenant,
  organization: t.organization,
  role: 'admin' as const,
  actor: { type: 'user' as const, id: userId, email: 'ada@example.com' },
  origin: { ip: null, userAgent: null, requestId: 'request' },
});

/** Like DELETE /projects/{id}. */
const removeIt = (t: CaptureEnv): Promise<void> => {
  const { project, pitr, now } = t;
  const caller = callerOf(t);
  return commit([...removeProject(caller, project, now).writes, ...endWithProject(caller, { project, pitr, now })]);
};

/** Like PATCH /projects/{id} with another organization. */
const moveIt = (t: CaptureEnv) =>
  moveProject(callerOf(t), { projectId: t.projectId, organizationId: to.organizationId, time: { now: () => t.now } });

const recordOf = (t: CaptureEnv, id: string, tenant = t.tenant): BackupRecord =>
  t.table.get<BackupRecord>(backupKey.backup(tenant, id))!;
const itemsOfTarget = (t: CaptureEnv): readonly unknown[] => t.table.find(`ORG#${to.organizationId}`).map(({ sk }) => sk);
const truthOf = (t: CaptureEnv, backup: BackupRecord) => [...t.truthAt(microsOf(backup.readTime ?? ''))].sort();

/** Calls `act` before the n-th call to a store. Returns how many there were. */
const interfere = (t: CaptureEnv, at: number, act: () => Promise<unknown>): { calls: number } => {
  const counter = { calls: 0 };
  const before = async (): Promise<void> => {
    if (++counter.calls === at) await act();
  };
  t.wrap = (inner): ObjectStore => ({
    put: async (...all) => before().then(() => inner.put(...all)),
    upload: (...all) => {
      const upload = inner.upload(...all);
      return {
        write: async (pieces) => before().then(() => upload.write(pieces)),
        finish: async () => before().then(() => upload.finish()),
        abort: () => upload.abort(),
      };
    },
    get: async (...all) => before().then(() => inner.get(...all)),
    head: async (name) => before().then(() => inner.head(name)),
    extendLock: (...all) => inner.extendLock(...all),
    list: (prefix) => inner.list(prefix),
    remove: (names) => inner.remove(names),
    abortUnfinishedUploads: (prefix) => inner.abortUnfinishedUploads(prefix),
    close: () => inner.close(),
  });
  return counter;
};

for (const captures of ['enabled', 'disabled', 'expired'] as const)
  test(`built backup: until it has ended its project is neither deleted nor moved, if captures are ${captures} meanwhile`, async () => {
    const codes = { removal: new Set<string>(), move: new Set<string>() };
    const attempt = async (): Promise<void> => {
      await rejects(removeIt(t), ({ code }: { code: string }) => codes.removal.add(code) !== undefined);
      await rejects(moveIt(t), ({ code }: { code: string }) => codes.move.add(code) !== undefined);
    };
    const t: CaptureEnv = await captured(() => attempt());
    const before = itemsOfTarget(t);
    const id = await t.startBackup();
    await t.runBackup(id, {
      afterPlan: async () => {
        if (captures !== 'enabled') await t.disable();
        if (captures === 'expired') t.table.put({ ...t.pitr, bases: [], gaps: [], keptFrom: t.pitr.capturedTo });
        await attempt();
      },
      onRun: attempt,
    });
    const backup = recordOf(t, id);
    deepEqual([backup.status, backup.builtFrom], ['completed', 'changes'], backup.error?.message);
    deepEqual(await documentsIn(t, backup), truthOf(t, backup));
    deepEqual([...codes.removal], ['JOB_IN_PROGRESS']);
    deepEqual([...codes.move], captures === 'expired' ? ['CONFLICT', 'JOB_IN_PROGRESS'] : ['CONFLICT']);
    deepEqual([itemsOfTarget(t), t.table.find('ORG#', 'MOVE#'), t.table.find('ORG#', 'JOB#')], [before, [], []]);
    if (captures === 'expired') {
      await moveIt(t);
      equal(recordOf(t, id), undefined);
      const moved = recordOf(t, id, to);
      deepEqual([moved.status, moved.builtFrom, moved.auditedSince], ['completed', 'changes', backup.auditedSince]);
      deepEqual(t.table.find(`ORG#${t.tenant.organizationId}`, backupPrefix), []);
      return;
    }
    await removeIt(t);
    await t.expire();
    const captureKeys = [pitrKey.pitr(t.tenant, t.projectId).sk, pitrKey.tokens(t.tenant, t.projectId).pk];
    deepEqual(
      [...t.table.items.keys()].filter((key) => captureKeys.some((part) => key.includes(part))),
      [],
    );
    deepEqual(await documentsIn(t, recordOf(t, id)), truthOf(t, backup));
  });

test('built backup: cancelled at any of its steps, and its project deleted at once, it leaves nothing', async () => {
  const cancelAndRemove = async (t: CaptureEnv, id: string): Promise<void> => {
    await commit((await cancelBackup(callerOf(t), recordOf(t, id), t.now)).change.writes);
    await removeIt(t);
  };
  const whole = await captured();
  const counter = interfere(whole, 0, async () => undefined);
  await whole.takeBackup();
  ok(counter.calls > 20, `${counter.calls} calls`);
  for (let at = 1; at <= counter.calls; at += 2) {
    const t = await captured();
    const id = await t.startBackup();
    interfere(t, at, () => cancelAndRemove(t, id));
    await t.runBackup(id);
    const backup = recordOf(t, id);
    deepEqual([backup.status, backup.error?.code], ['cancelled', 'CANCELLED'], `at ${at}`);
    deepEqual([...t.folder(backup.path).objects.keys()], [], `at ${at}`);
    const left = ['WORK#', 'RUNNING#'].flatMap((pk) => t.table.find(pk));
    deepEqual(
      [left, t.table.find('ORG#', 'JOB#'), t.table.get(projectKey.project(t.tenant, t.projectId))],
      [[], [], undefined],
      `at ${at}`,
    );
    t.wrap = (store) => store;
    t.pass(2 * 3_600);
    for (let n = 0; n < 3; n++) await t.expire();
    equal(t.pitr, undefined, `at ${at}`);
    deepEqual(t.table.find(pitrKey.tokens(t.tenant, t.projectId).pk), [], `at ${at}`);
  }
});

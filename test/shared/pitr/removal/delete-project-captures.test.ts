/** A deleted project leaves no captures behind: neither objects nor holds on its bases and destination. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { captureUsing, microsOf, momentOf, pitrKey, refuseEnding } from '../../../../shared/pitr/index.ts';
import { endWithProject } from '../../../../shared/pitr/settings/update-pitr.ts';
import { commit, newId, StaleReadError } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { type BackupRecord, backupKey, retentionKey } from '../../../../shared/stored-backup/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { type CaptureEnv, createActiveCapture, createCaptureEnv, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const asked = (t: CaptureEnv) =>
  t.table.find('', 'TASK#').filter((item) => JSON.stringify(item).includes('expire-captures')).length;
const baseOf = (t: CaptureEnv, id: string) => t.table.get<BackupRecord>(backupKey.backup(t.tenant, id))!;
const notes = (t: CaptureEnv) => [...t.table.find(pitrKey.tokens(t.tenant, t.projectId).pk), ...t.table.find('DUE#CAPTURE')];

const captured = async (): Promise<{ t: CaptureEnv; baseId: string; objects: () => number }> => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { precision: 'interval' });
  for (const text of ['1', '2']) {
    await t.put({ 'users/ada': text });
    await t.runNextCycle();
  }
  const paths = t.batches.map(({ path }) => path);
  const objects = () => paths.reduce((sum, path) => sum + t.folders.get(path)!.objects.size, 0);
  equal(objects(), 2);
  return { t, baseId: t.pitr.bases[0]!.backupId, objects };
};

/** The part of DELETE /projects/{id} that concerns captures. */
const removeProject = async (t: CaptureEnv): Promise<void> => {
  const pitr = t.table.get(pitrKey.pitr(t.tenant, t.projectId)) ? t.pitr : undefined;
  const writes = endWithProject(t, { project: t.project, pitr, now: t.now });
  await commit([{ remove: projectKey.project(t.tenant, t.projectId) }, ...writes]);
};

test('project deletion: deletes all captures, enabled or not, and releases base and destination', async () => {
  for (const isEnabled of [true, false]) {
    const { t, baseId, objects } = await captured();
    if (!isEnabled) await t.disable();
    equal((await captureUsing(t.tenant, t.destinationId))?.isEnding, false);
    await refuseEnding(t.tenant, baseOf(t, baseId));
    const before = asked(t);
    await removeProject(t);
    equal(asked(t), before + 1);
    deepEqual(await captureUsing(t.tenant, t.destinationId), { projectId: t.projectId, isEnding: true });
    await rejects(refuseEnding(t.tenant, baseOf(t, baseId)), (error: unknown) => {
      ok(error instanceof ApiError && error.code === 'CONFLICT');
      match(error.message, /being deleted/);
      return true;
    });
    await t.expire();
    deepEqual([objects(), notes(t), t.table.get(pitrKey.pitr(t.tenant, t.projectId))], [0, [], undefined]);
    const { pitrBase, status } = baseOf(t, baseId);
    deepEqual([pitrBase, status], [undefined, 'completed']);
    equal(t.table.get<{ dueAt: string }>(retentionKey(t.tenant))!.dueAt, new Date(t.nowMs).toISOString());
    equal(await captureUsing(t.tenant, t.destinationId), undefined);
    await refuseEnding(t.tenant, baseOf(t, baseId));
    await t.expire();
  }
});

test('project deletion: after a crash at any effect all holds exist or none, and the next run completes it', async () => {
  for (const dies of ['before', 'after'] as const)
    for (let n = 1, isDead = true; isDead; n++) {
      const { t, baseId, objects } = await captured();
      await removeProject(t);
      let writes = 0;
      isDead = false;
      t.table.onWrite = (when) => {
        if (when === 'before') writes += 1;
        if (writes === n && when === dies) isDead = true;
        return isDead ? new Fault('AccessDeniedException') : undefined;
      };
      await t.expire().catch(() => undefined);
      t.table.onWrite = () => undefined;
      const isHeld = t.table.get(pitrKey.pitr(t.tenant, t.projectId)) !== undefined && t.pitr.bases.length > 0;
      equal(baseOf(t, baseId).pitrBase, isHeld ? true : undefined, `${dies} write ${n}`);
      if (objects() > 0) ok(await captureUsing(t.tenant, t.destinationId), `${dies} write ${n}`);
      await t.expire();
      deepEqual([baseOf(t, baseId).pitrBase, objects(), notes(t)], [undefined, 0, []], `${dies} write ${n}`);
    }
});

test('project deletion: an upload of a running cycle is deleted an hour later and delays nothing', async () => {
  const { t } = await captured();
  await removeProject(t);
  const late = { id: newId('capture'), path: 'late/pitr/1', storageDestinationId: t.destinationId };
  t.table.put({ ...pitrKey.upload(t.tenant, t.projectId, late.id), ...late, since: new Date(t.nowMs).toISOString() });
  await t.expire();
  deepEqual([t.uploads, await captureUsing(t.tenant, t.destinationId)], [1, undefined]);
  const { forgetAt } = t.table.get<{ forgetAt: string }>(pitrKey.capturing(t.tenant, t.projectId))!;
  equal(Date.parse(forgetAt), t.nowMs + 3_600_000);
  t.pass(3_600);
  await t.expire();
  deepEqual([notes(t), t.table.get(pitrKey.pitr(t.tenant, t.projectId))], [[], undefined]);
});

test('project deletion: more bases than one transaction releases take several', async () => {
  const { t } = await captured();
  const [base] = t.pitr.bases;
  const older = Array.from({ length: 100 }, (_, n) => {
    const readTime = momentOf(microsOf(base!.readTime) - (100 - n) * 3_600_000_000);
    return { backupId: newId('backup'), readTime, since: readTime };
  });
  for (const { backupId } of older) t.table.put({ ...backupKey.backup(t.tenant, backupId), id: backupId, pitrBase: true });
  t.table.put({ ...t.pitr, bases: [...older, base!] });
  await removeProject(t);
  const before = asked(t);
  await t.expire();
  deepEqual([t.pitr.bases.length, asked(t)], [11, before + 1]);
  await t.expire();
  deepEqual([notes(t), older.filter(({ backupId }) => baseOf(t, backupId).pitrBase)], [[], []]);
});

test('project deletion: is decided again if captures are enabled concurrently', async () => {
  const t = await createCaptureEnv();
  const writes = endWithProject(t, { project: t.project, pitr: undefined, now: t.now });
  await t.enable();
  await rejects(commit([{ remove: projectKey.project(t.tenant, t.projectId) }, ...writes]), StaleReadError);
  equal(t.project.id, t.projectId);
});

/** A deleted project leaves no captures behind: neither objects nor holds on its bases and destination. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { type BackupRecord, backupKey, retentionKey } from '../../../../shared/backup/index.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { type OrganizationRecord, organizationKey } from '../../../../shared/organization/index.ts';
import { captureUsing, expireCaptures, microsOf, momentOf, pitrKey, refuseEnding } from '../../../../shared/pitr/index.ts';
import { endWithProject } from '../../../../shared/pitr/settings/update-pitr.ts';
import { commit, newId, StaleReadError } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { destinationId } from '../../../harness/env/backup-env.ts';
import {
  batches,
  type CaptureWorld,
  disable,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  projectId,
  put,
  runNextCycle,
  server,
  table,
  tenant,
  time,
  untilActive,
  uploads,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

const projectNow = () => table.get<ProjectRecord>(projectKey.project(tenant, projectId))!;
const organization = () => table.get<OrganizationRecord>(organizationKey.organization(tenant))!;
const asked = () => table.find('', 'TASK#').filter((item) => JSON.stringify(item).includes('expire-captures')).length;
const baseOf = (id: string) => table.get<BackupRecord>(backupKey.backup(tenant, id))!;
const notes = () => [...table.find(pitrKey.tokens(tenant, projectId).pk), ...table.find('DUE#CAPTURE')];

const captured = async (): Promise<{ world: CaptureWorld; baseId: string; objects: () => number }> => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ precision: 'interval' });
  await untilActive(world);
  for (const text of ['1', '2']) {
    await put(world, { 'users/ada': text });
    await runNextCycle(world);
  }
  const paths = batches().map(({ path }) => path);
  const objects = () => paths.reduce((sum, path) => sum + world.folders.get(path)!.objects.size, 0);
  equal(objects(), 2);
  return { world, baseId: pitrNow().bases[0]!.backupId, objects };
};

/** The part of DELETE /projects/{id} that concerns captures. */
const removeProject = async (): Promise<void> => {
  const project = projectNow();
  const pitr = table.get(pitrKey.pitr(tenant, projectId)) ? pitrNow() : undefined;
  const writes = endWithProject({ tenant, organization: organization() }, project, pitr, new Date(time.ms));
  await commit([{ remove: projectKey.project(tenant, projectId) }, ...writes]);
};
const forget = ({ engine }: CaptureWorld) =>
  expireCaptures(tenant, projectId, new Date(time.ms + 60_000), engine.clock, engine.openStore);

test('project deletion: deletes all captures, enabled or not, and releases base and destination', async () => {
  for (const isEnabled of [true, false]) {
    const { world, baseId, objects } = await captured();
    if (!isEnabled) await disable();
    equal((await captureUsing(tenant, destinationId))?.isEnding, false);
    await refuseEnding(tenant, baseOf(baseId));
    const before = asked();
    await removeProject();
    equal(asked(), before + 1);
    deepEqual(await captureUsing(tenant, destinationId), { projectId, isEnding: true });
    await rejects(refuseEnding(tenant, baseOf(baseId)), (error: unknown) => {
      ok(error instanceof ApiError && error.code === 'CONFLICT');
      match(error.message, /being deleted/);
      return true;
    });
    await forget(world);
    deepEqual([objects(), notes(), table.get(pitrKey.pitr(tenant, projectId))], [0, [], undefined]);
    const { pitrBase, status } = baseOf(baseId);
    deepEqual([pitrBase, status], [undefined, 'completed']);
    equal(table.get<{ dueAt: string }>(retentionKey(tenant))!.dueAt, new Date(time.ms).toISOString());
    equal(await captureUsing(tenant, destinationId), undefined);
    await refuseEnding(tenant, baseOf(baseId));
    await forget(world);
  }
});

test('project deletion: after a crash at any effect all holds exist or none, and the next run completes it', async () => {
  for (const dies of ['before', 'after'] as const)
    for (let n = 1, isDead = true; isDead; n++) {
      const { world, baseId, objects } = await captured();
      await removeProject();
      let writes = 0;
      isDead = false;
      table.onWrite = (when) => {
        if (when === 'before') writes += 1;
        if (writes === n && when === dies) isDead = true;
        return isDead ? new Fault('AccessDeniedException') : undefined;
      };
      await forget(world).catch(() => undefined);
      table.onWrite = () => undefined;
      const isHeld = table.get(pitrKey.pitr(tenant, projectId)) !== undefined && pitrNow().bases.length > 0;
      equal(baseOf(baseId).pitrBase, isHeld ? true : undefined, `${dies} write ${n}`);
      if (objects() > 0) ok(await captureUsing(tenant, destinationId), `${dies} write ${n}`);
      await forget(world);
      deepEqual([baseOf(baseId).pitrBase, objects(), notes()], [undefined, 0, []], `${dies} write ${n}`);
    }
});

test('project deletion: an upload of a running cycle is deleted an hour later and delays nothing', async () => {
  const { world } = await captured();
  await removeProject();
  const late = { id: newId('capture'), path: 'late/pitr/1', storageDestinationId: destinationId };
  table.put({ ...pitrKey.upload(tenant, projectId, late.id), ...late, since: new Date(time.ms).toISOString() });
  await forget(world);
  deepEqual([uploads(), await captureUsing(tenant, destinationId)], [1, undefined]);
  const { forgetAt } = table.get<{ forgetAt: string }>(pitrKey.capturing(tenant, projectId))!;
  equal(Date.parse(forgetAt), time.ms + 3_600_000);
  pass(3_600);
  await forget(world);
  deepEqual([notes(), table.get(pitrKey.pitr(tenant, projectId))], [[], undefined]);
});

test('project deletion: more bases than one transaction releases take several', async () => {
  const { world } = await captured();
  const [base] = pitrNow().bases;
  const older = Array.from({ length: 100 }, (_, n) => {
    const readTime = momentOf(microsOf(base!.readTime) - (100 - n) * 3_600_000_000);
    return { backupId: newId('backup'), readTime, since: readTime };
  });
  for (const { backupId } of older) table.put({ ...backupKey.backup(tenant, backupId), id: backupId, pitrBase: true });
  table.put({ ...pitrNow(), bases: [...older, base!] });
  await removeProject();
  const before = asked();
  await forget(world);
  deepEqual([pitrNow().bases.length, asked()], [11, before + 1]);
  await forget(world);
  deepEqual([notes(), older.filter(({ backupId }) => baseOf(backupId).pitrBase)], [[], []]);
});

test('project deletion: is decided again if captures are enabled concurrently', async () => {
  newCaptureWorld();
  const [project, now] = [projectNow(), new Date(time.ms)];
  const writes = endWithProject({ tenant, organization: organization() }, project, undefined, now);
  await enable();
  await rejects(commit([{ remove: projectKey.project(tenant, projectId) }, ...writes]), StaleReadError);
  equal(projectNow().id, projectId);
});

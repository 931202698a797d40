/** Point-in-time recovery from enabling it to a restore of the second before a mistake. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Firestore } from '@google-cloud/firestore';
import { beforeAll, test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { newDestination, newProject } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, planRestore, restore, undo } from '../../harness/stage/restore.ts';

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
const by = () => ({ token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } });

type Contents = Awaited<ReturnType<typeof contentsOf>>;
/** The second before the mistake, its documents, and those after the mistake. */
let second: string;
let there: Contents;
let left: Contents;

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(500);
};
const usersOf = (contents: Contents): Contents =>
  Object.fromEntries(Object.entries(contents).filter(([path]) => path.startsWith('users/')));

beforeAll(async () => {
  organization = await newOrganization();
  const [made, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  project = made;
  const { sourceProjectId } = project;
  const client = new Firestore({ projectId: sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  try {
    await client.doc('users/ada').set({ name: 'Ada', visits: 1 });
    await client.doc('users/ada/notes/g').set({ text: 'Note G' });
    await client.doc('shops/one').set({ name: 'One' });
    const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
    equal((await call(pitr.enable, { ...by(), body })).status, 202);
    await until(async () => (await call(pitr.get, by())).body.data.status === 'active');
    // Captured but not in the base. A document that is created and deleted between two captures is unknown.
    await client.doc('users/grace').set({ name: 'Grace' });
    await until(async () => (await call(pitr.get, by())).body.data.changesCaptured > 0);
    await client.doc('users/ada').update({ visits: 2, seen: new Date(1_700_000_000_000) });
    there = await contentsOf(sourceProjectId);
    await pause(1_000 - (Date.now() % 1_000) + 50);
    second = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
    await client.recursiveDelete(client.collection('users'));
    left = await contentsOf(sourceProjectId);
    await until(async () => {
      const { windows } = (await call(pitr.windows, by())).body.data;
      return windows.some(({ from, to }) => from <= second && second < to);
    });
  } finally {
    await client.terminate();
  }
});

test('pitr: a dry run reports what a restore to the previous second would do', async () => {
  deepEqual(Object.keys(left), ['shops/one']);
  const plan = await planRestore(organization, { projectId: project.id, pointInTime: second, collections: ['users'] });
  deepEqual([plan.create, plan.overwrite, plan.delete, plan.unchanged], [3, 0, 0, 0]);
  equal(plan.pointInTime, second);
  deepEqual(await contentsOf(project.sourceProjectId), left);
});

test('pitr: a collection restored to the previous second is exact, and the restore can be undone', async () => {
  const body = { projectId: project.id, pointInTime: second, collections: ['users'] };
  const done = await restore(organization, body);
  deepEqual([done.pointInTime, done.plan?.create, done.cost.writes], [second, 3, 3]);
  deepEqual(await contentsOf(project.sourceProjectId), there);
  const { body: listed } = await call(restores.list, { ...by(), query: { projectId: project.id } });
  deepEqual(
    listed.data.map(({ restoreJobId, pointInTime }) => [restoreJobId, pointInTime]),
    [[done.restoreJobId, second]],
  );
  // The moment is stored as a backup, built from the base without reading the source.
  const { data: point } = (await call(backups.get, { ...by(), params: { backupId: done.backupId } })).body;
  deepEqual(
    [point.type, point.trigger, point.readTime, point.documentCount, point.cost.reads],
    ['incremental', 'pitr-base', second.replace('.000Z', '.000000Z'), 4, 0],
  );
  const { status } = await call(backups.remove, { ...by(), params: { backupId: String(point.parentBackupId) } });
  equal(status, 409);
  await undo(organization, done.restoreJobId);
  deepEqual(await contentsOf(project.sourceProjectId), left);
});

test('pitr: restoring one document restores it and its subcollections only', async () => {
  const body = { projectId: project.id, pointInTime: second, documentIds: ['users/ada'] };
  const done = await restore(organization, body);
  equal(done.plan?.create, 2);
  const now = usersOf(await contentsOf(project.sourceProjectId));
  deepEqual(now, Object.fromEntries(Object.entries(usersOf(there)).filter(([path]) => path.startsWith('users/ada'))));
  await undo(organization, done.restoreJobId);
});

test('pitr: times before it was enabled and in the future are refused with the available windows', async () => {
  const ask = (pointInTime: string) => call(restores.create, { ...by(), body: { projectId: project.id, pointInTime } });
  const { windows } = (await call(pitr.windows, by())).body.data;
  const early = await ask(new Date(Date.parse(windows[0]!.from) - 60_000).toISOString());
  deepEqual([early.status, early.body.error?.code, early.body.error?.details?.earliest], [409, 'CONFLICT', windows[0]!.from]);
  match(String(early.body.error?.message), /earliest moment/);
  const late = await ask(new Date(Date.now() + 60_000).toISOString());
  deepEqual([late.status, late.body.error?.code], [400, 'VALIDATION_ERROR']);
  ok(windows.length > 0);
});

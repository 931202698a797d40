/** A chain of incremental backups: created, read at any backup, shortened, and deleted in order. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Firestore } from '@google-cloud/firestore';
import { beforeAll, describe, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { chainSoftMax } from '../../../shared/contract/limits.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { objectsIn } from '../../harness/stage/bucket.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, restore } from '../../harness/stage/restore.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

type Shown = Awaited<ReturnType<typeof endOf>>;
type Contents = Awaited<ReturnType<typeof contentsOf>>;

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
let copy: Awaited<ReturnType<typeof newProject>>;
let destination: Awaited<ReturnType<typeof newDestination>>;
let client: Firestore;
const links: { backup: Shown; held: Contents }[] = [];
const by = () => ({ token: organization.owner.accessToken, org: organization.id });

const take = async (more: object): Promise<Shown> => {
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id, ...more });
  const backup = await endOf(organization, id);
  equal(backup.status, 'completed', JSON.stringify(backup.error));
  return backup;
};
const takeLink = async (type: 'full' | 'incremental'): Promise<void> => {
  const backup = await take({ type });
  links.push({ backup, held: await contentsOf(project.sourceProjectId) });
};

beforeAll(async () => {
  organization = await newOrganization();
  [project, copy, destination] = await Promise.all([
    newProject(organization),
    newProject(organization),
    newDestination(organization),
  ]);
  await seed(
    project.sourceProjectId,
    Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`things/${n}`, { text: { stringValue: randomBytes(200).toString('hex') } }]),
    ),
  );
  client = new Firestore({ projectId: project.sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
});

describe('a chain of backups', () => {
  test('needs a full backup first', async () => {
    const body = { projectId: project.id, storageDestinationId: destination.id, type: 'incremental' };
    const { status, body: answer } = await call(backups.create, { ...by(), body });
    deepEqual([status, answer.error.code], [409, 'CONFLICT']);
  });

  test('stores in each link only the changes since its parent', async () => {
    await takeLink('full');
    await client.doc('things/7').set({ text: 'changed' });
    await client.doc('things/8').delete();
    await client.doc('other/new').set({ text: 'new' });
    await takeLink('incremental');
    await client.doc('things/8').set({ text: 'back' });
    await client.doc('other/new').delete();
    await takeLink('incremental');
    const [full, first, second] = links.map(({ backup }) => backup);
    deepEqual(
      { fullType: full?.type, firstType: first?.type, secondType: second?.type },
      { fullType: 'full', firstType: 'incremental', secondType: 'incremental' },
    );
    deepEqual([first?.parentBackupId, second?.parentBackupId], [full?.id, first?.id]);
    deepEqual([first?.documentCount, second?.documentCount], [200, 200]);
    ok(first!.size < full!.size / 4 && second!.size < full!.size / 4, `${first!.size} and ${second!.size} of ${full!.size}`);
  });

  test('can be browsed, compared, verified and restored at any link', async () => {
    for (const { backup, held } of links) {
      const params = { backupId: backup.id };
      const listed = await call(backupContents.documents, { ...by(), params, query: { path: '' } });
      const things = listed.body.data.find(({ path }) => path === 'things');
      equal(things?.documents, Object.keys(held).filter((path) => path.startsWith('things/')).length);
      const one = await call(backupContents.documents, { ...by(), params, query: { path: 'things/7' } });
      deepEqual(one.body.data[0]?.fields, held['things/7']);
      const gone = await call(backupContents.documents, { ...by(), params, query: { path: 'other/new' } });
      equal(gone.status, 'other/new' in held ? 200 : 404);
    }
    const [full, first, last] = links as [(typeof links)[0], (typeof links)[0], (typeof links)[0]];
    const diff = await call(backupContents.diff, {
      ...by(),
      params: { backupId: last.backup.id },
      query: { against: full.backup.id },
    });
    deepEqual(
      diff.body.data.changes.map(({ path, change }) => `${change} ${path}`),
      ['changed things/7', 'changed things/8'],
    );
    const live = await call(backupContents.diff, { ...by(), params: { backupId: first.backup.id }, query: { against: 'live' } });
    deepEqual(
      live.body.data.changes.map(({ path, change }) => `${change} ${path}`),
      ['removed other/new', 'added things/8'],
    );
    equal(await verified(last.backup), 'passed');
    for (const { backup, held } of [last, first]) {
      await restore(organization, { backupId: backup.id, targetProjectId: copy.id, options: { mergeMode: 'rollback' } });
      deepEqual(await contentsOf(copy.sourceProjectId), held);
    }
  });

  test('protects parents from deletion; a synthetic full backup of a long chain releases them', async () => {
    const [full, first, last] = links.map(({ backup }) => backup) as [Shown, Shown, Shown];
    const remove = (backupId: string) => call(backups.remove, { ...by(), params: { backupId } });
    const refused = await remove(full.id);
    deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
    ok([first.id, last.id].includes(String(refused.body.error.details.neededBy)));
    // As long as after several weeks.
    const key = { pk: `ORG#${organization.id}`, sk: `BACKUP#${last.id}` };
    await putItem({ ...(await getItem(key))!, chainLength: chainSoftMax - 1 });
    await client.doc('things/9').set({ text: 'last' });
    await takeLink('incremental');
    const { backup: end, held } = links.at(-1)!;
    const made = await synthesizedFrom(end.id);
    deepEqual(
      {
        status: made.status,
        type: made.type,
        reads: made.cost.reads,
        readTime: made.readTime,
        documentCount: made.documentCount,
      },
      { status: 'completed', type: 'full', reads: 0, readTime: end.readTime, documentCount: 200 },
    );
    for (const { backup } of links.toReversed()) equal((await remove(backup.id)).status, 200, backup.id);
    await gone(links.map(({ backup }) => backup.path));
    await client.doc('things/10').delete();
    const next = await take({ type: 'incremental' });
    deepEqual([next.type, next.parentBackupId], ['incremental', made.id]);
    const { 'things/10': _, ...left } = held;
    await restore(organization, { backupId: next.id, targetProjectId: copy.id, options: { mergeMode: 'rollback' } });
    deepEqual(await contentsOf(copy.sourceProjectId), left);
    await client.terminate();
  });
});

const verified = async ({ id: backupId }: Shown): Promise<string> => {
  equal((await call(backups.verify, { ...by(), params: { backupId }, body: { depth: 'full' } })).status, 202);
  for (;;) {
    const { verification } = (await call(backups.get, { ...by(), params: { backupId } })).body.data;
    if (verification!.status !== 'running') return verification!.status;
    await pause(100);
  }
};

/** Waits for the synthetic full backup of a backup. */
const synthesizedFrom = async (backupId: string): Promise<Shown> => {
  for (;;) {
    const { body } = await call(backups.list, { ...by(), query: { projectId: project.id, type: 'full' } });
    const made = body.data.find((one) => one.synthesizedFrom === backupId);
    if (made) return endOf(organization, made.id);
    await pause(200);
  }
};

/** Waits until the folders are empty. */
const gone = async (folders: readonly string[]): Promise<void> => {
  for (const folder of folders)
    while (Object.keys(await objectsIn(destination.bucket, `${folder}/`)).length > 0) await pause(100);
};

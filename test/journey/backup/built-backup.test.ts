/** Backups that are built from captured changes do whatever read ones do: chains, retention, anomalies, erasures, masks, tests and imports. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, restore } from '../../harness/stage/restore.ts';
import { endOfTestRun } from '../../harness/stage/restore-test.ts';
import { sweepRetention } from '../../harness/stage/retention.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

type Shown = Awaited<ReturnType<typeof endOf>>;

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
let destination: Awaited<ReturnType<typeof newDestination>>;
/** A read backup, and incremental ones that are built upon it and upon each other. */
let chain: readonly Shown[];
/** Of all documents once unusual ones are gone. */
let latest: Shown;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const inProject = () => ({ ...by(), params: { projectId: project.id } });

const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (const endMs = Date.now() + 300_000; !(await isSo()); await pause(200)) ok(Date.now() < endMs, `not yet: ${what}`);
};

const text = (stringValue: string) => ({ stringValue });
const userPath = (n: number): string => `users/u${String(n).padStart(3, '0')}`;
const users = (from: number, to: number, note: string) =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, n) => [
      userPath(from + n),
      { name: text(`Ottilie the ${from + n}th of her name`), note: text(`Likes long walks, ${note}`) },
    ]),
  );

const take = async (more: object = {}): Promise<Shown> => {
  const body = { projectId: project.id, storageDestinationId: destination.id, retention: 1, ...more };
  const ended = await endOf(organization, (await startBackup(organization, body)).id);
  equal(ended.status, 'completed', JSON.stringify(ended.error));
  return ended;
};

const takeBuilt = async (more: object = {}): Promise<Shown> => {
  const backup = await take(more);
  deepEqual([backup.builtFrom, backup.builtFromReason, backup.readsBilled], ['changes', undefined, 1]);
  return backup;
};

const browse = (backupId: string, path: string) =>
  call(backupContents.documents, { ...by(), params: { backupId }, query: { path } });

/** What the backup has, written into an empty project. */
const restored = async (backupId: string, more: object = {}) => {
  const target = await newProject(organization);
  const done = await restore(organization, { backupId, targetProjectId: target.id, ...more });
  return { done, contents: await contentsOf(target.sourceProjectId) };
};

beforeAll(async () => {
  organization = await newOrganization();
  [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, { ...users(0, 200, 'at first'), 'shops/one': { name: text('One') } });
  const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
  equal((await call(pitr.enable, { ...inProject(), body })).status, 202);
  await until('captures', async () => (await call(pitr.get, inProject())).body.data.status === 'active');
});

test('built backup: a chain upon a read one is read at each link, and neither a link nor the base goes before what needs it', async () => {
  const { sourceProjectId } = project;
  const read = await take({ source: 'read' });
  equal(read.builtFrom, 'source');
  await seed(sourceProjectId, users(0, 3, 'changed once'));
  const second = await takeBuilt({ type: 'incremental' });
  await seed(sourceProjectId, users(2, 5, 'changed twice'));
  await erase(sourceProjectId, [userPath(5)]);
  const third = await takeBuilt({ type: 'incremental' });
  chain = [read, second, third];
  deepEqual(
    chain.map(({ parentBackupId, documentCount, auditedSince }) => [parentBackupId, documentCount, auditedSince]),
    [
      [null, 201, read.readTime],
      [read.id, 201, read.readTime],
      [second.id, 200, read.readTime],
    ],
  );
  ok(third.size < read.size / 2, `${third.size} of ${read.size} bytes`);
  const diff = await call(backupContents.diff, { ...by(), params: { backupId: third.id }, query: { against: second.id } });
  deepEqual(diff.body.data.changes.map(({ path }) => path).sort(), [2, 3, 4, 5].map(userPath));
  deepEqual((await restored(third.id)).contents, await contentsOf(sourceProjectId));

  const { data: all } = (await call(backups.list, { ...by(), query: { projectId: project.id } })).body;
  const base = all.find(({ trigger }) => trigger === 'pitr-base');
  for (const one of [read, second, base]) {
    const refused = await call(backups.remove, { ...by(), params: { backupId: one?.id ?? '' } });
    deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
  }
  // All are past their retention, and the newest good backup needs the others.
  const expiresAt = new Date(Date.now() - 3_600_000).toISOString();
  const keys = [...chain, base].map((one) => ({ pk: `ORG#${organization.id}`, sk: `BACKUP#${one?.id}` }));
  for (const key of keys) await putItem({ ...(await getItem(key)), ...key, expiresAt });
  const note = { pk: 'RETENTION', sk: organization.id };
  await putItem({ ...note, organizationId: organization.id, dueAt: expiresAt });
  await sweepRetention();
  await until('the sweep', async () => (await getItem(note))?.dueAt !== expiresAt);
  deepEqual(
    await Promise.all(keys.map(async (key) => (await getItem(key))?.status)),
    keys.map(() => 'completed'),
  );
});

test('built backup: deletions of a fifth are unusual, counted without reading, and a person acknowledges them', async () => {
  const gone = Array.from({ length: 40 }, (_, n) => userPath(100 + n));
  await erase(project.sourceProjectId, gone);
  const marked = await takeBuilt();
  const [found] = marked.anomaly?.findings.filter(({ collection, kind }) => collection === 'users' && kind === 'deleted') ?? [];
  deepEqual(found?.observed, { documents: 40, total: 199, share: 0.2 });
  deepEqual([marked.anomaly?.comparedWith, marked.anomaly?.keptBackupId], [chain.at(-1)?.id, chain.at(-1)?.id]);
  const kept = await call(backups.remove, { ...by(), params: { backupId: chain.at(-1)?.id ?? '' } });
  equal(kept.status, 409);
  const done = await call(backups.acknowledge, { ...by(), params: { backupId: marked.id }, body: { note: 'Cleaned up' } });
  equal(done.status, 200, done.text);
  latest = await takeBuilt();
  equal(latest.anomaly, null);
});

test('built backup: a restore test reads all of it and compares it with the source', async () => {
  const body = {
    name: 'Proof',
    cron: '0 5 1 * *',
    projectId: project.id,
    backup: 'latest',
    target: 'none',
    scope: 'all',
  } as const;
  const { data: plan } = (await call(restoreTests.create, { ...by(), body })).body;
  const { runId } = (await call(restoreTests.run, { ...by(), params: { restoreTestId: plan.id } })).body.data;
  const { status, backupId, counts, comparisons, differences } = await endOfTestRun(organization, runId);
  deepEqual([status, backupId, counts?.documents, differences.total], ['passed', latest.id, latest.documentCount, 0]);
  deepEqual([comparisons?.source.compared, comparisons?.source.share], [true, 1]);
});

test('built backup: a copy of it in another bucket is imported, says since when it was read, and restores the same', async () => {
  const other = await newDestination(organization, { name: 'Elsewhere' });
  for (const key of Object.keys(await objectsIn(destination.bucket, `${latest.path}/`)))
    await bucketClient().send(
      new PutObjectCommand({ Bucket: other.bucket, Key: key, Body: await objectAt(destination.bucket, key) }),
    );
  const body = { projectId: project.id, storageDestinationId: other.id, path: latest.path };
  const imported = await call(backupContents.register, { ...by(), body });
  equal(imported.status, 201, imported.text);
  const { id, trigger, builtFrom, auditedSince, readTime } = imported.body.data;
  deepEqual([trigger, builtFrom, auditedSince, readTime], ['import', 'changes', latest.auditedSince, latest.readTime]);
  deepEqual((await restored(id)).contents, await contentsOf(project.sourceProjectId));
});

test('built backup: what is erased is hidden in those that are made later, and a masked copy has the rest, masked', async () => {
  const [hidden, deleted] = [userPath(10), userPath(11)];
  const request = { paths: [hidden, deleted], reason: 'Request 4711' };
  equal((await call(erasures.create, { ...inProject(), body: request as never })).status, 201);
  // One stays in the database by mistake; the other one is deleted there, too.
  await erase(project.sourceProjectId, [deleted]);
  const later = await takeBuilt();
  equal(later.documentCount, latest.documentCount - 1);
  for (const path of [hidden, deleted]) {
    const { status, body } = await browse(later.id, path);
    deepEqual([status, body.error?.code], [404, 'DOCUMENT_NOT_FOUND'], path);
  }
  equal((await browse(latest.id, deleted)).body.error?.details.reason, 'erased');
  const { done, contents } = await restored(later.id, {
    options: { transform: [{ collection: 'users', field: 'name', transform: 'hash' }] },
  });
  equal(done.documentsErased, 1);
  const { [hidden]: _, ...rest } = await contentsOf(project.sourceProjectId);
  deepEqual(Object.keys(contents).sort(), Object.keys(rest).sort());
  ok(!/Ottilie/.test(JSON.stringify(contents)));
  match(JSON.stringify(contents[userPath(0)]), /changed once/);
});

/** Backups that are built from captured changes do whatever read ones do: chains, retention, anomalies, erasures, masks, tests and imports. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { lines, openArchive, runArchive } from '../../harness/env/run-archive-command.ts';
import { endOf, newBucket, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, restore } from '../../harness/stage/restore.ts';
import { endOfTestRun } from '../../harness/stage/restore-test.ts';
import { sweepRetention } from '../../harness/stage/retention.ts';
import { getItem, putItem, setFields } from '../../harness/stage/table.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

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

const text = (stringValue: string) => ({ stringValue });
const userPath = (n: number): string => `users/u${String(n).padStart(3, '0')}`;
const users = (from: number, to: number, note: string) =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, n) => [
      userPath(from + n),
      { name: text(`Ottilie the ${from + n}th of her name`), note: text(`Likes long walks, ${note}`) },
    ]),
  );

/** A base backup of the captures may be running. */
const take = async (more: object = {}): Promise<Shown> => {
  const body = { projectId: project.id, storageDestinationId: destination.id, retention: 1, ...more };
  const started = await lookUntil(
    () => call(backups.create, { ...by(), body }),
    ({ body: { error } }) => error?.code !== 'JOB_IN_PROGRESS',
  );
  equal(started.status, 202, started.text);
  const ended = await endOf(organization, (started.body.data as Shown).id);
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

const verify = async (backupId: string): Promise<Shown> => {
  equal((await call(backups.verify, { ...by(), params: { backupId }, body: { depth: 'full' } })).status, 202);
  const verified = await lookUntil(
    async () => (await call(backups.get, { ...by(), params: { backupId } })).body.data,
    ({ verification }) => verification?.status !== 'running',
  );
  equal(verified.verification?.status, 'passed', JSON.stringify(verified.verification));
  return verified;
};

/** Backups of the project past their retention, which is then applied; returns their status. */
const expire = async (...all: readonly Shown[]): Promise<readonly unknown[]> => {
  const expiresAt = new Date(Date.now() - 3_600_000).toISOString();
  const keys = all.map(({ id }) => ({ pk: `ORG#${organization.id}`, sk: `BACKUP#${id}` }));
  for (const key of keys) await setFields(key, { expiresAt });
  const note = { pk: 'RETENTION', sk: organization.id };
  await putItem({ ...note, organizationId: organization.id, dueAt: expiresAt });
  await sweepRetention();
  await lookUntil(
    () => getItem(note),
    (item) => item?.dueAt !== expiresAt,
  );
  return Promise.all(keys.map(async (key) => (await getItem(key))?.status));
};

const passphrase = 'a passphrase of the organization';
const folder = mkdtempSync(join(tmpdir(), 'built-'));

beforeAll(async () => {
  organization = await newOrganization();
  equal((await call(encryption.set, { ...by(), body: { mode: 'customer', passphrase } as never })).status, 200);
  [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, { ...users(0, 200, 'at first'), 'shops/one': { name: text('One') } });
  const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
  equal((await call(pitr.enable, { ...inProject(), body })).status, 202);
  await lookUntil(
    async () => (await call(pitr.get, inProject())).body.data,
    ({ lastCapture }) => lastCapture !== null,
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('built backup: a chain upon a read one is exact at each link, and neither a link nor the base goes before what needs it', async () => {
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
  ok(base);
  deepEqual(
    await expire(...chain, base),
    Array.from({ length: 4 }, () => 'completed'),
  );
});

test('built backup: deletions of a fifth are unusual, counted without reading, and a person acknowledges them', async () => {
  const gone = Array.from({ length: 40 }, (_, n) => userPath(100 + n));
  await erase(project.sourceProjectId, gone);
  const marked = await takeBuilt();
  const [found] = marked.anomaly?.findings.filter(({ collection, kind }) => collection === 'users' && kind === 'deleted') ?? [];
  deepEqual(found?.observed, { documents: 40, total: 199, share: 0.201 });
  deepEqual([marked.anomaly?.comparedWith, marked.anomaly?.keptBackupId], [chain.at(-1)?.id, chain.at(-1)?.id]);
  const kept = await call(backups.remove, { ...by(), params: { backupId: chain.at(-1)?.id ?? '' } });
  equal(kept.status, 409);
  const done = await call(backups.acknowledge, { ...by(), params: { backupId: marked.id }, body: { note: 'Cleaned up' } });
  equal(done.status, 200, done.text);
  latest = await takeBuilt();
  equal(latest.anomaly, null);
});

test('built backup: it is verified, browsed, compared, exported and opened without the service', async () => {
  await verify(latest.id);
  const { body: page } = await browse(latest.id, 'users');
  deepEqual(
    page.data.slice(0, 2).map(({ path }) => path),
    [userPath(0), userPath(1)],
  );
  const live = await call(backupContents.diff, { ...by(), params: { backupId: latest.id }, query: { against: 'live' } });
  deepEqual([live.status, live.body.data.changes], [200, []], live.text);
  const of = [`s3://${destination.bucket}/${latest.path}`, '--endpoint', stageVariable('STAGE_S3_URL')];
  const env = { ARCHIVE_PASSPHRASE: passphrase, AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'not-so-secret' };
  const out = join(folder, 'documents.ndjson');
  const [verified, exported, opened] = await Promise.all([
    runArchive(['verify', ...of], env),
    runArchive(['export', ...of, '--format', 'ndjson', '--out', out], env),
    openArchive([...of, '--json'], env),
  ]);
  deepEqual([verified.code, exported.code], [0, 0], verified.err + exported.err);
  equal(lines(readFileSync(out, 'utf8')).length, latest.documentCount);
  const { address, project: id } = JSON.parse(opened.out) as { address: string; project: string };
  const client = new Firestore({ projectId: id, host: address, ssl: false });
  equal((await client.collection('users').count().get()).data().count, latest.documentCount - 1);
  equal((await client.doc(userPath(2)).get()).get('note'), 'Likes long walks, changed twice');
  await client.terminate();
  equal((await opened.end()).code, 0);
});

test('built backup: the links of an immutable chain cannot be deleted, and are restored though everything is hidden', async () => {
  const bucket = await newBucket(undefined, { hasObjectLock: true });
  const locked = await newDestination(organization, { bucket, objectLock: { mode: 'governance', days: 2 } });
  const first = await takeBuilt({ storageDestinationId: locked.id, type: 'full' });
  await seed(project.sourceProjectId, users(7, 9, 'changed under lock'));
  const next = await takeBuilt({ storageDestinationId: locked.id, type: 'incremental' });
  deepEqual([next.type, next.parentBackupId, next.lockProblem], ['incremental', first.id, undefined]);
  for (const { immutableUntil, lockedUntil } of [first, next])
    ok(lockedUntil && (immutableUntil ?? '') >= lockedUntil.slice(0, 19));
  const { Versions = [] } = await bucketClient().send(new ListObjectVersionsCommand({ Bucket: bucket }));
  const stored = Versions.filter(({ Key = '' }) => [first, next].some(({ path }) => Key.startsWith(`${path}/`)));
  ok(stored.length >= 8, `${stored.length} objects`);
  const remove = ({ Key, VersionId }: { readonly Key?: string; readonly VersionId?: string | undefined }) =>
    bucketClient().send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId }));
  for (const { Key = '', VersionId } of stored) await rejects(remove({ Key, VersionId }), { name: 'AccessDenied' });
  for (const { Key = '' } of stored) await remove({ Key });
  deepEqual((await restored(next.id)).contents, await contentsOf(project.sourceProjectId));
  const { verification } = await verify(next.id);
  ok(verification?.findings.length && verification.findings.every(({ problem }) => problem === 'hidden'));
  latest = await takeBuilt();
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
  for (const [path, code] of [
    [hidden, 'DOCUMENT_NOT_FOUND'],
    [deleted, 'NOT_FOUND'],
  ] as const) {
    const { status, body } = await browse(later.id, path);
    deepEqual([status, body.error?.code], [404, code], path);
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

test('built backup: it needs nothing of what it was built from once that has expired', async () => {
  const last = await takeBuilt({ type: 'full' });
  deepEqual(await expire(...chain), ['expired', 'expired', 'expired']);
  await verify(last.id);
  const { contents } = await restored(last.id);
  const { [userPath(10)]: _, ...rest } = await contentsOf(project.sourceProjectId);
  deepEqual(contents, rest);
});

/** Importing a backup: objects in a bucket are untrusted until the key file authenticates them. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { encodeKeyFile, parseKeyFile } from '../../../shared/archive/index.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import type { Backup } from '../../../shared/contract/models/backup.ts';
import { newId } from '../../../shared/platform/index.ts';
import { newDestination, newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { planRestore, restore } from '../../harness/stage/restore.ts';

type Shown = z.output<typeof Backup>;

let organization: TestOrganization;
let original: Shown;
let bucket: string;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const storageId = () => original.storageDestination.id;
const ask = (more: object) => ({
  projectId: original.projectId,
  storageDestinationId: storageId(),
  path: original.path,
  ...more,
});
const bring = (more: object = {}) => call(backupContents.register, { ...by(), body: ask(more) });
const refused = async (more: object, field: string, reason: RegExp) => {
  const { status, body, text } = await bring(more);
  deepEqual(
    { status, code: body.error?.code, field: body.error?.details.field },
    { status: 400, code: 'VALIDATION_ERROR', field },
    text,
  );
  match(String(body.error.details.reason), reason);
};

const put = (name: string, bytes: Uint8Array) =>
  bucketClient().send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: bytes }));
/** Copies the backup's objects to another folder, changed by `change`; undefined leaves one out. */
const copyTo = async (folder: string, change: (name: string, bytes: Buffer) => Uint8Array | undefined = (_, bytes) => bytes) => {
  for (const key of Object.keys(await objectsIn(bucket, `${original.path}/`))) {
    const name = key.slice(original.path.length + 1);
    const bytes = change(name, await objectAt(bucket, key));
    if (bytes) await put(`${folder}/${name}`, bytes);
  }
  return folder;
};

beforeAll(async () => {
  organization = await newOrganization();
  original = await takeBackup(organization);
  const { body } = await call(storageDestinations.get, { ...by(), params: { storageId: storageId() } });
  ({ bucket } = body.data);
});

describe('an imported backup', () => {
  test('is completed and can be browsed, wherever it was copied to', async () => {
    const path = await copyTo('copies/of-ours');
    const { status, body, text } = await bring({
      path: `${path}/`,
      metadata: { createdAt: '2026-01-02T03:04:05.000Z', type: 'full', source: 'cold storage' },
    });
    equal(status, 201, text);
    const { id, trigger, source, documentCount, readTime, collectionCounts, createdAt, originalSize } = body.data;
    deepEqual(
      { status: body.data.status, trigger, source, createdAt, path: body.data.path },
      { status: 'completed', trigger: 'import', source: 'cold storage', createdAt: '2026-01-02T03:04:05.000Z', path },
    );
    deepEqual(
      { documentCount, readTime, collectionCounts, originalSize },
      {
        documentCount: 3,
        readTime: original.readTime,
        collectionCounts: original.collectionCounts,
        originalSize: original.originalSize,
      },
    );
    const read = await call(backupContents.documents, { ...by(), params: { backupId: id }, query: { path: 'users/ada' } });
    equal(read.status, 200, read.text);
    deepEqual(read.body.data[0]?.fields, { name: { stringValue: 'Ada' }, born: { integerValue: '1815' } });
  });

  test('is dated by its archive, and has the duration of the import', async () => {
    const { body, text } = await bring({ path: await copyTo('copies/dated') });
    equal(body.data?.createdAt, new Date(original.readTime ?? '').toISOString(), text);
    const { duration, startedAt, completedAt } = body.data;
    ok(duration !== null && duration > 0, String(duration));
    equal(duration, Date.parse(completedAt ?? '') - Date.parse(startedAt ?? ''));
  });

  test('shares its objects with the original record; they are deleted with the last record', async () => {
    const { status, body, text } = await bring();
    equal(status, 201, text);
    const counted = (await call(organizations.current, by())).body.data.statistics.backupCount;
    const removed = await call(backups.remove, { ...by(), params: { backupId: body.data.id } });
    equal(removed.status, 200, removed.text);
    match(removed.text, /Its objects are kept, because another backup shares them/);
    equal((await call(organizations.current, by())).body.data.statistics.backupCount, counted - 1);
    const still = await call(backupContents.documents, {
      ...by(),
      params: { backupId: original.id },
      query: { path: 'users/grace' },
    });
    equal(still.status, 200, still.text);
    ok(Object.keys(await objectsIn(bucket, original.path)).length >= 4);
  });

  test('made from a safety backup covers only the restored documents: no rollback to it, and diffs are limited to them', async () => {
    const { sourceProjectId } = (await call(projects.get, { ...by(), params: { projectId: original.projectId } })).body.data;
    await seed(sourceProjectId, { 'users/ada': { name: { stringValue: 'Countess' } }, 'orders/new': {} });
    const { safetyBackupId } = await restore(organization, { backupId: original.id, collections: ['users'] });
    const safety = (await call(backups.get, { ...by(), params: { backupId: safetyBackupId ?? '' } })).body.data;
    const { status, body, text } = await bring({ path: safety.path, storageDestinationId: safety.storageDestination.id });
    deepEqual(
      { status, trigger: body.data?.trigger, partial: body.data?.partial, safetyPartial: safety.partial },
      { status: 201, trigger: 'import', partial: true, safetyPartial: true },
      text,
    );
    const { id: backupId } = body.data;
    const rollback = await call(restores.create, {
      ...by(),
      body: { backupId, options: { mergeMode: 'rollback', dryRun: true } },
    });
    deepEqual([rollback.status, rollback.body.error?.details.field], [400, 'options.mergeMode'], rollback.text);
    const compared = await call(backupContents.diff, { ...by(), params: { backupId }, query: { against: 'live' } });
    deepEqual(compared.body.data.changes, [{ path: 'users/ada', change: 'changed' }], compared.text);
    const plan = await planRestore(organization, { backupId });
    deepEqual({ overwrite: plan.overwrite, create: plan.create, delete: plan.delete }, { overwrite: 1, create: 0, delete: 0 });
  });

  test('stays under the prefix of its destination', async () => {
    const prefixed = await newDestination(organization, { bucket, prefix: 'copies/of-ours' });
    for (const path of ['copies/of-ours', 'copies/of-ours/'])
      equal((await bring({ storageDestinationId: prefixed.id, path })).status, 201, path);
    // The path is relative to the prefix.
    const outside = await bring({ storageDestinationId: prefixed.id, path: original.path });
    deepEqual([outside.status, outside.body.error?.details.field], [400, 'path']);
  });

  test('requires an existing project and an existing destination', async () => {
    equal((await bring({ projectId: newId('project') })).body.error.code, 'PROJECT_NOT_FOUND');
    equal((await bring({ storageDestinationId: newId('storageDestination') })).body.error.code, 'STORAGE_NOT_FOUND');
    equal((await bring({ metadata: { type: 'incremental' } })).body.error.details.field, 'metadata.type');
    equal((await bring({ metadata: { createdAt: '2999-01-01T00:00:00Z' } })).body.error.details.field, 'metadata.createdAt');
    equal((await bring({ metadata: { nonsense: 1 } })).status, 400);
  });
});

describe('an import is refused with the reason for', () => {
  for (const path of [
    '../x',
    'a/../../b',
    '/etc',
    '//x',
    'a//b',
    '.',
    's3://other/x',
    'ü',
    'a\\b',
    'a b',
    'a\nb',
    'x'.repeat(10_240),
    '',
  ])
    test(`the path ${JSON.stringify(path.slice(0, 20))}`, () => refused({ path }, 'path', /./));

  test('an empty folder', () => refused({ path: 'nothing/here' }, 'path', /no object key/));
  test('a folder that is not a backup', async () => {
    await put('pictures/key', Buffer.from('not a key'));
    await refused({ path: 'pictures' }, 'path', /not a backup/);
  });
  test('an oversized key file', async () => {
    await put('large/key', Buffer.alloc(100_000, 0x7b));
    await refused({ path: 'large' }, 'path', /100000 bytes/);
  });
  test('a backup that was never completed', async () =>
    refused(
      { path: await copyTo('unfinished', (name, bytes) => (name === 'manifest' ? undefined : bytes)) },
      'path',
      /no manifest/,
    ));
  test('a missing or truncated object', async () => {
    const isChunk = (name: string) => name.startsWith('chunk/');
    await refused({ path: await copyTo('lost', (name, bytes) => (isChunk(name) ? undefined : bytes)) }, 'path', /missing/);
    const cut = await copyTo('cut', (name, bytes) => (isChunk(name) ? bytes.subarray(0, -1) : bytes));
    await refused({ path: cut }, 'path', /bytes instead of/);
  });
  test('a manifest that is truncated, corrupted, empty or of another version', async () => {
    const changes: Record<string, (bytes: Buffer) => Uint8Array> = {
      cut: (bytes) => bytes.subarray(0, bytes.length - 7),
      flipped: (bytes) => bytes.with(bytes.length - 20, (bytes.at(-20) ?? 0) ^ 1),
      later: (bytes) => bytes.with(4, 99),
      empty: () => new Uint8Array(),
      noise: (bytes) => bytes.map((byte, n) => byte ^ n),
    };
    for (const [kind, change] of Object.entries(changes)) {
      const path = await copyTo(`manifest-${kind}`, (name, bytes) => (name === 'manifest' ? change(bytes) : bytes));
      await refused({ path }, 'path', /not a backup that can be imported/);
    }
  });
  test('the key of another backup, or a key of another organization that claims to be ours', async () => {
    const rename = (to: object) => (name: string, bytes: Buffer) => {
      if (name !== 'key') return bytes;
      const { identity, wraps } = parseKeyFile(bytes);
      return encodeKeyFile({ identity: { ...identity, ...to }, wraps });
    };
    await refused({ path: await copyTo('renamed', rename({ backup: newId('backup') })) }, 'path', /not a backup/);
    await refused(
      { path: await copyTo('theirs', rename({ organization: newId('organization') })) },
      'path',
      /another organization/,
    );
    const theirs = await newOrganization();
    const [project, destination] = await Promise.all([newProject(theirs), newDestination(theirs, { bucket })]);
    const body = { projectId: project.id, storageDestinationId: destination.id, path: original.path };
    const answer = await call(backupContents.register, { token: theirs.owner.accessToken, org: theirs.id, body });
    deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_ERROR'], answer.text);
    // Even if the key file names their organization.
    const disguised = await copyTo('disguised', rename({ organization: theirs.id }));
    const again = await call(backupContents.register, {
      token: theirs.owner.accessToken,
      org: theirs.id,
      body: { ...body, path: disguised },
    });
    deepEqual([again.status, again.body.error.code], [400, 'VALIDATION_ERROR'], again.text);
  });
});

/** The backups API: valid and refused requests, and the effects of each call. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import type { Backup, Estimate } from '../../../shared/contract/models/backup.ts';
import { newId } from '../../../shared/platform/index.ts';
import { endOf, newBucket, newDestination, newProject, seed, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault, revokeSource } from '../../harness/stage/firestore-faults.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { getItem, itemsOf } from '../../harness/stage/table.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

type Shown = z.output<typeof Backup>;
type Project = Awaited<ReturnType<typeof newProject>>;
type Destination = Awaited<ReturnType<typeof newDestination>>;

let organization: TestOrganization;
let project: Project;
let destination: Destination;
const by = (at: TestOrganization = organization) => ({ token: at.owner.accessToken, org: at.id });
const create = (body: object, more: object = {}) => call(backups.create, { ...by(), body, ...more });
const get = async (backupId: string) => (await call(backups.get, { ...by(), params: { backupId } })).body.data;
const documents = { 'users/ada': { name: { stringValue: 'Ada' } }, 'users/ada/notes/g': { text: { stringValue: 'Note G' } } };

beforeAll(async () => {
  organization = await newOrganization();
  [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, documents);
});

/** A project with slow backups, so that tests can act while one runs. */
const slowProject = async () => {
  const slow = await newProject(organization);
  await seed(slow.sourceProjectId, documents);
  await addFault({ project: slow.sourceProjectId, delayMs: 2_000, times: 100 });
  return slow;
};

describe('a backup request with bad input is refused, and nothing is written', () => {
  const wrong: readonly (readonly [string, object, string])[] = [
    ['no collections', { collections: [] }, 'collections'],
    ['all and one', { collections: ['*', 'a'] }, 'collections'],
    ['a document', { collections: ['a/b'] }, 'collections.0'],
    ['a reserved collection', { collections: ['__x__'] }, 'collections.0'],
    ['an empty name', { collections: [''] }, 'collections.0'],
    ['a path with a gap', { collections: ['a//b'] }, 'collections.0'],
    ['a path upwards', { collections: ['..'] }, 'collections.0'],
    ['half a character', { collections: ['\ud800'] }, 'collections.0'],
    ['an id of 1,501 bytes', { collections: ['é'.repeat(751)] }, 'collections.0'],
    ['10,000 names', { collections: Array.from({ length: 10_000 }, (_, n) => `c${n}`) }, 'collections'],
    ['names of 90 KB', { collections: Array.from({ length: 900 }, (_, n) => `${n}`.padEnd(100, 'x')) }, 'collections'],
    ['a name that is none', { collections: [7] }, 'collections.0'],
    ['a text for a list', { collections: 'users' }, 'collections'],
    ['a document to leave out', { excludeCollections: ['a/b'] }, 'excludeCollections.0'],
    ['everything to leave out', { excludeCollections: ['*'] }, 'excludeCollections'],
    ['all that is wanted to leave out', { collections: ['a', 'b'], excludeCollections: ['b', 'a'] }, 'excludeCollections'],
    ['another type', { type: 'differential' }, 'type'],
    ['a type in capitals', { type: 'FULL' }, 'type'],
    ['no type at all', { type: null }, 'type'],
    ['a retention of no days', { retention: 0 }, 'retention'],
    ['a retention of ages', { retention: 3_651 }, 'retention'],
    ['half a day', { retention: 0.5 }, 'retention'],
    ['no reads', { maxReads: 0 }, 'maxReads'],
    ['reads as text', { maxReads: '10' }, 'maxReads'],
    ['dryRun as text', { dryRun: 'true' }, 'dryRun'],
    // A mistyped dryRun must not become a real backup.
    ['a mistyped field', { dryrun: true }, 'dryrun'],
    ['a destination that is none', { storageDestinationId: 'x' }, 'storageDestinationId'],
  ];
  for (const [what, more, field] of wrong)
    test(what, async () => {
      const answer = await create({ projectId: project.id, storageDestinationId: destination.id, ...more });
      deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_ERROR'], answer.text);
      equal(answer.body.error.details.field, field);
    });

  test('for an invalid or unknown project id', async () => {
    equal((await create({})).body.error.details.field, 'projectId');
    equal((await create({ projectId: 'x' })).body.error.details.field, 'projectId');
    equal((await create({ projectId: newId('project') })).body.error.code, 'PROJECT_NOT_FOUND');
    for (const dryRun of [false, true]) {
      const body = { projectId: project.id, storageDestinationId: newId('storageDestination'), dryRun };
      equal((await create(body)).body.error.code, 'STORAGE_NOT_FOUND');
    }
  });

  test('without any destination', async () => {
    const { status, body } = await create({ projectId: project.id });
    deepEqual([status, body.error.details.field], [400, 'storageDestinationId']);
  });

  test('for an incremental backup without a parent', async () => {
    const { status, body } = await create({ projectId: project.id, storageDestinationId: destination.id, type: 'incremental' });
    deepEqual([status, body.error.code], [409, 'CONFLICT']);
    match(body.error.message, /no completed backup yet/);
  });

  test('and leaves no backup, lock or task', async () => {
    const items = await itemsOf(`ORG#${organization.id}`);
    const left = items.filter(({ sk }) => /^(BACKUP|JOB|ARCHIVE)#/.test(sk) && JSON.stringify(sk).includes(project.id));
    deepEqual(left, []);
    deepEqual((await call(backups.list, { ...by(), query: { projectId: project.id } })).body.data, []);
  });
});

describe('dryRun', () => {
  const estimate = async (more: object = {}) => {
    const { status, body, text } = await create({ projectId: project.id, dryRun: true, ...more });
    equal(status, 200, text);
    return body.data as unknown as z.output<typeof Estimate>;
  };

  test('estimates reads and size, and writes nothing; it needs no destination', async () => {
    const before = await itemsOf(`ORG#${organization.id}`);
    const audit = await itemsOf(`AUDIT#${organization.id}`);
    const data = await estimate();
    deepEqual(
      { documents: data.documents, collections: data.collections, unknownCollections: data.unknownCollections },
      { documents: 2, collections: ['users'], unknownCollections: [] },
    );
    ok(data.shards >= 1 && data.reads! >= 2 && data.bytes! > 100 && data.estimatedUsd! > 0, JSON.stringify(data));
    deepEqual(await itemsOf(`ORG#${organization.id}`), before);
    deepEqual(await itemsOf(`AUDIT#${organization.id}`), audit);
  });

  test('counts the selected collections and names missing ones', async () => {
    const data = await estimate({ collections: ['users/ada/notes', 'nowhere'] });
    deepEqual([data.documents, data.unknownCollections], [1, ['nowhere']]);
    equal((await estimate({ excludeCollections: ['users'] })).documents, 0);
  });

  test('answers COLLECTION_NOT_FOUND if none of the named collections exists', async () => {
    const { status, body } = await create({ projectId: project.id, dryRun: true, collections: ['nowhere', 'notes'] });
    deepEqual(
      { status, code: body.error?.code, details: body.error?.details },
      { status: 404, code: 'COLLECTION_NOT_FOUND', details: { names: ['nowhere', 'notes'], count: 2 } },
    );
  });

  test('for a source that denies access reports that', async () => {
    const closed = await newProject(organization);
    await revokeSource(closed.sourceProjectId);
    const { status, body } = await create({ projectId: closed.id, dryRun: true });
    deepEqual([status, body.error.code], [422, 'SOURCE_AUTH_ERROR']);
  });
});

describe('creating a backup', () => {
  test('returns 202 with the record of the request', async () => {
    const at = await newProject(organization);
    const body = {
      projectId: at.id,
      storageDestinationId: destination.id,
      collections: ['users'],
      excludeCollections: ['users/ada/notes'],
      retention: 7,
    };
    const answer = await create(body);
    const data = answer.body.data as Shown;
    deepEqual(
      { httpStatus: answer.status, status: data.status, phase: data.phase, trigger: data.trigger, type: data.type },
      { httpStatus: 202, status: 'pending', phase: 'queued', trigger: 'manual', type: 'full' },
    );
    deepEqual([data.collections, data.excludedCollections], [['users'], ['users/ada/notes']]);
    deepEqual(data.storageDestination, { id: destination.id, name: destination.name, type: 's3' });
    deepEqual(
      { percent: data.progress.percent, size: data.size, sizeFormatted: data.sizeFormatted, error: data.error },
      { percent: 0, size: 0, sizeFormatted: '0 B', error: null },
    );
    equal(data.encryption.mode, 'kms');
    const log = await call(auditLogs.list, { ...by(), query: { action: 'backup.created' } });
    ok(log.body.data.some(({ resource }) => resource.id === data.id));
    await endOf(organization, data.id);
  });

  test('twice at the same time starts one', async () => {
    const slow = await slowProject();
    const body = { projectId: slow.id, storageDestinationId: destination.id };
    const answers = await Promise.all([create(body), create(body)]);
    deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    equal(refused.body.error.code, 'JOB_IN_PROGRESS');
    const { id } = answers.find(({ status }) => status === 202)!.body.data as Shown;
    equal(refused.body.error.details.jobId, id);
    await call(backups.cancel, { ...by(), params: { backupId: id } });
  });

  test("uses the project's default destination, else the organization's", async () => {
    const apart = await newOrganization();
    const [first, second] = await Promise.all([newDestination(apart), newDestination(apart)]);
    await call(organizations.update, { ...by(apart), body: { settings: { defaultStorageId: first.id } } });
    const [plain, chosen] = await Promise.all([
      newProject(apart),
      newProject(apart, { settings: { defaultStorageId: second.id } }),
    ]);
    for (const [{ id: projectId }, { id }] of [
      [plain, first],
      [chosen, second],
    ] as const) {
      const backup = await startBackup(apart, { projectId });
      equal(backup.storageDestination.id, id);
      await endOf(apart, backup.id);
    }
  });
});

describe('cancelling a backup', () => {
  test('ends it at once, releases its project lock, emits one event and leaves no objects in the bucket', async () => {
    const slow = await slowProject();
    const bucket = await newBucket();
    const destination = await newDestination(organization, { bucket });
    const { id, path } = await startBackup(organization, { projectId: slow.id, storageDestinationId: destination.id });
    const answer = await call(backups.cancel, { ...by(), params: { backupId: id } });
    deepEqual(
      { httpStatus: answer.status, status: answer.body.data.status, code: answer.body.data.error?.code },
      { httpStatus: 200, status: 'cancelled', code: 'CANCELLED' },
    );
    const twice = await call(backups.cancel, { ...by(), params: { backupId: id } });
    deepEqual([twice.status, twice.body.error.code], [409, 'CONFLICT']);
    equal(await getItem({ pk: `ORG#${organization.id}`, sk: `JOB#${slow.id}` }), undefined);
    // The workflow notices at its next commit.
    while (await getItem({ pk: 'RUNNING#BACKUP', sk: `${organization.id}#${id}` })) await pause(100);
    deepEqual(await objectsIn(bucket, path), {});
    equal((await get(id)).status, 'cancelled');
    const events = (await itemsOf(`ORG#${organization.id}`)).filter(
      ({ sk, data }) => sk.startsWith('EVENT#') && (data as { backup?: { id: string } }).backup?.id === id,
    );
    deepEqual(
      events.filter(({ type }) => type !== 'backup.started').map(({ type }) => type),
      ['backup.failed'],
    );
    equal((await call(storageDestinations.remove, { ...by(), params: { storageId: destination.id } })).status, 200);
  });
});

describe('a completed backup', () => {
  let backup: Shown;
  let bucket: string;
  let storageId: string;
  const statistics = async () => (await call(organizations.current, by())).body.data.statistics;
  beforeAll(async () => {
    backup = await takeBackup(organization);
    storageId = backup.storageDestination.id;
    bucket = (await call(storageDestinations.get, { ...by(), params: { storageId } })).body.data.bucket;
  });

  test('is included in the totals and cannot be cancelled', async () => {
    const { backupCount, storageUsed } = await statistics();
    ok(backupCount >= 1 && storageUsed >= backup.size && backup.size > 0);
    const { status, body } = await call(backups.cancel, { ...by(), params: { backupId: backup.id } });
    deepEqual([status, body.error.code], [409, 'CONFLICT']);
  });

  test('is no parent for a backup to another destination or of other collections, and the error says so', async () => {
    const other = await newDestination(organization);
    for (const [more, reason] of [
      [{ storageDestinationId: other.id }, /another storage destination/],
      [{ storageDestinationId: storageId, collections: ['users'] }, /other collections/],
    ] as const) {
      const { status, body } = await create({ projectId: backup.projectId, type: 'incremental', ...more });
      deepEqual([status, body.error.code], [409, 'CONFLICT']);
      match(body.error.message, reason);
    }
  });

  test('is listed by project, status, type and time', async () => {
    const found = async (query: Record<string, string>) =>
      (await call(backups.list, { ...by(), query: { projectId: backup.projectId, ...query } })).body.data.map(({ id }) => id);
    const [day = ''] = backup.createdAt.split('T');
    for (const query of [
      {},
      { status: 'completed' },
      { type: 'full' },
      { from: day },
      { to: backup.createdAt },
      { from: day, to: day },
    ])
      deepEqual(await found(query), [backup.id], JSON.stringify(query));
    for (const query of [{ status: 'failed' }, { type: 'incremental' }, { to: '2020-01-01' }, { from: '2099-01-01' }])
      deepEqual(await found(query as Record<string, string>), [], JSON.stringify(query));
  });

  test('is not listed by invalid filters', async () => {
    for (const [query, field] of [
      [{ from: '2026-01-02', to: '2026-01-01' }, 'from'],
      [{ from: 'yesterday' }, 'from'],
      [{ status: 'done' }, 'status'],
      [{ projectId: 'x' }, 'projectId'],
      [{ state: 'completed' }, 'state'],
    ] as const) {
      const { status, body } = await call(backups.list, { ...by(), query: query as unknown as Record<string, string> });
      deepEqual([status, body.error.details.field], [400, field]);
    }
  });

  test('when deleted disappears from lists, totals and the bucket, and its record says so', async () => {
    const before = await statistics();
    ok(Object.keys(await objectsIn(bucket, backup.path)).length >= 3);
    const params = { backupId: backup.id };
    equal((await call(storageDestinations.remove, { ...by(), params: { storageId } })).body.error.code, 'CONFLICT');
    const answer = await call(backups.remove, { ...by(), params });
    equal(answer.status, 200, answer.text);
    const after = await statistics();
    deepEqual([before.backupCount - after.backupCount, before.storageUsed - after.storageUsed], [1, backup.size]);
    equal((await get(backup.id)).status, 'deleted');
    deepEqual((await call(backups.list, { ...by(), query: { projectId: backup.projectId } })).body.data, []);
    const deleted = await call(backups.list, { ...by(), query: { projectId: backup.projectId, status: 'deleted' } });
    deepEqual(
      deleted.body.data.map(({ id }) => id),
      [backup.id],
    );
    equal((await call(backups.remove, { ...by(), params })).body.error.code, 'BACKUP_NOT_FOUND');
    equal((await call(backups.verify, { ...by(), params })).body.error.code, 'CONFLICT');
    const removed = await lookUntil(
      () => call(storageDestinations.remove, { ...by(), params: { storageId } }),
      ({ status }) => status !== 409,
    );
    // It is refused until the last object is gone.
    deepEqual([removed.status, Object.keys(await objectsIn(bucket, backup.path))], [200, []]);
  });

  test('cannot be deleted while running', async () => {
    const slow = await slowProject();
    const { id } = await startBackup(organization, { projectId: slow.id, storageDestinationId: destination.id });
    const { status, body } = await call(backups.remove, { ...by(), params: { backupId: id } });
    deepEqual([status, body.error.code], [409, 'JOB_IN_PROGRESS']);
    await call(backups.cancel, { ...by(), params: { backupId: id } });
    equal((await call(backups.remove, { ...by(), params: { backupId: id } })).status, 200);
    equal((await get(id)).status, 'deleted');
  });
});

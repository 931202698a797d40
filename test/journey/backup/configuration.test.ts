/** What surrounds the documents is captured with every backup, shown, compared, and its loss is noticed. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeAll, expect, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import {
  createIndex,
  deleteIndex,
  deleteRelease,
  listIndexes,
  readDatabase,
  refuseConfiguration,
  releaseRules,
  setDatabase,
  setField,
} from '../../harness/stage/configuration.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const canary = 'canary-77c1e0';
const rules = `service cloud.firestore { match /databases/{d}/documents { match /users/{u} { allow read; } } } // ${canary}`;

let organization: TestOrganization;
let source: string;
let projectId: string;
let destination: Awaited<ReturnType<typeof newDestination>>;
let first: Awaited<ReturnType<typeof endOf>>;
let byAge: string;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });

const take = async () => {
  const { id } = await startBackup(organization, { projectId, storageDestinationId: destination.id });
  const ended = await endOf(organization, id);
  equal(ended.status, 'completed', JSON.stringify(ended.error));
  return ended;
};

const configurationOf = async (backupId: string) => {
  const { body } = await call(backupContents.configuration, { ...by(), params: { backupId } });
  equal(body.success, true, JSON.stringify(body));
  return body.data.configuration!;
};

const diff = async (backupId: string, against: string) => {
  const { body } = await call(backupContents.configurationDiff, { ...by(), params: { backupId }, query: { against } });
  equal(body.success, true, JSON.stringify(body));
  return body.data;
};

beforeAll(async () => {
  organization = await newOrganization();
  const [project, made] = await Promise.all([newProject(organization), newDestination(organization)]);
  ({ sourceProjectId: source, id: projectId } = project);
  destination = made;
  await seed(source, { 'users/u1': { age: { integerValue: '36' } } });
  byAge = await createIndex(source, 'users', ['age', 'name']);
  await setField(source, ['users', 'expiresAt'], { ttlConfig: {} });
  await setField(source, ['users', 'note'], { indexConfig: { indexes: [] } });
  await setDatabase(source, { deleteProtectionState: 'DELETE_PROTECTION_ENABLED' });
  await releaseRules(source, 'cloud.firestore', rules);
  await releaseRules(source, 'firebase.storage/shop.appspot.com', 'service firebase.storage {}');
  await releaseRules(source, 'cloud.firestore/other', 'service cloud.firestore {}');
  first = await take();
});

test('a backup holds settings, indexes, TTL policies, exemptions and rules, readable only with its key', async () => {
  const found = await configurationOf(first.id);
  deepEqual(
    [found.settings, found.indexes, found.fields, found.rules].map(({ state, reason }) => [state, reason]),
    Array.from({ length: 4 }, () => ['captured', null]),
  );
  expect(found.settings.value).toEqual({
    locationId: 'nam5',
    type: 'FIRESTORE_NATIVE',
    edition: 'STANDARD',
    deleteProtection: true,
    pointInTimeRecovery: false,
  });
  expect(found.indexes.items).toMatchObject([
    { collectionGroup: 'users', queryScope: 'COLLECTION', fields: [{ fieldPath: 'age', order: 'ASCENDING' }, {}, {}] },
  ]);
  deepEqual(found.fields.items, [
    { collectionGroup: 'users', fieldPath: 'note', indexes: [], ttl: false },
    { collectionGroup: 'users', fieldPath: 'expiresAt', indexes: null, ttl: true },
  ]);
  // The rules of another database are not its own.
  deepEqual(
    found.rules.items.map(({ release, files }) => [release, files[0]!.content]),
    [
      ['cloud.firestore', rules],
      ['firebase.storage/shop.appspot.com', 'service firebase.storage {}'],
    ],
  );
  for (const name of Object.keys(await objectsIn(destination.bucket, first.path)))
    ok(!(await objectAt(destination.bucket, name)).includes(canary), `${name} holds the rules in plain text`);
});

test('a lost index, TTL policy, rule or protection marks the next backup, and the difference is shown', async () => {
  // Nothing is unusual about a second backup.
  const second = await take();
  equal(second.anomaly, null);
  deepEqual((await diff(first.id, second.id)).differences, []);

  await deleteIndex(byAge);
  await createIndex(source, 'orders', ['at', 'total']);
  await setField(source, ['users', 'expiresAt'], { ttlConfig: null });
  await deleteRelease(source, 'firebase.storage/shop.appspot.com');
  await releaseRules(source, 'cloud.firestore', `${rules}\n// changed`);
  await setDatabase(source, { deleteProtectionState: 'DELETE_PROTECTION_DISABLED' });
  const expected = [
    ['setting', 'deleteProtection', 'changed'],
    ['index', 'users: age ascending, name ascending', 'removed'],
    ['ttl', 'users.expiresAt', 'removed'],
    ['rules', 'cloud.firestore', 'changed'],
    ['rules', 'firebase.storage/shop.appspot.com', 'removed'],
    ['index', 'orders: at ascending, total ascending', 'added'],
  ];
  const live = await diff(second.id, 'live');
  deepEqual(
    live.differences.map(({ kind, name, change }) => [kind, name, change]),
    expected,
  );
  const third = await take();
  const compared = await diff(second.id, third.id);
  deepEqual(compared.differences, live.differences);
  deepEqual([compared.unknown, compared.withoutConfiguration], [[], []]);

  const { anomaly } = third;
  deepEqual(
    anomaly!.findings.map(({ kind, collection, message }) => [kind, collection, message]),
    [
      ['configuration', null, 'The delete protection of the database was switched off'],
      ['configuration', 'users', 'The index users: age ascending, name ascending was deleted'],
      ['configuration', 'users', 'The TTL policy of users.expiresAt was removed'],
      ['configuration', null, 'The security rules firebase.storage/shop.appspot.com were removed'],
    ],
  );
  equal(anomaly!.keptBackupId, second.id);
  const acknowledged = await call(backups.acknowledge, { ...by(), params: { backupId: third.id }, body: { note: 'planned' } });
  ok(acknowledged.body.data.anomaly!.acknowledgedAt);
});

test('a part that may not be read says why, fails nothing, and counts as neither lost nor equal', async () => {
  const before = await take();
  await refuseConfiguration(source, 'ListIndexes');
  await refuseConfiguration(source, 'ListReleases');
  const limited = await take();
  equal(limited.anomaly, null);
  const { indexes, rules: found, settings } = await configurationOf(limited.id);
  deepEqual([indexes.state, found.state, settings.state], ['permission_missing', 'permission_missing', 'captured']);
  match(indexes.reason!, /The caller does not have permission\. It needs the role roles\/datastore\.viewer/);
  match(found.reason!, /roles\/firebaserules\.viewer/);
  const compared = await diff(before.id, limited.id);
  deepEqual([compared.unknown, compared.differences], [['indexes', 'rules'], []]);
});

test('an imported backup has the configuration of the backup that it is', async () => {
  const { body } = await call(backupContents.register, {
    ...by(),
    body: { projectId, storageDestinationId: destination.id, path: first.path },
  });
  deepEqual(await configurationOf(body.data.id), await configurationOf(first.id));
});

const restore = async (body: Record<string, unknown>, token = organization.owner.accessToken) =>
  call(backupContents.configurationRestore, { token, org: organization.id, params: { backupId: first.id }, body });

const planned = async (body: Record<string, unknown> = {}) => {
  const answer = await restore({ dryRun: true, ...body });
  equal(answer.status, 200, answer.text);
  return answer.body.data;
};

test('a restore creates what is gone, changes what differs, deletes nothing, and is complete when the indexes are ready', async () => {
  const before = await planned();
  deepEqual(
    before.steps.filter(({ kind }) => kind !== 'setting').map(({ action, kind, name }) => [action, kind, name]),
    [
      ['create', 'index', 'users: age ascending, name ascending'],
      ['equal', 'field', 'users.note'],
      ['create', 'ttl', 'users.expiresAt'],
      ['change', 'rules', 'cloud.firestore'],
      ['create', 'rules', 'firebase.storage/shop.appspot.com'],
    ],
  );
  deepEqual([before.counts.change, before.complete], [2, false]);
  // A plan writes nothing.
  deepEqual(await planned(), before);

  await refuseConfiguration(source, 'CreateIndex');
  const partly = (await restore({})).body.data;
  deepEqual(
    partly.steps.flatMap(({ outcome, name, error }) => (outcome === 'failed' ? [[name, error]] : [])),
    [['users: age ascending, name ascending', 'The caller does not have permission']],
  );
  equal((await planned()).counts.create, 1);
  const whole = (await restore({})).body.data;
  deepEqual([whole.counts.create, whole.counts.failed], [1, 0]);
  const building = (await planned()).steps.find(({ kind }) => kind === 'index')!;
  ok(building.action === 'building' || building.action === 'equal', building.action);
  await expect.poll(async () => (await planned()).counts.building, { timeout: 60_000 }).toBe(0);
  const end = await planned();
  deepEqual([end.complete, end.counts.create, end.counts.change, end.counts.equal], [true, 0, 0, 10]);
  // What was created since the backup is still there.
  deepEqual(
    (await diff(first.id, 'live')).differences.map(({ name, change }) => [name, change]),
    [['orders: at ascending, total ascending', 'added']],
  );
  const { body } = await call(auditLogs.list, { ...by(), query: { action: 'restore.configuration_written' } });
  deepEqual(
    body.data.map(({ details }) => [details!.targetProjectId, details!.failed]),
    [
      [projectId, 0],
      [projectId, 1],
    ],
  );
});

test('a restore into another project leaves out the rules of buckets, and weakens no protection', async () => {
  const target = await newProject(organization);
  await seed(target.sourceProjectId, { 'users/u1': { age: { integerValue: '1' } } });
  await setDatabase(target.sourceProjectId, { pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED' });
  const { steps } = await planned({ targetProjectId: target.id });
  const actionOf = (wanted: string) => steps.find(({ name }) => name === wanted)!.action;
  deepEqual(['cloud.firestore', 'firebase.storage/shop.appspot.com', 'pointInTimeRecovery', 'deleteProtection'].map(actionOf), [
    'create',
    'impossible',
    'kept',
    'change',
  ]);
  await restore({ targetProjectId: target.id, parts: ['settings', 'indexes'] });
  const { deleteProtectionState, pointInTimeRecoveryEnablement } = await readDatabase(target.sourceProjectId);
  deepEqual(
    [deleteProtectionState, pointInTimeRecoveryEnablement],
    ['DELETE_PROTECTION_ENABLED', 'POINT_IN_TIME_RECOVERY_ENABLED'],
  );
  deepEqual((await listIndexes(target.sourceProjectId)).length, 1);
});

test('only an admin restores, and bad input is refused', async () => {
  const member = await addMember(organization, 'member');
  const refused = await restore({ dryRun: true }, member.accessToken);
  deepEqual([refused.status, refused.body.error!.code], [403, 'PERMISSION_DENIED']);
  for (const body of [{ parts: [] }, { parts: ['users'] }, { targetProjectId: 'x' }, { force: true }])
    equal((await restore(body)).status, 400, JSON.stringify(body));
});

test('only backups of the same project are compared', async () => {
  const other = await newProject(organization);
  await seed(other.sourceProjectId, { 'users/u1': { age: { integerValue: '1' } } });
  const { id } = await startBackup(organization, { projectId: other.id, storageDestinationId: destination.id });
  const foreign = await endOf(organization, id);
  const refused = await call(backupContents.configurationDiff, {
    ...by(),
    params: { backupId: first.id },
    query: { against: foreign.id },
  });
  deepEqual([refused.status, refused.body.error?.code], [400, 'VALIDATION_ERROR']);
});

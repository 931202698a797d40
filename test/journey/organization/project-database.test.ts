/** Edition, location and type of the connected database: what they cost, and which are refused. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { billedReads, describeDatabase, refuseDatabaseInfo } from '../../harness/stage/database.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const newSource = () => `database-${randomUUID().slice(0, 8)}`;

for (const [kind, info, words] of [
  ['in Datastore mode', { type: 'DATASTORE_MODE' }, /^The database is in Datastore mode: its entities cannot be read/],
  [
    'for MongoDB only',
    {
      databaseEdition: 'ENTERPRISE',
      firestoreDataAccessMode: 'DATA_ACCESS_MODE_DISABLED',
      mongodbCompatibleDataAccessMode: 'DATA_ACCESS_MODE_ENABLED',
    },
    /^The database is used with MongoDB compatibility: it refuses the Firestore API/,
  ],
] as const)
  test(`database: one ${kind} is not connected, and the sentence says why`, async () => {
    const organization = await newOrganization();
    const sourceProjectId = newSource();
    await describeDatabase(sourceProjectId, info);
    const { status, body } = await call(projects.create, { ...by(organization), body: { name: 'Shop', sourceProjectId } });
    deepEqual([status, body.error.code], [422, 'SOURCE_NOT_SUPPORTED']);
    match(body.error.message, words);
    deepEqual((await call(projects.list, by(organization))).body.data, []);
  });

test('database: a connected one that changes its mode is refused when it is reconnected, and no longer connected', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const params = { projectId: project.id };
  await describeDatabase(project.sourceProjectId, { type: 'DATASTORE_MODE' });
  const { status, body } = await call(projects.reconnect, { ...by(organization), params });
  deepEqual([status, body.error.code], [422, 'SOURCE_NOT_SUPPORTED']);
  equal((await call(projects.get, { ...by(organization), params })).body.data.status, 'unauthorized');
});

test('database: estimate and backup of an Enterprise database are in read units, at the price of its location', async () => {
  const organization = await newOrganization();
  const sourceProjectId = newSource();
  const text = { text: { stringValue: 'x'.repeat(2_000) } };
  await seed(sourceProjectId, Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`users/u${n}`, text])));
  await describeDatabase(sourceProjectId, { databaseEdition: 'ENTERPRISE', locationId: 'us-central1' });
  const [project, destination] = await Promise.all([newProject(organization, { sourceProjectId }), newDestination(organization)]);
  const { checkedAt: _, ...database } = project.database;
  deepEqual(database, {
    ...{ state: 'known', edition: 'enterprise', locationId: 'us-central1', permission: null },
    ...{ pointInTimeRecovery: false, realtimeUpdates: true },
    readPrice: {
      ...{ unit: 'read_unit', usdPerMillion: 0.05, usdPerMillionChanges: 0.3, ofLocation: true },
      source: 'https://cloud.google.com/firestore/enterprise/pricing',
    },
  });
  const wanted = { projectId: project.id, storageDestinationId: destination.id };
  const estimated = await call(backups.create, { ...by(organization), body: { ...wanted, dryRun: true } });
  const { reads, estimatedUsd, readUnit } = estimated.body.data as unknown as Record<string, number | string>;
  const { id } = await startBackup(organization, wanted);
  const { status, cost, documentCount } = await endOf(organization, id);
  deepEqual([status, documentCount, readUnit], ['completed', 40, 'read_unit']);
  // 40 documents of 2 KB are 20 units, beside a probe, a count and the plan.
  equal(cost.reads > 20 && cost.reads <= 30, true, JSON.stringify(cost));
  equal(Number(reads) >= cost.reads && Number(reads) <= 30, true, `${reads} were estimated, ${cost.reads} were read`);
  equal(cost.estimatedUsd, Math.round(cost.reads * 0.05) / 1e6);
  equal(estimatedUsd, Math.round(Number(reads) * 0.05) / 1e6);
  const capped = await startBackup(organization, { ...wanted, maxReads: 15 });
  const stopped = await endOf(organization, capped.id);
  deepEqual([stopped.status, stopped.error?.code], ['failed', 'CANCELLED']);
});

test('database: a Standard one in an unlisted location gets the dearest price; its backup costs what the source meters', async () => {
  const organization = await newOrganization();
  const sourceProjectId = newSource();
  await seed(sourceProjectId, { 'users/ada': {}, 'users/eve': {} });
  await describeDatabase(sourceProjectId, { locationId: 'asia-east9' });
  const [project, destination] = await Promise.all([newProject(organization, { sourceProjectId }), newDestination(organization)]);
  deepEqual([project.database.readPrice.usdPerMillion, project.database.readPrice.ofLocation], [0.6, false]);
  const before = (await billedReads(sourceProjectId))?.total ?? 0;
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const { cost } = await endOf(organization, id);
  equal(((await billedReads(sourceProjectId))?.total ?? 0) - before, cost.reads);
});

test('database: without the permission it connects all the same, and the state names the permission', async () => {
  const organization = await newOrganization();
  const sourceProjectId = newSource();
  await refuseDatabaseInfo(sourceProjectId);
  const { database, status } = await newProject(organization, { sourceProjectId });
  deepEqual(
    [status, database.state, database.permission],
    ['connected', 'permission_missing', 'datastore.databases.getMetadata'],
  );
  deepEqual([database.edition, database.readPrice.usdPerMillion], [null, 0.6]);
});

test('database: without real-time updates point-in-time recovery is refused with the reason', async () => {
  const organization = await newOrganization();
  const sourceProjectId = newSource();
  await describeDatabase(sourceProjectId, { realtimeUpdatesMode: 'REALTIME_UPDATES_MODE_DISABLED' });
  const [project, destination] = await Promise.all([newProject(organization, { sourceProjectId }), newDestination(organization)]);
  const { status, body } = await call(pitr.enable, {
    ...by(organization),
    params: { projectId: project.id },
    body: { storageDestinationId: destination.id },
  });
  deepEqual([status, body.error.code], [409, 'CONFLICT']);
  match(body.error.message, /real-time updates disabled/);
});

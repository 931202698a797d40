/** Purge: nothing of the organization remains, and other organizations are unchanged. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { takeBackup } from '../../harness/stage/backup.ts';
import { objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { enterStage } from '../../harness/stage/enter-stage.ts';
import { addMember, newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../harness/stage/receiver.ts';
import { allItems, getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const patienceMs = 300_000;

/** Items about the organization. Rate limits, stored responses and users' own links expire by their TTL. */
const tracesOf = async (id: string) =>
  (await allItems()).filter((item) => JSON.stringify(item).includes(id) && !item.pk.startsWith('RATE#'));

const untilGone = async (id: string): Promise<void> => {
  for (const endMs = Date.now() + patienceMs; (await getItem({ pk: `ORG#${id}`, sk: 'META' })) !== undefined; await pause(100)) {
    ok(Date.now() < endMs, `${id} is still there after ${patienceMs} ms`);
  }
};

test('purge: force deletes every item of the organization and frees its slug; its users stay', async () => {
  // Another file would take the freed slug of a common name.
  const organization = await newOrganization(undefined, `Purged ${randomUUID().slice(0, 8)}`);
  const neighbour = await newOrganization(organization.owner);
  const { id, owner, name, slug } = organization;
  const member = await addMember(organization, 'member');
  await addMember(neighbour, 'viewer', member);
  const key = await newServiceAccountKey(organization, ['organization:read']);
  const by = { token: owner.accessToken, org: id };
  equal((await call(organizations.current, { token: key, org: id })).status, 200);
  const webhook = { name: 'Witness', url: receiver.url('/witness'), events: ['*'] };
  equal((await call(webhooks.create, { ...by, body: webhook })).status, 201);
  const typeOf = ({ body }: ReceivedRequest) => (JSON.parse(body.toString()) as { type: string }).type;
  await call(invites.create, { ...by, body: { email: newEmail() } });
  // Afterwards no earlier event is on its way.
  await receiver.next((request) => typeOf(request) === 'invitation.created');

  const answer = await call(organizations.remove, { ...by, body: { confirmName: name, force: true } });
  deepEqual([answer.status, answer.body.data], [202, { id, deleted: true, deletionType: 'permanent', recoveryDeadline: null }]);
  equal((await call(organizations.current, by)).body.error.code, 'ORGANIZATION_NOT_FOUND');
  equal((await call(organizations.current, { token: key, org: id })).status, 401);
  const recovery = await call(organizations.recover, { token: owner.accessToken, params: { id } });
  equal(recovery.body.error.code, 'ORGANIZATION_NOT_FOUND');

  await untilGone(id);
  // The last event of the organization.
  equal(receiver.requests.map(typeOf).at(-1), 'organization.deleted');
  deepEqual(
    (await tracesOf(id)).map(({ pk, sk }) => `${pk} ${sk}`),
    [],
  );
  equal((await call(organizations.current, by)).body.error.code, 'ORGANIZATION_NOT_FOUND');
  equal((await call(organizations.current, { token: key, org: id })).status, 401);

  // Sessions and profiles belong to users; the other organization is unchanged.
  for (const person of [owner, member]) {
    const me = await call(auth.me, { token: person.accessToken });
    deepEqual(
      me.body.data.organizations.map((each) => each.id),
      [neighbour.id],
    );
  }
  ok((await itemsOf(`ORG#${neighbour.id}`)).length > 5);
  const { accessToken } = await signIn();
  equal((await call(organizations.create, { token: accessToken, body: { name: 'Next', slug } })).status, 201);
});

for (const deleteBackupData of [true, false])
  test(`purge: backups are deleted with their organization, their objects ${deleteBackupData ? 'too' : 'stay in the bucket'}`, async () => {
    const organization = await newOrganization();
    const { id, owner, name } = organization;
    const by = { token: owner.accessToken, org: id };
    const { path, storageDestination } = await takeBackup(organization);
    const params = { storageId: storageDestination.id };
    const { bucket } = (await call(storageDestinations.get, { ...by, params })).body.data;
    const stored = await objectsIn(bucket);
    ok(Object.keys(stored).some((key) => key.startsWith(path)));
    const body = { confirmName: name, force: true, deleteBackupData };
    equal((await call(organizations.remove, { ...by, body })).status, 202);
    await untilGone(id);
    deepEqual(await objectsIn(bucket), deleteBackupData ? {} : stored);
    deepEqual(
      (await tracesOf(id)).map(({ pk, sk }) => `${pk} ${sk}`),
      [],
    );
  });

/** Runs the hourly sweep now: the function itself, on the stage's table and queue. */
const sweep = async (): Promise<void> => {
  await enterStage({ TASK_QUEUE_URL: 'Tasks' });
  const { handler } = await import('../../../functions/organization/sweep.ts');
  await handler();
};

test('purge: the sweep purges organizations past their deadline and no others', async () => {
  const [past, kept] = [await newOrganization(), await newOrganization()];
  for (const { id, name, owner } of [past, kept]) {
    await call(organizations.remove, { token: owner.accessToken, org: id, body: { confirmName: name } });
  }
  // One of them is past its deadline by an hour.
  const stored = (await getItem({ pk: `ORG#${past.id}`, sk: 'META' }))!;
  const recoveryDeadline = new Date(Date.now() - 3_600_000).toISOString();
  await putItem({ ...stored, recoveryDeadline });
  await putItem({ pk: 'DUE#PURGE', sk: `${recoveryDeadline}#${past.id}`, organizationId: past.id, deleteBackupData: false });
  await sweep();
  await untilGone(past.id);
  // The item that the test moved remains.
  deepEqual(
    (await tracesOf(past.id)).map(({ pk, sk }) => `${pk} ${sk}`),
    [`DUE#PURGE ${stored.recoveryDeadline}#${past.id}`],
  );
  const back = await call(organizations.recover, { token: kept.owner.accessToken, params: { id: kept.id } });
  equal(back.status, 200);
});

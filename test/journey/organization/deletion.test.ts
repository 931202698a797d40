/** Soft deletion and recovery of an organization. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { type Person, signIn } from '../../harness/stage/person.ts';
import { contentsOf, undo } from '../../harness/stage/restore.ts';
import { startSlowRestore } from '../../harness/stage/slow-restore.ts';
import { getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const remove = (organization: { id: string; owner: Person }, body: object) =>
  call(organizations.remove, { token: organization.owner.accessToken, org: organization.id, body });
const recover = (person: Person, id: string) => call(organizations.recover, { token: person.accessToken, params: { id } });
const code = ({ status, body }: Awaited<ReturnType<typeof recover>>) => [status, body.error?.code];

for (const [what, body, field] of [
  ['no name', {}, 'confirmName'],
  ['another case', { confirmName: 'delete me' }, 'confirmName'],
  ['white space', { confirmName: 'Delete me ' }, 'confirmName'],
  ['a letter that looks the same', { confirmName: 'D\u0435lete me' }, 'confirmName'],
  ['force as text', { confirmName: 'Delete me', force: 'true' }, 'force'],
  ['a mistyped field', { confirmName: 'Delete me', forced: true }, 'forced'],
] as const) {
  test(`organization: a deletion with ${what} is refused`, async () => {
    const organization = await newOrganization(undefined, 'Delete me');
    const { status, body: answer } = await remove(organization, body);
    deepEqual(
      { status, code: answer.error.code, field: answer.error.details.field },
      { status: 400, code: 'VALIDATION_ERROR', field },
    );
    equal((await call(organizations.current, { token: organization.owner.accessToken, org: organization.id })).status, 200);
  });
}

test('organization: only the owner can delete it', async () => {
  const organization = await newOrganization();
  const admin = await addMember(organization, 'admin');
  const refused = await call(organizations.remove, {
    token: admin.accessToken,
    org: organization.id,
    body: { confirmName: organization.name },
  });
  deepEqual([refused.status, refused.body.error.details], [403, { requiredRole: 'owner', currentRole: 'admin' }]);
});

test('organization: when deleted it refuses every call; when recovered it is unchanged', async () => {
  const organization = await newOrganization();
  const { id, owner, name } = organization;
  const admin = await addMember(organization, 'admin');
  const key = await newServiceAccountKey(organization, ['organization:read']);
  const answer = await remove(organization, { confirmName: name });
  equal(answer.status, 200);
  const { recoveryDeadline, ...rest } = answer.body.data;
  deepEqual(rest, { id, deleted: true, deletionType: 'soft' });
  const days = (Date.parse(recoveryDeadline!) - Date.now()) / (24 * 3_600_000);
  ok(days > 29.9 && days <= 30, `${days} days`);

  for (const { accessToken } of [owner, admin, await signIn()]) {
    for (const row of [organizations.current, members.list]) {
      const { status, body } = await call(row, { token: accessToken, org: id });
      deepEqual([status, body.error.code], [404, 'ORGANIZATION_NOT_FOUND']);
    }
  }
  equal((await call(organizations.current, { token: key, org: id })).status, 401);
  equal((await call(organizations.list, { token: owner.accessToken })).body.data.length, 0);
  equal((await call(auth.me, { token: owner.accessToken })).body.data.organizations.length, 0);
  equal((await remove(organization, { confirmName: name })).body.error.code, 'ORGANIZATION_NOT_FOUND');

  const items = await itemsOf(`ORG#${id}`);
  const reported = items.find(({ type }) => type === 'organization.deleted')?.data as { organization: object };
  deepEqual(reported.organization, { id, name, deleted: true, deletionType: 'soft', recoveryDeadline });
  ok(await getItem({ pk: 'DUE#PURGE', sk: `${recoveryDeadline}#${id}` }));

  deepEqual(code(await recover(await signIn(), id)), [404, 'ORGANIZATION_NOT_FOUND']);
  const refused = await recover(admin, id);
  deepEqual([refused.status, refused.body.error.details], [403, { requiredRole: 'owner', currentRole: 'admin' }]);

  const back = await recover(owner, id);
  deepEqual({ status: back.status, id: back.body.data.id, name: back.body.data.name }, { status: 200, id, name });
  equal(await getItem({ pk: 'DUE#PURGE', sk: `${recoveryDeadline}#${id}` }), undefined);
  for (const token of [owner.accessToken, admin.accessToken, key])
    equal((await call(organizations.current, { token, org: id })).status, 200);
  deepEqual(code(await recover(owner, id)), [409, 'CONFLICT']);
  const actions = (await itemsOf(`AUDIT#${id}`)).map(({ action }) => action);
  deepEqual(actions.slice(-2), ['organization.deleted', 'organization.recovered']);
});

test('organization: it cannot be recovered after the deadline', async () => {
  const organization = await newOrganization();
  const { id, owner, name } = organization;
  await remove(organization, { confirmName: name });
  const stored = (await getItem({ pk: `ORG#${id}`, sk: 'META' }))!;
  await putItem({ ...stored, recoveryDeadline: new Date(Date.now() - 1).toISOString() });
  deepEqual(code(await recover(owner, id)), [404, 'ORGANIZATION_NOT_FOUND']);
  for (const unknown of ['org_01JWNVAV000000000000000000', 'nonsense']) {
    deepEqual(code(await recover(owner, unknown)), [404, 'ORGANIZATION_NOT_FOUND']);
  }
});

test('organization: of two concurrent recoveries one succeeds', async () => {
  const organization = await newOrganization();
  await remove(organization, { confirmName: organization.name });
  const results = await Promise.all([recover(organization.owner, organization.id), recover(organization.owner, organization.id)]);
  deepEqual(results.map(({ status }) => status).sort(), [200, 409]);
});

test('organization: its slug stays reserved while it can be recovered', async () => {
  const organization = await newOrganization();
  await remove(organization, { confirmName: organization.name });
  const { accessToken } = await signIn();
  const again = await call(organizations.create, { token: accessToken, body: { name: 'Again', slug: organization.slug } });
  equal(again.body.error.code, 'SLUG_TAKEN');
});

for (const force of [false, true])
  test(`organization: a ${force ? 'permanent' : 'soft'} deletion is refused while a restore writes, or cancels it first`, async () => {
    const organization = await newOrganization();
    const { restoreJobId, sourceProjectId, before } = await startSlowRestore(organization);
    const { id, name, owner } = organization;
    const refused = await remove(organization, { confirmName: name, force });
    deepEqual([refused.status, refused.body.error.code], [409, 'JOB_IN_PROGRESS']);
    const [named] = refused.body.error.details.jobs as { kind: string; id: string }[];
    deepEqual([named?.kind, named?.id], ['restore', restoreJobId]);
    equal((await call(organizations.current, { token: owner.accessToken, org: id })).status, 200);

    let deleted = await remove(organization, { confirmName: name, force, cancelJobs: true });
    while (deleted.status === 409) deleted = await remove(organization, { confirmName: name, force, cancelJobs: true });
    equal(deleted.status, force ? 202 : 200, deleted.text);
    const there = Object.keys(await contentsOf(sourceProjectId)).length;
    const [job] = deleted.body.data.cancelledJobs!;
    deepEqual([job?.id, job?.status, job?.documentsWritten], [restoreJobId, 'cancelled', there]);
    ok(there > 0 && there < 60, `${there} documents`);
    if (force) return;

    const item = (await itemsOf(`ORG#${id}`)).find(({ sk }) => sk === `RESTORE#${restoreJobId}`);
    equal(item?.undoUntil, deleted.body.data.recoveryDeadline);
    equal((await recover(owner, id)).status, 200);
    while ((await itemsOf(`ORG#${id}`)).some(({ sk }) => sk.startsWith('JOB#'))) await pause(100);
    equal((await undo(organization, restoreJobId)).status, 'completed');
    deepEqual(await contentsOf(sourceProjectId), before);
  });

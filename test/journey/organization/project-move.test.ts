/** A project moves with its backups to another organization of the same user. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { newId } from '../../../shared/platform/index.ts';
import { endOf, newProject, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { addMember, newOrganization, newServiceAccountKey, type TestOrganization } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';
import { allItems, itemsOf } from '../../harness/stage/table.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const twoOf = async () => {
  const owner = await signIn();
  return Promise.all([newOrganization(owner, 'From'), newOrganization(owner, 'To')]) as Promise<
    [TestOrganization, TestOrganization]
  >;
};
const move = (
  from: TestOrganization,
  {
    projectId,
    organizationId,
    more = {},
  }: { readonly projectId: string; readonly organizationId: string; readonly more?: object | undefined },
) => call(projects.update, { ...by(from), params: { projectId }, body: { organizationId, ...more } });
const eraseIn = async (organization: TestOrganization, projectId: string, path: string): Promise<void> => {
  const erased = await call(erasures.create, {
    ...by(organization),
    params: { projectId },
    body: { paths: [path], reason: 'Request 4711' } as never,
  });
  equal(erased.status, 201, erased.text);
};
const refusal = ({ status, body }: { status: number; body: { error: { code: string } } }) => [status, body.error.code];

test('project move: the project arrives with its backup and destination, and can be backed up again', async () => {
  const [from, to] = await twoOf();
  const backup = await takeBackup(from);
  const { projectId } = backup;
  const [params, storageId] = [{ projectId }, backup.storageDestination.id];
  await call(projects.update, { ...by(from), params, body: { settings: { defaultStorageId: storageId } } });
  const before = await call(projects.get, { ...by(from), params });
  await eraseIn(from, projectId, 'users/grace');
  const statistics = (await call(organizations.current, by(from))).body.data.statistics;

  const moved = await move(from, { projectId, organizationId: to.id });
  equal(moved.status, 200, moved.text);
  deepEqual(moved.body.data, { ...before.body.data, updatedAt: moved.body.data.updatedAt });

  deepEqual(refusal(await call(projects.get, { ...by(from), params })), [404, 'PROJECT_NOT_FOUND']);
  deepEqual(refusal(await call(backups.get, { ...by(from), params: { backupId: backup.id } })), [404, 'BACKUP_NOT_FOUND']);
  deepEqual((await call(backups.list, by(from))).body.data, []);
  deepEqual((await call(projects.get, { ...by(to), params })).body.data, moved.body.data);
  deepEqual((await call(backups.get, { ...by(to), params: { backupId: backup.id } })).body.data, backup);
  deepEqual((await call(storageDestinations.get, { ...by(to), params: { storageId } })).body.data.id, storageId);
  const zero = { memberCount: 1, projectCount: 0, backupCount: 0, storageUsed: 0 };
  deepEqual((await call(organizations.current, by(from))).body.data.statistics, zero);
  deepEqual((await call(organizations.current, by(to))).body.data.statistics, statistics);

  // Its objects are read with the previous key from the previous bucket.
  const read = await call(backupContents.documents, { ...by(to), params: { backupId: backup.id }, query: { path: 'users/ada' } });
  equal(read.status, 200, read.text);
  ok(read.text.includes('1815'));
  // The erasure moves along, and one that is made in the new organization comes back with the project.
  await eraseIn(to, projectId, 'users/ada');
  const assertErasedIn = async (organization: TestOrganization): Promise<void> => {
    for (const path of ['users/ada', 'users/grace']) {
      const { status, body } = await call(backupContents.documents, {
        ...by(organization),
        params: { backupId: backup.id },
        query: { path },
      });
      deepEqual([status, body.error.details.reason], [404, 'erased'], path);
    }
  };
  await assertErasedIn(to);
  const again = await startBackup(to, { projectId });
  equal((await endOf(to, again.id)).status, 'completed');

  // A repeated request has the same result, and the project can be moved back.
  deepEqual((await move(from, { projectId, organizationId: to.id })).status, 200);
  equal((await move(to, { projectId, organizationId: from.id })).status, 200);
  equal((await call(backups.list, by(from))).body.data.length, 2);
  await assertErasedIn(from);
  equal((await call(erasures.list, { ...by(from), params })).body.data.length, 2);
  const rows = (await Promise.all([from, to].map(({ id }) => itemsOf(`ORG#${id}`)))).flat();
  deepEqual(
    rows.filter(({ sk, arriving, leaving }) => arriving || leaving || /^(MOVE|JOB)#/.test(sk)),
    [],
  );
  ok(!(JSON.stringify(await allItems()) + logs()).includes('not-so-secret'));
  for (const { id } of [from, to])
    equal((await itemsOf(`AUDIT#${id}`)).filter(({ action }) => action === 'project.moved').length, 2);
});

test('project move: the former organization can neither read nor delete the moved backups', async () => {
  const [from, to] = await twoOf();
  const backup = await takeBackup(from);
  const storageDestinationId = backup.storageDestination.id;
  const { bucket } = (await call(storageDestinations.get, { ...by(from), params: { storageId: storageDestinationId } })).body
    .data;
  equal((await move(from, { projectId: backup.projectId, organizationId: to.id })).status, 200);
  const objects = await objectsIn(bucket, `${backup.path}/`);
  const { id: projectId } = await newProject(from);
  const body = { projectId, storageDestinationId, path: backup.path };
  const refused = await call(backupContents.register, { ...by(from), body });
  deepEqual([...refusal(refused), refused.body.error.details.field], [400, 'VALIDATION_ERROR', 'path'], refused.text);
  ok(/another organization now/.test(String(refused.body.error.details.reason)));
  deepEqual(await objectsIn(bucket, `${backup.path}/`), objects);
  // After moving back it belongs to the former organization again.
  equal((await move(to, { projectId: backup.projectId, organizationId: from.id })).status, 200);
  const brought = await call(backupContents.register, { ...by(from), body });
  equal(brought.status, 201, brought.text);
});

test('project move: an admin who is not the owner cannot carry off credentials of the organization', async () => {
  const company = await newOrganization();
  const backup = await takeBackup(company);
  const { projectId } = backup;
  const [params, storageId] = [{ projectId }, backup.storageDestination.id];
  const attacker = await addMember(company, 'admin');
  const own = await newOrganization(attacker, 'Own');
  const moved = await call(projects.update, {
    ...{ token: attacker.accessToken, org: company.id, params },
    body: { organizationId: own.id },
  });
  deepEqual([moved.status, moved.body.data.status], [200, 'unauthorized'], moved.text);
  // Neither the source nor the bucket is reached with what the company had given.
  deepEqual(refusal(await call(projects.collections, { ...by(own), params })), [422, 'SOURCE_AUTH_ERROR']);
  const stored = await call(storageDestinations.get, { ...by(own), params: { storageId } });
  deepEqual([stored.body.data.status, stored.body.data.credentials], ['error', {}]);
  deepEqual(refusal(await call(storageDestinations.test, { ...by(own), params: { storageId } })), [422, 'STORAGE_ERROR']);
  const renamed = await call(storageDestinations.update, { ...by(own), params: { storageId }, body: { name: 'Mine' } });
  deepEqual([...refusal(renamed), renamed.body.error.details.field], [400, 'VALIDATION_ERROR', 'credentials']);
  const read = { params: { backupId: backup.id }, query: { path: 'users/ada' } };
  deepEqual(refusal(await call(backupContents.documents, { ...by(own), ...read })), [422, 'STORAGE_ERROR']);
  ok((await itemsOf(`ORG#${own.id}`)).every((item) => item.sealed === undefined));
  // With credentials of their own the backups are theirs to use.
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'not-so-secret' };
  const updated = await call(storageDestinations.update, { ...by(own), params: { storageId }, body: { credentials } });
  deepEqual([updated.status, updated.body.data.status], [200, 'connected'], updated.text);
  equal((await call(backupContents.documents, { ...by(own), ...read })).status, 200);
  equal((await call(projects.reconnect, { ...by(own), params })).body.data.status, 'connected');
});

test('project move: requires a user who is admin in both organizations, and no other change in the request', async () => {
  const [from, to] = await twoOf();
  const project = await newProject(from);
  const [foreign, viewed] = await Promise.all([newOrganization(), newOrganization()]);
  await addMember(viewed, 'member', from.owner);
  const asMember = await addMember(from, 'member');
  await addMember(to, 'admin', asMember);
  const body = { organizationId: to.id };
  const params = { projectId: project.id };
  const apiKey = await newServiceAccountKey(from, ['projects:write']);
  const answers = [
    await move(from, { projectId: project.id, organizationId: to.id, more: { name: 'Other' } }),
    await move(from, { projectId: project.id, organizationId: 'x' }),
    await move(from, { projectId: project.id, organizationId: newId('organization') }),
    await move(from, { projectId: project.id, organizationId: foreign.id }),
    await move(from, { projectId: project.id, organizationId: viewed.id }),
    await call(projects.update, { token: asMember.accessToken, org: from.id, params, body }),
    await call(projects.update, { token: apiKey, org: from.id, params, body }),
    await move(from, { projectId: newId('project'), organizationId: to.id }),
  ];
  deepEqual(answers.map(refusal), [
    [400, 'VALIDATION_ERROR'],
    [400, 'VALIDATION_ERROR'],
    [404, 'ORGANIZATION_NOT_FOUND'],
    [403, 'FORBIDDEN'],
    [403, 'PERMISSION_DENIED'],
    [403, 'PERMISSION_DENIED'],
    [403, 'FORBIDDEN'],
    [404, 'PROJECT_NOT_FOUND'],
  ]);
  for (const { body: answer } of answers.slice(4, 6))
    deepEqual(answer.error.details, { requiredRole: 'admin', currentRole: 'member' });
  deepEqual((await call(projects.get, { ...by(from), params })).body.data, project);
  deepEqual((await call(projects.list, by(to))).body.data, []);
});

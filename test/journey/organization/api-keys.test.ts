/** API keys: each does what its role and its permissions both allow, on its projects, from its addresses, until it expires. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { scopes } from '../../../shared/contract/access.ts';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { newProject, takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { allItems } from '../../harness/stage/table.ts';

const start = async () => {
  const organization = await newOrganization();
  return { organization, by: { token: organization.owner.accessToken, org: organization.id } };
};

test('API keys: one is created, used alone, changed, rotated and deleted, and the audit log says so', async () => {
  const { by } = await start();
  const body = { name: 'CI', role: 'member', permissions: ['organization:read'], allowedAddresses: ['127.0.0.1', '::1'] };
  const options = { ...by, body, headers: { 'idempotency-key': 'once' } };
  const [made, again] = [await call(apiKeys.create, options), await call(apiKeys.create, options)];
  equal(made.status, 201, made.text);
  deepEqual(again.body, made.body);
  const { apiKey, ...shown } = made.body.data;
  match(apiKey, /^fb_key_key_[0-9A-Z]{26}_[\w-]{43}$/);
  deepEqual([shown.status, shown.allowedAddresses, shown.lastUsedAt], ['active', ['127.0.0.1/32', '::1/128'], null]);
  equal(made.headers.get('location'), `/api/v1/organizations/current/api-keys/${shown.id}`);
  const params = { apiKeyId: shown.id };

  const key = { token: apiKey };
  equal((await call(organizations.current, key)).body.data.id, by.org);
  equal((await call(webhooks.list, { ...key, org: by.org })).status, 200);
  const listed = await call(apiKeys.list, by);
  equal(listed.body.data.length, 1);
  ok(listed.body.data[0]?.lastUsedAt);
  deepEqual((await call(apiKeys.get, { ...by, params })).body.data, listed.body.data[0]);
  ok(!listed.text.includes(apiKey.slice(-43)));

  const away = { allowedAddresses: ['192.0.2.0/24'] };
  equal((await call(apiKeys.update, { ...by, params, body: away })).status, 200);
  equal((await call(organizations.current, key)).body.error.code, 'FORBIDDEN');
  await call(apiKeys.update, { ...by, params, body: { allowedAddresses: null } });

  const rotated = (await call(apiKeys.rotate, { ...by, params })).body.data;
  notEqual(rotated.apiKey, apiKey);
  for (const token of [apiKey, rotated.apiKey]) equal((await call(organizations.current, { token })).status, 200);
  const last = (await call(apiKeys.rotate, { ...by, params, body: { overlapHours: 0 } })).body.data;
  for (const token of [apiKey, rotated.apiKey]) equal((await call(organizations.current, { token })).status, 401);

  const everything = JSON.stringify(await allItems()) + logs();
  for (const secret of [apiKey, rotated.apiKey, last.apiKey]) ok(!everything.includes(secret.slice(-43)));

  equal((await call(apiKeys.remove, { ...by, params })).status, 200);
  equal((await call(organizations.current, { token: last.apiKey })).status, 401);
  equal((await call(apiKeys.get, { ...by, params })).body.error.code, 'API_KEY_NOT_FOUND');
  const entries = (await call(auditLogs.list, { ...by, query: { resourceType: 'api_key' } })).body.data;
  deepEqual(entries.map(({ action }) => action).reverse(), [
    'api_key.created',
    'api_key.updated',
    'api_key.updated',
    'api_key.rotated',
    'api_key.rotated',
    'api_key.deleted',
  ]);
});

test('API keys: one of a member backs up and restores, and cannot delete; limited to a project it sees nothing of others', async () => {
  const { organization, by } = await start();
  const [mine, theirs] = [await takeBackup(organization), await takeBackup(organization)];
  notEqual(mine.projectId, theirs.projectId);
  const body = { name: 'CI', role: 'member', permissions: scopes, projectIds: [mine.projectId] };
  const { id, apiKey } = (await call(apiKeys.create, { ...by, body })).body.data;
  const key = { token: apiKey };

  const denied = await call(backups.remove, { ...key, params: { backupId: mine.id } });
  deepEqual([denied.status, denied.body.error.code], [403, 'PERMISSION_DENIED']);
  deepEqual(
    (await call(projects.list, key)).body.data.map((project) => project.id),
    [mine.projectId],
  );
  deepEqual(
    (await call(backups.list, key)).body.data.map((backup) => backup.id),
    [mine.id],
  );
  deepEqual((await call(backups.list, { ...key, query: { projectId: theirs.projectId } })).body.data, []);
  equal((await call(backups.get, { ...key, params: { backupId: theirs.id } })).body.error.code, 'BACKUP_NOT_FOUND');
  equal((await call(storageDestinations.list, key)).status, 200);
  equal((await call(projects.create, { ...key, body: { name: 'New', sourceProjectId: 'new-project' } })).status, 403);

  const across = { backupId: mine.id, targetProjectId: theirs.projectId };
  equal((await call(restores.create, { ...key, body: across })).body.error.code, 'PROJECT_NOT_FOUND');
  const planned = await call(restores.create, { ...key, body: { backupId: mine.id, options: { dryRun: true } } });
  equal(planned.status, 200, planned.text);
  const plan = { projectId: mine.projectId, name: 'Nightly', cron: '@daily', storageDestinationId: mine.storageDestination.id };
  const schedule = await call(schedules.create, { ...key, body: plan });
  equal(schedule.status, 201, schedule.text);

  // The stored answer of a repeated call is not given to a key that has been limited to another project since.
  const repeated = {
    ...key,
    params: { backupId: mine.id },
    body: { depth: 'structure' },
    headers: { 'idempotency-key': 'narrowed' },
  };
  equal((await call(backups.verify, repeated)).status, 202);
  equal((await call(backups.verify, repeated)).status, 202);
  await call(apiKeys.update, { ...by, params: { apiKeyId: id }, body: { projectIds: [theirs.projectId] } });
  equal((await call(backups.verify, repeated)).status, 404);

  const entries = (await call(auditLogs.list, { ...by, query: { actorId: id } })).body.data;
  ok(entries.length > 0);
  for (const { actor } of entries) deepEqual(actor, { type: 'api_key', id, email: null, name: 'CI' });

  const both = { projectIds: [mine.projectId, theirs.projectId] };
  await call(apiKeys.update, { ...by, params: { apiKeyId: id }, body: both });
  const [first, rest] = [
    await call(backups.list, { ...key, query: { limit: '1' } }),
    await call(backups.list, { ...key, query: { limit: '50' } }),
  ];
  deepEqual([first.body.data.length, first.body.pagination.hasMore, rest.body.data.length], [1, true, 2]);
});

test('API keys: what a key cannot be is refused, and the answer names the field', async () => {
  const { by } = await start();
  for (const [body, field] of [
    [{ role: 'owner' }, 'role'],
    [{ permissions: ['*'] }, 'permissions'],
    [{ projectIds: [] }, 'projectIds'],
    [{ projectIds: ['prj_01JZ8Q4V0M6T3X9C2B7N5K1HRD'] }, 'projectIds'],
    [{ allowedAddresses: ['example.com'] }, 'allowedAddresses.0'],
    [{ expiresAt: null }, 'expiresAt'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ expiresAt: '2036-12-01T00:00:00Z' }, 'expiresAt'],
  ] as const) {
    const result = await call(apiKeys.create, { ...by, body: { name: 'CI', ...body } });
    deepEqual([result.status, result.body.error.details?.field], [400, field], result.text);
  }
});

test('API keys: one stays when its grantor is demoted or leaves, connects nothing with their access, and everyone can see it', async () => {
  const { organization, by } = await start();
  const admin = await addMember(organization, 'admin');
  const body = { name: 'CI', role: 'member', permissions: ['projects:read', 'projects:write'] };
  const made = (await call(apiKeys.create, { token: admin.accessToken, org: by.org, body })).body.data;
  const params = { apiKeyId: made.id };
  const { sourceProjectId } = await newProject(organization);
  const connect = async () => call(projects.create, { token: made.apiKey, body: { name: 'Again', sourceProjectId } });
  const shown = async () => {
    const { createdBy, grantedBy } = (await call(apiKeys.list, by)).body.data[0]!;
    return [createdBy.id, createdBy.role, grantedBy.id, grantedBy.role];
  };
  deepEqual(await shown(), [admin.userId, 'admin', admin.userId, 'admin']);

  const member = { ...by, params: { userId: admin.userId } };
  equal((await call(members.update, { ...member, body: { role: 'viewer' } })).status, 200);
  deepEqual(await shown(), [admin.userId, 'viewer', admin.userId, 'viewer']);
  equal((await call(projects.list, { token: made.apiKey })).status, 200);
  match((await connect()).body.error.message, /may no longer connect projects/);
  equal((await call(members.remove, member)).status, 200);
  deepEqual(await shown(), [admin.userId, null, admin.userId, null]);
  match((await connect()).body.error.message, /may no longer connect projects/);
  const named = (await call(auditLogs.list, { ...by, query: { resourceType: 'member' } })).body.data;
  const keys = [{ id: made.id, name: 'CI' }];
  deepEqual(
    named.filter(({ action }) => action !== 'member.joined').map(({ action, details }) => [action, details.apiKeys]),
    [
      ['member.removed', keys],
      ['member.role_changed', keys],
    ],
  );

  const { apiKey } = (await call(apiKeys.rotate, { ...by, params, body: { overlapHours: 0 } })).body.data;
  deepEqual(await shown(), [admin.userId, null, organization.owner.userId, 'owner']);
  const connected = await call(projects.create, { token: apiKey, body: { name: 'Again', sourceProjectId } });
  equal(connected.status, 201, connected.text);
});

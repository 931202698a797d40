/** The typed client against the stage, and what the console reads through it. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { type Client, type ClientOptions, openClient } from '../../../shared/client/index.ts';
import { eventNames } from '../../../shared/contract/events/event-names.ts';
import { newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { newOrganization, newServiceAccountKey, type TestOrganization } from '../../harness/stage/organization.ts';

let organization: TestOrganization;
let client: Client;
const open = (more: Partial<ClientOptions> = {}): Client =>
  openClient({ baseUrl: stageUrl(), token: organization.owner.accessToken, organizationId: organization.id, ...more });

beforeAll(async () => {
  organization = await newOrganization();
  client = open();
});

const firstIds = async () => {
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, { 'users/ada': {}, 'users/grace': {}, 'orders/1': {} });
  return { projectId: project.id, storageDestinationId: destination.id };
};

test('client: a backup is started, waited for, listed by each filter, and restored', async () => {
  const ids = await firstIds();
  const started = await client.request('POST /backups', { body: ids });
  ok('id' in started);
  const percents: number[] = [];
  const ended = await client.waitFor('backup', started.id, { onProgress: ({ progress }) => percents.push(progress.percent) });
  equal(ended.status, 'completed');
  equal(percents.at(-1), 100);
  deepEqual(ended.createdBy, { type: 'user', id: organization.owner.userId, email: organization.owner.email });
  equal(ended.projectName, 'Project');

  const idsOf = async (query: object): Promise<string[]> => {
    const found: string[] = [];
    for await (const { id } of client.list('GET /backups', { query: { ...query, limit: 1 } })) found.push(id);
    return found;
  };
  deepEqual(await idsOf({ trigger: 'manual', storageDestinationId: ids.storageDestinationId, status: 'completed' }), [ended.id]);
  deepEqual(await idsOf({ trigger: 'import' }), []);
  deepEqual(await idsOf({ scheduleId: 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD' }), []);
  deepEqual(await idsOf({ storageDestinationId: 'dst_01JZ8Q4V0M6T3X9C2B7N5K1HRD' }), []);

  const restoring = await client.request('POST /backups/restore', { body: { backupId: ended.id } });
  ok('restoreJobId' in restoring && 'status' in restoring);
  const restored = await client.waitFor('restore', restoring.restoreJobId);
  equal(restored.status, 'completed');
  equal(restored.projectName, 'Project');
  equal(restored.createdBy?.email, organization.owner.email);
  const listed = async (query: object) =>
    (await client.request('GET /backups/restore', { query })).map(({ restoreJobId }) => restoreJobId);
  deepEqual(await listed({ status: 'completed', backupId: ended.id }), [restored.restoreJobId]);
  deepEqual(await listed({ status: 'failed' }), []);
  deepEqual(await listed({ to: '2020-01-01' }), []);
});

test('client: an API key calls, and a call that is repeated with its key has one effect', async () => {
  const apiKey = await newServiceAccountKey(organization, ['backups:read', 'organization:read', 'organization:write']);
  const account = open({ token: undefined, apiKey });
  const body = { name: 'Hook', url: 'https://example.com/hook', events: ['backup.*'] };
  const [first, second] = [
    await account.request('POST /webhooks', { body, idempotencyKey: 'client-test' }),
    await account.request('POST /webhooks', { body, idempotencyKey: 'client-test' }),
  ];
  equal(first.id, second.id);
  deepEqual({ failureCount: first.failureCount, failingSince: first.failingSince }, { failureCount: 0, failingSince: null });
  await rejects(account.request('GET /projects'), { status: 403, code: 'FORBIDDEN' });
  deepEqual(
    (await account.request('GET /webhooks/events')).map(({ name }) => name),
    [...eventNames],
  );
});

test('overview: shows a project from its connection to its first backup and schedule', async () => {
  organization = await newOrganization();
  client = open();
  const ids = await firstIds();
  const before = await client.request('GET /overview');
  deepEqual(
    before.projects.map(({ id, protection }) => ({ id, protection })),
    [{ id: ids.projectId, protection: 'unprotected' }],
  );
  equal(before.attention[0]?.kind, 'NO_BACKUP');

  const started = await client.request('POST /backups', { body: ids });
  ok('id' in started);
  const during = await client.request('GET /overview');
  const [running] = during.projects[0]?.runningJobs ?? [];
  if (running) deepEqual({ kind: running.kind, id: running.id }, { kind: 'backup', id: started.id });
  await client.waitFor('backup', started.id);
  const after = await client.request('GET /overview');
  equal(after.projects[0]?.protection, 'at_risk');
  deepEqual(
    after.projects[0].reasons.map(({ code }) => code),
    ['NOT_SCHEDULED'],
  );
  equal(after.projects[0].lastGoodBackup?.documents, 3);
  equal(after.history.days.at(-1)?.documents, 3);
  equal(after.history.days.at(-1)?.storedBytes, after.totals.storedBytes);
  ok(after.totals.storedBytes > 0);

  const schedule = await client.request('POST /schedules', { body: { ...ids, name: 'Nightly', cron: '0 3 * * *' } });
  equal(schedule.lastOutcome, null);
  const safe = await client.request('GET /overview');
  equal(safe.projects[0]?.protection, 'protected');
  deepEqual(safe.projects[0].nextRun, { at: schedule.nextRunAt, scheduleId: schedule.id });
  deepEqual(safe.attention, []);
});

/** Calls repeated with the same Idempotency-Key act once. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { exports as exportRows } from '../../../shared/contract/endpoints/exports.ts';
import { invitations, invites } from '../../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { responseKey } from '../../../shared/http/idempotency.ts';
import { newId } from '../../../shared/platform/index.ts';
import { newBucket, newDestination, newProject, takeBackup } from '../../harness/stage/backup.ts';
import { startOutage } from '../../harness/stage/bucket.ts';
import { call, type RowOptions } from '../../harness/stage/client.ts';
import { endOfExport, startExport } from '../../harness/stage/export.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { restore } from '../../harness/stage/restore.ts';
import { getItem, itemsOf, putItem, removeItem } from '../../harness/stage/table.ts';

interface Case {
  readonly endpoint: Endpoint;
  /** A call with an effect, in its own environment, and a counter of that effect. */
  readonly prepare: () => Promise<{ options: RowOptions; otherBody?: object; effects: () => Promise<number> }>;
}

const within = (organization: TestOrganization) => ({ token: organization.owner.accessToken, org: organization.id });
const entries = async (organization: TestOrganization, action: string) =>
  (await itemsOf(`AUDIT#${organization.id}`)).filter((item) => item.action === action).length;

/** Created on first use. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const common = once(() => newOrganization());
/** Separate, because its webhooks receive all events. */
const hookOwner = once(() => newOrganization());
/** Separate, because an organization has at most 20 alerts. */
const alertOwner = once(() => newOrganization());

/** An organization that sequential cases share, and a counter of changes from now on. */
const shared = async (action: string, given = common) => {
  const organization = await given();
  const before = await entries(organization, action);
  return { organization, effects: async () => (await entries(organization, action)) - before };
};

const cases: readonly Case[] = [
  {
    endpoint: organizations.create,
    prepare: async () => {
      const { accessToken, userId } = await signIn();
      const effects = async () => (await itemsOf(`USER#${userId}`)).filter(({ sk }) => sk.startsWith('ORG#')).length;
      return { options: { token: accessToken, body: { name: 'Once' } }, otherBody: { name: 'Twice' }, effects };
    },
  },
  {
    endpoint: organizations.remove,
    prepare: async () => {
      const organization = await newOrganization();
      const options = { ...within(organization), body: { confirmName: organization.name } };
      const otherBody = { confirmName: organization.name, deleteBackupData: true };
      return { options, otherBody, effects: () => entries(organization, 'organization.deleted') };
    },
  },
  {
    endpoint: organizations.recover,
    prepare: async () => {
      const organization = await newOrganization();
      await call(organizations.remove, { ...within(organization), body: { confirmName: organization.name } });
      const options = { token: organization.owner.accessToken, params: { id: organization.id } };
      return { options, effects: () => entries(organization, 'organization.recovered') };
    },
  },
  {
    endpoint: invites.create,
    prepare: async () => {
      const { organization, effects } = await shared('invitation.created');
      const options = { ...within(organization), body: { email: newEmail(), role: 'viewer' } };
      return { options, otherBody: { email: newEmail() }, effects };
    },
  },
  {
    endpoint: invites.resend,
    prepare: async () => {
      const { organization, effects } = await shared('invitation.resent');
      const made = await call(invites.create, { ...within(organization), body: { email: newEmail() } });
      const options = { ...within(organization), params: { inviteId: made.body.data.id } };
      return { options, effects };
    },
  },
  {
    endpoint: invitations.accept,
    prepare: async () => {
      const [{ organization, effects }, joining] = [await shared('invitation.accepted'), await signIn()];
      const made = await call(invites.create, { ...within(organization), body: { email: joining.email } });
      const token = made.body.data.acceptUrl.split('/').at(-1)!;
      return {
        options: { token: joining.accessToken, params: { token } },
        effects,
      };
    },
  },
  {
    endpoint: serviceAccount.create,
    prepare: async () => {
      const organization = await newOrganization();
      const options = { ...within(organization), body: { name: 'Once' } };
      return { options, otherBody: { name: 'Twice' }, effects: () => entries(organization, 'service_account.created') };
    },
  },
  {
    endpoint: serviceAccount.rotateKey,
    prepare: async () => {
      const organization = await newOrganization();
      await call(serviceAccount.create, { ...within(organization), body: { name: 'Once' } });
      const effects = () => entries(organization, 'service_account.key_rotated');
      return { options: within(organization), otherBody: { overlapHours: 1 }, effects };
    },
  },
  {
    endpoint: apiKeys.create,
    prepare: async () => {
      const { organization, effects } = await shared('api_key.created');
      const body = { name: 'Once', role: 'viewer', permissions: ['backups:read'] };
      return { options: { ...within(organization), body }, otherBody: { ...body, name: 'Twice' }, effects };
    },
  },
  {
    endpoint: apiKeys.rotate,
    prepare: async () => {
      const { organization, effects } = await shared('api_key.rotated');
      const body = { name: 'Rotated', role: 'viewer', permissions: ['backups:read'] };
      const { id } = (await call(apiKeys.create, { ...within(organization), body })).body.data;
      const options = { ...within(organization), params: { apiKeyId: id } };
      return { options, otherBody: { overlapHours: 1 }, effects };
    },
  },
  {
    endpoint: encryption.rotate,
    prepare: async () => {
      const { organization, effects } = await shared('encryption.rotated');
      return { options: within(organization), effects };
    },
  },
  {
    endpoint: projects.create,
    prepare: async () => {
      const { organization, effects } = await shared('project.created');
      const body = { name: 'Once', sourceProjectId: `source-${randomUUID().slice(0, 8)}` };
      const otherBody = { ...body, name: 'Twice' };
      return { options: { ...within(organization), body }, otherBody, effects };
    },
  },
  {
    endpoint: storageDestinations.create,
    prepare: async () => {
      const { organization, effects } = await shared('storage.created');
      const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'not-so-secret' };
      const body = { name: 'Once', type: 's3', bucket: await newBucket(), credentials };
      const otherBody = { ...body, name: 'Twice' };
      return { options: { ...within(organization), body }, otherBody, effects };
    },
  },
  {
    endpoint: backups.create,
    prepare: async () => {
      const { organization, effects } = await shared('backup.created');
      const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
      const body = { projectId: project.id, storageDestinationId: destination.id };
      const options = { ...within(organization), body };
      return { options, otherBody: { ...body, retention: 1 }, effects };
    },
  },
  {
    endpoint: backupContents.register,
    prepare: async () => {
      const { organization, effects } = await shared('backup.imported');
      const { id, projectId, storageDestination, path } = await takeBackup(organization);
      // Deletes its record, as after a loss of the table.
      await removeItem({ pk: `ORG#${organization.id}`, sk: `BACKUP#${id}` });
      const body = { projectId, storageDestinationId: storageDestination.id, path };
      const otherBody = { ...body, metadata: { source: 'elsewhere' } };
      return { options: { ...within(organization), body }, otherBody, effects };
    },
  },
  {
    endpoint: backups.verify,
    prepare: async () => {
      const { organization, effects } = await shared('backup.verified');
      const { id } = await takeBackup(organization);
      const options = { ...within(organization), params: { backupId: id } };
      return { options, otherBody: { depth: 'full' }, effects };
    },
  },
  {
    endpoint: restores.create,
    prepare: async () => {
      const { organization, backupId } = await restored();
      const { id: targetProjectId } = await newProject(organization);
      const body = { backupId, targetProjectId };
      const options = { ...within(organization), body };
      const otherBody = { ...body, options: { mergeMode: 'merge' } };
      return { options, otherBody, effects: () => restoresOf(organization, targetProjectId) };
    },
  },
  {
    endpoint: exportRows.create,
    prepare: async () => {
      const { organization, backupId } = await restored();
      const body = { backupId, format: 'ndjson' as const };
      const options = { ...within(organization), body };
      const before = await entries(organization, 'export.created');
      const effects = async () => (await entries(organization, 'export.created')) - before;
      return { options, otherBody: { ...body, format: 'csv' as const }, effects };
    },
  },
  {
    endpoint: exportRows.resume,
    prepare: async () => {
      const { organization, backupId } = await restored();
      const { id: storageDestinationId, bucket } = await newDestination(organization);
      const allow = await startOutage(bucket, 'denied');
      const { id } = await startExport(organization, { backupId, storageDestinationId, format: 'ndjson' });
      equal((await endOfExport(organization, id)).status, 'failed');
      await allow();
      const before = await entries(organization, 'export.resumed');
      const effects = async () => (await entries(organization, 'export.resumed')) - before;
      return { options: { ...within(organization), params: { exportId: id } }, effects };
    },
  },
  {
    endpoint: restores.resume,
    prepare: () => another({ status: 'failed', phase: 'Validating', sealedAt: undefined, safetyBackupId: undefined, plan: null }),
  },
  { endpoint: restores.undo, prepare: () => another({}) },
  {
    endpoint: pitr.enable,
    prepare: async () => {
      const { by, body, doneTo } = await schedulable();
      const { projectId, storageDestinationId } = body;
      const options = { ...by, params: { projectId }, body: { storageDestinationId } };
      const otherBody = { storageDestinationId, retentionDays: 9 };
      return { options, otherBody, effects: () => doneTo('pitr.enabled') };
    },
  },
  {
    endpoint: schedules.create,
    prepare: async () => {
      const { by, body, done } = await schedulable();
      return { options: { ...by, body }, otherBody: { ...body, name: 'Twice' }, effects: () => done('schedule.created') };
    },
  },
  {
    endpoint: schedules.trigger,
    prepare: async () => {
      const { by, body, done } = await schedulable();
      const scheduleId = (await call(schedules.create, { ...by, body })).body.data.id;
      return { options: { ...by, params: { scheduleId } }, effects: () => done('schedule.triggered') };
    },
  },
  {
    endpoint: restoreTests.create,
    prepare: async () => {
      const { by, body: made, done } = await schedulable();
      const { storageDestinationId: _, ...body } = made;
      return { options: { ...by, body }, otherBody: { ...body, name: 'Twice' }, effects: () => done('restore_test.created') };
    },
  },
  {
    endpoint: restoreTests.run,
    prepare: async () => {
      const { by, body: made, done } = await schedulable();
      const { storageDestinationId: _, ...body } = made;
      const restoreTestId = (await call(restoreTests.create, { ...by, body })).body.data.id;
      return { options: { ...by, params: { restoreTestId } }, effects: () => done('restore_test.triggered') };
    },
  },
  {
    endpoint: webhooks.create,
    prepare: async () => {
      const { organization, effects } = await shared('webhook.created', hookOwner);
      const options = { ...within(organization), body: hook };
      return { options, otherBody: { ...hook, name: 'Twice' }, effects };
    },
  },
  {
    endpoint: webhooks.rotateSecret,
    prepare: async () => {
      const { options, done } = await hooked();
      return { options, otherBody: { overlapHours: 1 }, effects: () => done('webhook.secret_rotated') };
    },
  },
  {
    endpoint: webhooks.retry,
    prepare: async () => {
      const { options, done } = await hooked();
      const { deliveryId } = (await call(webhooks.test, options)).body.data;
      const params = { ...options.params, deliveryId };
      return { options: { ...options, params }, effects: () => done('webhook.delivery_retried') };
    },
  },
  {
    endpoint: webhooks.replay,
    prepare: async () => {
      const { options, done } = await hooked();
      const body = { from: '2026-01-01', to: '2026-01-02' };
      const otherBody = { ...body, status: 'all' };
      return { options: { ...options, body }, otherBody, effects: () => done('webhook.replayed') };
    },
  },
  {
    endpoint: erasures.create,
    prepare: async () => {
      const { organization, effects } = await shared('erasure.created', alertOwner);
      const { id: projectId } = await newProject(organization);
      const body = { paths: ['users/ada'], reason: 'Once' };
      return {
        options: { ...within(organization), params: { projectId }, body },
        otherBody: { ...body, reason: 'Twice' },
        effects,
      };
    },
  },
  {
    endpoint: alerts.create,
    prepare: async () => {
      const { organization, effects } = await shared('alert.created', alertOwner);
      const body = { name: 'Once', channel: 'email' };
      return { options: { ...within(organization), body }, otherBody: { ...body, name: 'Twice' }, effects };
    },
  },
  {
    endpoint: alerts.retry,
    prepare: async () => {
      const { organization, effects } = await shared('alert.delivery_retried', alertOwner);
      const body = { name: 'Retried', channel: 'email' };
      const created = await call(alerts.create, { ...within(organization), body });
      const params = { alertId: created.body.data.id };
      const { deliveryId } = (await call(alerts.test, { ...within(organization), params })).body.data;
      return { options: { ...within(organization), params: { ...params, deliveryId } }, effects };
    },
  },
];

/** A new project in a shared organization, and a counter of changes of its schedules. */
const schedulable = async () => {
  const { organization, storage } = await scheduler();
  const { id: projectId } = await newProject(organization);
  const done = async (wanted: string) =>
    (await itemsOf(`AUDIT#${organization.id}`)).filter(
      ({ action, details }) => action === wanted && (details as { projectId?: string }).projectId === projectId,
    ).length;
  const doneTo = async (wanted: string) =>
    (await itemsOf(`AUDIT#${organization.id}`)).filter(
      ({ action, resource }) => action === wanted && (resource as { id: string }).id === projectId,
    ).length;
  const body = { projectId, name: 'Once', cron: '0 3 1 1 *', storageDestinationId: storage.id };
  return { by: within(organization), body, done, doneTo };
};

const scheduler = once(async () => {
  const organization = await newOrganization();
  return { organization, storage: await newDestination(organization) };
});

/** An address without a server. */
const hook = { name: 'Once', url: 'https://localhost:9/', events: ['*'] };

/** A webhook of a shared organization, and a counter of its changes. */
const hooked = async () => {
  const organization = await hookOwner();
  const { body } = await call(webhooks.create, { ...within(organization), body: hook });
  const webhookId = body.data.id;
  const done = async (wanted: string) =>
    (await itemsOf(`AUDIT#${organization.id}`)).filter(
      ({ action, resource }) => action === wanted && (resource as { id: string }).id === webhookId,
    ).length;
  return { options: { ...within(organization), params: { webhookId } }, done };
};

/** An organization with a completed restore, created once; cases that need a restore in another state copy its record. */
const restored = once(async () => {
  const organization = await newOrganization();
  const { id: backupId } = await takeBackup(organization);
  const { id: targetProjectId } = await newProject(organization);
  const { restoreJobId } = await restore(organization, { backupId, targetProjectId });
  return { organization, backupId, restoreJobId };
});

const restoresOf = async (organization: TestOrganization, targetProjectId: string) =>
  (await itemsOf(`AUDIT#${organization.id}`)).filter(
    ({ action, details }) =>
      /^restore\.(created|resumed|undone)$/.test(String(action)) &&
      (details as { targetProjectId?: string }).targetProjectId === targetProjectId,
  ).length;

/** A copy of the completed restore with its own target. */
const another = async (changes: Readonly<Record<string, unknown>>) => {
  const { organization, restoreJobId } = await restored();
  const { id: targetProjectId } = await newProject(organization);
  const item = await getItem({ pk: `ORG#${organization.id}`, sk: `RESTORE#${restoreJobId}` });
  const id = newId('restore');
  const wanted = Object.entries({ ...item, targetProjectId, id, sk: `RESTORE#${id}`, ...changes });
  await putItem(Object.fromEntries(wanted.filter(([, value]) => value !== undefined)) as typeof item & object);
  const options = { ...within(organization), params: { restoreJobId: id } };
  return { options, effects: () => restoresOf(organization, targetProjectId) };
};

test('idempotency: every endpoint that accepts a key is tested', () =>
  deepEqual(
    cases.map(({ endpoint }) => endpoint.id as string).sort(),
    endpoints
      .filter(({ idempotent }) => idempotent)
      .map(({ id }) => id)
      .sort(),
  ));

for (const { endpoint, prepare } of cases)
  describe(endpoint.id, () => {
    const keyed = (options: RowOptions, key: string) => ({ ...options, headers: { 'idempotency-key': key } });

    const begun = once(async () => {
      const [prepared, key] = [await prepare(), randomUUID()];
      return { ...prepared, key, first: await call(endpoint, keyed(prepared.options, key)) };
    });
    /** For calls without effect: they leave it unchanged. */
    const unused = once(prepare);

    test('a second call gets the first response, byte for byte', async () => {
      const { options, effects, key, first } = await begun();
      ok(first.status < 300, first.text);
      const second = await call(endpoint, keyed(options, key));
      equal(second.text, first.text);
      equal(second.status, first.status);
      deepEqual([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')], [null, 'true']);
      notEqual(second.headers.get('x-request-id'), first.headers.get('x-request-id'));
      equal(await effects(), 1);
    });

    test('another body with the same key is refused and does nothing', async () => {
      const { options, otherBody, effects, key } = await begun();
      const { status, body } = await call(endpoint, keyed({ ...options, body: otherBody ?? { x: 1 } }, key));
      // An endpoint without fields has no other valid body.
      deepEqual([status, body.error.code], otherBody ? [422, 'IDEMPOTENCY_KEY_REUSED'] : [400, 'VALIDATION_ERROR']);
      equal(await effects(), 1);
    });

    test('concurrent calls act as one', async () => {
      const [{ options, effects }, key] = [await prepare(), randomUUID()];
      const answers = await Promise.all(Array.from({ length: 6 }, () => call(endpoint, keyed(options, key))));
      const good = answers.filter(({ status }) => status < 300);
      ok(good.length >= 1);
      equal(new Set(good.map(({ text }) => text)).size, 1);
      for (const { status, body } of answers) if (status >= 300) deepEqual([status, body.error.code], [409, 'CONFLICT']);
      equal(await effects(), 1);
      equal((await call(endpoint, keyed(options, key))).text, good[0]!.text);
    });

    for (const key of ['x'.repeat(256), 'tab\there'])
      test(`idempotency: the key ${JSON.stringify(key.slice(0, 10))}… is refused`, async () => {
        const { options, effects } = await unused();
        const { status, body } = await call(endpoint, keyed(options, key));
        equal(status, 400);
        equal(body.error.details.field, 'Idempotency-Key');
        equal(await effects(), 0);
      });

    test('a refused call stores nothing: its key can be used for the corrected call', async () => {
      const { options, effects } = await unused();
      const key = randomUUID();
      equal((await call(endpoint, keyed({ ...options, body: { nonsense: 1 } }, key))).status, 400);
      equal(await effects(), 0);
      const { status, headers } = await call(endpoint, keyed(options, key));
      ok(status < 300);
      equal(headers.get('idempotent-replayed'), null);
      equal(await effects(), 1);
    });
  });

test('idempotency: the same key of another caller is another call', async () => {
  const [one, other] = await Promise.all([signIn(), signIn()]);
  const make = (token: string) =>
    call(organizations.create, { token, body: { name: 'Mine' }, headers: { 'idempotency-key': 'shared' } });
  const [first, second] = [await make(one.accessToken), await make(other.accessToken)];
  deepEqual([first.status, second.status], [201, 201]);
  notEqual(first.body.data.id, second.body.data.id);
  equal(second.headers.get('idempotent-replayed'), null);
});

test('idempotency: a key applies to one organization and one endpoint', async () => {
  const owner = await signIn();
  const [one, other] = [await newOrganization(owner), await newOrganization(owner)];
  const email = newEmail();
  const headers = { 'idempotency-key': 'shared' };
  const first = await call(invites.create, { ...within(one), body: { email }, headers });
  const second = await call(invites.create, { ...within(other), body: { email }, headers });
  deepEqual([first.status, second.status], [201, 201]);
  const account = await call(serviceAccount.create, { ...within(one), body: { name: 'x' }, headers });
  equal(account.status, 201);
});

// A stored response expires after a day; the TTL only deletes the item.
test('idempotency: a key expires after a day, even if its response is still in the table', async () => {
  const { accessToken, userId } = await signIn();
  const key = randomUUID();
  const options = { token: accessToken, body: { name: 'Daily' }, headers: { 'idempotency-key': key } };
  const first = await call(organizations.create, options);
  const kept = await getItem(
    responseKey(key, { actor: userId, organization: undefined, route: `POST ${organizations.create.path}` })!,
  );
  await putItem({ ...kept!, ttl: Math.floor(Date.now() / 1_000) - 1 });
  const second = await call(organizations.create, options);
  equal(second.status, 201);
  notEqual(second.body.data.id, first.body.data.id);
  equal((await call(organizations.create, options)).text, second.text);
});

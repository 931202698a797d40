/** Malformed ids answer like ids that do not exist; test/attack does the same with ids of others. */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { alerts } from '../../shared/contract/endpoints/alerts.ts';
import { invites } from '../../shared/contract/endpoints/invitations.ts';
import { members } from '../../shared/contract/endpoints/members.ts';
import { organizations } from '../../shared/contract/endpoints/organizations.ts';
import { restoreTests } from '../../shared/contract/endpoints/protection/restore-tests.ts';
import { schedules } from '../../shared/contract/endpoints/schedules.ts';
import { webhooks } from '../../shared/contract/endpoints/webhooks.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { newId } from '../../shared/platform/index.ts';
import { startInProcessApi } from '../harness/aws/in-process-api.ts';
import { findResponseFlaw, parameterKinds, randomParams } from '../harness/law/endpoint-samples.ts';
import { takeBackup } from '../harness/stage/backup.ts';
import { call, type Result } from '../harness/stage/client.ts';
import { exportAll } from '../harness/stage/export.ts';
import { addMember, newOrganization, type TestOrganization } from '../harness/stage/organization.ts';
import { newEmail, type Person, signIn } from '../harness/stage/person.ts';
import { restore } from '../harness/stage/restore.ts';
import { endOfTestRun } from '../harness/stage/restore-test.ts';
import { getItem, itemsOf } from '../harness/stage/table.ts';

/** Unknown ids are also tested in this process, with the same handlers and many more values. */
const here = await startInProcessApi();
let ours: TestOrganization;
let theirs: TestOrganization;
let theirMember: Person;
/** Ids of the other organization by path parameter. */
let foreignIds: Readonly<Record<string, string>>;
let untouched: readonly unknown[];
const contents = async () => (await Promise.all(['ORG', 'AUDIT'].map((name) => itemsOf(`${name}#${theirs.id}`)))).flat();

beforeAll(async () => {
  [ours, theirs] = await Promise.all([newOrganization(), newOrganization()]);
  theirMember = await addMember(theirs, 'member');
  const by = { token: theirs.owner.accessToken, org: theirs.id };
  const { body } = await call(invites.create, { ...by, body: { email: newEmail() } });
  const backup = await takeBackup(theirs);
  const { restoreJobId } = await restore(theirs, { backupId: backup.id });
  const exported = await exportAll(theirs, { backupId: backup.id, format: 'csv' });
  const hook = await call(webhooks.create, { ...by, body: { name: 'Theirs', url: 'https://localhost:9/', events: ['pitr.*'] } });
  const alert = await call(alerts.create, { ...by, body: { name: 'Theirs', channel: 'email' } });
  const ids = { projectId: backup.projectId, storageId: backup.storageDestination.id, backupId: backup.id };
  const { projectId, storageId: storageDestinationId } = ids;
  const plan = { projectId, storageDestinationId, name: 'Theirs', cron: '@yearly', enabled: false };
  const scheduleId = (await call(schedules.create, { ...by, body: plan })).body.data.id;
  const test = { projectId, name: 'Theirs', cron: '@yearly', enabled: false };
  const restoreTestId = (await call(restoreTests.create, { ...by, body: test })).body.data.id;
  const { runId } = (await call(restoreTests.run, { ...by, params: { restoreTestId } })).body.data;
  await endOfTestRun(theirs, runId);
  // Waits for its asynchronous effects.
  const key = { pk: `ORG#${theirs.id}`, sk: `SCHEDULE#${scheduleId}` };
  while ((await getItem(key))?.enteredRevision !== 1) await pause(100);
  foreignIds = {
    userId: theirMember.userId,
    inviteId: body.data.id,
    id: theirs.id,
    ...ids,
    restoreJobId,
    exportId: exported.id,
    webhookId: hook.body.data.id,
    alertId: alert.body.data.id,
    scheduleId,
    restoreTestId,
    runId,
  };
  untouched = await contents();
});
afterAll(async () => {
  here.stop();
  deepEqual(await contents(), untouched, 'a call from outside changed something');
});

const kinds = parameterKinds;
const garbage = ['x', '0', 'null', '{id}', '%00', 'a b', '..%2f..', '=1+1', "' OR 1=1", 'ümlaut', 'a'.repeat(300), '*', '#'];
const bodies: Readonly<Record<string, object>> = {
  'members.update': { role: 'viewer' },
  'projects.update': { name: 'Mine now' },
  'erasures.preview': { paths: ['users/ada'] },
  'erasures.create': { paths: ['users/ada'], reason: 'Theirs' },
  'pitr.update': { retentionDays: 1 },
  'storageDestinations.update': { name: 'Mine now' },
  'schedules.update': { name: 'Mine now' },
  'restoreTests.update': { name: 'Mine now' },
  'restoreTests.replace': { name: 'Mine now', cron: '@yearly' },
  'restoreTests.answerCheck': { result: 'pass' },
  'apiKeys.update': { name: 'Mine now' },
  'webhooks.replace': { name: 'Mine now' },
  'webhooks.update': { name: 'Mine now' },
  'webhooks.toggle': { enabled: false },
  'alerts.update': { name: 'Mine now' },
  'incidents.update': { mutedUntil: null },
  'webhooks.replay': { from: '2026-01-01', to: '2026-01-02' },
};
const queries: Readonly<Record<string, Record<string, string>>> = {
  'backupContents.configurationDiff': { against: 'live' },
  'backupContents.diff': { against: 'live' },
  'exports.content': { file: 'part-00001.ndjson' },
};

/** A response without its request id. */
const stable = ({ status, text }: Result<unknown>): string => `${status} ${text.replace(/"requestId":"[^"]*"/, '')}`;

/** Other ids and malformed ones. */
const strange = [
  ...(['user', 'organization', 'invitation', 'serviceAccount', 'session', 'audit'] as const).map(
    (other) => [`the id of a ${other}`, () => newId(other)] as const,
  ),
  ...garbage.map((text) => [text.slice(0, 30), () => text] as const),
];

const named = endpoints.filter((endpoint) => [...endpoint.path.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => name in kinds));
/** The gateway treats paths of all endpoints alike: each parameter is tried there once, every endpoint through its handler. */
const tried = new Set<string>();
for (const endpoint of named) {
  const name = /\{(\w+)\}/.exec(endpoint.path)![1] as keyof typeof kinds;
  const isFirst = !tried.has(name);
  tried.add(name);
  const paramsOf = (id: string) => ({ ...randomParams(endpoint), [name]: id });
  const [body, query] = [bodies[endpoint.id], queries[endpoint.id]];
  const ask = (id: string) =>
    call(endpoint, {
      ...{ token: ours.owner.accessToken, org: ours.id, params: paramsOf(id) },
      ...(body && { body }),
      ...(query && { query }),
    });
  const askHere = (id: string) =>
    here.send(endpoint, {
      method: endpoint.method,
      path: endpoint.path,
      params: paramsOf(id),
      query: String(new URLSearchParams(query)),
      headers: {
        authorization: `Bearer ${here.token}`,
        'x-organization-id': here.organizationIds[0]!,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  describe(endpoint.id, () => {
    let absent = '';
    beforeAll(async () => {
      const result = await askHere(newId(kinds[name]));
      equal(result.status, 404, result.text);
      equal(findResponseFlaw(endpoint, result), undefined);
      absent = stable(result);
      if (isFirst) equal(stable(await ask(newId(kinds[name]))), absent);
    });

    for (const [what, make] of strange)
      test(`${what} answers like a random one`, async () => {
        equal(stable(await askHere(make())), absent);
        if (isFirst) equal(stable(await ask(make())), absent);
      });
  });
}

test('tenant: every path with an id was tested', () => {
  const parameterised = endpoints.filter(({ path }) => path.includes('{')).map(({ id }) => id);
  // Outside of organizations; test/journey/account/sessions.test.ts ends no session of another person.
  const others = ['sessions.revoke', 'invitations.view', 'invitations.accept', 'invitations.decline'];
  deepEqual(
    parameterised.filter((id) => !others.includes(id)),
    named.map(({ id }) => id),
  );
});

for (const endpoint of endpoints.filter(({ path }) => path.includes('{token}')))
  test(`${endpoint.id}: a modified link answers like an unknown one`, async () => {
    const by = { token: theirs.owner.accessToken, org: theirs.id };
    const list = await call(invites.list, by);
    const resent = await call(invites.resend, { ...by, params: { inviteId: list.body.data[0]!.id } });
    const token = resent.body.data.acceptUrl.split('/').at(-1)!;
    untouched = await contents();
    const ask = (text: string) => call(endpoint, { token: ours.owner.accessToken, params: { token: text } });
    const absent = stable(await ask('x'));
    equal(absent.slice(0, 3), '404');
    for (const changed of [
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      ...garbage,
    ])
      if (changed !== token) equal(stable(await ask(changed)), absent, changed);
  });

for (const endpoint of endpoints.filter(({ list, access }) => list && typeof access === 'object'))
  test(`${endpoint.id}: a cursor of another organization is rejected`, async () => {
    const cursor = await foreignCursor(endpoint);
    if (cursor) {
      const own = { token: theirs.owner.accessToken, org: theirs.id, params: foreignIds };
      const theirOwn = await call(endpoint, { ...own, query: { cursor } });
      equal(theirOwn.status, 200);
    }
    // Reading one's own backup writes an audit entry.
    untouched = await contents();
    // Path ids are those of the other organization: the cursor is checked first.
    const by = { token: ours.owner.accessToken, org: ours.id, params: foreignIds };
    const result = await call(endpoint, { ...by, query: { cursor: cursor ?? 'x' } });
    equal(result.status, 400);
    equal(result.body.error.details.field, 'cursor');
  });

const foreignCursor = async (endpoint: Endpoint): Promise<string | undefined> => {
  const own = { token: theirs.owner.accessToken, org: theirs.id, params: foreignIds };
  const { body } = await call(endpoint, { ...own, query: { limit: '1' } });
  return body.pagination.nextCursor ?? undefined;
};

// The token still lists the organization; membership is read at every call.
test('tenant: a removed member is refused at the next call, whatever the token says', async () => {
  const person = await signIn();
  const organization = await newOrganization();
  await addMember(organization, 'admin', person);
  const fresh = await signIn(person.email);
  const as = { token: fresh.accessToken, org: organization.id };
  equal((await call(organizations.current, as)).status, 200);
  await call(members.remove, { token: organization.owner.accessToken, org: organization.id, params: { userId: person.userId } });
  const { status, body } = await call(organizations.current, as);
  equal(status, 403);
  equal(body.error.code, 'FORBIDDEN');
});

// One warm function serves both alternately.
test('tenant: a function that alternates between two organizations mixes nothing up', async () => {
  const seen = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const { id, owner } = n % 2 ? ours : theirs;
      const { body } = await call(organizations.current, { token: owner.accessToken, org: id });
      return body.data.id === id;
    }),
  );
  equal(seen.every(Boolean), true);
  notEqual(ours.id, theirs.id);
});

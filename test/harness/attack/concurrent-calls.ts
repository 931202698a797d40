/** A permitted caller succeeds. Of two identical concurrent calls each succeeds or is refused, and one-time effects happen once. */
import { equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { isPersonal } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { findResponseFlaw, randomParams } from '../law/endpoint-samples.ts';
import { consoleHeaders } from '../stage/browser.ts';
import { call } from '../stage/client.ts';
import { signIn } from '../stage/person.ts';
import { itemsOf } from '../stage/table.ts';
import type { FullOrganization } from './full-organization.ts';
import { everyScope, type TwoOrganizations } from './two-organizations.ts';
import { callOf } from './valid-calls.ts';

export const attackConcurrently = (endpoint: Endpoint, organizations: () => TwoOrganizations): void => {
  const { access, method } = endpoint;
  if (isPersonal(access))
    test('a signed-in user is accepted', async () => {
      const { ours, attack } = organizations();
      const caller = access === 'user' ? { token: (await signIn()).accessToken } : { headers: await consoleHeaders() };
      const by = { params: randomParams(endpoint), ...caller };
      const { status, text } = await attack(endpoint, { ...callOf(endpoint, ours), ...by });
      ok(status < 500 && ![401, 403].includes(status), text);
    });
  if (typeof access !== 'object') return;
  const isRead = method === 'GET';

  /** Called by a user with the lowest sufficient role, and by a key with only the required scope. */
  const ask = async () => {
    const { ours, attack, setScopes } = organizations();
    if (!isRead) await prepare(endpoint, ours);
    const whole = callOf(endpoint, ours);
    const person = ours.people[access.role].accessToken;
    if (access.scope !== 'people-only') await setScopes(ours, [access.scope]);
    const tokens = [person, access.scope === 'people-only' ? person : ours.apiKey];
    const asked = tokens.map((token) => () => attack(endpoint, { ...whole, token, org: ours.id }));
    // Concurrent calls would start a second instance; reads cannot conflict.
    const results = isRead ? await inOrder(asked) : await Promise.all(asked.map((one) => one()));
    await setScopes(ours, everyScope);
    for (const result of results) {
      equal(findResponseFlaw(endpoint, result), undefined);
      const isLegitimate = result.status === 403 && refusable.has(endpoint.id);
      ok(isLegitimate || (result.status < 500 && ![401, 403].includes(result.status)), result.text);
    }
    return results;
  };

  if (isRead)
    test('a caller with the required role or scope can read', async () => {
      for (const { status, text } of await ask()) equal(status, 200, text);
    });
  else
    test(`of two concurrent calls ${timesOf(endpoint).words}; a refused one leaves no audit entry`, async () => {
      const results = await ask();
      const done = results.filter(({ status }) => status < 300);
      ok(timesOf(endpoint).allowed.includes(done.length), results.map(({ text }) => text).join());
      const entries = await itemsOf(`AUDIT#${organizations().ours.id}`);
      const notes = ({ headers }: (typeof results)[number]): number =>
        entries.filter(({ context }) => (context as { requestId: string }).requestId === headers.get('x-request-id')).length;
      for (const result of results) ok(notes(result) <= (result.status < 300 ? 1 : 0));
      // A call that changes nothing is not audited: the webhook is already enabled.
      if (done.length > 0 && endpoint.id !== 'webhooks.toggle') ok(done.some((result) => notes(result) === 1));
    });
};

const inOrder = async <T>(work: readonly (() => Promise<T>)[]): Promise<T[]> => {
  const done: T[] = [];
  for (const one of work) done.push(await one());
  return done;
};

/** A second leave is that of a stranger. An API key connects only what the other caller has connected before. */
const refusable: ReadonlySet<string> = new Set(['organizations.leave', 'projects.create']);

interface Times {
  readonly words: string;
  /** How many of the two may succeed. */
  readonly allowed: readonly number[];
}
/** An update whose reads are stale is decided again, so both succeed. */
const both: Times = { words: 'both succeed', allowed: [2] };
/** Creates or removes something that exists once. */
const once: Times = { words: 'one succeeds', allowed: [1] };
/** Starts a job; the first may have ended before the second call. */
const serial: Times = { words: 'one succeeds, or both in sequence', allowed: [1, 2] };
/** The resource is in the wrong state. */
const never: Times = { words: 'none succeeds', allowed: [0] };

const timesOf = ({ id }: Endpoint): Times => times[id] ?? both;

const times: Readonly<Record<string, Times>> = {
  'organizations.leave': once,
  'organizations.remove': once,
  'members.remove': once,
  'invites.create': once,
  'invites.cancel': once,
  'serviceAccount.create': once,
  'serviceAccount.remove': once,
  'apiKeys.remove': once,
  'projects.create': serial,
  'projects.remove': once,
  'pitr.enable': once,
  'pitr.disable': once,
  'storageDestinations.remove': never,
  'backups.create': serial,
  'backups.cancel': never,
  'backups.verify': serial,
  'backups.acknowledge': never,
  'backups.remove': once,
  'restores.create': serial,
  'restores.cancel': never,
  'restores.resume': never,
  'restores.undo': serial,
  // Exports only read: any number may run at once. The export that the attack knows has ended.
  'exports.cancel': never,
  'exports.resume': never,
  'schedules.trigger': serial,
  'schedules.remove': once,
  'restoreTests.run': serial,
  'restoreTests.remove': once,
  // The run that the attack knows has ended.
  'restoreTests.cancelRun': never,
  'restoreTests.answerCheck': never,
  'webhooks.retry': serial,
  'webhooks.replay': serial,
  'webhooks.remove': once,
  // The delivery that the attack knows is one of a webhook.
  'alerts.retry': never,
  'alerts.remove': once,
};

/** Waits for jobs of earlier endpoints, because a project runs one at a time. Restores the name that a removal must repeat. */
const prepare = async ({ id }: Endpoint, { id: org, name, owner }: FullOrganization): Promise<void> => {
  while ((await itemsOf(`ORG#${org}`)).some(({ sk }) => sk.startsWith('JOB#'))) await pause(300);
  if (id === 'organizations.remove') await call(organizations.update, { token: owner.accessToken, org, body: { name } });
};

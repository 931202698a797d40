/** Who may call a row is let in; of two who do the same at the same moment each is done or refused, and once is once. */
import { equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { findResponseFlaw, randomParams } from '../law/endpoint-samples.ts';
import { call } from '../stage/client.ts';
import { signIn } from '../stage/person.ts';
import { itemsOf } from '../stage/table.ts';
import type { Furnished } from './full-organization.ts';
import { everyScope, type TwoOrganizations } from './two-organizations.ts';
import { callOf } from './valid-calls.ts';

export const attackWithTwins = (endpoint: Endpoint, scene: () => TwoOrganizations): void => {
  const { access, method } = endpoint;
  if (access === 'user')
    test('a signed-in person is let in', async () => {
      const { ours, attack } = scene();
      const by = { params: randomParams(endpoint), token: (await signIn()).accessToken };
      const { status, text } = await attack(endpoint, { ...callOf(endpoint, ours), ...by });
      ok(status < 500 && ![401, 403].includes(status), text);
    });
  if (typeof access !== 'object') return;
  const isRead = method === 'GET';

  /** By a person with no more than the role it takes, and by a key with no more than the scope. */
  const ask = async () => {
    const { ours, attack, setScopes } = scene();
    if (!isRead) await prepare(endpoint, ours);
    const whole = callOf(endpoint, ours);
    const person = ours.people[access.role].accessToken;
    if (access.scope !== 'people-only') await setScopes(ours, [access.scope]);
    const tokens = [person, access.scope === 'people-only' ? person : ours.apiKey];
    const asked = tokens.map((token) => () => attack(endpoint, { ...whole, token, org: ours.id }));
    // Two at once are two instances to start; readers do not meet.
    const results = isRead ? await inOrder(asked) : await Promise.all(asked.map((one) => one()));
    await setScopes(ours, everyScope);
    for (const result of results) {
      equal(findResponseFlaw(endpoint, result), undefined);
      ok(result.status < 500 && ![401, 403].includes(result.status), result.text);
    }
    return results;
  };

  if (isRead)
    test('who may read it is let in', async () => {
      for (const { status, text } of await ask()) equal(status, 200, text);
    });
  else
    test(`of two at once ${timesOf(endpoint).words}, and what is refused is noted nowhere`, async () => {
      const results = await ask();
      const done = results.filter(({ status }) => status < 300);
      ok(timesOf(endpoint).allowed.includes(done.length), results.map(({ text }) => text).join());
      const entries = await itemsOf(`AUDIT#${scene().ours.id}`);
      const notes = ({ headers }: (typeof results)[number]): number =>
        entries.filter(({ context }) => (context as { requestId: string }).requestId === headers.get('x-request-id')).length;
      for (const result of results) ok(notes(result) <= (result.status < 300 ? 1 : 0));
      // Who finds it as it was to be has changed nothing; a webhook is enabled already.
      if (done.length > 0 && endpoint.id !== 'webhooks.toggle') ok(done.some((result) => notes(result) === 1));
    });
};

const inOrder = async <T>(work: readonly (() => Promise<T>)[]): Promise<T[]> => {
  const done: T[] = [];
  for (const one of work) done.push(await one());
  return done;
};

interface Times {
  readonly words: string;
  /** How many of the two may have been done. */
  readonly allowed: readonly number[];
}
/** An update whose reads are stale is decided again, so both succeed. */
const both: Times = { words: 'both are done', allowed: [2] };
/** It makes or ends something that there is once. */
const once: Times = { words: 'one is done', allowed: [1] };
/** It begins work of which there is one at a time, and which may have ended before the second is there. */
const inTurn: Times = { words: 'one is done, or one after the other', allowed: [1, 2] };
/** There is nothing to do. */
const never: Times = { words: 'neither is done', allowed: [0] };

const timesOf = ({ id }: Endpoint): Times => times[id] ?? both;

const times: Readonly<Record<string, Times>> = {
  'organizations.remove': once,
  'members.remove': once,
  'invites.create': once,
  'invites.cancel': once,
  'serviceAccount.create': once,
  'serviceAccount.remove': once,
  'projects.remove': once,
  'pitr.enable': once,
  'pitr.disable': once,
  'storageDestinations.remove': never,
  'backups.create': inTurn,
  'backups.cancel': never,
  'backups.verify': inTurn,
  'backups.remove': once,
  'restores.create': inTurn,
  'restores.cancel': never,
  'restores.resume': never,
  'restores.undo': inTurn,
  'schedules.trigger': inTurn,
  'schedules.remove': once,
  'webhooks.retry': never,
  'webhooks.replay': inTurn,
  'webhooks.remove': once,
};

/** A project has one job at a time: what earlier rows began has ended. And the name is what it was, which whoever removes it gives. */
const prepare = async ({ id }: Endpoint, { id: org, name, owner }: Furnished): Promise<void> => {
  while ((await itemsOf(`ORG#${org}`)).some(({ sk }) => sk.startsWith('JOB#'))) await pause(300);
  if (id === 'organizations.remove') await call(organizations.update, { token: owner.accessToken, org, body: { name } });
};

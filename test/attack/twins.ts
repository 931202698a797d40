/** Who may call a row is let in; of two who do the same at the same moment each is done or refused, and once is once. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { organizations } from '../../shared/contract/organizations.ts';
import { call } from '../support/client.ts';
import { signIn } from '../support/person.ts';
import { itemsOf } from '../support/table.ts';
import { flawOf, randomParams } from '../support/world.ts';
import { callOf } from './calls.ts';
import type { Furnished } from './furnished.ts';
import { everyScope, type Scene } from './scene.ts';

export const attackWithTwins = (endpoint: Endpoint, scene: () => Scene): void => {
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
  const both = async () => {
    const { ours, attack, setScopes } = scene();
    if (!isRead) await prepare(endpoint, ours);
    const whole = callOf(endpoint, ours);
    const person = ours.people[access.role].accessToken;
    if (access.scope !== 'people-only') await setScopes(ours, [access.scope]);
    const tokens = [person, access.scope === 'people-only' ? person : ours.apiKey];
    const results = await Promise.all(tokens.map((token) => attack(endpoint, { ...whole, token, org: ours.id })));
    await setScopes(ours, everyScope);
    for (const result of results) {
      equal(flawOf(endpoint, result), undefined);
      ok(result.status < 500 && ![401, 403].includes(result.status), result.text);
    }
    return results;
  };

  if (isRead)
    test('who may read it is let in', async () => {
      for (const { status, text } of await both()) equal(status, 200, text);
    });
  else
    test(`of two at once ${words[timesOf(endpoint)]}, and what is refused is noted nowhere`, async () => {
      const results = await both();
      const done = results.filter(({ status }) => status < 300);
      equal(done.length, timesOf(endpoint), results.map(({ text }) => text).join());
      const entries = await itemsOf(`AUDIT#${scene().ours.id}`);
      const notes = ({ headers }: (typeof results)[number]): number =>
        entries.filter(({ context }) => (context as { requestId: string }).requestId === headers.get('x-request-id')).length;
      for (const result of results) ok(notes(result) <= (result.status < 300 ? 1 : 0));
      // Who finds it as it was to be has changed nothing; a webhook is enabled already.
      if (done.length > 0 && endpoint.id !== 'webhooks.toggle') ok(done.some((result) => notes(result) === 1));
    });
};

type Times = 0 | 1 | 2;
const words: Readonly<Record<Times, string>> = { 0: 'neither is done', 1: 'one is done', 2: 'both are done' };
const timesOf = ({ id }: Endpoint): Times => times[id] ?? 2;

/** How many of two can be done: one, where it makes or ends something that there is once; none, where there is nothing to do. */
const times: Readonly<Record<string, Times>> = {
  'organizations.remove': 1,
  'members.remove': 1,
  'invites.create': 1,
  'invites.cancel': 1,
  'serviceAccount.create': 1,
  'serviceAccount.remove': 1,
  'projects.remove': 1,
  'pitr.enable': 1,
  'storageDestinations.remove': 0,
  'backups.create': 1,
  'backups.cancel': 0,
  'backups.verify': 1,
  'backupContents.register': 0,
  'restores.create': 1,
  'restores.cancel': 0,
  'restores.resume': 0,
  'restores.undo': 1,
  'schedules.trigger': 1,
  'schedules.remove': 1,
  'webhooks.retry': 0,
  'webhooks.replay': 1,
  'webhooks.remove': 1,
};

/** A project has one job at a time: what earlier rows began has ended. And the name is what it was, which whoever removes it gives. */
const prepare = async ({ id }: Endpoint, { id: org, name, owner }: Furnished): Promise<void> => {
  while ((await itemsOf(`ORG#${org}`)).some(({ sk }) => sk.startsWith('JOB#'))) await pause(300);
  if (id === 'organizations.remove') await call(organizations.update, { token: owner.accessToken, org, body: { name } });
};

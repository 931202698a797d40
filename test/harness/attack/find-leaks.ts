/** After all attacks: nothing of theirs has changed, and nothing of theirs is anywhere that others can look. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { inputSchema } from '../../../shared/contract/openapi/json-schema.ts';
import { call } from '../stage/client.ts';
import { logs } from '../stage/function-log.ts';
import { mailsTo, untilMails } from '../stage/mail.ts';
import { newOrganization } from '../stage/organization.ts';
import { newEmail } from '../stage/person.ts';
import { textFieldsOf } from './id-fields.ts';
import { itemsAbout, type TwoOrganizations } from './two-organizations.ts';

export const findLeaks = (scene: () => TwoOrganizations): void => {
  const found = (text: string): readonly string[] => scene().secrets.filter((secret) => text.includes(secret));

  test('every text that an organization can give is marked', () => {
    const { sent, id } = scene().theirs;
    const [mark = ''] = scene().secrets;
    const marked = new Set(
      sent.flatMap(({ endpoint, body }) => markedIn(body, mark).map((path) => `${groupOf(endpoint.id)}.${path}`)),
    );
    const fields = endpoints.flatMap(({ id: row, body }) =>
      body ? textFieldsOf(inputSchema(body)).map((path) => `${groupOf(row)}.${path}`) : [],
    );
    deepEqual(
      [...new Set(fields)].filter((field) => !marked.has(field) && !(field in unmarked)),
      [],
      id,
    );
  });

  test('nothing of theirs has changed', async () => {
    const now = await itemsAbout(scene().theirs.id);
    const { untouched } = scene();
    const changed = [...new Set([...now.keys(), ...untouched.keys()])].filter((name) => now.get(name) !== untouched.get(name));
    deepEqual(changed, []);
  });

  test('no answer to anybody else has a word of theirs, nor an id that was not asked for', () => {
    const { theirs, exchanges } = scene();
    // What is only refused proves little.
    ok(exchanges.length > 500 && exchanges.filter(({ result }) => result.status < 300).length > 100);
    const ids = Object.values(theirs.ids).flat();
    for (const { id: row, asked, result } of exchanges) {
      const said = result.text + JSON.stringify([...result.headers]);
      deepEqual(found(said), [], `${row}: ${result.text.slice(0, 500)}`);
      const request = JSON.stringify(asked);
      deepEqual(
        ids.filter((id) => said.includes(id) && !request.includes(id)),
        [],
        row,
      );
    }
  });

  test('no webhook of another heard a word of theirs, and theirs heard nothing more', () => {
    const { theirs, ours, receiver, heardBefore } = scene();
    const [toTheirs, toOthers] = [
      receiver.requests.filter(({ path }) => found(path).length > 0),
      receiver.requests.filter(({ path }) => found(path).length === 0),
    ];
    ok(toOthers.length > 0 && heardBefore > 0);
    equal(toTheirs.length, heardBefore);
    for (const { body } of toOthers) ok(found(body.toString()).length === 0 && !body.includes(theirs.id), body.toString());
    for (const { body } of toTheirs) ok(!body.includes(ours.id));
  });

  test('nothing that the table holds about another has a word of theirs', async () => {
    const { theirs, ours } = scene();
    for (const [name, text] of await itemsAbout(ours.id)) deepEqual([found(text), text.includes(theirs.id)], [[], false], name);
  });

  test('no log line has a word of theirs, whoever called', () => {
    const lines = logs()
      .split('\n')
      .filter((line) => found(line).length > 0);
    deepEqual(lines.slice(0, 3), []);
  });

  // One message that a queue never takes would hold up all behind it, whoever's they are.
  test('whatever was asked for, what others ask for is still done', async () => {
    const [organization, email] = [await newOrganization(), newEmail()];
    const by = { token: organization.owner.accessToken, org: organization.id };
    equal((await call(invites.create, { ...by, body: { email } })).status, 201);
    equal((await untilMails(email)).length, 1);
  });

  test('no mail to another has a word of theirs', async () => {
    for (const { email } of Object.values(scene().ours.people))
      for (const mail of await mailsTo(email)) deepEqual(found(JSON.stringify(mail)), []);
  });
};

const groupOf = (row: string): string => row.split('.')[0] ?? '';

const markedIn = (value: unknown, mark: string, path: readonly string[] = []): readonly string[] => {
  if (typeof value === 'string') return value.includes(mark) ? [path.join('.')] : [];
  if (value === null || typeof value !== 'object') return [];
  // A list is its field; so are the values under names of the caller's own.
  return Object.entries(value).flatMap(([name, inner]) => {
    const isOwnName = Array.isArray(value) || path.at(-1) === 'headers';
    return markedIn(inner, mark, isOwnName ? path : [...path, name]);
  });
};

/** Texts that cannot hold a word of one's own, and why. */
const unmarked: Readonly<Record<string, string>> = {
  'auth.code': 'a secret of ours',
  'auth.refreshToken': 'a secret of ours',
  'organizations.settings.timezone': 'a name of the IANA',
  'organizations.confirmName': 'the name, which is marked',
  'projects.credentials.privateKey': 'a key, whose middle is looked for',
  'storageDestinations.region': 'a place of the provider',
  'storageDestinations.endpoint': 'must be an address that answers',
  'storageDestinations.credentials.roleArn': 'one kind of credentials at a time',
  'storageDestinations.credentials.clientEmail': 'one kind of credentials at a time',
  'storageDestinations.credentials.privateKey': 'one kind of credentials at a time',
  'storageDestinations.sseKmsKeyId': 'the name of a KMS key, which must exist',
  'schedules.cron': 'numbers',
  'schedules.timezone': 'a name of the IANA',
  'webhooks.events': 'names of ours',
  'webhooks.event': 'a name of ours',
};

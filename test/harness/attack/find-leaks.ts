/** After all attacks: the victim's data is unchanged, and no other organization can see any of it. */
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

export const findLeaks = (organizations: () => TwoOrganizations): void => {
  const found = (text: string): readonly string[] => organizations().secrets.filter((secret) => text.includes(secret));

  test('every text field of the API was sent with the mark', () => {
    const { sent, id } = organizations().theirs;
    const [mark = ''] = organizations().secrets;
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

  test('no item of the victim has changed', async () => {
    const now = await itemsAbout(organizations().theirs.id);
    const { untouched } = organizations();
    const changed = [...new Set([...now.keys(), ...untouched.keys()])].filter((name) => now.get(name) !== untouched.get(name));
    // The table itself removes what has expired meanwhile.
    const isExpired = (name: string): boolean =>
      !now.has(name) && JSON.parse(untouched.get(name) ?? '{}').ttl * 1_000 < Date.now();
    deepEqual(
      changed.filter((name) => !isExpired(name)),
      [],
    );
  });

  test('no response to the attacker contains a text of the victim, or an id that was not requested', () => {
    const { theirs, exchanges } = organizations();
    // Refused calls alone would prove little.
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

  test('webhooks of the attacker got no text of the victim, and those of the victim got no new delivery', () => {
    const { theirs, ours, receiver, heardBefore } = organizations();
    const [toTheirs, toOthers] = [
      receiver.requests.filter(({ path }) => found(path).length > 0),
      receiver.requests.filter(({ path }) => found(path).length === 0),
    ];
    ok(toOthers.length > 0 && heardBefore > 0);
    equal(toTheirs.length, heardBefore);
    for (const { body } of toOthers) ok(found(body.toString()).length === 0 && !body.includes(theirs.id), body.toString());
    for (const { body } of toTheirs) ok(!body.includes(ours.id));
  });

  test('no item of the attacker contains a text of the victim', async () => {
    const { theirs, ours } = organizations();
    for (const [name, text] of await itemsAbout(ours.id)) {
      deepEqual(found(text), [], name);
      equal(text.includes(theirs.id), false, name);
    }
  });

  test('no log line contains a text of the victim', () => {
    const lines = logs()
      .split('\n')
      .filter((line) => found(line).length > 0);
    deepEqual(lines.slice(0, 3), []);
  });

  // A message that a queue never accepts would block all messages behind it.
  test('requests of other organizations are still processed', async () => {
    const [organization, email] = [await newOrganization(), newEmail()];
    const by = { token: organization.owner.accessToken, org: organization.id };
    equal((await call(invites.create, { ...by, body: { email } })).status, 201);
    equal((await untilMails(email)).length, 1);
  });

  test('no e-mail to the attacker contains a text of the victim', async () => {
    for (const { email } of Object.values(organizations().ours.people))
      for (const mail of await mailsTo(email)) deepEqual(found(JSON.stringify(mail)), []);
  });
};

const groupOf = (row: string): string => row.split('.')[0] ?? '';

const markedIn = (value: unknown, mark: string, path: readonly string[] = []): readonly string[] => {
  if (typeof value === 'string') return value.includes(mark) ? [path.join('.')] : [];
  if (value === null || typeof value !== 'object') return [];
  // Items of a list and values under custom names count as their field.
  return Object.entries(value).flatMap(([name, inner]) => {
    const isOwnName = Array.isArray(value) || ['headers', 'labels'].includes(path.at(-1) ?? '');
    return markedIn(inner, mark, isOwnName ? path : [...path, name]);
  });
};

/** Text fields that cannot contain the mark, and why. */
const unmarked: Readonly<Record<string, string>> = {
  'alerts.recipients': 'e-mail addresses',
  'alerts.routingKey': 'has a fixed form',
  'apiKeys.allowedAddresses': 'IP addresses',
  'apiKeys.expiresAt': 'a moment',
  'auth.code': 'a secret of the service',
  'auth.refreshToken': 'a secret of the service',
  'auth.code_verifier': 'proves the code, and is not stored',
  'auth.redirect_uri': 'must be one that the deployment allows',
  'backups.note': 'accepted only of a backup with unusual changes',
  'device.clientName': 'belongs to no organization',
  'device.deviceCode': 'a secret of the service',
  'device.userCode': 'a secret of the service',
  'organizations.settings.timezone': 'an IANA time zone',
  'organizations.confirmName': 'repeats the marked name',
  'projects.credentials.privateKey': 'a key; its middle is searched for instead',
  'projects.workloadIdentity.audience': 'has a fixed form',
  'projects.workloadIdentity.projectNumber': 'a number',
  'projects.workloadIdentity.poolId': 'has a fixed form',
  'projects.workloadIdentity.providerId': 'has a fixed form',
  'projects.workloadIdentity.serviceAccountEmail': 'one kind of access at a time',
  'storageDestinations.region': 'a region of the provider',
  'exports.recipients': 'has a fixed form',
  'exports.transform.rules.collection': 'must match the backup, which has collections with fixed names',
  'exports.transform.rules.field': 'must match the backup, which has fields with fixed names',
  'exports.transform.collection': 'the same rules as a list',
  'exports.transform.field': 'the same rules as a list',
  'restores.options.transform.rules.collection': 'must match the backup, which has collections with fixed names',
  'restores.options.transform.rules.field': 'must match the backup, which has fields with fixed names',
  'restores.options.transform.collection': 'the same rules as a list',
  'restores.options.transform.field': 'the same rules as a list',
  'restores.options.deleteDigest': 'hexadecimal digits',
  'restores.deleteDigest': 'hexadecimal digits',
  'storageDestinations.endpoint': 'must be reachable',
  'storageDestinations.credentials.roleArn': 'one kind of credentials at a time',
  'storageDestinations.credentials.clientEmail': 'one kind of credentials at a time',
  'storageDestinations.credentials.privateKey': 'one kind of credentials at a time',
  'storageDestinations.workloadIdentity.audience': 'has a fixed form',
  'storageDestinations.workloadIdentity.projectNumber': 'a number',
  'storageDestinations.workloadIdentity.poolId': 'has a fixed form',
  'storageDestinations.workloadIdentity.providerId': 'has a fixed form',
  'storageDestinations.workloadIdentity.serviceAccountEmail': 'one kind of access at a time',
  'storageDestinations.sseKmsKeyId': 'must be an existing KMS key',
  'restoreTests.cron': 'numbers',
  'restoreTests.timezone': 'an IANA time zone',
  'restoreTests.message': 'accepted only while a run waits for its check',
  'schedules.cron': 'numbers',
  'schedules.timezone': 'an IANA time zone',
  'webhooks.events': 'event names',
  'webhooks.event': 'an event name',
};

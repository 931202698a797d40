import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { acceptUrl, invitationToken, isTokenOf, readToken } from '../../../../shared/organization/invitation/invitation-token.ts';
import { startAws } from '../../../harness/aws/kms-and-secrets.ts';

Object.assign(process.env, { SERVICE_SECRET_ID: 'service', CONSOLE_URL: 'https://backup.example.com/console' });
await startAws({}, 'a secret of the deployment');

const link = {
  organizationId: 'org_01JWNVAV000000000000000001',
  invitationId: 'inv_01JWNVAV000000000000000002',
  expiresAt: '2025-06-08T12:00:00.000Z',
};
const token = await invitationToken(link);

test('invitationToken: a token contains both ids and needs no escaping', () => {
  deepEqual(readToken(token), { organizationId: link.organizationId, invitationId: link.invitationId });
  equal(encodeURIComponent(token), token);
});

test('isTokenOf: a token matches its invitation', async () => equal(await isTokenOf(token, link), true));

for (const [what, changed] of [
  ['another expiry', { expiresAt: '2025-06-08T12:00:00.001Z' }],
  ['another organization', { organizationId: 'org_01JWNVAV000000000000000003' }],
  ['another invitation', { invitationId: 'inv_01JWNVAV000000000000000003' }],
] as const) {
  test(`isTokenOf: a token does not match ${what}`, async () => {
    equal(await isTokenOf(token, { ...link, ...changed }), false);
    notEqual(await invitationToken({ ...link, ...changed }), token);
  });
}

test('isTokenOf: another encoding of the signature is rejected', async () => {
  const [organization, invitation, signature = ''] = token.split('.');
  const last = signature.at(-1)!;
  // 43 characters hold 258 bits for 256, so several last characters decode to the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = alphabet[alphabet.indexOf(last) ^ 1]!;
  for (const other of [signature.slice(0, -1) + twin, `${signature}=`, signature.slice(0, -1), `${signature}A`]) {
    equal(await isTokenOf([organization, invitation, other].join('.'), link), false);
  }
});

for (const text of [
  '',
  '.',
  '..',
  'a.b.c',
  token.toLowerCase(),
  `${token}.x`,
  `${token.split('.').slice(0, 2).join('.')}.`,
  `org_${token}`,
]) {
  test(`readToken: "${text.slice(0, 30)}" is malformed`, () => equal(readToken(text), undefined));
}

test('acceptUrl: the link leads to the console', async () =>
  match(await acceptUrl(link), /^https:\/\/backup\.example\.com\/console\/invitations\/[0-9A-Z]{26}\.[0-9A-Z]{26}\.[\w-]{43}$/));

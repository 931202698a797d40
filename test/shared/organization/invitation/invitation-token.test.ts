import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { acceptUrl, invitationToken, isTokenOf, readToken } from '../../../../shared/organization/invitation/invitation-token.ts';
import { startAws } from '../../../harness/aws/kms-and-secrets.ts';

Object.assign(process.env, { SERVICE_SECRET_ID: 'service', PUBLIC_URL: 'https://backup.example.com' });
await startAws({}, 'a secret of the deployment');

const offer = {
  organizationId: 'org_01JWNVAV000000000000000001',
  invitationId: 'inv_01JWNVAV000000000000000002',
  expiresAt: '2025-06-08T12:00:00.000Z',
};
const token = await invitationToken(offer);

test('a token names its organization and its invitation, in letters that need no escaping', () => {
  deepEqual(readToken(token), { organizationId: offer.organizationId, invitationId: offer.invitationId });
  equal(encodeURIComponent(token), token);
});

test('a token opens what it was made for', async () => equal(await isTokenOf(token, offer), true));

for (const [what, changed] of [
  ['another expiry', { expiresAt: '2025-06-08T12:00:00.001Z' }],
  ['another organization', { organizationId: 'org_01JWNVAV000000000000000003' }],
  ['another invitation', { invitationId: 'inv_01JWNVAV000000000000000003' }],
] as const) {
  test(`a token does not open ${what}`, async () => {
    equal(await isTokenOf(token, { ...offer, ...changed }), false);
    notEqual(await invitationToken({ ...offer, ...changed }), token);
  });
}

test('other spellings of a signature are other tokens', async () => {
  const [organization, invitation, signature = ''] = token.split('.');
  const last = signature.at(-1)!;
  // 43 characters carry 258 bits for 256: the last one has spellings that decode to the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = alphabet[alphabet.indexOf(last) ^ 1]!;
  for (const other of [signature.slice(0, -1) + twin, `${signature}=`, signature.slice(0, -1), `${signature}A`]) {
    equal(await isTokenOf([organization, invitation, other].join('.'), offer), false);
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
  test(`"${text.slice(0, 30)}" is not read as a token`, () => equal(readToken(text), undefined));
}

test('the link leads to the invitation on the public address', async () =>
  match(await acceptUrl(offer), /^https:\/\/backup\.example\.com\/api\/v1\/invitations\/[0-9A-Z]{26}\.[0-9A-Z]{26}\.[\w-]{43}$/));

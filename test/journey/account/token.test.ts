import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHmac, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { beforeAll, test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { Browser, newCode } from '../../harness/stage/browser.ts';
import { api, call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { claimsOf, forge, headerOf, publishedKeys } from '../../harness/stage/forge-token.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { type Person, signIn } from '../../harness/stage/person.ts';
import { secret } from '../../harness/stage/stage-files.ts';

const grant_type = 'authorization_code';
const statusOf = async (token: string): Promise<number> => (await call(auth.me, { token })).status;
const refused = async (token: string): Promise<void> => {
  const { status, body, headers } = await call(auth.me, { token });
  deepEqual([status, body.error?.code], [401, 'UNAUTHORIZED']);
  equal(headers.get('www-authenticate'), 'Bearer');
};

let person: Person;
beforeAll(async () => {
  person = await signIn();
});

for (const [what, authorization] of [
  ['Basic credentials', 'Basic dXNlcjpwYXNz'],
  ['Bearer without a token', 'Bearer'],
  ['Bearer and a space', 'Bearer '],
  ['two tokens', 'Bearer a.b.c a.b.c'],
  ['two tokens joined by a comma', 'Bearer a.b.c, Bearer a.b.c'],
  ['a bare token', 'a.b.c'],
  ['an empty header', ''],
  ['a token of 9 kB', `Bearer ${'a'.repeat(9_000)}`],
] as const) {
  test(`access token: ${what} is UNAUTHORIZED`, async () => {
    const { status, body } = await call(auth.me, { headers: { authorization } });
    deepEqual([status, body.error.code], [401, 'UNAUTHORIZED']);
  });
}

test('access token: one of 100 kB is refused without a server error', async () => {
  const { status } = await call(auth.me, { headers: { authorization: `Bearer ${'a'.repeat(100_000)}` } });
  ok(status >= 400 && status < 500, `${status}`);
});

test('access token: the query string is ignored', async () => {
  for (const name of ['access_token', 'token', 'authorization']) {
    equal((await api('GET', `${auth.me.path}?${name}=${person.accessToken}`)).status, 401);
  }
});

test('access token: the Bearer scheme is case-insensitive', async () => {
  const { status } = await call(auth.me, { headers: { authorization: `bearer ${person.accessToken}` } });
  equal(status, 200);
});

test('access token: a refresh token and a one-time code are refused', async () => {
  await refused(person.refreshToken);
  await refused(await newCode());
});

test("access token: the provider's ID token and access token are refused", async () => {
  const browser = new Browser();
  const back = new URL(await browser.visitProvider({ login_hint: person.email }));
  const answer = await fetch(`${stageVariable('STAGE_IDP_URL')}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type,
      code: back.searchParams.get('code')!,
      redirect_uri: `${stageUrl()}${auth.callback.path}`,
      client_id: 'local-stage',
      client_secret: secret('IdentitySecret').value,
      code_verifier: browser.cookie('bms_login')!.split('.')[1]!,
    }),
  });
  const { id_token, access_token } = (await answer.json()) as { id_token: string; access_token: string };
  equal(claimsOf(id_token).email, person.email);
  await refused(id_token);
  await refused(access_token);
});

const now = () => Math.floor(Date.now() / 1_000);

test('access token: an unchanged forged token is accepted (check of the forger)', async () =>
  equal(await statusOf(await forge(person.accessToken, {})), 200));

for (const [what, claims, header] of [
  ['expired a second ago', () => ({ iat: now() - 3_601, exp: now() - 1 })],
  ['without exp', () => ({ exp: undefined })],
  ['with exp as text', () => ({ exp: String(now() + 3_600) })],
  ['with exp in the far future', () => ({ exp: 9e15 })],
  ['with a longer life', () => ({ exp: now() + 7_200 })],
  ['not valid before a minute from now', () => ({ nbf: now() + 60 })],
  ['issued ten minutes from now', () => ({ iat: now() + 600, exp: now() + 4_200 })],
  ['of another issuer', () => ({ iss: 'https://staging.example.com' })],
  ['without an issuer', () => ({ iss: undefined })],
  ['for another audience', () => ({ aud: 'another-service' })],
  ['without an audience', () => ({ aud: undefined })],
  ['of a session that never was', () => ({ sid: 'ses_01JWNVAV000000000000000000' })],
  ['without a session', () => ({ sid: undefined })],
  ["of another user than the session's", () => ({ sub: 'usr_01JWNVAV000000000000000000' })],
  ['without a user', () => ({ sub: undefined })],
  ['of type JWT', () => ({}), { typ: 'JWT' }],
  ['without a type', () => ({}), { typ: undefined }],
  ['without a key id', () => ({}), { kid: undefined }],
  ['with an unknown key id', () => ({}), { kid: 'unknown' }],
  ['with a key id that is a path', () => ({}), { kid: '../../../dev/null' }],
  ['with a crit header', () => ({}), { crit: ['exp'] }],
  ['with b64 false', () => ({}), { crit: ['b64'], b64: false }],
  ['with alg RS512', () => ({}), { alg: 'RS512' }],
] as const) {
  test(`access token: one signed with the service's key, but ${what}, is UNAUTHORIZED`, async () =>
    refused(await forge(person.accessToken, claims(), header)));
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

test("access token: an attacker's key, embedded or referenced in any header, is UNAUTHORIZED", async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const url = `${stageVariable('STAGE_IDP_URL')}/jwks`;
  for (const more of [{}, { jwk }, { jku: url }, { x5u: url }, { x5c: ['MIIB'] }, { kid: 'local' }, { kid: 'local', jku: url }]) {
    const text = `${encode({ ...headerOf(person.accessToken), ...more })}.${encode(claimsOf(person.accessToken))}`;
    await refused(`${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`);
  }
});

test('access token: alg none, and HS256 keyed with the published key, are UNAUTHORIZED', async () => {
  const [key] = await publishedKeys();
  const pem = createPublicKey({ key: key!, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  for (const alg of ['none', 'None', 'nOnE']) {
    const text = `${encode({ ...headerOf(person.accessToken), alg })}.${encode(claimsOf(person.accessToken))}`;
    await refused(`${text}.`);
    await refused(`${text}.${person.accessToken.split('.')[2]}`);
  }
  const text = `${encode({ ...headerOf(person.accessToken), alg: 'HS256' })}.${encode(claimsOf(person.accessToken))}`;
  await refused(`${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`);
});

test('access token: an edited or re-encoded token is UNAUTHORIZED', async () => {
  const [head, body, signature = ''] = person.accessToken.split('.');
  const edited = encode({ ...claimsOf(person.accessToken), organizations: ['org_01JWNVAV000000000000000000'] });
  for (const token of [
    `${head}.${edited}.${signature}`,
    `${head}.${body}.${signature.slice(0, -3)}`,
    `${head}.${body}.${signature}==`,
    `${head}.${body}.${signature}.x`,
    `${head}.${body}..${signature}`,
    `${head}=.${body}.${signature}`,
    `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}/`,
  ]) {
    await refused(token);
  }
});

test('access token: its organizations grant nothing; membership is read at every call', async () => {
  const { id } = await newOrganization();
  const token = await forge(person.accessToken, { organizations: [id] });
  const { status, body } = await call(organizations.current, { token, org: id });
  deepEqual([status, body.error.code], [403, 'FORBIDDEN']);
});

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call } from '../../harness/stage/client.ts';
import { claimsOf, forge } from '../../harness/stage/forge-token.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const statusOf = async (token: string) => (await call(auth.me, { token })).status;

test('logout: the session ends at once; all its access and refresh tokens get 401', async () => {
  const organization = await newOrganization();
  const { accessToken, refreshToken } = await signIn(organization.owner.email);
  const next = (await call(auth.refresh, { body: { refreshToken } })).body.data;
  const { status, body } = await call(auth.logout, { token: next.accessToken });
  equal(status, 200);
  equal(body.success, true);
  equal(typeof body.message, 'string');
  for (const token of [accessToken, next.accessToken]) {
    equal(await statusOf(token), 401);
    const current = await call(organizations.current, { token, org: organization.id });
    deepEqual([current.status, current.body.error.code], [401, 'UNAUTHORIZED']);
  }
  equal((await call(auth.refresh, { body: { refreshToken: next.refreshToken } })).status, 401);
  equal((await call(auth.logout, { token: next.accessToken })).status, 401, 'there is nothing left to sign out of');
});

test('logout: a token of the session with another encoding or a new jti is refused, too', async () => {
  const { accessToken } = await signIn();
  await call(auth.logout, { token: accessToken });
  equal(await statusOf(`${accessToken}=`), 401);
  equal(await statusOf(await forge(accessToken, { jti: 'another' })), 401);
});

test('logout: other sessions of the user stay valid', async () => {
  const one = await signIn();
  const other = await signIn(one.email);
  await call(auth.logout, { token: one.accessToken, body: {} });
  equal(await statusOf(one.accessToken), 401);
  equal(await statusOf(other.accessToken), 200);
  equal((await call(auth.refresh, { body: { refreshToken: other.refreshToken } })).status, 200);
});

test('logout: a concurrent refresh cannot revive the session', async () => {
  const { accessToken, refreshToken } = await signIn();
  const [signedOut, refreshed] = await Promise.all([
    call(auth.logout, { token: accessToken }),
    call(auth.refresh, { body: { refreshToken } }),
  ]);
  equal(signedOut.status, 200);
  if (refreshed.status === 200) {
    equal(await statusOf(refreshed.body.data.accessToken), 401);
    equal((await call(auth.refresh, { body: { refreshToken: refreshed.body.data.refreshToken } })).status, 401);
  } else equal(refreshed.status, 401);
});

test('logout: without a token 401, with an API key 403, with an unknown field 400', async () => {
  equal((await call(auth.logout)).status, 401);
  const apiKey = await newServiceAccountKey(await newOrganization(), ['organization:read']);
  for (const endpoint of [auth.logout, auth.me]) {
    const { status, body } = await call(endpoint, { token: apiKey });
    deepEqual([status, body.error.code], [403, 'FORBIDDEN']);
  }
  const { accessToken } = await signIn();
  const { status, body } = await call(auth.logout, { token: accessToken, body: { everywhere: true } });
  deepEqual([status, body.error.details.field], [400, 'everywhere']);
  equal(await statusOf(accessToken), 200);
});

test("logout: sign-in and sign-out are in the user's audit log", async () => {
  const { accessToken, userId } = await signIn();
  await call(auth.logout, { token: accessToken });
  const entries = await itemsOf(`AUDIT#${userId}`);
  deepEqual(
    entries.map(({ action }) => action),
    ['auth.code_issued', 'auth.signed_in', 'auth.signed_out'],
  );
  deepEqual(entries[2]!.resource, { type: 'session', id: claimsOf(accessToken).sid });
});

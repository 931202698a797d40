import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { accountKey, readRefreshToken } from '../../../shared/account/index.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { call } from '../../harness/stage/client.ts';
import { claimsOf } from '../../harness/stage/forge-token.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';
import { getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const refresh = (refreshToken: string) => call(auth.refresh, { body: { refreshToken } });
const isSignedIn = async (token: string) => (await call(auth.me, { token })).status === 200;
const refused = async (refreshToken: string) => {
  const { status, body } = await refresh(refreshToken);
  deepEqual([status, body.error.code], [401, 'UNAUTHORIZED']);
};
const recordsOf = (refreshToken: string) => {
  const { sessionId, secret } = readRefreshToken(refreshToken)!;
  return { session: accountKey.session(sessionId), token: accountKey.refresh(sessionId, secret) };
};

test('a refresh token buys new tokens of the same session; the access token before lives on', async () => {
  const { accessToken, refreshToken } = await signIn();
  const { status, body } = await call(auth.refresh, { body: { refreshToken, client_id: 'ignored', scope: 'ignored' } });
  equal(status, 200);
  deepEqual(Object.keys(body.data).sort(), ['accessToken', 'expiresIn', 'refreshToken']);
  equal(body.data.expiresIn, 3_600);
  notEqual(body.data.refreshToken, refreshToken);
  const [before, after] = [claimsOf(accessToken), claimsOf(body.data.accessToken)];
  deepEqual([after.sid, after.sub], [before.sid, before.sub]);
  notEqual(after.jti, before.jti);
  ok(await isSignedIn(accessToken));
  ok(await isSignedIn(body.data.accessToken));
  equal((await refresh(body.data.refreshToken)).status, 200);
});

test('a refreshed token names the organizations and the address of today', async () => {
  const person = await signIn();
  const { id } = await newOrganization(person);
  deepEqual(claimsOf(person.accessToken).organizations, []);
  const { body } = await refresh(person.refreshToken);
  deepEqual(claimsOf(body.data.accessToken).organizations, [id]);
});

test('a rotated token used again ends the session for everyone, and its user and organizations can read that it did', async () => {
  const organization = await newOrganization();
  const member = await addMember(organization, 'member');
  const next = (await refresh(member.refreshToken)).body.data;
  await refused(member.refreshToken);
  await refused(next.refreshToken);
  equal(await isSignedIn(next.accessToken), false);
  equal(await isSignedIn(member.accessToken), false);
  // A second thief adds nothing: the session has ended and that was told.
  await refused(member.refreshToken);

  const query = { action: 'auth.refresh_reused' };
  const { body } = await call(auditLogs.list, { token: organization.owner.accessToken, org: organization.id, query });
  equal(body.data.length, 1);
  deepEqual(body.data[0]!.resource, { type: 'session', id: claimsOf(member.accessToken).sid });
  equal(body.data[0]!.actor.id, member.userId);
  const own = await itemsOf(`AUDIT#${member.userId}`);
  equal(own.filter(({ action }) => action === 'auth.refresh_reused').length, 1);
  // Another sign-in of the same person is another session.
  ok(await isSignedIn((await signIn(member.email)).accessToken));
});

test('of five refreshes with one token at once one succeeds; the others are a reuse, so the family ends and does not fork', async () => {
  const { accessToken, refreshToken } = await signIn();
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)));
  const won = answers.filter(({ status }) => status === 200);
  equal(won.length, 1);
  ok(
    answers.every(({ status }) => status === 200 || status === 401),
    answers.map(({ status }) => status).join(),
  );
  await refused(won[0]!.body.data.refreshToken);
  equal(await isSignedIn(accessToken), false);
  const { session } = recordsOf(refreshToken);
  const kept = (await itemsOf(session.pk)).filter(({ sk }) => sk.startsWith('REFRESH#'));
  equal(kept.length, 2, 'the first token and its one successor');
});

test('a wrong secret with a known session id is refused and harms nobody', async () => {
  const { accessToken, refreshToken } = await signIn();
  const { sessionId, secret } = readRefreshToken(refreshToken)!;
  await refused(`${sessionId}.${'A'.repeat(43)}`);
  await refused(`${sessionId}.${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`);
  ok(await isSignedIn(accessToken));
  equal((await refresh(refreshToken)).status, 200);
});

test('text that is no refresh token is refused', async () => {
  const { accessToken } = await signIn();
  for (const text of ['x', '.', accessToken, 'ses_x.y', 'fb_sa_x', '😀', '\u0000', 'x'.repeat(512)]) await refused(text);
});

for (const [what, body] of [
  ['no refreshToken', {}],
  ['a number', { refreshToken: 7 }],
  ['null', { refreshToken: null }],
  ['an empty text', { refreshToken: '' }],
  ['10 kB', { refreshToken: 'x'.repeat(10_000) }],
] as const) {
  test(`${what} is VALIDATION_ERROR and names refreshToken`, async () => {
    const answer = await call(auth.refresh, { body });
    deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_ERROR']);
    equal(answer.body.error.details.field, 'refreshToken');
  });
}

test('no body at all is VALIDATION_ERROR and names refreshToken', async () => {
  const { status, body } = await call(auth.refresh);
  deepEqual([status, body.error.details.field], [400, 'refreshToken']);
});

test('a refresh token is refused after seven days, though its row may still be there', async () => {
  const { refreshToken } = await signIn();
  const { token } = recordsOf(refreshToken);
  const record = (await getItem(token))!;
  ok(Math.abs(Number(record.expiresAt) - (Date.now() / 1_000 + 7 * 24 * 3_600)) < 60);
  await putItem({ ...record, expiresAt: Math.floor(Date.now() / 1_000) - 1 });
  await refused(refreshToken);
});

test('a session ends after thirty days however often it was refreshed: both tokens are refused', async () => {
  const { accessToken, refreshToken } = await signIn();
  const { session } = recordsOf(refreshToken);
  const record = (await getItem(session))!;
  ok(Math.abs(Number(record.endsAt) - (Date.now() / 1_000 + 30 * 24 * 3_600)) < 60);
  const endsAt = Math.floor(Date.now() / 1_000) + 3_600;
  await putItem({ ...record, endsAt });
  const next = (await refresh(refreshToken)).body.data;
  equal((await getItem(recordsOf(next.refreshToken).token))!.expiresAt, endsAt, 'no token outlives its session');
  await putItem({ ...record, endsAt: endsAt - 3_601 });
  await refused(next.refreshToken);
  equal(await isSignedIn(accessToken), false);
});

test('the table keeps no refresh token, only what recognises it', async () => {
  const { refreshToken } = await signIn();
  const { sessionId, secret } = readRefreshToken(refreshToken)!;
  const rows = await itemsOf(accountKey.session(sessionId).pk);
  equal(rows.length, 2);
  ok(!JSON.stringify(rows).includes(secret));
  match(rows[0]!.sk, /^REFRESH#[\w-]{43}$/);
});

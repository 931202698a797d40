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

test('refresh: it returns new tokens of the same session; the previous access token stays valid', async () => {
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
  equal((await refresh(body.data.refreshToken!)).status, 200);
});

test('refresh: the new token has the current organizations and address', async () => {
  const person = await signIn();
  const { id } = await newOrganization(person);
  deepEqual(claimsOf(person.accessToken).organizations, []);
  const { body } = await refresh(person.refreshToken);
  deepEqual(claimsOf(body.data.accessToken).organizations, [id]);
});

test('refresh: reuse of a rotated token ends the session and is audited for its user and organizations', async () => {
  const organization = await newOrganization();
  const member = await addMember(organization, 'member');
  const next = (await refresh(member.refreshToken)).body.data;
  await refused(member.refreshToken);
  await refused(next.refreshToken!);
  equal(await isSignedIn(next.accessToken), false);
  equal(await isSignedIn(member.accessToken), false);
  // Another reuse has no further effect: the session has already ended.
  await refused(member.refreshToken);

  const query = { action: 'auth.refresh_reused' };
  const { body } = await call(auditLogs.list, { token: organization.owner.accessToken, org: organization.id, query });
  equal(body.data.length, 1);
  deepEqual(body.data[0]!.resource, { type: 'session', id: claimsOf(member.accessToken).sid });
  equal(body.data[0]!.actor.id, member.userId);
  const own = await itemsOf(`AUDIT#${member.userId}`);
  equal(own.filter(({ action }) => action === 'auth.refresh_reused').length, 1);
  // Another sign-in of the same user is another session.
  ok(await isSignedIn((await signIn(member.email)).accessToken));
});

test('refresh: of five concurrent refreshes one succeeds; the others count as reuse and end the session', async () => {
  const { accessToken, refreshToken } = await signIn();
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)));
  const won = answers.filter(({ status }) => status === 200);
  equal(won.length, 1);
  ok(
    answers.every(({ status }) => status === 200 || status === 401),
    answers.map(({ status }) => status).join(),
  );
  await refused(won[0]!.body.data.refreshToken!);
  equal(await isSignedIn(accessToken), false);
  const { session } = recordsOf(refreshToken);
  const kept = (await itemsOf(session.pk)).filter(({ sk }) => sk.startsWith('REFRESH#'));
  equal(kept.length, 2, 'the first token and its one successor');
});

test('refresh: a wrong secret with a known session id is refused, and the session stays valid', async () => {
  const { accessToken, refreshToken } = await signIn();
  const { sessionId, secret } = readRefreshToken(refreshToken)!;
  await refused(`${sessionId}.${'A'.repeat(43)}`);
  await refused(`${sessionId}.${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`);
  ok(await isSignedIn(accessToken));
  equal((await refresh(refreshToken)).status, 200);
});

test('refresh: malformed tokens are refused', async () => {
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
  test(`refresh: ${what} is VALIDATION_ERROR and names refreshToken`, async () => {
    const answer = await call(auth.refresh, { body });
    deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_ERROR']);
    equal(answer.body.error.details.field, 'refreshToken');
  });
}

test('refresh: a missing body is VALIDATION_ERROR and names refreshToken', async () => {
  const { status, body } = await call(auth.refresh);
  deepEqual([status, body.error.details.field], [400, 'refreshToken']);
});

test('refresh: a token expires after seven days, even if its item still exists', async () => {
  const { refreshToken } = await signIn();
  const { token } = recordsOf(refreshToken);
  const record = (await getItem(token))!;
  ok(Math.abs(Number(record.expiresAt) - (Date.now() / 1_000 + 7 * 24 * 3_600)) < 60);
  await putItem({ ...record, expiresAt: Math.floor(Date.now() / 1_000) - 1 });
  await refused(refreshToken);
});

test('refresh: a session ends after thirty days despite refreshes; both tokens are refused', async () => {
  const { accessToken, refreshToken } = await signIn();
  const { session } = recordsOf(refreshToken);
  const record = (await getItem(session))!;
  ok(Math.abs(Number(record.endsAt) - (Date.now() / 1_000 + 30 * 24 * 3_600)) < 60);
  const endsAt = Math.floor(Date.now() / 1_000) + 3_600;
  await putItem({ ...record, endsAt });
  const next = (await refresh(refreshToken)).body.data;
  equal((await getItem(recordsOf(next.refreshToken!).token))!.expiresAt, endsAt, 'no token outlives its session');
  await putItem({ ...record, endsAt: endsAt - 3_601 });
  await refused(next.refreshToken!);
  equal(await isSignedIn(accessToken), false);
});

test('refresh: the table stores a hash of the refresh token only', async () => {
  const { refreshToken } = await signIn();
  const { sessionId, secret } = readRefreshToken(refreshToken)!;
  const rows = await itemsOf(accountKey.session(sessionId).pk);
  equal(rows.length, 2);
  ok(!JSON.stringify(rows).includes(secret));
  match(rows[0]!.sk, /^REFRESH#[\w-]{43}$/);
});

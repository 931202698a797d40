/** Sign-ins of a person: listed, and ended one by one or all at once. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { accountKey } from '../../../shared/account/index.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { auth, sessions } from '../../../shared/contract/endpoints/auth.ts';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { consoleHeaders, newCode } from '../../harness/stage/browser.ts';
import { call } from '../../harness/stage/client.ts';
import { claimsOf } from '../../harness/stage/forge-token.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

let organization: TestOrganization;
let owner: TestOrganization['owner'];
beforeAll(async () => {
  organization = await newOrganization();
  ({ owner } = organization);
});

const idOf = (accessToken: string): string => String(claimsOf(accessToken).sid);
const list = async (token: string) => (await call(sessions.list, { token })).body.data;
const me = async (token: string) => (await call(auth.me, { token })).status;
const refresh = async (refreshToken: string) => (await call(auth.refresh, { body: { refreshToken } })).status;
const revoke = (token: string, sessionId: string) => call(sessions.revoke, { token, params: { sessionId } });
const revokeAll = (token: string, body?: { exceptCurrent: boolean }) =>
  call(sessions.revokeAll, { token, ...(body && { body }) });
const auditOf = async (action: string) => {
  const answer = await call(auditLogs.list, { token: owner.accessToken, org: organization.id, query: { action } });
  return answer.body.data;
};
/** Approves a device in a browser of the console, and returns the tokens of the device. */
const signInDevice = async (clientName: string, email = owner.email) => {
  const { deviceCode, userCode } = (await call(device.start, { body: { clientName } })).body.data;
  const headers = await consoleHeaders(email);
  equal((await call(device.decide, { headers, body: { userCode, decision: 'approve' } })).status, 200);
  return async () => call(device.token, { body: { deviceCode } });
};

test('sessions: a person sees browsers, devices and applications, and is told of a new device', async () => {
  const poll = await signInDevice('bms on\u202e build-7');
  const tokens = (await poll()).body.data;
  const shown = await list(owner.accessToken);
  const found = Object.fromEntries(shown.map((one) => [one.kind, one]));
  deepEqual(Object.keys(found).sort(), ['application', 'console', 'device']);
  deepEqual(Object.keys(found.device!).sort(), [
    'address',
    'country',
    'createdAt',
    'current',
    'id',
    'kind',
    'lastUsedAt',
    'name',
  ]);
  equal(found.device!.id, idOf(tokens.accessToken));
  deepEqual([found.device!.name, found.device!.country], ['bms on build-7', null]);
  match(found.device!.address ?? '', /^(127\.|::1|::ffff:127\.)/);
  deepEqual(
    shown.filter(({ current }) => current).map(({ id }) => id),
    [idOf(owner.accessToken)],
  );
  deepEqual(
    shown.map(({ id }) => id),
    shown
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );

  const [approved] = await auditOf('auth.device_approved');
  deepEqual([approved?.actor.id, approved?.details.clientName], [owner.userId, 'bms on build-7']);
  const mails = await untilMails(owner.email);
  const mail = mails.find(({ subject }) => subject === 'A device signed in to your account');
  ok(mail?.text.includes('bms on build-7') && /\/console\/sessions\b/.test(mail.text), mail?.text);
});

test('sessions: pages follow each other, and each sign-in is on one of them', async () => {
  for (let i = 0; i < 3; i++) await signIn(owner.email);
  const all = await list(owner.accessToken);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await call(sessions.list, { token: owner.accessToken, query: { limit: '2', ...(cursor && { cursor }) } });
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.pagination.nextCursor ?? undefined;
  } while (cursor);
  deepEqual(
    seen,
    all.map(({ id }) => id),
  );
});

test('sessions: an ended one is refused at once, and the audit log of the organization has it', async () => {
  const other = await signIn(owner.email);
  const stranger = await signIn();
  const id = idOf(other.accessToken);
  equal(await me(other.accessToken), 200);
  for (const unknown of [id, 'ses_01JWNVAV000000000000000000', 'x'])
    deepEqual([(await revoke(stranger.accessToken, unknown)).status, await me(other.accessToken)], [404, 200]);
  equal((await revoke(owner.accessToken, id)).status, 200);
  deepEqual([await me(other.accessToken), await refresh(other.refreshToken)], [401, 401]);
  equal((await revoke(owner.accessToken, id)).status, 404);
  ok(!(await list(owner.accessToken)).some((one) => one.id === id));
  const [entry] = await auditOf('auth.session_revoked');
  deepEqual([entry?.resource, entry?.details.kind], [{ type: 'session', id }, 'application']);
});

test('sessions: the last use is recorded at most once a minute, with its address', async () => {
  const { userId, accessToken } = await signIn();
  const key = accountKey.sessionUse(userId, idOf(accessToken));
  const first = (await getItem(key))!;
  equal(await me(accessToken), 200);
  equal((await getItem(key))!.at, first.at);
  const old = new Date(Date.now() - 61_000).toISOString();
  await putItem({ ...first, at: old, ip: '192.0.2.1' });
  equal(await me(accessToken), 200);
  const second = (await getItem(key))!;
  ok(String(second.at) > old && second.ip !== '192.0.2.1');
});

test('sessions: all others end at once, also one of a version without a list, and new ones can follow', async () => {
  const current = await signIn();
  const [other, older] = [await signIn(current.email), await signIn(current.email)];
  // As an earlier version stored it: without a kind, and not listed.
  const key = accountKey.session(idOf(older.accessToken));
  const { kind: _kind, name: _name, ...stored } = (await getItem(key))!;
  await putItem(stored as Parameters<typeof putItem>[0]);
  await call(auth.logout, { token: (await signIn(current.email)).accessToken });
  const ended = await revokeAll(current.accessToken);
  deepEqual([ended.status, ended.body.data], [200, { revoked: 2 }], ended.text);
  deepEqual(await Promise.all([current, other, older].map(({ accessToken }) => me(accessToken))), [200, 401, 401]);
  deepEqual([await refresh(other.refreshToken), await refresh(older.refreshToken)], [401, 401]);
  deepEqual(
    (await list(current.accessToken)).map(({ id }) => id),
    [idOf(current.accessToken)],
  );
  const next = await signIn(current.email);
  deepEqual((await revokeAll(next.accessToken, { exceptCurrent: false })).body.data, { revoked: 2 });
  deepEqual([await me(current.accessToken), await me(next.accessToken)], [401, 401]);
  equal(await me((await signIn(current.email)).accessToken), 200);
});

test('sessions: a device that was approved before all sign-ins were ended gets no session', async () => {
  const poll = await signInDevice('left behind');
  equal((await revokeAll(owner.accessToken)).status, 200);
  const refused = await poll();
  deepEqual([refused.status, refused.body.error.code], [403, 'ACCESS_DENIED'], refused.text);
});

test('sessions: of two that end all others at the same time, one wins and the other is signed out', async () => {
  for (let round = 0; round < 8; round++) {
    const first = await signIn();
    const people = [first, await signIn(first.email)];
    const ended = await Promise.all(people.map(({ accessToken }) => revokeAll(accessToken)));
    const statuses = ended.map(({ status }) => status);
    deepEqual(statuses.toSorted(), [200, 401], JSON.stringify(ended.map(({ text }) => text)));
    // The one call that was told that the others have ended came from the session that is still signed in.
    deepEqual(await Promise.all(people.map(({ accessToken }) => me(accessToken))), statuses);
  }
});

test('sessions: a code or an approval of before opens no session that survives, whichever is committed first', async () => {
  for (let round = 0; round < 8; round++) {
    const { email, accessToken } = await signIn();
    const code = await newCode(email);
    const poll = await signInDevice('in flight', email);
    const [ended, ...redeemed] = await Promise.all([
      revokeAll(accessToken),
      call(auth.token, { body: { code, grant_type: 'authorization_code' } }),
      poll(),
    ]);
    equal(ended.status, 200, ended.text);
    for (const { status, body } of redeemed) if (status === 200) equal(await me(body.data.accessToken), 401);
    equal(await me(accessToken), 200);
  }
});

test('sessions: a device that started before all others were ended, and was approved after that, gets a session', async () => {
  const { email, accessToken } = await signIn();
  const { deviceCode, userCode } = (await call(device.start, { body: { clientName: 'patient' } })).body.data;
  equal((await revokeAll(accessToken)).status, 200);
  const headers = await consoleHeaders(email);
  equal((await call(device.decide, { headers, body: { userCode, decision: 'approve' } })).status, 200);
  const tokens = await call(device.token, { body: { deviceCode } });
  deepEqual([tokens.status, await me(tokens.body.data.accessToken)], [200, 200], tokens.text);
});

test('sessions: one of a version without a list is listed from its next use on', async () => {
  const { userId, accessToken } = await signIn();
  const key = accountKey.session(idOf(accessToken));
  const { kind: _kind, name: _name, ...stored } = (await getItem(key))!;
  await putItem(stored as Parameters<typeof putItem>[0]);
  await putItem({ ...accountKey.sessionUse(userId, idOf(accessToken)), ttl: 1, at: new Date(0).toISOString() });
  const [one, ...rest] = await list(accessToken);
  deepEqual([rest, one?.kind, one?.current], [[], 'application', true]);
});

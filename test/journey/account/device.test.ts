/** Sign-in of a device (RFC 8628): the whole way, and attempts to get tokens without an approval. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { accountKey } from '../../../shared/account/index.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { accessCookie } from '../../../shared/http/cookies.ts';
import { fingerprint } from '../../../shared/platform/index.ts';
import { consoleHeaders } from '../../harness/stage/browser.ts';
import { api, type CallOptions, call, stageUrl } from '../../harness/stage/client.ts';
import { claimsOf } from '../../harness/stage/forge-token.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { allItems, getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const start = async (clientName = 'bms on build-7') => (await call(device.start, { body: { clientName } })).body.data;
const decide = (by: Pick<CallOptions, 'token' | 'headers'>, userCode: string, decision: 'approve' | 'deny' = 'approve') =>
  call(device.decide, { ...by, body: { userCode, decision } });
/** A person with a session of an app and one of the console's browser. */
const signInConsole = async () => {
  const person = await signIn();
  return { ...person, console: { headers: await consoleHeaders(person.email) } };
};
const poll = (deviceCode: string) => call(device.token, { body: { deviceCode } });
const keyOf = (deviceCode: string) => accountKey.device(fingerprint(deviceCode));

/** The next poll is not too soon. */
const forgetPoll = async (deviceCode: string): Promise<void> => {
  const { polledAt: _, ...item } = (await getItem(keyOf(deviceCode)))!;
  await putItem(item as Parameters<typeof putItem>[0]);
};
const change = async (deviceCode: string, attributes: Record<string, unknown>): Promise<void> =>
  putItem({ ...(await getItem(keyOf(deviceCode)))!, ...attributes });

const refused = async (answer: ReturnType<typeof poll>, status: number, code: string) => {
  const { status: got, body, text } = await answer;
  deepEqual([got, body.error?.code], [status, code], text);
  return body.error;
};

test('device sign-in: a person approves the code, and the device gets tokens of a session of its own', async () => {
  const ada = await signInConsole();
  const codes = await start();
  match(codes.deviceCode, /^[\w-]{43}$/);
  match(codes.userCode, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
  deepEqual([codes.expiresIn, codes.interval], [600, 5]);
  equal(codes.verificationUri, `${stageUrl()}/console/device`);
  equal(codes.verificationUriComplete, `${codes.verificationUri}?userCode=${codes.userCode}`);
  equal((await refused(poll(codes.deviceCode), 400, 'AUTHORIZATION_PENDING')).details.interval, 5);

  const shown = await call(device.show, { token: ada.accessToken, query: { userCode: codes.userCode } });
  equal(shown.status, 200, shown.text);
  deepEqual(Object.keys(shown.body.data).sort(), ['clientName', 'createdAt', 'expiresAt', 'ip', 'location', 'userAgent']);
  equal(shown.body.data.clientName, 'bms on build-7');
  ok(!shown.text.includes(codes.deviceCode));

  const decided = await decide(ada.console, codes.userCode);
  deepEqual([decided.status, decided.body.data], [200, { status: 'approved' }], decided.text);
  await pause(4_100);
  const tokens = await poll(codes.deviceCode);
  equal(tokens.status, 200, tokens.text);
  deepEqual(Object.keys(tokens.body.data).sort(), ['accessToken', 'expiresIn', 'refreshToken', 'tokenType']);
  const { accessToken, refreshToken } = tokens.body.data;
  equal((await call(auth.me, { token: accessToken })).body.data.email, ada.email);
  notEqual(claimsOf(accessToken).sid, claimsOf(ada.accessToken).sid);
  equal((await call(auth.refresh, { body: { refreshToken } })).status, 200);

  const entries = await itemsOf(`AUDIT#${ada.userId}`);
  const about = { method: 'device', clientName: 'bms on build-7' };
  const signedIn = entries.filter(
    ({ action, details }) => action === 'auth.signed_in' && Object.keys(details as object).length > 0,
  );
  deepEqual(
    signedIn.map(({ details }) => details),
    [about],
  );
  equal(entries.filter(({ action }) => action === 'auth.device_approved').length, 1);

  equal((await call(auth.logout, { token: accessToken })).status, 200);
  equal((await call(auth.me, { token: accessToken })).status, 401);
  equal((await call(auth.me, { token: ada.accessToken })).status, 200, 'the session of the console goes on');
});

test('device sign-in: the name of the device is shown without bidirectional and invisible characters', async () => {
  const ada = await signIn();
  const { userCode } = await start('bms on\u202e 7-dliub\u2066\u200b');
  equal((await call(device.show, { token: ada.accessToken, query: { userCode } })).body.data.clientName, 'bms on 7-dliub');
});

test('device sign-in: the code is accepted in any spelling, and only by a signed-in person', async () => {
  const ada = await signIn();
  const { userCode } = await start();
  for (const spelling of [userCode.toLowerCase(), userCode.replace('-', ''), ` ${userCode.replace('-', ' ')} `])
    equal((await call(device.show, { token: ada.accessToken, query: { userCode: spelling } })).status, 200, spelling);
  equal((await call(device.show, { query: { userCode } })).status, 401);
  equal((await call(device.decide, { body: { userCode, decision: 'approve' } })).status, 401);
  for (const bad of ['', 'ABC', 'WDJB-MJH7', 'WDJB-MJHTX', '<script>']) {
    const answer = await call(device.show, { token: ada.accessToken, query: { userCode: bad } });
    deepEqual([answer.status, answer.body.error.details.field], [400, 'userCode'], bad);
  }
});

test('device sign-in: the token of an app or a device approves no further one, sent as a cookie neither', async () => {
  const ada = await signInConsole();
  const first = await start();
  await decide(ada.console, first.userCode);
  const { accessToken } = (await poll(first.deviceCode)).body.data;
  const { deviceCode, userCode } = await start();
  for (const token of [ada.accessToken, accessToken]) {
    const asCookie = { headers: { ...ada.console.headers, cookie: `${accessCookie}=${token}` } };
    for (const by of [{ token }, asCookie, { token, ...ada.console }])
      for (const decision of ['approve', 'deny'] as const) {
        const { status, body } = await decide(by, userCode, decision);
        deepEqual([status, body.error.code], [403, 'FORBIDDEN']);
      }
  }
  await refused(poll(deviceCode), 400, 'AUTHORIZATION_PENDING');
  const { origin: _, ...withoutOrigin } = ada.console.headers;
  equal((await decide({ headers: withoutOrigin }, userCode)).status, 403);
  equal((await decide(ada.console, userCode)).status, 200);
});

test('device sign-in: an API key can neither see nor approve a code', async () => {
  const organization = await newOrganization();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const path = '/api/v1/organizations/current/service-account';
  const { apiKey } = (await api<{ apiKey: string }>('POST', path, { ...by, body: { name: 'Robot' } })).body.data;
  const { userCode } = await start();
  for (const answer of [
    await call(device.show, { token: apiKey, query: { userCode } }),
    await decide({ token: apiKey }, userCode),
  ])
    deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN']);
});

test('device sign-in: a denied code is ACCESS_DENIED, and cannot be approved any more', async () => {
  const ada = await signInConsole();
  const { deviceCode, userCode } = await start();
  equal((await decide(ada.console, userCode, 'deny')).body.data.status, 'denied');
  await refused(poll(deviceCode), 403, 'ACCESS_DENIED');
  equal((await decide(ada.console, userCode)).status, 404);
  await refused(poll(deviceCode), 403, 'ACCESS_DENIED');
  const actions = (await itemsOf(`AUDIT#${ada.userId}`)).map(({ action }) => action);
  equal(actions.filter((action) => action === 'auth.device_denied').length, 1);
});

test('device sign-in: a code that one person has decided is unknown to every other', async () => {
  const [ada, mallory] = await Promise.all([signInConsole(), signInConsole()]);
  const { deviceCode, userCode } = await start();
  const both = await Promise.all([decide(ada.console, userCode), decide(mallory.console, userCode)]);
  deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
  const winner = both[0]?.status === 200 ? ada : mallory;
  for (const decision of ['approve', 'deny'] as const)
    for (const person of [ada, mallory]) {
      const { status, body } = await decide(person.console, userCode, decision);
      deepEqual([status, body.error.code], [404, 'NOT_FOUND']);
    }
  const { body } = await poll(deviceCode);
  equal(claimsOf(body.data.accessToken).sub, winner.userId);
});

test('device sign-in: of ten concurrent polls exactly one gets tokens', async () => {
  const ada = await signInConsole();
  const { deviceCode, userCode } = await start();
  await decide(ada.console, userCode);
  const answers = await Promise.all(Array.from({ length: 10 }, () => poll(deviceCode)));
  const won = answers.filter(({ status }) => status === 200);
  equal(won.length, 1);
  const codes = answers.filter((answer) => answer !== won[0]).map(({ body }) => body.error.code);
  // A poll that the stage runs seconds after the first is a replay, which ends the session.
  const isReplayed = codes.includes('UNAUTHORIZED');
  ok(codes.every((code) => code === 'SLOW_DOWN' || code === 'UNAUTHORIZED'));
  equal((await call(auth.me, { token: won[0]!.body.data.accessToken })).status, isReplayed ? 401 : 200);
});

test('device sign-in: a replayed device code is refused and audited, and ends the session', async () => {
  const ada = await signInConsole();
  const { deviceCode, userCode } = await start();
  await decide(ada.console, userCode);
  const { accessToken, refreshToken } = (await poll(deviceCode)).body.data;
  await forgetPoll(deviceCode);
  await refused(poll(deviceCode), 401, 'UNAUTHORIZED');
  equal((await call(auth.me, { token: accessToken })).status, 401);
  equal((await call(auth.refresh, { body: { refreshToken } })).status, 401);
  const actions = (await itemsOf(`AUDIT#${ada.userId}`)).map(({ action }) => action);
  ok(actions.includes('auth.device_code_reused'));
});

test('device sign-in: polling too fast is SLOW_DOWN, and does not delay the next due poll', async () => {
  const { deviceCode } = await start();
  await refused(poll(deviceCode), 400, 'AUTHORIZATION_PENDING');
  ok((await getItem(keyOf(deviceCode)))?.polledAt);
  // A last poll in the future: the next ones come too fast, however slow the machine is.
  const polledAt = new Date(Date.now() + 600_000).toISOString();
  await change(deviceCode, { polledAt });
  for (let n = 0; n < 3; n++) equal((await refused(poll(deviceCode), 400, 'SLOW_DOWN')).details.interval, 10);
  equal((await getItem(keyOf(deviceCode)))?.polledAt, polledAt);
  await forgetPoll(deviceCode);
  await refused(poll(deviceCode), 400, 'AUTHORIZATION_PENDING');
});

test('device sign-in: expired codes are refused, approved or not', async () => {
  const ada = await signInConsole();
  const [waiting, approved] = [await start(), await start()];
  equal((await decide(ada.console, approved.userCode)).status, 200);
  const expiresAt = Math.floor(Date.now() / 1_000) - 1;
  for (const { deviceCode } of [waiting, approved]) {
    await change(deviceCode, { expiresAt });
    await refused(poll(deviceCode), 400, 'EXPIRED_TOKEN');
  }
  equal((await decide(ada.console, waiting.userCode)).status, 404);
});

test('device sign-in: an approval ends with the session that gave it', async () => {
  const ada = await signInConsole();
  const { deviceCode, userCode } = await start();
  await decide(ada.console, userCode);
  equal((await call(auth.logout, ada.console)).status, 200);
  await refused(poll(deviceCode), 403, 'ACCESS_DENIED');
});

test('device sign-in: guessed and malformed device codes are refused', async () => {
  const { userCode } = await start();
  for (const deviceCode of ['x', 'x'.repeat(43), userCode, '../../x', 'DEVICE#x', '😀', '\u0000'])
    await refused(poll(deviceCode), 401, 'UNAUTHORIZED');
  for (const deviceCode of ['', 7, null, {}, 'x'.repeat(10_000)]) {
    const { status, body } = await call(device.token, { body: { deviceCode } });
    deepEqual([status, body.error.details.field], [400, 'deviceCode']);
  }
});

test('device sign-in: guesses of user codes are limited per person', async () => {
  const mallory = await signIn(newEmail());
  const guess = () => call(device.show, { token: mallory.accessToken, query: { userCode: 'BBBB-BBBB' } });
  const answers = await Promise.all(Array.from({ length: 45 }, guess));
  const statuses = answers.map(({ status }) => status);
  // The minute may end in between.
  ok(statuses.filter((status) => status === 404).length <= 40);
  const limited = answers.find(({ status }) => status === 429);
  equal(limited?.body.error.code, 'RATE_LIMITED');
  ok(Number(limited?.headers.get('retry-after')) > 0);
});

test('device sign-in: the table has neither code', async () => {
  const { deviceCode, userCode } = await start();
  const items = JSON.stringify(await allItems());
  for (const secret of [deviceCode, userCode, userCode.replace('-', ''), fingerprint(userCode.replace('-', ''))])
    ok(!items.includes(secret));
});

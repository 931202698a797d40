import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import type { Handler, Response } from '../../../shared/http/index.ts';
import { type ObservedAws, observeAws } from '../../harness/aws/observed-aws.ts';
import { call as callStage, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { keyId, secret } from '../../harness/stage/stage-files.ts';
import { itemsOf } from '../../harness/stage/table.ts';

type Operation = keyof typeof auth;
let handlers: Record<Operation, Handler>;
let aws: ObservedAws;

beforeAll(async () => {
  aws = await observeAws();
  Object.assign(process.env, {
    PLAN: 'starter',
    AUDIT_RETENTION_DAYS: '',
    REQUESTS_PER_MINUTE: '100000',
    TOKEN_KEY_IDS: keyId('SIGN_VERIFY'),
    PUBLIC_URL: stageUrl(),
    ALLOWED_ORIGINS: 'https://app.example.com',
    IDENTITY_ISSUER: stageVariable('STAGE_IDP_URL'),
    IDENTITY_CLIENT_ID: 'local-stage',
    IDENTITY_SECRET_ID: secret('IdentitySecret').arn,
    ALLOWED_REDIRECT_URIS: 'http://localhost/callback',
    CONSOLE_URL: stageUrl(),
    SECRETS_KEY_ID: keyId('ENCRYPT_DECRYPT'),
  });
  handlers = await import('../../../functions/api/auth.ts');
});
afterAll(() => aws.stop());

interface Request {
  readonly query?: string;
  readonly body?: object;
  readonly token?: string;
  readonly cookies?: readonly string[];
}

/** Runs the handler in this process, so that calls to the table can be counted. */
const call = async (operation: Operation, { query = '', body, token, cookies = [] }: Request = {}) => {
  const { method, path } = auth[operation];
  aws.begin();
  const response: Response = await handlers[operation]({
    rawPath: path,
    rawQueryString: query,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
    cookies: [...cookies],
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), http: { method, sourceIp: '127.0.0.1' } },
  } as unknown as APIGatewayProxyEventV2);
  const trips = aws.roundTrips();
  return { response, trips, json: response.body ? JSON.parse(response.body) : undefined };
};

const cookiesOf = (response: Response) => (response.cookies ?? []).map((cookie) => cookie.split(';')[0]!);

/** The redirect to the provider and back, up to the callback. */
const visitProvider = async (email: string, redirectUri?: string) => {
  const query = new URLSearchParams({ login_hint: email, ...(redirectUri && { redirect_uri: redirectUri }) });
  const begun = await call('google', { query: `${query}` });
  const back = await fetch(begun.response.headers.location!, { redirect: 'manual' });
  return { begun, cookies: cookiesOf(begun.response), query: new URL(back.headers.get('location')!).search.slice(1) };
};

test('auth: no step of sign-in, refresh or sign-out takes more than three round trips to the table', async (t) => {
  const { owner } = await newOrganization();
  const waits: Record<string, { count: number; actions: readonly string[] }> = {};
  const native = await visitProvider(owner.email, 'http://localhost:1/callback');
  waits.google = native.begun.trips;
  const done = await call('callback', native);
  waits['callback, native'] = done.trips;
  const code = new URL(done.response.headers.location!).searchParams.get('code')!;
  const body = { code, grant_type: 'authorization_code' };
  const exchanged = await call('token', { body });
  equal(exchanged.response.statusCode, 200);
  waits.token = exchanged.trips;
  const { accessToken, refreshToken } = exchanged.json.data;
  const me = await call('me', { token: accessToken });
  equal(me.json.data.organizations.length, 1);
  waits.me = me.trips;
  const refreshed = await call('refresh', { body: { refreshToken } });
  waits.refresh = refreshed.trips;
  waits['refresh, reused'] = (await call('refresh', { body: { refreshToken } })).trips;
  waits['token, replayed'] = (await call('token', { body })).trips;
  const browser = await call('callback', await visitProvider(owner.email));
  waits['callback, browser'] = browser.trips;
  const token = cookiesOf(browser.response)[0]!.split('=')[1]!;
  waits.logout = (await call('logout', { token })).trips;
  for (const [step, { count, actions }] of Object.entries(waits)) {
    void t.annotate(`${step}: ${count} (${actions.join(', ')})`);
    ok(count >= 1 && count <= 3, `${step} waited ${count} times: ${actions.join(', ')}`);
  }
});

test('auth.refresh: if the commit fails, the old refresh token stays valid and no new one exists', async () => {
  const { refreshToken } = await signIn();
  aws.fail('TransactWriteItems');
  const { response, json } = await call('refresh', { body: { refreshToken } });
  aws.fail(undefined);
  ok(response.statusCode! >= 500);
  ok(!JSON.stringify(json).includes('down'), 'the cause stays in the log');
  const kept = await itemsOf(`SESSION#${refreshToken.split('.')[0]}`);
  equal(kept.filter(({ sk }) => sk.startsWith('REFRESH#')).length, 1);
  equal((await callStage(auth.refresh, { body: { refreshToken } })).status, 200);
});

test('auth.token: if the commit fails, no session exists and the code can be used again', async () => {
  const { cookies, query } = await visitProvider(newEmail(), 'http://localhost:1/callback');
  const done = await call('callback', { cookies, query });
  const body = { code: new URL(done.response.headers.location!).searchParams.get('code'), grant_type: 'authorization_code' };
  aws.fail('TransactWriteItems');
  ok((await call('token', { body })).response.statusCode! >= 500);
  aws.fail(undefined);
  equal((await callStage(auth.token, { body })).status, 200);
});

test('auth.callback: if the commit of a first sign-in fails, the next sign-in succeeds', async () => {
  const email = newEmail();
  aws.fail(undefined);
  const first = await visitProvider(email);
  aws.fail('TransactWriteItems');
  const failed = await call('callback', first);
  aws.fail(undefined);
  ok(failed.response.statusCode! >= 500);
  deepEqual(cookiesOf(failed.response), []);
  const again = await call('callback', await visitProvider(email));
  equal(again.response.statusCode, 302);
  const me = await call('me', { token: cookiesOf(again.response)[0]!.split('=')[1]! });
  deepEqual([me.json.data.email, me.response.statusCode], [email, 200]);
});

/** Polling for tokens, with virtual time and scripted responses. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import type { CliFailure } from '../../../../infra/cli/base/cli-failure.ts';
import { clientNameOf, pollTokens } from '../../../../infra/cli/login/sign-in-device.ts';
import { openClient } from '../../../../shared/client/index.ts';

const codes = {
  deviceCode: 'device',
  userCode: 'WDJB-MJHT',
  verificationUri: 'https://backups.example.com/console/device',
  verificationUriComplete: 'https://backups.example.com/console/device?userCode=WDJB-MJHT',
  expiresIn: 600,
  interval: 5,
};
const tokens = { accessToken: 'a', refreshToken: 'r', expiresIn: 3_600, tokenType: 'Bearer' };

type Scripted = { readonly status: number; readonly code?: string } | 'lost';

/** Answers the polls in order; the last answer is repeated. */
const poll = async (...script: readonly Scripted[]) => {
  const waits: number[] = [];
  let n = 0;
  const client = openClient({
    baseUrl: 'https://backups.example.com',
    retry: { attempts: 1 },
    fetch: async () => {
      const answer = script[Math.min(n++, script.length - 1)]!;
      if (answer === 'lost') throw new TypeError('fetch failed');
      const error = { code: answer.code ?? '', message: `message of ${answer.code}` };
      const body = answer.status === 200 ? { success: true, data: tokens } : { success: false, error };
      return new Response(JSON.stringify(body), { status: answer.status, headers: { 'content-type': 'application/json' } });
    },
  });
  const sleep = async (ms: number): Promise<void> => void waits.push(ms / 1_000);
  const result = await pollTokens(client, { codes, signal: new AbortController().signal, sleep }).catch(
    (error: unknown) => error,
  );
  return { result, waits };
};

const pending = { status: 400, code: 'AUTHORIZATION_PENDING' } as const;

test('device login: polls every five seconds until the approval', async () => {
  const { result, waits } = await poll(pending, pending, { status: 200 });
  deepEqual({ result, waits }, { result: tokens, waits: [5, 5, 5] });
});

test('device login: after SLOW_DOWN all waits are five seconds longer', async () => {
  const { waits } = await poll({ status: 400, code: 'SLOW_DOWN' }, pending, { status: 400, code: 'SLOW_DOWN' }, { status: 200 });
  deepEqual(waits, [5, 10, 10, 15]);
});

test('device login: lost connections and a busy service do not end the wait', async () => {
  const { result } = await poll('lost', { status: 503, code: 'SERVICE_UNAVAILABLE' }, 'lost', { status: 200 });
  deepEqual(result, tokens);
});

for (const [what, answer, message] of [
  ['a denied code', { status: 403, code: 'ACCESS_DENIED' }, /message of ACCESS_DENIED/],
  ['an expired code', { status: 400, code: 'EXPIRED_TOKEN' }, /has expired before it was approved/],
] as const)
  test(`device login: ${what} ends the wait with exit code 3`, async () => {
    const { result } = await poll(pending, answer);
    equal((result as CliFailure).exitCode, 3);
    match((result as CliFailure).message, message);
  });

test('device login: without any decision the wait ends when the code has expired', async () => {
  const { result, waits } = await poll(pending);
  equal((result as CliFailure).exitCode, 3);
  equal(
    waits.reduce((sum, seconds) => sum + seconds),
    605,
  );
});

test('device login: an interrupted wait ends at once', async () => {
  const signal = AbortSignal.abort(new Error('interrupted'));
  await rejects(pollTokens(openClient({ baseUrl: '' }), { codes, signal }), { name: 'AbortError' });
});

test('device login: the name of the device is one that the service accepts', () => {
  equal(clientNameOf('build-7.example.com'), 'bms on build-7.example.com');
  equal(clientNameOf('Ada’s Mac\u0007 '), 'bms on AdasMac');
  equal(clientNameOf(''), 'bms on a device');
  equal(clientNameOf('x'.repeat(200)).length, 100);
});

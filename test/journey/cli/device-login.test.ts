/** `bms login`: the code is shown, approved in the console, and the session is stored. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { type Bms, openBms } from '../../harness/env/run-bms.ts';
import { consoleHeaders } from '../../harness/stage/browser.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';

const decide = async (email: string, userCode: string, decision: 'approve' | 'deny'): Promise<void> => {
  const { status, text } = await call(device.decide, { headers: await consoleHeaders(email), body: { userCode, decision } });
  equal(status, 200, text);
};

/** Runs `bms login` and returns the code that it shows, before it has ended. */
const login = async (bms: Bms, ...args: readonly string[]) => {
  let child: ChildProcess | undefined;
  const shown = Promise.withResolvers<string>();
  const ended = bms.run(['login', '--url', stageUrl(), ...args], {
    onStart: (started) => {
      child = started;
      let text = '';
      started.stderr?.on('data', (part: Buffer) => {
        text += part;
        const [, code] = /enter the code (\S+),[\s\S]*Waiting for your approval/.exec(text) ?? [];
        if (code !== undefined) shown.resolve(code);
      });
      started.once('close', () => shown.reject(new Error(`bms login ended: ${text}`)));
    },
  });
  return { userCode: await shown.promise, child, ended };
};

test('bms login: shows the address and the code, waits for the approval and stores the session for its owner only', async () => {
  const { id, owner } = await newOrganization();
  const bms = openBms({});
  const { userCode, ended } = await login(bms, '--no-browser');
  const shown = await call(device.show, { token: owner.accessToken, query: { userCode } });
  match(shown.body.data.clientName ?? '', /^bms on /);
  match(shown.body.data.userAgent ?? '', /^bms\//);
  await decide(owner.email, userCode, 'approve');
  const { code, out, err } = await ended;
  deepEqual({ code, out }, { code: 0, out: '' }, err);
  ok(err.includes(`open ${stageUrl()}/console/device\n`), err);
  ok(err.includes(`Signed in to ${stageUrl()} as ${owner.email}`), err);

  const file = join(bms.env.XDG_CONFIG_HOME, 'bms', 'config.json');
  equal(statSync(file).mode & 0o777, 0o600);
  const { current, profiles } = JSON.parse(readFileSync(file, 'utf8'));
  equal(current, stageUrl());
  const { accessToken, refreshToken, organizationId } = profiles[stageUrl()];
  equal(organizationId, id);
  for (const secret of [accessToken, refreshToken]) ok(secret && !err.includes(secret));

  equal((await bms.json<{ email: string }>('whoami')).email, owner.email);
  type Listed = readonly { readonly id: string; readonly kind: string; readonly current: boolean }[];
  const listed = await bms.json<Listed>('sessions', 'ls');
  deepEqual(
    listed.filter((one) => one.current).map(({ kind }) => kind),
    ['device'],
  );
  equal((await bms.json<Listed>('sessions')).length, listed.length);
  const application = listed.find(({ kind }) => kind === 'application')!;
  match((await bms.run(['sessions', 'revoke', application.id])).out, new RegExp(`^Ended .*\\(${application.id}\\)\n$`));
  equal((await call(auth.me, { token: owner.accessToken })).status, 401);
  equal((await bms.run(['sessions', 'revoke', application.id])).code, 4);
  match((await bms.run(['sessions', 'revoke-all', '--yes'])).out, /^Ended \d+ sign-ins?\n$/);
  equal((await bms.json<Listed>('sessions')).length, 1);
  // The stored token cannot sign in a further device.
  const other = (await call(device.start)).body.data;
  const decision = JSON.stringify({ userCode: other.userCode, decision: 'approve' });
  const more = await bms.run(['api', 'POST', '/auth/device/decision', '--data', decision, '--url', stageUrl()]);
  deepEqual([more.code, /Only the console can make this call/.test(more.err)], [3, true], more.err);
  equal((await call(device.token, { body: { deviceCode: other.deviceCode } })).body.error.code, 'AUTHORIZATION_PENDING');
  equal((await bms.run(['logout', '--url', stageUrl()])).code, 0);
  equal((await call(auth.me, { token: accessToken })).status, 401);
  equal((await bms.run(['whoami', '--url', stageUrl()])).code, 3);
});

test('bms login: a denied code ends with one line and exit code 3, and stores nothing', async () => {
  const { owner } = await newOrganization();
  const bms = openBms({});
  const { userCode, ended } = await login(bms);
  await decide(owner.email, userCode, 'deny');
  const { code, err } = await ended;
  equal(code, 3);
  match(err, /\nbms: The sign-in was denied\n$/);
  equal((await bms.run(['whoami', '--url', stageUrl()])).code, 3);
});

test('bms login: Ctrl-C ends the wait', async () => {
  const { child, ended } = await login(openBms({}), '--no-browser');
  child?.kill('SIGINT');
  equal((await ended).code, 130);
});

test('bms login: credentials of the environment, which would win, are bad input', async () => {
  const { code, err } = await openBms({ BMS_TOKEN: 'x' }).run(['login', '--url', stageUrl()]);
  deepEqual([code, /^bms: BMS_API_KEY or BMS_TOKEN is set[^\n]*\nusage: bms login [^\n]*\n$/.test(err)], [2, true], err);
});

test('bms login: an address without a service is exit code 5', async () => {
  const { code } = await openBms({}).run(['login', '--no-browser', '--url', 'http://localhost:9']);
  equal(code, 5);
});

import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { accountKey } from '../../../shared/account/index.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { newCode } from '../../harness/stage/browser.ts';
import { api, call } from '../../harness/stage/client.ts';
import { claimsOf } from '../../harness/stage/forge-token.ts';
import { getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const grant_type = 'authorization_code';
const statusOf = async (token: string): Promise<number> => (await call(auth.me, { token })).status;
const refused = async (token: string): Promise<void> => {
  const { status, body, headers } = await call(auth.me, { token });
  deepEqual([status, body.error?.code], [401, 'UNAUTHORIZED']);
  equal(headers.get('www-authenticate'), 'Bearer');
};

for (const [what, body, field] of [
  ['another grant_type', { code: 'x', grant_type: 'password' }, 'grant_type'],
  ['no grant_type', { code: 'x' }, 'grant_type'],
  ['no code', { grant_type }, 'code'],
  ['an empty code', { code: '', grant_type }, 'code'],
  ['a code that is a number', { code: 7, grant_type }, 'code'],
  ['a code that is an object', { code: {}, grant_type }, 'code'],
  ['a code of 10 kB', { code: 'x'.repeat(10_000), grant_type }, 'code'],
  ['an array', [], 'body'],
] as const) {
  test(`code exchange: a request with ${what} is refused by field`, async () => {
    const answer = await call(auth.token, { body });
    deepEqual(
      { status: answer.status, code: answer.body.error.code, field: answer.body.error.details.field },
      { status: 400, code: 'VALIDATION_ERROR', field },
    );
  });
}

test('code exchange: an unknown grant_type is refused with the allowed value', async () => {
  const { body } = await call(auth.token, { body: { code: 'x', grant_type: 'password' } });
  deepEqual(body.error.details.invalidValues, ['password']);
  deepEqual(body.error.details.allowedValues, [grant_type]);
});

test('code exchange: a form body is UNSUPPORTED_MEDIA_TYPE', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body } = await api('POST', auth.token.path, { body: `grant_type=${grant_type}&code=x`, headers });
  deepEqual([status, body.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
});

test('code exchange: an unknown code, also with unusual characters, is refused', async () => {
  for (const code of ['x', 'x'.repeat(43), '../../x', "' OR 1=1", 'CODE#x', '😀', '\u0000']) {
    const { status, body } = await call(auth.token, { body: { code, grant_type } });
    deepEqual([status, body.error.code], [401, 'UNAUTHORIZED']);
  }
});

test('code exchange: a code older than a minute is refused, even if its item still exists', async () => {
  const code = await newCode();
  const key = accountKey.code(code);
  await putItem({ ...(await getItem(key))!, expiresAt: Math.floor(Date.now() / 1_000) - 1 });
  equal((await call(auth.token, { body: { code, grant_type } })).status, 401);
});

test('code exchange: a reused code is refused and audited, and ends its session', async () => {
  const code = await newCode();
  const first = await call(auth.token, { body: { code, grant_type } });
  const { accessToken, refreshToken } = first.body.data;
  equal(await statusOf(accessToken), 200);
  equal((await call(auth.token, { body: { code, grant_type } })).status, 401);
  await refused(accessToken);
  equal((await call(auth.refresh, { body: { refreshToken } })).status, 401);
  const entries = await itemsOf(`AUDIT#${claimsOf(accessToken).sub}`);
  deepEqual(entries.map(({ action }) => action).slice(-2), ['auth.signed_in', 'auth.code_reused']);
  equal((await call(auth.token, { body: { code, grant_type } })).status, 401, 'and stays refused');
});

test('code exchange: of five concurrent exchanges of one code at most one succeeds, and its session ends', async () => {
  const code = await newCode();
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(auth.token, { body: { code, grant_type } })));
  const won = answers.filter(({ status }) => status === 200);
  equal(won.length, 1);
  ok(answers.every(({ status }) => status === 200 || status === 401));
  await refused(won[0]!.body.data.accessToken);
});

import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHmac, createSign, type KeyObject } from 'node:crypto';
import { beforeAll, test, vi } from 'vitest';
import { issueAccessToken, verifyAccessToken } from '../../../shared/account/access-token.ts';
import { publicKeys } from '../../../shared/platform/index.ts';
import { newKey, startAws } from '../../harness/aws/kms-and-secrets.ts';

const current = newKey();
const previous = newKey();
const stranger = newKey();
const aws = await startAws({ current, previous });
Object.assign(process.env, { TOKEN_KEY_IDS: 'current,previous', PUBLIC_URL: 'https://api.example.com' });

const claims = {
  userId: 'usr_01JWNVAV000000000000000000',
  sessionId: 'ses_01JWNVAV000000000000000000',
  email: 'ada@example.com',
  name: 'Ada 🚀',
};
let kids: readonly string[];
beforeAll(async () => {
  kids = (await publicKeys()).map(({ kid }) => kid);
});

const encode = (part: unknown) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const sign = (text: string, key: KeyObject, hash = 'sha256') => createSign(hash).update(text).sign(key, 'base64url');
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const header = (more: object = {}) => ({ alg: 'RS256', typ: 'at+jwt', kid: kids[0], ...more });
const payload = (more: object = {}) => {
  const iat = nowSeconds();
  const { userId: sub, sessionId: sid, email, name } = claims;
  const own = { iss: 'https://api.example.com', aud: 'backup-management-service', jti: 'j', sid };
  return { sub, email, name, organizations: [], iat, exp: iat + 3_600, ...own, ...more };
};
/** A token with the given parts; valid by default. */
const mint = (headerPart: unknown = header(), payloadPart: unknown = payload(), key = current.privateKey, hash = 'sha256') => {
  const text = `${encode(headerPart)}.${encode(payloadPart)}`;
  return `${text}.${sign(text, key, hash)}`;
};
const refused = async (token: string) => equal(await verifyAccessToken(token), undefined);

test('issueAccessToken: the token has the claims of the interface and verifies', async () => {
  const token = await issueAccessToken(claims, ['org_1', 'org_2'], new Date());
  deepEqual(await verifyAccessToken(token), claims);
  const [head, body] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  deepEqual(head, { alg: 'RS256', typ: 'at+jwt', kid: kids[0] });
  deepEqual(Object.keys(body).sort(), ['aud', 'email', 'exp', 'iat', 'iss', 'jti', 'name', 'organizations', 'sid', 'sub']);
  equal(body.exp - body.iat, 3_600);
  deepEqual(body.organizations, ['org_1', 'org_2']);
});

test('mint: the test helper makes valid tokens by default', async () => deepEqual(await verifyAccessToken(mint()), claims));

test('verifyAccessToken: the public keys are requested from KMS once', async () => {
  const askedBefore = aws.calls.filter((call) => call === 'GetPublicKey').length;
  for (let n = 0; n < 5; n++) await verifyAccessToken(mint());
  equal(askedBefore, 2);
  equal(aws.calls.filter((call) => call === 'GetPublicKey').length, askedBefore);
});

test('issueAccessToken: the token of a member of 10,000 organizations fits into a cookie', async () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `org_01JWNVAV00000000000000${String(n).padStart(4, '0')}`);
  const token = await issueAccessToken(
    { ...claims, name: 'x'.repeat(100), email: `${'e'.repeat(240)}@example.com` },
    many,
    new Date(),
  );
  ok(token.length < 4_000, `${token.length}`);
  ok(await verifyAccessToken(token));
});

test('verifyAccessToken: the previous signing key is accepted while configured, other keys are not', async () => {
  deepEqual(await verifyAccessToken(mint(header({ kid: kids[1] }), payload(), previous.privateKey)), claims);
  await refused(mint(header({ kid: kids[1] }), payload(), current.privateKey));
  await refused(mint(header(), payload(), stranger.privateKey));
});

for (const alg of ['none', 'None', 'nOnE', 'NONE', '']) {
  test(`verifyAccessToken: alg '${alg}' is refused with every kind of signature`, async () => {
    const text = `${encode(header({ alg }))}.${encode(payload())}`;
    for (const signature of ['', '.', encode('x'), sign(text, current.privateKey)]) await refused(`${text}.${signature}`);
  });
}

test('verifyAccessToken: HS256 keyed with any encoding of the public key is refused', async () => {
  const forms = [
    current.publicKey.export({ format: 'pem', type: 'spki' }),
    current.publicKey.export({ format: 'pem', type: 'pkcs1' }),
    current.publicKey.export({ format: 'der', type: 'spki' }),
    JSON.stringify(current.publicKey.export({ format: 'jwk' })),
    current.publicKey.export({ format: 'jwk' }).n!,
  ];
  for (const form of forms) {
    const text = `${encode(header({ alg: 'HS256' }))}.${encode(payload())}`;
    await refused(`${text}.${createHmac('sha256', form).update(text).digest('base64url')}`);
  }
});

test('verifyAccessToken: other algorithms with the same key are refused', async () => {
  await refused(mint(header({ alg: 'RS512' }), payload(), current.privateKey, 'sha512'));
  await refused(mint(header({ alg: 'RS384' }), payload(), current.privateKey, 'sha384'));
  await refused(mint(header({ alg: undefined })));
  await refused(mint(header({ alg: ['RS256'] })));
});

test('verifyAccessToken: a key in the token’s header is ignored, and nothing is fetched', async () => {
  const jwk = { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'mine', alg: 'RS256', use: 'sig' };
  const url = 'http://127.0.0.1:9/keys.json';
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.reject(new Error('fetched')));
  for (const more of [
    { jwk },
    { jku: url },
    { x5u: url },
    { x5c: ['MIIB'] },
    { jwk, kid: 'mine' },
    { jku: url, kid: 'mine' },
    { kid: undefined, jwk },
  ]) {
    await refused(mint(header(more), payload(), stranger.privateKey));
  }
  equal(fetched.mock.calls.length, 0);
  fetched.mockRestore();
});

for (const kid of ['../../etc/passwd', "' OR 1=1 --", 'x'.repeat(10_000), '', '__proto__', 'constructor', 0, null, {}, ['a']]) {
  test(`verifyAccessToken: kid ${JSON.stringify(kid).slice(0, 30)} is refused`, () => refused(mint(header({ kid }))));
}
test('verifyAccessToken: a token without a kid is refused', () => refused(mint(header({ kid: undefined }))));

for (const [what, more] of [
  ['exp in the past', () => ({ iat: nowSeconds() - 3_601, exp: nowSeconds() - 1 })],
  ['no exp', () => ({ exp: undefined })],
  ['exp as text', () => ({ exp: String(nowSeconds() + 3_600) })],
  ['exp null', () => ({ exp: null })],
  ['exp 9e15', () => ({ exp: 9e15 })],
  ['exp 9e15 with a lifetime of an hour', () => ({ iat: 9e15 - 3_600, exp: 9e15 })],
  ['a lifetime longer than ours', () => ({ exp: nowSeconds() + 86_400 })],
  ['nbf in the future', () => ({ nbf: nowSeconds() + 60 })],
  ['iat ten minutes ahead', () => ({ iat: nowSeconds() + 600, exp: nowSeconds() + 4_200 })],
  ['no iat', () => ({ iat: undefined })],
  ['iat as text', () => ({ iat: String(nowSeconds()) })],
  ['another issuer', () => ({ iss: 'https://staging.example.com' })],
  ['no issuer', () => ({ iss: undefined })],
  ['another audience', () => ({ aud: 'another-service' })],
  ['no audience', () => ({ aud: undefined })],
  ['no sub', () => ({ sub: undefined })],
  ['a sub that is no user id', () => ({ sub: 'usr_1' })],
  ['a sub that is an organization', () => ({ sub: 'org_01JWNVAV000000000000000000' })],
  ['no sid', () => ({ sid: undefined })],
  ['a sid that is no session id', () => ({ sid: 'ses_../x' })],
  ['a sid that is an object', () => ({ sid: {} })],
] as const) {
  test(`verifyAccessToken: a correctly signed token with ${what} is refused`, () => refused(mint(header(), payload(more()))));
}

test('verifyAccessToken: a token issued up to 30 seconds in the future is accepted', async () => {
  deepEqual(await verifyAccessToken(mint(header(), payload({ iat: nowSeconds() + 25, exp: nowSeconds() + 3_625 }))), claims);
});

test('verifyAccessToken: a token is accepted until its last second', async (t) => {
  const token = mint();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_598_000 });
  t.onTestFinished(() => void vi.useRealTimers());
  ok(await verifyAccessToken(token));
  vi.advanceTimersByTime(3_000);
  await refused(token);
});

for (const typ of ['JWT', 'jwt', 'at+JWT ', undefined, 'id+jwt', ['at+jwt']]) {
  test(`verifyAccessToken: typ ${JSON.stringify(typ)} is refused, because it could be another kind of token`, () =>
    refused(mint(header({ typ }))));
}

for (const more of [{ crit: ['exp'] }, { crit: [] }, { crit: ['b64'], b64: false }, { b64: false }, { b64: true }]) {
  test(`verifyAccessToken: header ${JSON.stringify(more)} is refused`, () => refused(mint(header(more))));
}

test('verifyAccessToken: a changed payload, a truncated signature and other encodings of a valid token are refused', async () => {
  const token = mint();
  const [head = '', body = '', signature = ''] = token.split('.');
  const edited = encode({ ...payload(), organizations: ['org_x'] });
  const lastFlipped = signature.slice(0, -1) + (signature.endsWith('A') ? 'B' : 'A');
  const forms = [
    `${head}.${edited}.${signature}`,
    `${head}.${body}.${signature.slice(0, -2)}`,
    `${head}.${body}.${signature}AAAA`,
    `${head}.${body}.`,
    `${head}.${body}`,
    `${head}.${body}.${signature}.`,
    `${head}.${body}.${signature}.${signature}`,
    `.${token}`,
    `${token}==`,
    `${head}==.${body}.${signature}`,
    `${head}.${body}=.${signature}`,
    `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}==`,
    `${head}.${body}.${lastFlipped}`,
    `${head} .${body}.${signature}`,
    `${head}.${body}.${signature}\n`,
    `${head}.${body}\u0000.${signature}`,
    token.toLowerCase(),
    'x'.repeat(100_000),
    `${head}.${'A'.repeat(100_000)}.${signature}`,
    '',
    '..',
    'a.b.c',
  ];
  for (const form of forms) await refused(form);
});

for (const part of ['null', '[]', '"x"', '1', '', '{', '{"alg"', '\u0000']) {
  test(`verifyAccessToken: a correctly signed token whose header or payload is ${JSON.stringify(part)} is refused`, async () => {
    await refused(mint(part));
    await refused(mint(header(), part));
  });
}

import { deepEqual, equal, match, notEqual, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { maskUrl } from '../../../../shared/webhook/request/mask-url.ts';
import {
  hasPlainToken,
  newSecret,
  openSecrets,
  openUrl,
  sealHeaders,
  sealWebhookSecret,
  urlAttributes,
} from '../../../../shared/webhook/request/webhook-secrets.ts';
import { replaceWire, wireAnswer, wireText } from '../../../harness/aws/aws-wire.ts';
import { Fault, type Input, type Script, type ScriptedAws, scriptAws } from '../../../harness/aws/scripted-aws.ts';

const tenant = unsafeTenant('org_1', 'record');
const now = new Date('2026-01-01T00:00:00Z');
let aws: ScriptedAws;
let count = 0;

/** Like KMS: every ciphertext differs and decrypts only in its encryption context. */
const kms: Script = {
  Encrypt: ({ Plaintext, EncryptionContext }: Input) => ({
    CiphertextBlob: Buffer.from(JSON.stringify([Plaintext, EncryptionContext, count++])).toString('base64'),
  }),
  Decrypt: ({ CiphertextBlob, EncryptionContext }: Input) => {
    const [plain, context] = JSON.parse(Buffer.from(String(CiphertextBlob), 'base64').toString()) as [string, object];
    return JSON.stringify(context) === JSON.stringify(EncryptionContext)
      ? { Plaintext: plain }
      : new Fault('InvalidCiphertextException');
  },
};

beforeAll(async () => {
  process.env.SECRETS_KEY_ID = 'key';
  aws = await scriptAws(kms);
});
beforeEach(() => aws.play(kms));
afterAll(() => aws.stop());

type Sealed = Pick<WebhookRecord, 'id' | 'sealedSecret' | 'previous' | 'sealedHeaders'>;
const sealed = async (id: string, headers: Record<string, string> = {}): Promise<Sealed> => {
  const sealedHeaders = await sealHeaders(tenant, id, headers);
  return { id, sealedSecret: await sealWebhookSecret(tenant, id, 'old secret'), ...(sealedHeaders && { sealedHeaders }) };
};

test('newSecret: a secret is 32 random bytes in the format of Standard Webhooks', () => {
  match(newSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  notEqual(newSecret(), newSecret());
});

test('secrets: decrypting returns what was encrypted, including headers with colons, quotes and empty values', async () => {
  const headers = { 'X-A': 'a:b "c" \\', Authorization: 'Bearer x', 'X-Empty': '', 'X-Tab': '\t ' };
  deepEqual(await openSecrets(tenant, await sealed('whk_a', headers), now), {
    secret: 'old secret',
    previous: undefined,
    headers,
  });
  deepEqual(await openSecrets(tenant, { id: 'whk_a' }, now), { secret: undefined, previous: undefined, headers: {} });
});

test('secrets: headers of the maximum size fit into one KMS encryption', async () => {
  await sealHeaders(tenant, 'whk_a', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`X-${10 + n}`, '"'.repeat(171)])));
  const [input] = aws.sent('Encrypt');
  equal(Buffer.from(String(input?.Plaintext), 'base64').length, 20 * (4 + 171) + 20 + 19);
});

test('secrets: repeated use costs one KMS call per five minutes', async () => {
  const webhook = await sealed('whk_b', { 'X-A': 'b' });
  for (let n = 0; n < 10; n++) await openSecrets(tenant, webhook, new Date(now.getTime() + n * 29_000));
  equal(aws.sent('Decrypt').length, 2);
  await openSecrets(tenant, webhook, new Date(now.getTime() + 300_000));
  equal(aws.sent('Decrypt').length, 4);
});

test('secrets: a cache entry is used only for its own webhook and organization', async () => {
  const webhook = await sealed('whk_c');
  await openSecrets(tenant, webhook, now);
  await rejects(openSecrets(tenant, { ...webhook, id: 'whk_d' }, now));
  await rejects(openSecrets(unsafeTenant('org_2', 'record'), webhook, now));
  const { sealedSecret } = webhook;
  await rejects(openSecrets(tenant, { id: 'whk_c', ...(sealedSecret && { sealedHeaders: sealedSecret }) }, now));
});

test('secrets: a new ciphertext is decrypted again', async () => {
  const webhook = await sealed('whk_e');
  await openSecrets(tenant, webhook, now);
  const sealedSecret = await sealWebhookSecret(tenant, 'whk_e', 'new secret');
  equal((await openSecrets(tenant, { ...webhook, sealedSecret }, now)).secret, 'new secret');
});

test('secrets: the previous secret is valid until its expiry, exclusively', async () => {
  const webhook = await sealed('whk_f');
  const previous = { sealedSecret: await sealWebhookSecret(tenant, 'whk_f', 'older'), until: '2026-01-01T01:00:00.000Z' };
  const at = async (moment: string) => (await openSecrets(tenant, { ...webhook, previous }, new Date(moment))).previous;
  equal(await at('2026-01-01T00:59:59.999Z'), 'older');
  equal(await at('2026-01-01T01:00:00.000Z'), undefined);
});

test('secrets: a KMS failure is not cached', async () => {
  const webhook = await sealed('whk_g');
  aws.play({ Decrypt: () => new Fault('DisabledException') });
  await rejects(openSecrets(tenant, webhook, now));
  aws.play(kms);
  equal((await openSecrets(tenant, webhook, now)).secret, 'old secret');
});

test('secrets: each ciphertext of 2,000 webhooks is decrypted once for all events; the cache keeps the 5,000 used last', async (t) => {
  let opened = 0;
  // That many calls over a socket would be slow.
  const restore = replaceWire(async (request) => {
    opened += 1;
    const { CiphertextBlob: Plaintext } = JSON.parse(wireText(request)) as Input;
    return wireAnswer(200, { Plaintext });
  });
  t.onTestFinished(restore);
  const webhookOf = (n: number) => ({ id: `whk_${n}`, sealedSecret: Buffer.from('s'), sealedHeaders: Buffer.from('X-A:b') });
  const webhooks = Array.from({ length: 2_000 }, (_, n) => webhookOf(n));
  const tell = async () => {
    opened = 0;
    for (const webhook of webhooks) await openSecrets(tenant, webhook, now);
    return opened;
  };
  deepEqual([await tell(), await tell()], [4_000, 0]);
  for (let n = 2_000; n < 2_501; n++) await openSecrets(tenant, webhookOf(n), now);
  opened = 0;
  await openSecrets(tenant, webhookOf(1), now);
  equal(opened, 0);
  await openSecrets(tenant, webhookOf(0), now);
  equal(opened, 2);
});

const tokenUrl = 'https://hooks.example.com/services/T0/B0/XXXXXXXXXXXXXXXXXXXXXXXX?env=live';

test('urls: one with a token is stored masked and sealed, and opens to what was given', async () => {
  const stored = await urlAttributes(tenant, 'whk_h', tokenUrl);
  equal(stored.url, 'https://hooks.example.com/services/T0/B0/********?env=********');
  const { url, sealedUrl } = stored;
  equal(await openUrl(tenant, { id: 'whk_h', url, ...(sealedUrl && { sealedUrl }) }, now), tokenUrl);
});

test('urls: one without a token is stored as it is, without KMS', async () => {
  const url = 'https://example.com/hooks/backup-events';
  deepEqual(await urlAttributes(tenant, 'whk_h', url), { url, sealedUrl: undefined });
  equal(aws.sent('Encrypt').length, 0);
});

test('urls: a record of before they were sealed is read in plain, and recognized if it holds a token', async () => {
  equal(await openUrl(tenant, { id: 'whk_h', url: tokenUrl }, now), tokenUrl);
  equal(hasPlainToken({ url: tokenUrl }), true);
  equal(hasPlainToken({ url: 'https://example.com/hooks' }), false);
  equal(hasPlainToken({ url: maskUrl(tokenUrl) }), false);
});

test('urls: one that an earlier version has set since, after a roll back, is used instead of the sealed one', async () => {
  const { sealedUrl } = await urlAttributes(tenant, 'whk_h', tokenUrl);
  const replaced = 'https://other.example.com/hooks';
  equal(await openUrl(tenant, { id: 'whk_h', url: replaced, ...(sealedUrl && { sealedUrl }) }, now), replaced);
});

test('urls: they have a purpose of their own, so that functions that show them cannot decrypt secrets', async () => {
  const { sealedUrl = Buffer.from('') } = await urlAttributes(tenant, 'whk_h', tokenUrl);
  const contexts = aws.sent('Encrypt').map(({ EncryptionContext }) => EncryptionContext);
  deepEqual(contexts, [{ organization: 'org_1', webhook: 'whk_h', purpose: 'webhook-url', part: 'url' }]);
  await rejects(openUrl(tenant, { id: 'whk_other', url: maskUrl(tokenUrl), sealedUrl }, now));
  await rejects(openUrl(unsafeTenant('org_2', 'record'), { id: 'whk_h', url: maskUrl(tokenUrl), sealedUrl }, now));
});

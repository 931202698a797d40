/** Secrets and custom headers of a webhook: encrypted at rest for that webhook, decrypted only while a request is composed. */
import { openSecret, sealSecret, secureRandomBytes, type Tenant } from '../../platform/index.ts';
import type { WebhookRecord } from '../model/record.ts';
import type { Headers } from './custom-headers.ts';
import type { OpenSecrets } from './message-types.ts';

/** 256 bits, in the notation of Standard Webhooks. */
export const newSecret = (): string => `whsec_${secureRandomBytes(32).toString('base64')}`;

/** `part` prevents encrypted headers from being decrypted as a secret. */
const context = (tenant: Tenant, webhookId: string, part: 'secret' | 'headers') => ({
  organization: tenant.organizationId,
  webhook: webhookId,
  purpose: 'webhook-secret',
  part,
});

export const sealWebhookSecret = (tenant: Tenant, webhookId: string, secret: string): Promise<Uint8Array> =>
  sealSecret(secret, context(tenant, webhookId, 'secret'));

/** One per line, because JSON escapes could exceed the size that KMS encrypts. Undefined if there are none. */
export const sealHeaders = async (tenant: Tenant, webhookId: string, headers: Headers): Promise<Uint8Array | undefined> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  return lines.length === 0 ? undefined : sealSecret(lines.join('\n'), context(tenant, webhookId, 'headers'));
};

const readHeaders = (lines: string): Headers =>
  Object.fromEntries(lines.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));

/** The secrets that a request needs, from a cache of five minutes or from KMS. */
export const openSecrets = async (
  tenant: Tenant,
  webhook: Pick<WebhookRecord, 'id' | 'sealedSecret' | 'previous' | 'sealedHeaders'>,
  now: Date,
): Promise<OpenSecrets> => {
  const { id, sealedSecret, previous, sealedHeaders } = webhook;
  const open = async (sealed: Uint8Array | undefined, part: 'secret' | 'headers'): Promise<string | undefined> =>
    sealed && openCached(sealed, context(tenant, id, part), now);
  const [secret, previousSecret, headers] = await Promise.all([
    open(sealedSecret, 'secret'),
    open(isPreviousValid(previous, now) ? previous?.sealedSecret : undefined, 'secret'),
    open(sealedHeaders, 'headers'),
  ]);
  return { secret, previous: previousSecret, headers: headers === undefined ? {} : readHeaders(headers) };
};

/** Whether the secret before the last rotation still signs. */
export const isPreviousValid = (previous: WebhookRecord['previous'], now: Date): boolean =>
  previous !== undefined && now < new Date(previous.until);

/** Secrets and headers of 2,500 webhooks: at most 20 MB of plain text, and slightly more of ciphertext. */
const cacheMax = 5_000;
/** After this long a disabled KMS key takes effect. */
const cacheMs = 5 * 60_000;
const cache = new Map<string, { readonly text: Promise<string>; readonly untilMs: number }>();

/** Keyed by ciphertext and encryption context: a changed secret takes effect at once, and no other record can use the entry. */
const openCached = (sealed: Uint8Array, sealedFor: ReturnType<typeof context>, now: Date): Promise<string> => {
  const { organization, webhook, part } = sealedFor;
  const name = `${organization} ${webhook} ${part} ${Buffer.from(sealed).toString('base64')}`;
  const known = cache.get(name);
  cache.delete(name);
  const entry =
    known && now.getTime() < known.untilMs ? known : { text: openSecret(sealed, sealedFor), untilMs: now.getTime() + cacheMs };
  // Re-inserted at the end: least recently used entries are evicted first.
  cache.set(name, entry);
  for (const oldest of cache.keys()) {
    if (cache.size <= cacheMax) break;
    cache.delete(oldest);
  }
  // A failure must not be cached.
  entry.text.catch(() => cache.get(name) === entry && cache.delete(name));
  return entry.text;
};

/** Secrets, custom headers and the URL of a webhook: encrypted at rest for that webhook. */
import { openSecret, sealSecret, secureRandomBytes, type Tenant, warm } from '../../platform/index.ts';
import type { WebhookRecord } from '../model/record.ts';
import type { Headers } from './custom-headers.ts';
import { isMaskedUrl, maskUrl } from './mask-url.ts';
import type { OpenSecrets } from './message-types.ts';

/** 256 bits, in the notation of Standard Webhooks. */
export const newSecret = (): string => `whsec_${secureRandomBytes(32).toString('base64')}`;

type Part = 'secret' | 'headers' | 'url';

/**
 * `part` prevents encrypted headers from being decrypted as a secret. A URL has a purpose of its own, so that functions that show it
 * cannot decrypt secrets.
 */
const context = (tenant: Tenant, webhookId: string, part: Part) => ({
  organization: tenant.organizationId,
  webhook: webhookId,
  purpose: part === 'url' ? 'webhook-url' : 'webhook-secret',
  part,
});

export const sealWebhookSecret = (tenant: Tenant, webhookId: string, secret: string): Promise<Uint8Array> =>
  sealSecret(secret, context(tenant, webhookId, 'secret'));

/** One per line, because JSON escapes could exceed the size that KMS encrypts. Undefined if there are none. */
export const sealHeaders = async (tenant: Tenant, webhookId: string, headers: Headers): Promise<Uint8Array | undefined> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  return lines.length === 0 ? undefined : sealSecret(lines.join('\n'), context(tenant, webhookId, 'headers'));
};

/** What KMS encrypts at once. Only a URL of more than 1,365 characters beyond ASCII exceeds it. */
export const sealedUrlMaxBytes = 4_096;

/** The attributes of a record that hold a URL: masked, and sealed if that hides anything. */
export const urlAttributes = async (
  tenant: Tenant,
  webhookId: string,
  url: string,
): Promise<{ readonly url: string; readonly sealedUrl: Uint8Array | undefined }> => {
  const shown = maskUrl(url);
  return { url: shown, sealedUrl: shown === url ? undefined : await sealSecret(url, context(tenant, webhookId, 'url')) };
};

/** Whether the record was written before URLs were sealed, or by a version from then, and holds a token that can be sealed. */
export const hasPlainToken = ({ url }: Pick<WebhookRecord, 'url'>): boolean =>
  !isMaskedUrl(url) && maskUrl(url) !== url && Buffer.byteLength(url) <= sealedUrlMaxBytes;

/**
 * The whole URL, from a cache of five minutes or from KMS, or from a record that holds it in plain. Beside a URL that is
 * not masked, a sealed one is stale: after a roll back, an earlier version has changed only `url`.
 */
export const openUrl = async (
  tenant: Tenant,
  { id, url, sealedUrl }: Pick<WebhookRecord, 'id' | 'url' | 'sealedUrl'>,
  now: Date,
): Promise<string> => (sealedUrl && isMaskedUrl(url) ? openCached(sealedUrl, context(tenant, id, 'url'), now) : url);

const readHeaders = (lines: string): Headers =>
  Object.fromEntries(lines.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));

/** The secrets that a request needs, from a cache of five minutes or from KMS. */
export const openSecrets = async (
  tenant: Tenant,
  webhook: Pick<WebhookRecord, 'id' | 'sealedSecret' | 'previous' | 'sealedHeaders'>,
  now: Date,
): Promise<OpenSecrets> => {
  const { id, sealedSecret, previous, sealedHeaders } = webhook;
  const open = async (sealed: Uint8Array | undefined, part: Part): Promise<string | undefined> =>
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

/** Secrets and headers of 2,500 webhooks, or fewer with their URLs: at most 20 MB of plain text, and slightly more of ciphertext. */
const cacheMax = 5_000;
/** After this long a disabled KMS key takes effect. */
const cacheMs = 5 * 60_000;
const openedSecrets = warm(() => new Map<string, { readonly text: Promise<string>; readonly untilMs: number }>());

/** Keyed by ciphertext and encryption context: a changed secret takes effect at once, and no other record can use the entry. */
const openCached = (sealed: Uint8Array, sealedFor: ReturnType<typeof context>, now: Date): Promise<string> => {
  const { organization, webhook, part } = sealedFor;
  const name = `${organization} ${webhook} ${part} ${Buffer.from(sealed).toString('base64')}`;
  const cache = openedSecrets();
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

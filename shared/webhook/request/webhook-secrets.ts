/** What a webhook signs with and the headers it adds: sealed for that very webhook at rest, open only while something is sent. */
import { openSecret, sealSecret, secureRandomBytes, type Tenant } from '../../platform/index.ts';
import type { WebhookRecord } from '../model/record.ts';
import type { Headers } from './custom-headers.ts';
import type { OpenSecrets } from './message-types.ts';

/** As Standard Webhooks writes secrets; 256 bits. */
export const newSecret = (): string => `whsec_${secureRandomBytes(32).toString('base64')}`;

/** The part keeps headers from ever being taken for a secret. */
const context = (tenant: Tenant, webhookId: string, part: 'secret' | 'headers') => ({
  organization: tenant.organizationId,
  webhook: webhookId,
  purpose: 'webhook-secret',
  part,
});

export const sealWebhookSecret = (tenant: Tenant, webhookId: string, secret: string): Promise<Uint8Array> =>
  sealSecret(secret, context(tenant, webhookId, 'secret'));

/** As lines, not JSON, whose escapes could make twice as much of them as KMS takes. Undefined if there are none. */
export const sealHeaders = async (tenant: Tenant, webhookId: string, headers: Headers): Promise<Uint8Array | undefined> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  return lines.length === 0 ? undefined : sealSecret(lines.join('\n'), context(tenant, webhookId, 'headers'));
};

const readHeaders = (lines: string): Headers =>
  Object.fromEntries(lines.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));

/** Everything that a request to the webhook needs. KMS is asked once in five minutes for what is sent often. */
export const openSecrets = async (
  tenant: Tenant,
  webhook: Pick<WebhookRecord, 'id' | 'sealedSecret' | 'previous' | 'sealedHeaders'>,
  now: Date,
): Promise<OpenSecrets> => {
  const { id, sealedSecret, previous, sealedHeaders } = webhook;
  const open = async (sealed: Uint8Array | undefined, part: 'secret' | 'headers'): Promise<string | undefined> =>
    sealed && openCached(sealed, context(tenant, id, part), now);
  const [secret, before, headers] = await Promise.all([
    open(sealedSecret, 'secret'),
    open(isPreviousValid(previous, now) ? previous?.sealedSecret : undefined, 'secret'),
    open(sealedHeaders, 'headers'),
  ]);
  return { secret, previous: before, headers: headers === undefined ? {} : readHeaders(headers) };
};

/** Whether the secret before the last rotation signs, too. */
export const isPreviousValid = (previous: WebhookRecord['previous'], now: Date): boolean =>
  previous !== undefined && now < new Date(previous.until);

/** Secret and headers of 2,500 webhooks: 20 MB of texts at the very most, and somewhat more of what they were sealed as. */
const cacheMax = 5_000;
/** A key that is disabled is of no more use after that. */
const cacheMs = 5 * 60_000;
const cache = new Map<string, { readonly text: Promise<string>; readonly untilMs: number }>();

/** By ciphertext and what it was sealed for: a change of a secret is seen at once, and nobody else's record opens it. */
const openCached = (sealed: Uint8Array, sealedFor: ReturnType<typeof context>, now: Date): Promise<string> => {
  const { organization, webhook, part } = sealedFor;
  const name = `${organization} ${webhook} ${part} ${Buffer.from(sealed).toString('base64')}`;
  const known = cache.get(name);
  cache.delete(name);
  const entry =
    known && now.getTime() < known.untilMs ? known : { text: openSecret(sealed, sealedFor), untilMs: now.getTime() + cacheMs };
  // At the end again: what was used last is forgotten last.
  cache.set(name, entry);
  for (const oldest of cache.keys()) {
    if (cache.size <= cacheMax) break;
    cache.delete(oldest);
  }
  // A failure must not be remembered.
  entry.text.catch(() => cache.get(name) === entry && cache.delete(name));
  return entry.text;
};

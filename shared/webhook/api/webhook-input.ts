/** Checks the fields of a webhook against each other, the format, the network and the organization's projects. */
import type * as z from 'zod/mini';
import { checkAll, invalid } from '../../contract/errors.ts';
import { webhookSecretMin } from '../../contract/limits.ts';
import type { webhookFields } from '../../contract/models/webhook.ts';
import type { WebhookFormat } from '../../contract/models/webhook-enums.ts';
import {
  BlockedAddress,
  checkAddress,
  env,
  envList,
  type GuardedUrl,
  getAll,
  guardWebhookUrl,
  isMasked,
  type Tenant,
} from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import type { WebhookFilters, WebhookRecord } from '../model/record.ts';
import { checkEvents } from '../model/subscription.ts';
import { checkHeaders } from '../request/custom-headers.ts';
import { isMaskedUrl } from '../request/mask-url.ts';
import { keyBytes } from '../request/signature.ts';
import { sealedUrlMaxBytes } from '../request/webhook-secrets.ts';

type Fields = z.output<z.ZodMiniObject<typeof webhookFields>>;
export type WebhookInput = { readonly [K in keyof Fields]?: Fields[K] | undefined };

/** The resulting format and events. Throws VALIDATION_ERROR that names the field. Makes no calls. */
export const checkInput = (
  given: WebhookInput,
  record?: Pick<WebhookRecord, 'format' | 'events' | 'sealedSecret'>,
): { readonly format: WebhookFormat; readonly events: readonly string[] } => {
  const format = given.format ?? record?.format ?? 'standard';
  const needsCheck = given.events !== undefined || format !== record?.format;
  const events = given.events ?? record?.events ?? [];
  checkAll(
    () => given.headers && checkHeaders(given.headers),
    () => checkSecret(given, format, record),
    () => needsCheck && checkEvents(events, format),
    () => given.url !== undefined && checkUrlText(given.url),
  );
  return { format, events: needsCheck ? checkEvents(events, format) : events };
};

/** The checks for a body that its schema rejects. Without a format, events are those of any format. */
export const checkGiven = ({ format = 'standard', headers, secret, events, url }: WebhookInput): void =>
  checkAll(
    () => headers && checkHeaders(headers),
    () => secret && checkSecret({ secret }, format),
    () => events && checkEvents(events, format),
    () => url !== undefined && checkUrlText(url),
  );

/** Refuses a URL that is masked, too long or, without DNS, at a forbidden address. */
export const checkUrlText = (url: string): void => {
  if (isMaskedUrl(url)) throw invalid('url', 'is the masked value; send the actual URL');
  if (Buffer.byteLength(url) > sealedUrlMaxBytes) throw invalid('url', `must be at most ${sealedUrlMaxBytes} bytes`);
  guardUrl(url);
};

const checkSecret = (given: WebhookInput, format: WebhookFormat, record?: Pick<WebhookRecord, 'sealedSecret'>): void => {
  if (typeof given.secret === 'string' && isMasked(given.secret))
    throw invalid('secret', 'is the masked value; send the actual secret');
  if (given.secret && keyBytes(given.secret) < webhookSecretMin)
    throw invalid('secret', `must have at least ${webhookSecretMin} bytes of key; the base64 text after whsec_ is decoded`);
  if (format === 'standard' && given.secret === null) throw invalid('secret', 'can be null only in the simple format');
  if (format === 'standard' && record && !record.sealedSecret && given.secret === undefined)
    throw invalid('secret', 'is required: the standard format is always signed, and the webhook has no secret');
};

/** The checks that need DNS or the table. */
export const checkUrlAndProjects = async (
  tenant: Tenant,
  { url, filters }: WebhookInput,
  record?: WebhookRecord,
): Promise<void> => {
  if (url !== undefined) await checkUrl(url);
  // An id that the webhook already has is accepted even if the project was deleted since.
  const added = filters?.projects?.filter((id) => !record?.filters.projects.includes(id)) ?? [];
  if (added.length > 0) await checkProjects(tenant, added);
};

/** Refuses a URL whose name resolves to a forbidden address. */
export const checkUrl = (url: string): Promise<void> => checkAddress(guardUrl(url)).catch(refuseUrl);

/** Without DNS. */
const guardUrl = (url: string): GuardedUrl => {
  try {
    return guardWebhookUrl(url, envList('WEBHOOK_HOSTS'), env('PUBLIC_URL'));
  } catch (error) {
    return refuseUrl(error);
  }
};

const refuseUrl = (error: unknown): never => {
  throw error instanceof BlockedAddress ? invalid('url', error.message) : error;
};

const checkProjects = async (tenant: Tenant, ids: readonly string[]): Promise<void> => {
  const found = await getAll(ids.map((id) => projectKey.project(tenant, id)));
  const invalidValues = ids.filter((_, n) => found[n] === undefined);
  if (invalidValues.length > 0)
    throw invalid('filters.projects', 'must be ids of projects of this organization', { invalidValues });
};

/** Only the given lists change. Duplicates are dropped. */
export const filtersOf = (given: NonNullable<WebhookInput['filters']>, current?: WebhookFilters): WebhookFilters => ({
  projects: [...new Set(given.projects ?? current?.projects)],
  trigger: [...new Set(given.trigger ?? current?.trigger)],
  excludeTrigger: [...new Set(given.excludeTrigger ?? current?.excludeTrigger)],
});

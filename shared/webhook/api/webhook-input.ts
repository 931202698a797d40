/** What a customer asks of a webhook, checked as a whole: what goes with which format, where it may send, and what it may add. */
import type * as z from 'zod';
import { invalid } from '../../contract/errors.ts';
import type { webhookFields } from '../../contract/models/webhook.ts';
import type { WebhookFormat } from '../../contract/models/webhook-enums.ts';
import { BlockedAddress, checkAddress, env, envList, getAll, guardWebhookUrl, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import type { WebhookFilters, WebhookRecord } from '../model/record.ts';
import { checkEvents } from '../model/subscription.ts';
import { checkHeaders, isMasked } from '../request/custom-headers.ts';

type Fields = z.output<z.ZodObject<typeof webhookFields>>;
/** Only what is given is asked for. */
export type WebhookInput = { readonly [K in keyof Fields]?: Fields[K] | undefined };

/** What the format and the events would be. Throws VALIDATION_ERROR that names the field; asks nobody. */
export const checkInput = (
  given: WebhookInput,
  record?: Pick<WebhookRecord, 'format' | 'events' | 'sealedSecret'>,
): { readonly format: WebhookFormat; readonly events: readonly string[] } => {
  const format = given.format ?? record?.format ?? 'standard';
  if (given.headers) checkHeaders(given.headers);
  if (typeof given.secret === 'string' && isMasked(given.secret))
    throw invalid('secret', 'is the masked value; send the real one');
  if (format === 'standard' && given.secret === null) throw invalid('secret', 'can be null in the simple format only');
  if (format === 'standard' && record && !record.sealedSecret && given.secret === undefined)
    throw invalid('secret', 'is required: the standard format is always signed, and this webhook has none');
  const isJudged = given.events !== undefined || format !== record?.format;
  const events = given.events ?? record?.events ?? [];
  return { format, events: isJudged ? checkEvents(events, format) : events };
};

/** The same for what others have to be asked: the name service, and the table for projects. */
export const checkUrlAndProjects = async (
  tenant: Tenant,
  { url, filters }: WebhookInput,
  record?: WebhookRecord,
): Promise<void> => {
  if (url !== undefined) await checkUrl(url);
  // What is there already may be sent back, also where the project has gone since.
  const added = filters?.projects?.filter((id) => !record?.filters.projects.includes(id)) ?? [];
  if (added.length > 0) await checkProjects(tenant, added);
};

const checkUrl = async (url: string): Promise<void> => {
  try {
    await checkAddress(guardWebhookUrl(url, envList('WEBHOOK_HOSTS'), env('PUBLIC_URL')));
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalid('url', error.message);
    throw error;
  }
};

/** Another organization's project and one that never was are refused alike. */
const checkProjects = async (tenant: Tenant, ids: readonly string[]): Promise<void> => {
  const found = await getAll(ids.map((id) => projectKey.project(tenant, id)));
  const invalidValues = ids.filter((_, n) => found[n] === undefined);
  if (invalidValues.length > 0)
    throw invalid('filters.projects', 'must be ids of projects of the organization', { invalidValues });
};

/** What is given replaces all filters; each value counts once. */
export const filtersOf = (given: NonNullable<WebhookInput['filters']>): WebhookFilters => ({
  projects: [...new Set(given.projects)],
  trigger: [...new Set(given.trigger)],
  excludeTrigger: [...new Set(given.excludeTrigger)],
});

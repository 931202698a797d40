/**
 * What a provider's answer to an alert means. `reason` is shown to the customer: of the body it contains only codes and messages of
 * the provider's documented form, never other text of the endpoint.
 */
import { fitText, oneLine } from '../../platform/index.ts';
import type { AlertWebChannel } from './alert-message.ts';

export interface AlertAnswer {
  /** `gone`: the webhook or key no longer exists. `rejected`: a repetition would fail, too. */
  readonly outcome: 'delivered' | 'retry' | 'gone' | 'rejected';
  /** How long the provider asks to wait. */
  readonly retryAfterSeconds?: number;
  readonly reason: string;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export const classifyAlertAnswer = (
  channel: AlertWebChannel,
  { status, headers, body }: { readonly status: number; readonly headers: Headers; readonly body: string },
): AlertAnswer => {
  const effective = channel === 'teams' ? teamsStatus(status, body) : status;
  const said = saysOf[channel](body);
  const reason = [`HTTP ${effective}`, ...(said ? [said] : [])].join(': ');
  if (effective >= 200 && effective < 300) {
    // A sign-in or maintenance page is no delivery.
    return isHtml(body)
      ? { outcome: 'rejected', reason: `HTTP ${effective}: a web page instead of an answer of the provider` }
      : { outcome: 'delivered', reason };
  }
  if (effective === 429) return withDelay(reason, rateLimitDelay(channel, headers, body));
  if (effective >= 500 || effective === 408 || effective === 425) return withDelay(reason, retryAfterOf(headers));
  if (isGone(channel, effective, body)) return { outcome: 'gone', reason };
  return { outcome: 'rejected', reason: effective >= 300 && effective < 400 ? `${reason}: redirects are not followed` : reason };
};

const withDelay = (reason: string, seconds: number | undefined): AlertAnswer => ({
  outcome: 'retry',
  ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  reason,
});

const isHtml = (body: string): boolean => /^\s*<(?:!doctype|html)/i.test(body);

/** Connectors of Teams answer 200 even if Teams refused the message, and put its status into the text. */
const teamsStatus = (status: number, body: string): number => {
  const [, refused] = /^Webhook message delivery failed with error: .*?HTTP error (\d{3})\b/s.exec(body) ?? [];
  if (refused !== undefined) return Number(refused);
  return status === 200 && body.startsWith('Webhook message delivery failed') ? 502 : status;
};

/** Slack: revoked or prohibited webhook, unknown channel, archived channel. Discord: 401 is an invalid token, 404 an unknown webhook. */
const goneStatuses: Readonly<Record<AlertWebChannel, readonly number[]>> = {
  slack: [403, 404, 410],
  teams: [404, 410],
  discord: [401, 404, 410],
  pagerduty: [410],
};

const isGone = (channel: AlertWebChannel, status: number, body: string): boolean =>
  goneStatuses[channel].includes(status) ||
  (channel === 'slack' &&
    /^(?:no_service|no_service_id|no_team|team_disabled|invalid_token|channel_is_archived)$/.test(body.trim())) ||
  (channel === 'pagerduty' && status === 400 && /routing[_ ]key/i.test(pagerDutySays(body) ?? ''));

/** PagerDuty names no time, but asks for a few minutes. */
const pagerDutyDelaySeconds = 120;

const rateLimitDelay = (channel: AlertWebChannel, headers: Headers, body: string): number | undefined => {
  const json = channel === 'discord' ? parseJson(body) : undefined;
  const inBody = json && typeof json.retry_after === 'number' ? wholeSeconds(json.retry_after) : undefined;
  const inHeaders =
    retryAfterOf(headers) ?? (channel === 'discord' ? wholeSeconds(headerOf(headers, 'x-ratelimit-reset-after')) : undefined);
  return inBody ?? inHeaders ?? (channel === 'pagerduty' ? pagerDutyDelaySeconds : undefined);
};

/** RFC 9110: seconds, or a date, which is compared with the `Date` of the answer. */
const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headerOf(headers, 'retry-after');
  if (value === undefined) return undefined;
  const waitMs = Date.parse(value) - Date.parse(headerOf(headers, 'date') ?? '');
  return wholeSeconds(value) ?? (waitMs > 0 ? Math.ceil(waitMs / 1_000) : undefined);
};

const wholeSeconds = (value: string | number | undefined): number | undefined => {
  const isNumber = typeof value === 'number' || /^\s*\d+(?:\.\d+)?\s*$/.test(value ?? '');
  const seconds = Math.ceil(Number(value));
  return isNumber && Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : undefined;
};

const headerOf = (headers: Headers, name: string): string | undefined => {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'object' ? value[0] : value;
};

const slackSays = (body: string): string | undefined => /^\s*([a-z][a-z_]{0,59})\s*$/.exec(body)?.[1];

const discordSays = (body: string): string | undefined => {
  const { code, message } = parseJson(body) ?? {};
  return typeof code === 'number' && typeof message === 'string' ? `${words(message)} (${code})` : undefined;
};

/** Power Automate: `{"error":{"code":"WorkflowTriggerIsNotEnabled",…}}`. */
const teamsSays = (body: string): string | undefined => {
  const { error } = parseJson(body) ?? {};
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Za-z]{1,60}$/.test(code) ? code : undefined;
};

const pagerDutySays = (body: string): string | undefined => {
  const { status, message, errors } = parseJson(body) ?? {};
  const texts = [message, ...(Array.isArray(errors) ? errors : [])].filter((text) => typeof text === 'string');
  return typeof status === 'string' && texts.length > 0 ? words(texts.join('; ')) : undefined;
};

const saysOf: Readonly<Record<AlertWebChannel, (body: string) => string | undefined>> = {
  slack: slackSays,
  teams: teamsSays,
  discord: discordSays,
  pagerduty: pagerDutySays,
};

const words = (text: string): string => fitText(oneLine(text), 200);

const parseJson = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

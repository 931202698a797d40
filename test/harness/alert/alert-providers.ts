/**
 * Slack, Teams, Discord and PagerDuty on one https receiver: each validates the body by its documented rules and answers as documented.
 *
 * const providers = await startAlertProviders();
 * t.after(providers.stop);
 * POST /alerts { channel: 'slack', url: providers.url('slack') }
 * providers.limit('slack', { times: 1, seconds: 2 });    // 429 with Retry-After, then accepted
 * providers.remove('discord');                           // from now on: unknown webhook
 * const { json } = await providers.next('slack', ({ json }) => …);
 */
import { once } from 'node:events';
import type { AlertWebChannel } from '../../../shared/alert/message/index.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../stage/receiver.ts';
import { providerErrors } from './provider-rules.ts';

export interface ReceivedAlert {
  readonly request: ReceivedRequest;
  /** Undefined unless the body is JSON. */
  readonly json: unknown;
  /** The status that the provider answered. */
  readonly status: number;
}

export interface AlertProviders {
  readonly receiver: Receiver;
  /** The address of the webhook; the endpoint of events for PagerDuty. `name` separates several webhooks of a provider. */
  url(channel: AlertWebChannel, name?: string): string;
  /** All requests to a provider, oldest first. */
  received(channel: AlertWebChannel, name?: string): readonly ReceivedAlert[];
  /** The oldest matching request, accepted or not, that `next` has not returned yet. */
  next(channel: AlertWebChannel, fits?: (alert: ReceivedAlert) => boolean, name?: string): Promise<ReceivedAlert>;
  /** The next requests are refused because of a rate limit. */
  limit(channel: AlertWebChannel, limit: { readonly times: number; readonly seconds: number }, name?: string): void;
  /** The webhook is revoked, or the integration key deleted. */
  remove(channel: AlertWebChannel, name?: string): void;
  /** The next requests get a server error. */
  fail(channel: AlertWebChannel, times: number, name?: string): void;
  stop(): Promise<void>;
}

interface State {
  limited: { times: number; readonly seconds: number };
  failures: number;
  isGone: boolean;
  readonly alerts: ReceivedAlert[];
}

/** Longer than any processing on the stage, shorter than a test's timeout. */
const patienceMs = 300_000;

export const startAlertProviders = async (): Promise<AlertProviders> => {
  const states = new Map<string, State>();
  const given = new Set<ReceivedAlert>();
  let wake = Promise.withResolvers<void>();
  const stateOf = (channel: AlertWebChannel, name = 'main'): State => {
    const path = pathOf(channel, name);
    const state = states.get(path) ?? { limited: { times: 0, seconds: 0 }, failures: 0, isGone: false, alerts: [] };
    states.set(path, state);
    return state;
  };
  const receiver = await startReceiver({
    answer: (request) => {
      const [, channel = '', name = ''] = request.path.split('?')[0]?.split('/') ?? [];
      if (!isChannel(channel)) return { status: 404 };
      const state = stateOf(channel, name);
      const answer = answerOf(channel, state, request);
      state.alerts.push({ request, json: parse(request.body), status: answer.status });
      wake.resolve();
      wake = Promise.withResolvers<void>();
      return answer;
    },
  });
  return {
    receiver,
    url: (channel, name = 'main') => receiver.url(pathOf(channel, name)),
    received: (channel, name) => stateOf(channel, name).alerts,
    next: async (channel, fits = () => true, name) => {
      const { alerts } = stateOf(channel, name);
      const late = AbortSignal.timeout(patienceMs);
      const isLate = once(late, 'abort');
      for (;;) {
        const news = wake.promise;
        const found = alerts.find((alert) => !given.has(alert) && fits(alert));
        if (found) {
          given.add(found);
          return found;
        }
        if (late.aborted)
          throw new Error(`no matching request to ${channel} within ${patienceMs} ms; ${alerts.length} others arrived`);
        await Promise.race([news, isLate]);
      }
    },
    limit: (channel, limit, name) => {
      stateOf(channel, name).limited = { ...limit };
    },
    remove: (channel, name) => {
      stateOf(channel, name).isGone = true;
    },
    fail: (channel, times, name) => {
      stateOf(channel, name).failures = times;
    },
    stop: () => receiver.stop(),
  };
};

const channels: readonly AlertWebChannel[] = ['slack', 'teams', 'discord', 'pagerduty'];
const isChannel = (text: string): text is AlertWebChannel => channels.some((channel) => channel === text);
const pathOf = (channel: AlertWebChannel, name: string): string => `/${channel}/${name}/secret-of-the-webhook`;

type PlainAnswer = Extract<Answer, { readonly status?: number }> & { readonly status: number };

const answerOf = (channel: AlertWebChannel, state: State, { body, headers }: ReceivedRequest): PlainAnswer => {
  if (state.isGone) return goneAnswers[channel];
  if (state.limited.times > 0) {
    state.limited.times -= 1;
    return limitedAnswer(channel, state.limited.seconds);
  }
  if (state.failures > 0) {
    state.failures -= 1;
    return { status: 503, body: 'upstream connect error' };
  }
  if (!headers['content-type']?.startsWith('application/json') || parse(body) === undefined)
    return invalidAnswer(channel, ['no JSON']);
  const errors = providerErrors(channel, body.toString());
  return errors.length > 0 ? invalidAnswer(channel, errors) : acceptedAnswer(channel, parse(body));
};

const json = (status: number, value: unknown, headers: Record<string, string> = {}): PlainAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

const acceptedAnswer = (channel: AlertWebChannel, event: unknown): PlainAnswer => {
  if (channel === 'slack') return { status: 200, body: 'ok' };
  if (channel === 'teams') return { status: 202 };
  if (channel === 'discord') return json(200, { id: '1', type: 0 });
  return json(202, { status: 'success', message: 'Event processed', dedup_key: (event as { dedup_key: string }).dedup_key });
};

const invalidAnswer = (channel: AlertWebChannel, errors: readonly string[]): PlainAnswer => {
  if (channel === 'slack') return { status: 400, body: 'invalid_blocks' };
  if (channel === 'teams') return json(400, { error: { code: 'TriggerInputSchemaMismatch', message: errors.join('; ') } });
  if (channel === 'discord') return json(400, { message: 'Invalid Form Body', code: 50035, errors });
  return json(400, { status: 'invalid event', message: 'Event object is invalid', errors });
};

const limitedAnswer = (channel: AlertWebChannel, seconds: number): PlainAnswer => {
  const after = { 'retry-after': String(seconds) };
  if (channel === 'slack') return { status: 429, headers: after, body: 'rate_limited' };
  if (channel === 'teams') return json(429, { error: { code: 'TooManyRequests', message: 'rate limit' } }, after);
  if (channel === 'discord')
    return json(429, { message: 'You are being rate limited.', retry_after: seconds, global: false }, after);
  return json(429, { status: 'throttle exceeded', message: 'Requests for this service are arriving too quickly' }, after);
};

const goneAnswers: Readonly<Record<AlertWebChannel, PlainAnswer>> = {
  slack: { status: 404, body: 'no_service' },
  teams: json(404, { error: { code: 'WorkflowNotFound', message: 'The workflow could not be found.' } }),
  discord: json(404, { message: 'Unknown Webhook', code: 10015 }),
  pagerduty: json(400, { status: 'invalid event', message: 'Event object is invalid', errors: ['Invalid routing key'] }),
};

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

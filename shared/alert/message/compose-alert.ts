import { version } from '../../contract/version.ts';
import type { AlertMessage, AlertWebChannel } from './alert-message.ts';
import { discordMessage } from './discord-message.ts';
import { pagerDutyEvent } from './pagerduty-event.ts';
import { slackMessage } from './slack-message.ts';
import { teamsMessage } from './teams-message.ts';

/** `url` is the secret webhook URL of a chat; PagerDuty has a routing key instead, and `url` only if it is not the default. */
export interface AlertTarget {
  readonly url?: string | undefined;
  readonly routingKey?: string | undefined;
}

/** `url` and, for PagerDuty, `body` are secret. */
export interface AlertRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue';

const headers = { 'Content-Type': 'application/json', 'User-Agent': `Backup-Management-Service/${version}` } as const;

/** The POST request that delivers a message, as the provider documents it. */
export const composeAlert = (channel: AlertWebChannel, { url, routingKey }: AlertTarget, message: AlertMessage): AlertRequest => {
  if (channel === 'pagerduty') {
    if (!routingKey) throw new Error('a PagerDuty alert has no routing key');
    return { url: url ?? pagerDutyUrl, headers, body: JSON.stringify(pagerDutyEvent(routingKey, message)) };
  }
  if (!url) throw new Error(`a ${channel} alert has no URL`);
  if (channel === 'slack') return { url, headers, body: JSON.stringify(slackMessage(message)) };
  if (channel === 'teams') return { url, headers, body: JSON.stringify(teamsMessage(message)) };
  return { url: confirmedUrl(url), headers, body: JSON.stringify(discordMessage(message)) };
};

/** Without `wait`, Discord reports success for a message that it then does not store. Other parameters stay, such as the thread. */
const confirmedUrl = (url: string): string => {
  const confirmed = new URL(url);
  confirmed.searchParams.set('wait', 'true');
  return confirmed.href;
};

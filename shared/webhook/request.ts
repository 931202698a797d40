import { env } from '../platform/index.ts';
import type { Attempt, OpenSecrets } from './attempt.ts';
import { isSensitive, mask } from './header.ts';
import type { StoredEvent, WebhookRecord } from './record.ts';
import { simpleMessage } from './simple-format.ts';
import { standardMessage } from './standard-format.ts';

/** One POST. `shownHeaders` are the same headers with signatures and credentials masked: what may be kept and shown. */
export interface ComposedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly shownHeaders: Record<string, string>;
}

/** The one place that makes what is sent. A webhook's own headers never take the place of ours, whatever their case; its user-agent does. */
export const composeRequest = (
  { id, format, url }: Pick<WebhookRecord, 'id' | 'format' | 'url'>,
  secrets: OpenSecrets,
  event: StoredEvent,
  attempt: Attempt,
): ComposedRequest => {
  const { body, headers, signatures } =
    format === 'simple' ? simpleMessage(id, secrets, event) : standardMessage(secrets, event, attempt);
  const ours = { 'Content-Type': 'application/json', ...headers, ...signatures };
  const taken = new Set(Object.keys(ours).map((name) => name.toLowerCase()));
  const theirs = Object.entries(secrets.headers).filter(([name]) => !taken.has(name.toLowerCase()));
  const hasAgent = theirs.some(([name]) => name.toLowerCase() === 'user-agent');
  const agent = hasAgent ? {} : { 'User-Agent': `Backup-Management-Service/${env('SERVICE_VERSION')}` };
  const sent = { ...agent, ...Object.fromEntries(theirs), ...ours };
  const isHidden = (name: string): boolean => name in signatures || isSensitive(name);
  const shown = Object.entries(sent).map(([name, value]) => [name, isHidden(name) ? mask : value]);
  return { url, headers: sent, body, shownHeaders: Object.fromEntries(shown) };
};

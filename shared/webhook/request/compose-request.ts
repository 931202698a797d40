import { env } from '../../platform/index.ts';
import type { StoredEvent, WebhookRecord } from '../model/record.ts';
import { mask, maskHeaders } from './custom-headers.ts';
import type { Attempt, OpenSecrets } from './message-types.ts';
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
  const ours = { 'Content-Type': 'application/json', ...headers };
  const taken = new Set(Object.keys({ ...ours, ...signatures }).map((name) => name.toLowerCase()));
  const allowed = Object.entries(secrets.headers).filter(([name]) => !taken.has(name.toLowerCase()));
  const theirs: Readonly<Record<string, string>> = { ...agentUnless(allowed), ...Object.fromEntries(allowed) };
  return {
    url,
    headers: { ...theirs, ...ours, ...signatures },
    body,
    shownHeaders: { ...maskHeaders(theirs), ...ours, ...masked(signatures) },
  };
};

const agentUnless = (given: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
  given.some(([name]) => name.toLowerCase() === 'user-agent')
    ? {}
    : { 'User-Agent': `Backup-Management-Service/${env('SERVICE_VERSION')}` };

/** A signature is worth as much as its secret to whoever would send its body again. */
const masked = (signatures: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(signatures).map((name) => [name, mask]));

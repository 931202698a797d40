import { env, secretMask } from '../../platform/index.ts';
import type { StoredEvent, WebhookRecord } from '../model/record.ts';
import { maskHeaders } from './custom-headers.ts';
import { maskUrl } from './mask-url.ts';
import type { Attempt, OpenSecrets } from './message-types.ts';
import { simpleMessage } from './simple-message.ts';
import { standardMessage } from './standard-message.ts';

/** `shownUrl` and `shownHeaders` have tokens, signatures and credentials masked, to be stored and shown. */
export interface ComposedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly shownUrl: string;
  readonly shownHeaders: Record<string, string>;
}

/** `url` is the whole one. Custom headers cannot override ours, in any case, except for the User-Agent. */
export const composeRequest = (
  { id, format, url }: Pick<WebhookRecord, 'id' | 'format' | 'url'>,
  { secrets, event, attempt }: { readonly secrets: OpenSecrets; readonly event: StoredEvent; readonly attempt: Attempt },
): ComposedRequest => {
  const { body, headers, signatures } =
    format === 'simple' ? simpleMessage(id, { secrets, event, attempt }) : standardMessage(secrets, event, attempt);
  const ours = { 'Content-Type': 'application/json', ...headers };
  const reserved = new Set(Object.keys({ ...ours, ...signatures }).map((name) => name.toLowerCase()));
  const allowed = Object.entries(secrets.headers).filter(([name]) => !reserved.has(name.toLowerCase()));
  const custom: Readonly<Record<string, string>> = { ...defaultAgent(allowed), ...Object.fromEntries(allowed) };
  return {
    url,
    headers: { ...custom, ...ours, ...signatures },
    body,
    shownUrl: maskUrl(url),
    shownHeaders: { ...maskHeaders(custom), ...ours, ...masked(signatures) },
  };
};

const defaultAgent = (custom: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
  custom.some(([name]) => name.toLowerCase() === 'user-agent')
    ? {}
    : { 'User-Agent': `Backup-Management-Service/${env('SERVICE_VERSION')}` };

/** With a signature anyone could send its body again. */
const masked = (signatures: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(signatures).map((name) => [name, secretMask]));

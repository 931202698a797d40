/**
 * The API in this process: its handlers with a table in memory, without sockets, for tests that make thousands of calls. The journeys
 * cover the gateway.
 */
import { handlers } from '../../../functions/handlers.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { handlerOf } from '../../../shared/contract/index.ts';
import { accessCookie, type Handler } from '../../../shared/http/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import type { Body, Result } from '../stage/client.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';
import { eventOf, type Request } from './api-event.ts';
import { answerInProcess } from './in-process.ts';
import { scriptAws } from './scripted-aws.ts';
import { publicKeyText, tokenFor, tokenIssuer } from './signing-key.ts';

export interface InProcessApi<T = InMemoryTable> {
  readonly table: T;
  readonly token: string;
  /** What the user sends with a call: the token, or the cookie of a browser if only that is accepted. */
  credentialsFor(endpoint: Endpoint): Pick<Request, 'cookies'> & { readonly headers: Record<string, string> };
  /** An organization of the token's user. */
  readonly organizationIds: readonly string[];
  send(endpoint: Endpoint, request: Request): Promise<Result<unknown>>;
  stop(): void;
}

const organizations = 6;

/** Starts the API with this table. */
export const startInProcessApi = async <T extends Pick<InMemoryTable, 'put' | 'script'> = InMemoryTable>(
  table: T = new InMemoryTable() as unknown as T,
): Promise<InProcessApi<T>> => {
  const aws = await scriptAws({
    GetPublicKey: () => ({ PublicKey: publicKeyText }),
    GetSecretValue: () => ({ SecretString: 's'.repeat(64) }),
  });
  Object.assign(process.env, {
    TOKEN_KEY_IDS: 'key',
    PUBLIC_URL: tokenIssuer,
    CONSOLE_URL: tokenIssuer,
    ALLOWED_ORIGINS: '',
    ALLOWED_REDIRECT_URIS: '',
    PRIVATE_HOSTS: '',
    WEBHOOK_HOSTS: '',
    REQUESTS_PER_MINUTE: '100000000',
  });
  answerInProcess(table.script);
  const [userId, sessionId, now] = [newId('user'), newId('session'), new Date()];
  const at = now.toISOString();
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  const person = { email: 'ada@example.com', emailVerified: true, name: 'Ada', picture: null };
  table.put({ pk: `USER#${userId}`, sk: 'PROFILE', id: userId, ...person, createdAt: at, updatedAt: at });
  table.put({
    pk: `SESSION#${sessionId}`,
    sk: 'SESSION',
    id: sessionId,
    userId,
    createdAt: at,
    endsAt: nowSeconds + 100_000,
    isBrowser: true,
  });
  const organizationIds = Array.from({ length: organizations }, (_, n) => {
    const id = newId('organization');
    const counts = { memberCount: 1, projectCount: 0, backupCount: 0, storageUsed: 0 };
    const choices = { name: `Law ${n}`, slug: `law-${n}`, ownerId: userId, timezone: 'UTC', defaultStorageId: null };
    table.put({ pk: `ORG#${id}`, sk: 'META', id, ...choices, ...counts, createdAt: at, updatedAt: at });
    table.put({
      pk: `ORG#${id}`,
      sk: `MEMBER#${userId}`,
      userId,
      role: 'owner',
      joinedAt: at,
      updatedAt: at,
      address: person.email,
    });
    return id;
  });
  const handlerFor = (endpoint: Endpoint): Handler =>
    (handlers as unknown as Record<string, Record<string, Handler>>)[endpoint.id.split('.')[0]!]![handlerOf(endpoint).name]!;
  const token = tokenFor(userId, sessionId, nowSeconds);
  return {
    table,
    token,
    credentialsFor: ({ access }) =>
      access === 'browser'
        ? { cookies: [`${accessCookie}=${token}`], headers: { origin: tokenIssuer } }
        : { headers: { authorization: `Bearer ${token}` } },
    organizationIds,
    send: async (endpoint, request) => {
      const { statusCode = 0, headers = {}, body = '' } = await handlerFor(endpoint)(eventOf(request));
      const parsed = JSON.parse(body) as Body<unknown>;
      return { status: statusCode, text: body, body: parsed, headers: new Headers(headers as Record<string, string>) };
    },
    stop: () => aws.stop(),
  };
};

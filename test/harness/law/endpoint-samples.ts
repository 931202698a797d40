/** Shared by laws over all endpoints: plausible ids, and the requirements on every response. */
import { type Role, roles } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../../shared/contract/errors.ts';
import type { IdKind } from '../../../shared/contract/ids.ts';
import { errorsOf } from '../../../shared/contract/openapi/error-responses.ts';
import { newId } from '../../../shared/platform/index.ts';
import type { Result } from '../stage/client.ts';

/** The roles below the required one. */
export const rolesBelow = (role: Role): readonly Role[] => roles.slice(0, roles.indexOf(role));

/** Plausible ids for all parameters of a path. */
export const randomParams = ({ path }: Pick<Endpoint, 'path'>): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, randomFor(name)]));

/** The kind of id in each path parameter; a token is not an id. */
export const parameterKinds = {
  userId: 'user',
  inviteId: 'invitation',
  apiKeyId: 'apiKey',
  id: 'organization',
  projectId: 'project',
  storageId: 'storageDestination',
  backupId: 'backup',
  restoreJobId: 'restore',
  exportId: 'export',
  scheduleId: 'schedule',
  restoreTestId: 'restoreTest',
  runId: 'restoreTestRun',
  webhookId: 'webhook',
  alertId: 'alert',
  incidentId: 'incident',
  erasureId: 'erasure',
  deliveryId: 'delivery',
} as const satisfies Readonly<Record<string, IdKind>>;

const randomFor = (name: string): string =>
  name in parameterKinds ? newId(parameterKinds[name as keyof typeof parameterKinds]) : 'x.y.z';

/** The first flaw of a response against the rules for all endpoints, if any. */
export const findResponseFlaw = (endpoint: Endpoint, { status, body, headers, text }: Result<unknown>): string | undefined => {
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
    if (!headers.get(name)) return `no ${name}`;
  if (headers.get('x-content-type-options') !== 'nosniff') return 'allows content type sniffing';
  if (status < 400) return undefined;
  const { error } = body;
  if (body.success !== false || typeof error?.code !== 'string') return `not an error envelope: ${text.slice(0, 200)}`;
  if (errors[error.code as ErrorCode] !== status) return `${error.code} with status ${status}`;
  if (!errorsOf(endpoint).includes(error.code as ErrorCode)) return `${error.code} is not described`;
  if (error.requestId !== headers.get('x-request-id')) return 'two request ids';
  return typeof error.message === 'string' && error.message.length > 0 ? undefined : 'no message';
};

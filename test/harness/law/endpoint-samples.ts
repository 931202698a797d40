/** What laws over all rows share: ids that could be right, and what every answer must have. */
import { type Role, roles } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../../shared/contract/errors.ts';
import type { IdKind } from '../../../shared/contract/ids.ts';
import { errorsOf } from '../../../shared/contract/openapi/error-responses.ts';
import { newId } from '../../../shared/platform/index.ts';
import type { Result } from '../stage/client.ts';

/** The roles that do not reach the one a row asks for. */
export const rolesBelow = (role: Role): readonly Role[] => roles.slice(0, roles.indexOf(role));

/** Ids that could be right, for every parameter of a path. */
export const randomParams = ({ path }: Pick<Endpoint, 'path'>): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, randomFor(name)]));

/** What each parameter of a path names; a token is no id. */
export const parameterKinds = {
  userId: 'user',
  inviteId: 'invitation',
  id: 'organization',
  projectId: 'project',
  storageId: 'storageDestination',
  backupId: 'backup',
  restoreJobId: 'restore',
  scheduleId: 'schedule',
  webhookId: 'webhook',
  deliveryId: 'delivery',
} as const satisfies Readonly<Record<string, IdKind>>;

const randomFor = (name: string): string =>
  name in parameterKinds ? newId(parameterKinds[name as keyof typeof parameterKinds]) : 'x.y.z';

/** What is wrong with an answer in the eyes of every endpoint: nothing, or the first thing. */
export const findResponseFlaw = (endpoint: Endpoint, { status, body, headers, text }: Result<unknown>): string | undefined => {
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
    if (!headers.get(name)) return `no ${name}`;
  if (headers.get('x-content-type-options') !== 'nosniff') return 'its type may be guessed';
  if (status < 400) return undefined;
  const { error } = body;
  if (body.success !== false || typeof error?.code !== 'string') return `not an error in the envelope: ${text.slice(0, 200)}`;
  if (errors[error.code as ErrorCode] !== status) return `${error.code} with status ${status}`;
  if (!errorsOf(endpoint).includes(error.code as ErrorCode)) return `${error.code} is not described`;
  if (error.requestId !== headers.get('x-request-id')) return 'two request ids';
  return typeof error.message === 'string' && error.message.length > 0 ? undefined : 'no message';
};

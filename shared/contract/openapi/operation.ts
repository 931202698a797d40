/** One endpoint as an OpenAPI operation. */

import { type Endpoint, isDestructive } from '../endpoint.ts';
import { requestsPerMinute as serviceLimit } from '../limits.ts';
import {
  type Content,
  errorResponses,
  type Parameter,
  type Ref,
  type ResponseObject,
  responseHeaders,
  sharedParameter,
  sharedSchema,
} from './components.ts';
import { errorsOf } from './error-responses.ts';
import { inputSchema, referTo, type Schema } from './json-schema.ts';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, ResponseObject | Ref>>;
  readonly deprecated?: true;
  /** The day after which a deprecated operation may be gone. */
  readonly 'x-sunset'?: string;
  readonly 'x-audit-action'?: string;
  /** A tighter limit than that of the service. */
  readonly 'x-rate-limit'?: { readonly requestsPerMinute: number; readonly per: 'caller' | 'organization' };
  /** Deletes, overwrites or ends something: ask before sending it. */
  readonly 'x-destructive'?: true;
}

export const operationOf = (endpoint: Endpoint, tag: string): Operation => {
  const { id, summary, body, bodyOptional } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describe(endpoint),
    security: securityOf(endpoint),
    parameters: parametersOf(endpoint),
    ...(body && {
      requestBody: { required: !bodyOptional, content: { 'application/json': { schema: referTo(body, 'input') } } },
    }),
    responses: { ...errorResponses(errorsOf(endpoint)), 431: headersTooLarge, ...successOf(endpoint) },
    ...(endpoint.audit !== undefined && { 'x-audit-action': endpoint.audit }),
    ...(endpoint.deprecated && { deprecated: true, 'x-sunset': endpoint.deprecated.sunset }),
    ...rateLimitOf(endpoint),
    ...(isDestructive(endpoint) && { 'x-destructive': true }),
  };
};

const outboundLimit = (share: number): number => Math.ceil(share * serviceLimit);

const rateLimitOf = ({ requestsPerMinute, outboundShare }: Endpoint): Pick<Operation, 'x-rate-limit'> => {
  if (requestsPerMinute !== undefined) return { 'x-rate-limit': { requestsPerMinute, per: 'caller' } };
  if (outboundShare === undefined) return {};
  return { 'x-rate-limit': { requestsPerMinute: outboundLimit(outboundShare), per: 'organization' } };
};

const describe = ({ access, note, requestsPerMinute, outboundShare, audit, deprecated }: Endpoint): string =>
  [
    deprecated && `Deprecated since ${deprecated.since}, and gone after ${deprecated.sunset}: use ${deprecated.use} instead.`,
    access === 'public' && 'No authentication required.',
    access === 'user' && 'Requires a signed-in user; API keys are rejected.',
    access === 'browser' && 'Requires the session cookie of a browser that signed in to the console; bearer tokens are rejected.',
    typeof access === 'object' &&
      `Requires role ${access.role}${access.role === 'owner' ? '' : ' or above'}; ${
        access.scope === 'people-only' ? 'API keys are rejected' : `API keys require scope ${access.scope}`
      }.`,
    typeof access === 'object' &&
      access.scope !== 'people-only' &&
      access.projects === 'organization' &&
      'An API key that is limited to projects is rejected.',
    requestsPerMinute !== undefined &&
      `At most ${requestsPerMinute} requests per minute${access === 'public' ? ' and IP address' : ''}.`,
    outboundShare !== undefined &&
      `At most ${outboundLimit(outboundShare)} requests per minute and organization, unless the deployment has other limits.`,
    note,
    audit !== undefined && `Audit action: ${audit}.`,
  ]
    .filter(Boolean)
    .join(' ');

/** OpenAPI 3.1 lets any scheme list requirements: here a role, or the scope of an API key. */
const securityOf = ({ access }: Endpoint): Operation['security'] => {
  if (access === 'public') return [];
  if (access === 'user') return [{ accessToken: [] }, { sessionCookie: [] }];
  if (access === 'browser') return [{ sessionCookie: [] }];
  const people = [{ accessToken: [access.role] }, { sessionCookie: [access.role] }];
  return access.scope === 'people-only' ? people : [...people, { apiKey: [access.scope] }];
};

const pathParameters: Readonly<Record<string, string>> = {
  userId: 'User id of the member',
  inviteId: 'Id of the invitation',
  apiKeyId: 'Id of the API key',
  projectId: 'Id of the project',
  storageId: 'Id of the storage destination',
  backupId: 'Id of the backup',
  restoreJobId: 'Id of the restore',
  webhookId: 'Id of the webhook',
  deliveryId: 'Id of the delivery',
  token: 'Last segment of acceptUrl',
};

const parametersOf = ({ path, access, idempotent, list, paged, query }: Endpoint): Operation['parameters'] => {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']): Parameter => ({
      name,
      in: 'path',
      required: true,
      description: pathParameters[name] ?? 'Resource id',
      schema: { type: 'string' },
    }),
  );
  const { properties = {}, required = [] } = (query ? inputSchema(query) : {}) as {
    properties?: Record<string, Schema & { description?: string }>;
    required?: string[];
  };
  const filters = Object.entries(properties).map(
    ([name, { description, ...schema }]): Parameter => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    }),
  );
  return [
    ...named,
    ...(typeof access === 'object' ? [sharedParameter('OrganizationId')] : []),
    ...(idempotent ? [sharedParameter('IdempotencyKey')] : []),
    ...filters,
    ...(list || paged ? [sharedParameter('Limit'), sharedParameter('Cursor')] : []),
  ];
};

/** Answered by the gateway, before any function runs. */
const headersTooLarge = {
  description:
    'The request line and headers together exceed 10,240 bytes. Sent by the gateway, so its body may differ from the envelope',
};

const descriptions = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

const secondDescriptions = {
  200: 'Completed within the request',
  202: 'Accepted; the work continues',
  503: 'The same report when the service is degraded',
} as const;

const successOf = (endpoint: Endpoint): Readonly<Record<string, ResponseObject>> => {
  const { reply = 'json', status = 200, alsoStatus, idempotent, location } = endpoint;
  if (reply === 'redirect') return { 302: { description: 'Redirect to the next step', headers: responseHeaders('Location') } };
  const headersOf = (code: number) =>
    responseHeaders(
      ...(idempotent ? (['Idempotent-Replayed'] as const) : []),
      ...(location !== undefined && (code === 201 || code === 202) ? (['Location'] as const) : []),
    );
  const content = reply === 'file' ? files(endpoint) : envelope(endpoint);
  const second = alsoStatus && { description: secondDescriptions[alsoStatus], headers: headersOf(alsoStatus), content };
  return {
    [status]: { description: descriptions[status], headers: headersOf(status), content },
    ...(second && { [alsoStatus]: second }),
  };
};

const files = ({ content = {} }: Endpoint): NonNullable<ResponseObject['content']> =>
  Object.fromEntries(
    Object.entries(content).map(([type, shape]) => [
      type,
      { schema: shape === 'text' ? { type: 'string' } : referTo(shape, 'output') },
    ]),
  );

const envelope = ({ data, list, paged }: Endpoint): NonNullable<ResponseObject['content']> => {
  const success = { type: 'boolean', const: true };
  const properties: Schema = list
    ? { success, data: { type: 'array', items: referTo(list, 'output') }, pagination: sharedSchema('Pagination') }
    : data
      ? { success, data: referTo(data, 'output'), ...(paged && { pagination: sharedSchema('Pagination') }) }
      : { success, message: { type: 'string' } };
  return { 'application/json': { schema: { type: 'object', required: Object.keys(properties), properties } } };
};

/** One endpoint as an OpenAPI operation. */

import type { Endpoint } from '../endpoint.ts';
import { requestsPerMinute as serviceLimit } from '../limits.ts';
import {
  type Content,
  errorResponses,
  type Parameter,
  type Ref,
  type Response,
  responseHeaders,
  sharedParameter,
  sharedSchema,
} from './components.ts';
import { errorsOf } from './error-responses.ts';
import { inputSchema, outputSchema, type Schema } from './json-schema.ts';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response | Ref>>;
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
    ...(body && { requestBody: { required: !bodyOptional, content: { 'application/json': { schema: inputSchema(body) } } } }),
    responses: { ...errorResponses(errorsOf(endpoint)), ...successOf(endpoint) },
  };
};

const describe = ({ access, requestsPerMinute, outboundShare, audit }: Endpoint): string =>
  [
    access === 'public' && 'No authentication required.',
    access === 'user' && 'Requires a signed-in user; API keys are rejected.',
    typeof access === 'object' &&
      `Requires role ${access.role}${access.role === 'owner' ? '' : ' or above'}; ${
        access.scope === 'people-only' ? 'API keys are rejected' : `API keys require scope ${access.scope}`
      }.`,
    requestsPerMinute !== undefined && `At most ${requestsPerMinute} requests per minute.`,
    outboundShare !== undefined &&
      `At most ${Math.ceil(outboundShare * serviceLimit)} requests per minute and organization, unless the deployment has other limits.`,
    audit !== undefined && `Audit action: ${audit}.`,
  ]
    .filter(Boolean)
    .join(' ');

/** OpenAPI 3.1 lets any scheme list requirements: here a role, or the scope of an API key. */
const securityOf = ({ access }: Endpoint): Operation['security'] => {
  if (access === 'public') return [];
  if (access === 'user') return [{ accessToken: [] }, { sessionCookie: [] }];
  const people = [{ accessToken: [access.role] }, { sessionCookie: [access.role] }];
  return access.scope === 'people-only' ? people : [...people, { apiKey: [access.scope] }];
};

const pathParameters: Readonly<Record<string, string>> = {
  userId: 'User id of the member',
  inviteId: 'Id of the invitation',
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

const descriptions = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

const secondDescriptions = {
  200: 'Completed within the request',
  202: 'Accepted; the work continues',
  503: 'The same report when the service is degraded',
} as const;

const successOf = (endpoint: Endpoint): Readonly<Record<string, Response>> => {
  const { reply = 'json', status = 200, alsoStatus, idempotent } = endpoint;
  if (reply === 'redirect') return { 302: { description: 'Redirect to the next step', headers: responseHeaders('Location') } };
  const headers = responseHeaders(...(idempotent ? (['Idempotent-Replayed'] as const) : []));
  const answer = { description: descriptions[status], headers, content: reply === 'file' ? files(endpoint) : envelope(endpoint) };
  return { [status]: answer, ...(alsoStatus && { [alsoStatus]: { ...answer, description: secondDescriptions[alsoStatus] } }) };
};

const files = ({ content = {} }: Endpoint): NonNullable<Response['content']> =>
  Object.fromEntries(
    Object.entries(content).map(([type, shape]) => [
      type,
      { schema: shape === 'text' ? { type: 'string' } : outputSchema(shape) },
    ]),
  );

const envelope = ({ data, list, paged }: Endpoint): NonNullable<Response['content']> => {
  const success = { type: 'boolean', const: true };
  const properties: Schema = list
    ? { success, data: { type: 'array', items: outputSchema(list) }, pagination: sharedSchema('Pagination') }
    : data
      ? { success, data: outputSchema(data), ...(paged && { pagination: sharedSchema('Pagination') }) }
      : { success, message: { type: 'string' } };
  return { 'application/json': { schema: { type: 'object', required: Object.keys(properties), properties } } };
};

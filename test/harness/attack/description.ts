/** The OpenAPI document of the running stage, and a check of responses against it. */
import { Ajv2020, type ValidateFunction } from '@redocly/ajv/dist/2020.js';
import type { Ref, ResponseObject } from '../../../shared/contract/openapi/components.ts';
import type { Schema } from '../../../shared/contract/openapi/json-schema.ts';
import type { Document } from '../../../shared/contract/openapi/openapi-document.ts';
import type { Operation } from '../../../shared/contract/openapi/operation.ts';
import { api, type Result } from '../stage/client.ts';

export interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Description {
  readonly operations: readonly Described[];
  /** Resolves a `$ref`. */
  resolve<T>(value: T | Ref): T;
  /** Undefined if status, content type, headers and body are as the operation describes and the status is not a server error. */
  flawOf(described: Described, result: Result<unknown>): string | undefined;
}

/** Every operation lists 5xx responses, but they are still failures; only the health check may report that a dependency is down. */
const mayFail = ['system.health'];

export const readDescription = async (): Promise<Description> => {
  const document = JSON.parse((await api('GET', '/api/v1/openapi.json')).text) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats });
  ajv.addSchema({ $id: 'document', ...document });
  const resolve = <T>(value: T | Ref): T => {
    const { $ref } = value as Partial<Ref>;
    if ($ref === undefined) return value as T;
    const parts = $ref.split('/').slice(1);
    return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as T;
  };

  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (name: string, schema: Schema): ValidateFunction => {
    const known = compiled.get(name) ?? ajv.compile(absolute(schema) as Schema);
    compiled.set(name, known);
    return known;
  };

  const flawOf = ({ operation }: Described, { status, headers, text }: Result<unknown>): string | undefined => {
    const { operationId, responses } = operation;
    if (status >= 500 && !mayFail.includes(operationId)) return `${status} ${text.slice(0, 300)}`;
    const listed = responses[String(status)];
    if (!listed) return `${status} is not listed: ${text.slice(0, 300)}`;
    const answer = resolve<ResponseObject>(listed);
    const absent = Object.keys(answer.headers ?? {}).find((name) => isExpected(name, status) && !headers.has(name));
    if (absent) return `no ${absent}`;
    if (!answer.content) return text === '' ? undefined : `${status} should have no body`;
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const content = answer.content[type];
    if (!content) return `${type} is not listed for ${status}`;
    if (!/json$/.test(type)) return undefined;
    const validate = validatorOf(`${operationId} ${status} ${type}`, content.schema);
    return validate(JSON.parse(text)) ? undefined : `${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`;
  };
  return { operations, resolve, flawOf };
};

/** Optional headers: only on replayed responses, or only with some errors of a status. */
const isExpected = (name: string, status: number): boolean =>
  name === 'WWW-Authenticate' ? status === 401 : name === 'Retry-After' ? status === 429 : name !== 'Idempotent-Replayed';

/** References in a schema are relative to the whole document. */
const absolute = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(absolute);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === '$ref' && typeof inner === 'string' ? `document${inner}` : absolute(inner),
    ]),
  );
};

const formats = {
  'date-time': (text: string) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: (text: string) => URL.canParse(text),
};

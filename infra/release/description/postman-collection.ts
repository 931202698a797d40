import type { Parameter, Ref } from '../../../shared/contract/openapi/components.ts';
import type { Schema } from '../../../shared/contract/openapi/json-schema.ts';
import type { Document } from '../../../shared/contract/openapi/openapi-document.ts';
import type { Operation } from '../../../shared/contract/openapi/operation.ts';
import { variableOf } from '../../../shared/docs/curl.ts';
import { type Resolve, sampleOf } from '../../../shared/docs/sample.ts';

/** A collection (format 2.1) with a folder per area and a request per endpoint. Its variables are the base URL, token and organization. */
export const postmanCollection = (document: Document) => {
  const lookup = (ref: string): unknown =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((node, name) => (node as Readonly<Record<string, unknown>>)[name], document);
  const resolve: Resolve = (ref) => lookup(ref) as Schema;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const parametersOf = ({ parameters }: Operation): readonly Parameter[] =>
    parameters.map((parameter) => ('$ref' in parameter ? (lookup((parameter as Ref).$ref) as Parameter) : parameter));
  return {
    info: {
      name: `${document.info.title} ${document.info.version}`,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('{{TOKEN}}'),
    variable: [
      { key: 'BASE', value: 'http://localhost:3000', description: 'Address of the service' },
      { key: 'TOKEN', value: '', description: 'API key or access token' },
      { key: 'ORGANIZATION', value: '', description: 'Id of the organization; an API key needs none' },
    ],
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map((call) => requestOf({ ...call, parameters: parametersOf(call.operation), resolve })),
    })),
  };
};

const bearer = (token: string) => ({ type: 'bearer', bearer: [{ key: 'token', value: token, type: 'string' }] });

interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly resolve: Resolve;
}

const requestOf = ({ method, path, operation, parameters, resolve }: DocumentedCall) => {
  const body = operation.requestBody?.content['application/json'];
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll(/\{(\w+)\}/g, (_, name: string) => `:${name}`));
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required, description = '', schema }) => ({
      key: name,
      value: required ? String(sampleOf(schema, resolve)) : '',
      description,
      // Postman sends only what is not disabled.
      disabled: !required,
    }));
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  return {
    name: operation.summary,
    request: {
      method,
      description: operation.description,
      ...(operation.security.length === 0 && { auth: { type: 'noauth' } }),
      header: headersOf(parameters, body !== undefined),
      url: {
        raw: `{{BASE}}/${segments.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
        host: ['{{BASE}}'],
        path: segments,
        query,
        variable: parameters
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, description = '' }) => ({ key: name, value: `{{${variableOf(name)}}}`, description })),
      },
      ...(body && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(sampleOf(body.schema, resolve), null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
};

const headersOf = (parameters: readonly Parameter[], hasBody: boolean) => {
  const has = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
  return [
    ...(has('X-Organization-Id') ? [{ key: 'X-Organization-Id', value: '{{ORGANIZATION}}' }] : []),
    ...(has('Idempotency-Key') ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ...(hasBody ? [{ key: 'Content-Type', value: 'application/json' }] : []),
  ];
};

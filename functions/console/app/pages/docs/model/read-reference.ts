/** The OpenAPI document as the docs show it: areas, endpoints, events and errors. */
import type { Role, Scope } from '../../../../../../shared/contract/access.ts';
import type { Parameter, Ref, ResponseObject } from '../../../../../../shared/contract/openapi/components.ts';
import type { Schema } from '../../../../../../shared/contract/openapi/json-schema.ts';
import type { Document } from '../../../../../../shared/contract/openapi/openapi-document.ts';
import type { Operation } from '../../../../../../shared/contract/openapi/operation.ts';
import type { Resolve } from '../../../../../../shared/docs/sample.ts';
import { readErrors, type ServiceError } from './read-errors.ts';
import { readEvents, type ServiceEvent } from './read-events.ts';

export interface Endpoint {
  /** The operation id, which is also the anchor. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The first words of the summary. */
  readonly title: string;
  /** Slug of the area. */
  readonly area: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly access: 'public' | 'user' | 'browser' | 'organization';
  readonly role: Role | undefined;
  /** Undefined if API keys are rejected. */
  readonly scope: Scope | undefined;
  readonly isDestructive: boolean;
  /** Answers with a redirect, which only a browser follows. */
  readonly isRedirect: boolean;
  readonly body: Schema | undefined;
  readonly responses: readonly (readonly [status: string, response: ResponseObject])[];
  readonly errors: readonly ServiceError[];
}

export interface Area {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

export interface Reference {
  readonly document: Document;
  readonly areas: readonly Area[];
  readonly endpoints: readonly Endpoint[];
  readonly events: readonly ServiceEvent[];
  readonly errors: readonly ServiceError[];
  readonly resolve: Resolve;
}

export const readReference = (document: Document): Reference => {
  const lookup = lookupIn(document);
  const errors = readErrors(document);
  const areas = document.tags.map(({ name, description }) => {
    const slug = slugOf(name);
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags.includes(name))
        .map(([method, operation]) =>
          readEndpoint({ method: method.toUpperCase(), path, area: slug, operation }, lookup, errors),
        ),
    );
    return { slug, name, description, endpoints };
  });
  return {
    document,
    areas,
    endpoints: areas.flatMap(({ endpoints }) => endpoints),
    events: readEvents(document, (ref) => lookup(ref) as Schema),
    errors,
    resolve: (ref) => lookup(ref) as Schema,
  };
};

/** 'Point-in-time recovery' → 'point-in-time-recovery' */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

type Lookup = (ref: string) => unknown;

const lookupIn =
  (document: Document): Lookup =>
  (ref) =>
    ref
      .replace('#/', '')
      .split('/')
      .reduce<unknown>((found, part) => (found as Readonly<Record<string, unknown>>)[part], document);

const accessOf = (security: Operation['security']): Endpoint['access'] => {
  const required = security.find((scheme) => 'sessionCookie' in scheme)?.sessionCookie;
  if (required === undefined) return 'public';
  if (required.length > 0) return 'organization';
  return security.length > 1 ? 'user' : 'browser';
};

const readEndpoint = (
  { method, path, area, operation }: Pick<Endpoint, 'method' | 'path' | 'area' | 'operation'>,
  lookup: Lookup,
  allErrors: readonly ServiceError[],
): Endpoint => {
  const find = <T>(given: T | Ref): T =>
    typeof given === 'object' && given && '$ref' in given ? (lookup(given.$ref) as T) : given;
  const { security, responses } = operation;
  const required = security.find((scheme) => 'sessionCookie' in scheme)?.sessionCookie;
  const entries = Object.entries(responses);
  // Shared error responses are named by their codes.
  const codes = entries.flatMap(([, response]) => ('$ref' in response ? (response.$ref.split('/').at(-1) ?? '').split('.') : []));
  return {
    id: operation.operationId,
    method,
    path,
    area,
    operation,
    title: titleOf(operation.summary),
    parameters: operation.parameters.map((parameter) => find<Parameter>(parameter)),
    access: accessOf(security),
    role: required?.[0] as Role | undefined,
    scope: security.find((scheme) => 'apiKey' in scheme)?.apiKey?.[0] as Scope | undefined,
    isDestructive: operation['x-destructive'] === true,
    isRedirect: '302' in responses,
    body: operation.requestBody?.content['application/json']?.schema,
    responses: entries.flatMap(([status, response]) => ('$ref' in response ? [] : [[status, response] as const])),
    errors: allErrors.filter(({ code }) => codes.includes(code)),
  };
};

/** 'Start a backup, or estimate it with dryRun' → 'Start a backup' */
const titleOf = (summary: string): string => summary.split(/[,.;:(]\s|\s\(/)[0] ?? summary;

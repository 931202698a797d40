/** Generates and sends whole requests to an operation of the OpenAPI document. */
import fc, { type Arbitrary } from 'fast-check';
import type { Parameter } from '../../../shared/contract/openapi/components.ts';
import type { Schema } from '../../../shared/contract/openapi/json-schema.ts';
import { api, type Result } from '../stage/client.ts';
import { allowedBy, type IdsOf, record } from './arbitrary-values.ts';
import { broken, odd } from './broken-values.ts';
import type { Described, Description } from './description.ts';

export interface FuzzRequest {
  /** Including parameters and query. */
  readonly path: string;
  /** The raw body; undefined for none. */
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Half of the requests are valid; the others are invalid in one part. */
export const requestsTo = (described: Described, description: Description, idsOf: IdsOf): Arbitrary<FuzzRequest> => {
  const { path, operation } = described;
  const parameters = operation.parameters.map((parameter) => description.resolve<Parameter>(parameter));
  const schema = operation.requestBody?.content['application/json']?.schema;
  const bodies = schema && allowedBy(description.resolve<Schema>(schema), idsOf);
  const parts = (how: Wish) =>
    fc.record({
      segments: fc.record(Object.fromEntries(within(parameters, 'path').map((one) => [one.name, segment(one, how, idsOf)]))),
      query: queryOf(within(parameters, 'query'), how, idsOf),
      body: bodyOf(bodies, operation.requestBody?.required ?? true, how),
      headers: within(parameters, 'header').some(({ name }) => name === 'Idempotency-Key') ? keys(how) : fc.constant({}),
    });
  return fc.oneof(...(['none', 'none', 'none', 'body', 'query', 'path', 'headers'] as const).map(parts)).map((drawn) => ({
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(drawn.segments[name] ?? '')) + drawn.query,
    body: drawn.body,
    headers: { ...drawn.headers, ...(drawn.body !== undefined && { 'content-type': 'application/json' }) },
  }));
};

/** The invalid part. */
type Wish = 'none' | 'body' | 'query' | 'path' | 'headers';

export const send = (
  { method }: Described,
  { path, body, headers }: FuzzRequest,
  by: { readonly token: string; readonly org: string },
): Promise<Result<unknown>> => api(method, path, { ...by, headers, ...(body !== undefined && { body }) });

const within = (parameters: readonly Parameter[], where: Parameter['in']) => parameters.filter((one) => one.in === where);

/** Without lone surrogates, which a URL cannot contain. */
const sendable = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'x')).toWellFormed().slice(0, 2_000);

/** Without slashes, escaped slashes and dot segments, which would change the path. */
const segmentFrom = (value: unknown): string => sendable(value).replace(/\/|^\.*$/g, 'x');

/** Path parameters are plain strings in the document; their names give the kind of id. */
const prefixes: Readonly<Record<string, string>> = {
  id: 'org',
  userId: 'usr',
  inviteId: 'inv',
  projectId: 'prj',
  storageId: 'dst',
  backupId: 'bkp',
  restoreJobId: 'rst',
  scheduleId: 'sch',
  restoreTestId: 'rtp',
  runId: 'rtr',
  webhookId: 'whk',
  alertId: 'alr',
  deliveryId: 'dlv',
};

const segment = ({ name, schema }: Parameter, how: Wish, idsOf: IdsOf): Arbitrary<string> => {
  const prefix = prefixes[name];
  const asked = prefix ? { type: 'string', pattern: `^${prefix}_[0-7]` } : schema;
  return (how === 'path' ? odd : allowedBy(asked, idsOf)).map(segmentFrom);
};

const queryOf = (parameters: readonly Parameter[], how: Wish, idsOf: IdsOf): Arbitrary<string> => {
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const whole = record(
    parameters.map(({ name, schema }) => [name, allowedBy(schema, idsOf)] as const),
    required,
  );
  const more =
    how === 'query'
      ? fc.constantFrom('', '&limit=1&limit=2', '&x[]=1', '&%', '&cursor=eyJhIjoxfQ', '&__proto__=1')
      : fc.constant('');
  return fc.tuple(how === 'query' ? broken(whole) : whole, more).map(([query, extra]) => {
    const entries = Object.entries((query ?? {}) as Record<string, unknown>).filter(([name]) => !isLongPage(name));
    const text = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, sendable(value)])).toString();
    // The gateway rejects longer URLs.
    return text + extra === '' ? '' : `?${text.slice(0, 6_000).replace(/%.?$/, '')}${extra}`;
  });
};

/** Cursors are left out: only responses contain valid ones, and a random one would be refused every time. */
const isLongPage = (name: string): boolean => name === 'cursor';

const bodyOf = (bodies: Arbitrary<unknown> | undefined, isRequired: boolean, how: Wish): Arbitrary<string | undefined> => {
  if (!bodies) return fc.constant(undefined);
  const text = bodies.map((body) => JSON.stringify(body));
  if (how !== 'body') return isRequired ? text : fc.option(text, { nil: undefined, freq: 3 });
  return fc.oneof(
    { weight: 8, arbitrary: broken(bodies).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: text.map((whole) => whole.slice(0, -1)) },
    { weight: 1, arbitrary: text.map((whole) => `${whole}${whole}`) },
  );
};

const keys = (how: Wish): Arbitrary<Readonly<Record<string, string>>> =>
  how === 'headers'
    ? fc.constantFrom(
        { 'idempotency-key': 'x'.repeat(256) },
        { 'idempotency-key': '\u00e9' },
        { accept: 'application/problem+json' },
      )
    : fc.oneof(
        fc.constant({}),
        fc.uuid().map((key) => ({ 'idempotency-key': key })),
      );

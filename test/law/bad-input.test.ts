/** Invalid input gets a documented error that names the mistake, and changes nothing. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { bodyMaxBytes } from '../../shared/contract/limits.ts';
import { inputSchema, type Schema } from '../../shared/contract/openapi/json-schema.ts';
import { sampleOf } from '../../shared/docs/sample.ts';
import { privileged, withAt } from '../harness/attack/broken-values.ts';
import { startInProcessApi } from '../harness/aws/in-process-api.ts';
import { findResponseFlaw, randomParams } from '../harness/law/endpoint-samples.ts';
import type { Result } from '../harness/stage/client.ts';

const api = await startInProcessApi();
/** Rate counts and lastSeenAt do not count as changes. */
const contents = (): string =>
  JSON.stringify(
    [...api.table.items].filter(([name]) => !/^(RATE|SEEN)#/.test(name)).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
const untouched = contents();
afterAll(() => {
  api.stop();
  equal(contents(), untouched, 'a refused call changed the table');
});

/** Some endpoints allow few calls per minute. */
const resetRates = (): void => {
  for (const name of api.table.items.keys()) if (name.startsWith('RATE#')) api.table.items.delete(name);
};

/** The gateway passes binary bodies as base64. */
const send = (
  endpoint: Endpoint,
  {
    body,
    headers = {},
    query = '',
  }: {
    readonly body: string | Buffer;
    readonly headers?: Record<string, string> | undefined;
    readonly query?: string | undefined;
  },
): Promise<Result<unknown>> => {
  const params = randomParams(endpoint);
  if (endpoint.requestsPerMinute !== undefined) resetRates();
  const isBase64Encoded = typeof body !== 'string';
  const credentials = api.credentialsFor(endpoint);
  return api.send(endpoint, {
    ...credentials,
    method: endpoint.method,
    path: endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!),
    params,
    query,
    headers: {
      ...credentials.headers,
      'x-organization-id': api.organizationIds[0]!,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
    body: isBase64Encoded ? body.toString('base64') : body,
    isBase64Encoded,
  });
};

const refused = (
  endpoint: Endpoint,
  { result, code, field }: { readonly result: Result<unknown>; readonly code: string; readonly field?: string | undefined },
) => {
  equal(findResponseFlaw(endpoint, result), undefined, result.text);
  equal(result.body.error.code, code, result.text);
  if (field !== undefined) equal(result.body.error.details.field, field, result.text);
};

interface Field {
  readonly path: readonly string[];
  readonly schema: Schema;
}

const fieldsOf = (schema: Schema, path: readonly string[] = []): Field[] =>
  Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, inner]) => [
    { path: [...path, name], schema: inner },
    ...fieldsOf(inner, [...path, name]),
  ]);

/** The paths of all objects in a body that reject unknown fields; 0 is the first element of a list. */
const closedObjectsOf = (schema: Schema, path: readonly string[] = []): readonly (readonly string[])[] => [
  ...(schema.additionalProperties === false ? [path] : []),
  ...Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, inner]) =>
    closedObjectsOf(inner, [...path, name]),
  ),
  ...choicesOf(schema)
    .slice(0, 1)
    .flatMap((inner) => closedObjectsOf(inner, path)),
];

const choicesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] => (anyOf ?? oneOf ?? []) as readonly Schema[];

const typesOf = (schema: Schema): string[] => {
  const choices = choicesOf(schema);
  return choices.length > 0 ? choices.flatMap(typesOf) : [schema.type as string | string[]].flat();
};

/** An integer is a number as well; fractions are tested separately. */
const isTypeOf = (schema: Schema, kind: string): boolean => {
  const types = typesOf(schema);
  return types.includes(kind) || (kind === 'number' && types.includes('integer'));
};

/** One value of every type JSON has. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  number: [7, -1, 1e308],
  boolean: [true],
  array: [[], ['x']],
  object: [{}, { x: 1 }],
  string: ['text'],
};

const valueWith = (base: unknown, path: readonly string[], value: unknown): unknown => {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const object = (base ?? {}) as Record<string, unknown>;
  return { ...object, [name]: valueWith(object[name], rest, value) };
};

const longList = Array.from({ length: 20_000 }, (_, n) => `x${n}`);
const deepBody = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
const wideBody = (keys: number): string => `{${Array.from({ length: keys }, (_, n) => `"k${n}":1`).join()}}`;
/** One endpoint gets as many as a body can have; reading them costs much more than refusing them, and all endpoints read alike. */
const [widestBody, wideBodyOfOthers] = [wideBody(60_000), wideBody(6_000)];

/** RFC 6749: unrecognised parameters of these two are ignored. */
const ignoresUnknown = ['auth.token', 'auth.refresh'];

for (const endpoint of endpoints.filter(({ body }) => body !== undefined)) {
  const schema = inputSchema(endpoint.body!);
  const base = sampleOf(schema, () => ({}));
  const strict = !ignoresUnknown.includes(endpoint.id);

  describe(endpoint.id, () => {
    for (const { path, schema: inner } of fieldsOf(schema))
      for (const [type, values] of Object.entries(samples).filter(([kind]) => !isTypeOf(inner, kind)))
        test(`${path.join('.')} of type ${type} is rejected by name`, async () => {
          for (const value of values) {
            const result = await send(endpoint, { body: JSON.stringify(valueWith(base, path, value)) });
            refused(endpoint, { result, code: 'VALIDATION_ERROR', field: path.join('.') });
          }
        });

    test('a string that is too long or not an allowed value is rejected by name', async () => {
      for (const { path, schema: inner } of fieldsOf(schema).filter(({ schema: one }) => typesOf(one).includes('string'))) {
        if (!inner.enum && inner.maxLength === undefined) continue;
        const result = await send(endpoint, { body: JSON.stringify(valueWith(base, path, 'x'.repeat(20_000))) });
        refused(endpoint, { result, code: 'VALIDATION_ERROR', field: path.join('.') });
      }
    });

    test('a fraction for an integer is rejected by name', async () => {
      for (const { path } of fieldsOf(schema).filter(({ schema: one }) => typesOf(one).includes('integer')))
        for (const value of [1.5, 1e308]) {
          const result = await send(endpoint, { body: JSON.stringify(valueWith(base, path, value)) });
          refused(endpoint, { result, code: 'VALIDATION_ERROR', field: path.join('.') });
        }
    });

    test('a body that is not an object is rejected', async () => {
      for (const body of ['[]', '"text"', '7', 'null', 'true', '[{}]'])
        refused(endpoint, { result: await send(endpoint, { body }), code: 'VALIDATION_ERROR', field: 'body' });
    });

    test('a body that is not JSON is rejected', async () => {
      for (const body of ['{', '{"a":}', "{'a':1}", '{}{}', '\u0000', 'a=b', '<xml/>', '{"a":1,}', 'NaN'])
        refused(endpoint, { result: await send(endpoint, { body }), code: 'VALIDATION_ERROR', field: 'body' });
    });

    // Endpoints with an optional body would do their work; the journeys call them.
    if (!endpoint.bodyOptional)
      test('a missing body is rejected', async () =>
        refused(endpoint, { result: await send(endpoint, { body: '' }), code: 'VALIDATION_ERROR', field: 'body' }));

    test('an unknown field is rejected by name in every object, and so is a privileged one', async () => {
      for (const path of closedObjectsOf(schema))
        for (const name of ['unknown', ...privileged]) {
          const at = [...path, name].join('.');
          const known = fieldsOf(schema).some((field) => field.path.join('.') === at);
          if (!known)
            refused(endpoint, {
              result: await send(endpoint, { body: JSON.stringify(withAt(base, [...path, name], { role: 'owner' })) }),
              code: 'VALIDATION_ERROR',
              field: at,
            });
        }
      // RFC 6749: unrecognised parameters are ignored.
      if (!strict)
        equal(
          findResponseFlaw(endpoint, await send(endpoint, { body: JSON.stringify({ ...(base as object), unknown: 1 }) })),
          undefined,
        );
    });

    test('a list that is too long is rejected by name', async () => {
      for (const { path } of fieldsOf(schema).filter(({ schema: one }) => typesOf(one).includes('array'))) {
        const result = await send(endpoint, { body: JSON.stringify(valueWith(base, path, longList)) });
        equal(findResponseFlaw(endpoint, result), undefined, result.text);
        equal(result.body.error.code, 'VALIDATION_ERROR', result.text);
        ok(String(result.body.error.details.field).startsWith(path.join('.')), result.text);
      }
    });

    test('another content type is rejected', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'application/jsonp',
        'multipart/form-data',
      ])
        refused(endpoint, {
          result: await send(endpoint, { body: JSON.stringify(base), headers: { 'content-type': type } }),
          code: 'UNSUPPORTED_MEDIA_TYPE',
        });
    });

    test('invalid UTF-8 is rejected', async () => {
      const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('"}')]);
      refused(endpoint, { result: await send(endpoint, { body: bytes }), code: 'VALIDATION_ERROR', field: 'body' });
    });

    test('a body of one byte more than 1 MiB is too large', async () => {
      const result = await send(endpoint, { body: `{"a":"${'x'.repeat(bodyMaxBytes - 7)}"}` });
      refused(endpoint, { result, code: 'PAYLOAD_TOO_LARGE' });
    });

    test('a body that is nested very deeply or has very many keys is rejected', async () => {
      for (const body of [deepBody, endpoint.id === 'organizations.create' ? widestBody : wideBodyOfOthers]) {
        const result = await send(endpoint, { body });
        equal(findResponseFlaw(endpoint, result), undefined);
        ok(result.status >= 400 && result.status < 500, result.text.slice(0, 200));
      }
    });
  });
}

// The authorized and the stored value must be the same: the last, as in JSON.parse.
test('bad input: the last of duplicate keys wins', async () => {
  const [create] = endpoints.filter(({ id }) => id === 'invites.create');
  const result = await send(create!, { body: '{"email":"a@example.com","role":"viewer","role":"superadmin"}' });
  refused(create!, { result, code: 'VALIDATION_ERROR', field: 'role' });
  deepEqual(result.body.error.details.invalidValues, ['superadmin']);
});

const texts = { NUL: 'a\u0000b', 'a lone surrogate': 'a\ud800b', 'a line break': 'a\nb', 'a line separator': 'a\u2028b' };
for (const [what, text] of Object.entries(texts))
  test(`bad input: ${what} in a name is rejected`, async () => {
    for (const id of ['organizations.create', 'organizations.update', 'serviceAccount.create']) {
      const endpoint = endpoints.find((one) => one.id === id)!;
      refused(endpoint, {
        result: await send(endpoint, { body: JSON.stringify({ name: text }) }),
        code: 'VALIDATION_ERROR',
        field: 'name',
      });
    }
  });

describe('queries', () => {
  for (const endpoint of endpoints.filter(({ list, paged }) => list || paged))
    test(`${endpoint.id}: an invalid page size or cursor is rejected by name`, async () => {
      const ask = (query: Record<string, string>) =>
        send(endpoint, { body: '', headers: {}, query: new URLSearchParams(query).toString() });
      for (const limit of ['0', '-1', '101', '1e9', 'NaN', '', '1.5', ' 1', '٣'])
        refused(endpoint, { result: await ask({ limit }), code: 'VALIDATION_ERROR', field: 'limit' });
      for (const cursor of ['', 'x', 'eyJhIjoxfQ', 'A'.repeat(4_000)])
        refused(endpoint, { result: await ask({ cursor }), code: 'VALIDATION_ERROR', field: 'cursor' });
    });
});

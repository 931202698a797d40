/** Every resource, request and event is a named component with a description and a valid example. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { Ajv2020 } from '@redocly/ajv/dist/2020.js';
import { test } from 'vitest';
import * as z from 'zod/mini';
import { eventNames, simpleEventNames } from '../../../../shared/contract/events/event-names.ts';
import { endpoints } from '../../../../shared/contract/index.ts';
import { requestExamples } from '../../../../shared/contract/openapi/examples/request-examples.ts';
import type { Schema } from '../../../../shared/contract/openapi/json-schema.ts';
import { componentNameOf, namedSchemas } from '../../../../shared/contract/openapi/named-schemas.ts';
import { openapiDocument } from '../../../../shared/contract/openapi/openapi-document.ts';
import { strictCopy } from '../../../harness/builders/strict-copy.ts';

const document = openapiDocument();
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;

test('named schemas: names are unique and consist of words', () => {
  const names = namedSchemas.map(({ name }) => name);
  equal(new Set(names).size, names.length);
  deepEqual(
    names.filter((name) => !/^([A-Z][a-z]+)+$/.test(name)),
    [],
  );
});

test('named schemas: every response of the API is one, or a union or array of them', () => {
  const isNamed = (schema: z.ZodMiniType): boolean => {
    if (componentNameOf(schema) !== undefined) return true;
    if (schema instanceof z.ZodMiniUnion) return schema.def.options.every((option) => isNamed(option as z.ZodMiniType));
    return schema instanceof z.ZodMiniArray && isNamed(schema.def.element as z.ZodMiniType);
  };
  // Documents of other specifications.
  const foreign = ['system.jwks', 'evidence.keys', 'description.openapi'];
  const anonymous = endpoints
    .filter(({ id }) => !foreign.includes(id))
    .filter(({ data, list, content = {} }) =>
      [data, list, ...Object.values(content)].some((schema) => schema instanceof z.ZodMiniType && !isNamed(schema)),
    );
  deepEqual(
    anonymous.map(({ id }) => id),
    [],
  );
});

test('named schemas: every request with fields is one', () => {
  const bodies = endpoints.filter(({ body }) => body && Object.keys(body.shape).length > 0);
  ok(bodies.length > 25);
  for (const { id, body, path, method } of bodies) {
    const content = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'];
    equal(content?.schema.$ref, `#/components/schemas/${componentNameOf(body!)}`, id);
    ok(componentNameOf(body!)?.endsWith('Request'), id);
  }
});

test('named schemas: every event is one, in each format', () => {
  equal(
    Object.keys(schemas).filter((name) => /(?<!Simple)Event$/.test(name) && name !== 'WebhookEvent').length,
    eventNames.length,
  );
  equal(Object.keys(schemas).filter((name) => name.endsWith('SimpleEvent')).length, simpleEventNames.length);
});

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'document', components: document.components });

for (const { name, schema, description, example } of namedSchemas)
  test(`named schemas: ${name} has a description and an example that its schema accepts completely`, () => {
    ok(description.length > 5);
    // A strict copy: an example has no fields that the schema lacks.
    const strict = schema instanceof z.ZodMiniObject ? strictCopy(schema) : schema;
    const { success, error } = strict.safeParse(example);
    ok(success, error && z.prettifyError(error));
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    ok(validate(example), ajv.errorsText(validate.errors));
  });

test('request examples: each is accepted, and none forces anything', () => {
  for (const { id, body } of endpoints.filter((endpoint) => endpoint.body)) {
    const example = (requestExamples as Record<string, unknown>)[id];
    const { success, error } = body!.safeParse(example);
    ok(success, error && `${id}: ${z.prettifyError(error)}`);
    ok(!/"(force|deleteBackupData|allowPartial)":true|"safetyBackup":false/.test(JSON.stringify(example)), id);
  }
});

test('OpenAPI document: every reference leads somewhere', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  ok(refs.length > 500);
  const found = (path: string): unknown =>
    path.split('/').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
  deepEqual(
    [...new Set(refs)].filter((path) => found(path) === undefined),
    [],
  );
});

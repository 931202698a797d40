import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { suite, test } from 'vitest';
import { isOrganizationScoped } from '../../../../shared/contract/endpoint.ts';
import { errors } from '../../../../shared/contract/errors.ts';
import { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { eventNames, isSimpleEvent } from '../../../../shared/contract/events/event-names.ts';
import { endpoints } from '../../../../shared/contract/index.ts';
import { errorsOf } from '../../../../shared/contract/openapi/error-responses.ts';
import type { Schema } from '../../../../shared/contract/openapi/json-schema.ts';
import { openapiDocument } from '../../../../shared/contract/openapi/openapi-document.ts';
import { version } from '../../../../shared/contract/version.ts';
import { accessCookie } from '../../../../shared/http/cookies.ts';
import { composeRequest } from '../../../../shared/webhook/request/compose-request.ts';
import { openapiSummary } from '../../../harness/builders/openapi-summary.ts';
import { firstAttempt, sampleOf, secretsOf, webhookOf } from '../../../harness/builders/sample-webhook.ts';

const document = openapiDocument();
const resolved = (schema: Schema): Schema => {
  const name = String(schema.$ref ?? '').replace('#/components/schemas/', '');
  return (document.components.schemas as Readonly<Record<string, Schema>>)[name] ?? schema;
};
const fixture = new URL('../../../fixture/openapi.txt', import.meta.url);

test('OpenAPI document: a strict linter finds no problem', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Two endpoints respond with a redirect; the next test checks the statuses.
    rules: { 'operation-2xx-response': 'off' },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  // The interface defines both paths. No id equals a literal segment, and a literal segment wins over a parameter.
  const isKnown = ({ ruleId, message }: (typeof problems)[number]): boolean =>
    ruleId === 'no-ambiguous-paths' &&
    /\/(backups\/restore\/{restoreJobId}|restore-tests\/runs\/{runId}|alerts\/incidents\/{incidentId})/.test(message);
  deepEqual(
    problems
      .filter((problem) => !isKnown(problem))
      .map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
    [],
  );
});

for (const endpoint of endpoints) {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];

  test(`${endpoint.id}: the document lists every status`, () => {
    equal(operation?.operationId, endpoint.id);
    const good = endpoint.reply === 'redirect' ? 302 : (endpoint.status ?? 200);
    // 431 is sent by the gateway.
    const expected = new Set([good, 431, endpoint.alsoStatus, ...errorsOf(endpoint).map((code) => errors[code])]);
    deepEqual(
      Object.keys(operation.responses).map(Number),
      [...expected].filter((status) => status !== undefined).sort((a, b) => a - b),
    );
  });

  test(`${endpoint.id}: the document states its authentication and shared parameters`, () => {
    const schemes = operation!.security.flatMap((scheme) => Object.keys(scheme));
    equal(schemes.includes('sessionCookie'), endpoint.access !== 'public');
    equal(schemes.includes('accessToken'), endpoint.access !== 'public' && endpoint.access !== 'browser');
    equal(schemes.includes('apiKey'), typeof endpoint.access === 'object' && endpoint.access.scope !== 'people-only');
    const refs = operation!.parameters.map((parameter) => ('$ref' in parameter ? parameter.$ref : ''));
    equal(refs.includes('#/components/parameters/OrganizationId'), isOrganizationScoped(endpoint));
    equal(refs.includes('#/components/parameters/IdempotencyKey'), endpoint.idempotent === true);
    equal(refs.includes('#/components/parameters/Cursor'), endpoint.list !== undefined || endpoint.paged === true);
  });
}

test('OpenAPI document: the session cookie has the name that the service sets', () =>
  equal(document.components.securitySchemes.sessionCookie.name, accessCookie));

suite('events', () => {
  test('every event is documented as a webhook', () => {
    deepEqual(Object.keys(document.webhooks), eventNames);
    deepEqual([...eventNames].sort(), Object.keys(events).sort());
  });

  for (const name of eventNames) {
    const { parameters, requestBody } = document.webhooks[name].post;
    const schema = requestBody.content['application/json'].schema as { oneOf?: readonly Schema[] };
    const bodies = (schema.oneOf ?? [schema]).map((one) => resolved(one) as { title: string; required: readonly string[] });

    test(`${name}: the document has a body for each format`, () =>
      deepEqual(
        bodies.map(({ required }) => required),
        [
          ['id', 'type', 'timestamp', 'data', 'metadata'],
          ['event', 'timestamp', 'data'],
        ].slice(0, isSimpleEvent(name) ? 2 : 1),
      ));

    test(`${name}: the document lists every header that is sent`, () => {
      process.env.SERVICE_VERSION = version;
      const described = parameters.map((parameter) => parameter.name).sort();
      const sent = (['standard', 'simple'] as const).slice(0, bodies.length).flatMap((format) =>
        Object.keys(
          composeRequest(webhookOf(format), {
            secrets: secretsOf('the secret', 'old'),
            event: sampleOf(name),
            attempt: {
              ...firstAttempt(),
              isTest: true,
            },
          }).headers,
        ),
      );
      deepEqual(described, [...new Set(sent)].filter((header) => !['Content-Type', 'User-Agent'].includes(header)).sort());
    });
  }
});

test('version: equals the version in package.json', () => {
  const { version: built } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  equal(version, built);
});

// A change of the interface must be seen in review. To accept one: UPDATE_FIXTURES=1 npm test -- test/shared/contract/openapi/openapi-document.test.ts
test('OpenAPI document: operations, events and schemas match the reviewed summary', () => {
  const summary = openapiSummary(document);
  if (process.env.UPDATE_FIXTURES) writeFileSync(fixture, summary);
  deepEqual(summary.split('\n'), readFileSync(fixture, 'utf8').split('\n'));
});

test('OpenAPI document: rewording a description changes no line of the summary, a schema does', () => {
  const [first = ''] = Object.keys(document.paths);
  const changed = (more: object) =>
    openapiSummary({ ...document, paths: { [first]: { get: { ...document.paths[first]!.get!, ...more } } } });
  equal(changed({ description: 'reworded' }), changed({}));
  notEqual(changed({ security: [{ other: [] }] }), changed({}));
});

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { suite, test } from 'vitest';
import { isOrganizationScoped } from '../../../../shared/contract/endpoint.ts';
import { errors } from '../../../../shared/contract/errors.ts';
import { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { eventNames, isSimpleEvent } from '../../../../shared/contract/events/event-names.ts';
import { endpoints } from '../../../../shared/contract/index.ts';
import { describe } from '../../../../shared/contract/openapi/document.ts';
import { errorsOf } from '../../../../shared/contract/openapi/error-responses.ts';
import type { Schema } from '../../../../shared/contract/openapi/json-schema.ts';
import { version } from '../../../../shared/contract/version.ts';
import { accessCookie } from '../../../../shared/http/cookies.ts';
import { composeRequest } from '../../../../shared/webhook/index.ts';
import { firstAttempt, sampleOf, secretsOf, webhookOf } from '../../../harness/builders/sample-webhook.ts';

const document = describe();
const fixture = new URL('../../../fixture/openapi.json', import.meta.url);

test('the description is valid OpenAPI 3.1 in the eyes of a strict linter', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Two endpoints answer with a redirect; the next test looks after the statuses.
    rules: { 'operation-2xx-response': 'off' },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  // A given path of the interface beside another: no id is called cancel, and a literal segment wins over a parameter.
  const isKnown = ({ ruleId, message }: (typeof problems)[number]): boolean =>
    ruleId === 'no-ambiguous-paths' && message.includes('/backups/restore/{restoreJobId}');
  deepEqual(
    problems
      .filter((problem) => !isKnown(problem))
      .map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
    [],
  );
});

for (const endpoint of endpoints) {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];

  test(`${endpoint.id} is described with every status it can answer`, () => {
    equal(operation?.operationId, endpoint.id);
    const good = endpoint.reply === 'redirect' ? 302 : (endpoint.status ?? 200);
    const expected = new Set([good, endpoint.alsoStatus, ...errorsOf(endpoint).map((code) => errors[code])]);
    deepEqual(
      Object.keys(operation.responses).map(Number),
      [...expected].filter((status) => status !== undefined).sort((a, b) => a - b),
    );
  });

  test(`${endpoint.id} says how to sign in, and asks for the organization exactly where one is needed`, () => {
    const schemes = operation!.security.flatMap((scheme) => Object.keys(scheme));
    equal(schemes.includes('accessToken'), endpoint.access !== 'public');
    equal(schemes.includes('apiKey'), typeof endpoint.access === 'object' && endpoint.access.scope !== 'people-only');
    const refs = operation!.parameters.map((parameter) => ('$ref' in parameter ? parameter.$ref : ''));
    equal(refs.includes('#/components/parameters/OrganizationId'), isOrganizationScoped(endpoint));
    equal(refs.includes('#/components/parameters/IdempotencyKey'), endpoint.idempotent === true);
    equal(refs.includes('#/components/parameters/Cursor'), endpoint.list !== undefined || endpoint.paged === true);
  });
}

test('the cookie described is the one that is set', () =>
  equal(document.components.securitySchemes.sessionCookie.name, accessCookie));

suite('events', () => {
  test('each is described as a webhook', () => {
    deepEqual(Object.keys(document.webhooks), eventNames);
    deepEqual([...eventNames].sort(), Object.keys(events).sort());
  });

  for (const name of eventNames) {
    const { parameters, requestBody } = document.webhooks[name].post;
    const schema = requestBody.content['application/json'].schema as { oneOf?: readonly Schema[] };
    const bodies = (schema.oneOf ?? [schema]) as readonly { title: string; required: readonly string[] }[];

    test(`${name} is described in every format it exists in`, () =>
      deepEqual(
        bodies.map(({ title, required }) => [title, required]),
        [
          ['standard', ['id', 'type', 'timestamp', 'data', 'metadata']],
          ['simple', ['event', 'timestamp', 'data']],
        ].slice(0, isSimpleEvent(name) ? 2 : 1),
      ));

    test(`${name} is described with every header that is sent`, () => {
      process.env.SERVICE_VERSION = version;
      const described = parameters.map((parameter) => parameter.name).sort();
      const sent = (['standard', 'simple'] as const)
        .slice(0, bodies.length)
        .flatMap((format) =>
          Object.keys(composeRequest(webhookOf(format), secretsOf('the secret', 'old'), sampleOf(name), firstAttempt()).headers),
        );
      deepEqual(described, [...new Set(sent)].filter((header) => !['Content-Type', 'User-Agent'].includes(header)).sort());
    });
  }
});

test('the version told is the version built', () => {
  const { version: built } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  equal(version, built);
});

// A change of the interface must be seen in review. To accept one: UPDATE_FIXTURES=1 node --test test/shared/contract/openapi/document.test.ts
test('the interface is the one that was agreed', () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env.UPDATE_FIXTURES) writeFileSync(fixture, text);
  ok(readFileSync(fixture, 'utf8') === text, 'the interface changed: see git diff test/fixture after UPDATE_FIXTURES=1');
});

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { isOrganizationScoped } from '../../../shared/contract/endpoint.ts';
import { errors } from '../../../shared/contract/errors.ts';
import { events } from '../../../shared/contract/events.ts';
import { errorsOf } from '../../../shared/contract/failure.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { describe } from '../../../shared/contract/openapi.ts';
import { version } from '../../../shared/contract/version.ts';
import { accessCookie } from '../../../shared/http/cookie.ts';

const document = describe();
const fixture = new URL('../../fixture/openapi.json', import.meta.url);

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

test('every event is described as a webhook', () => deepEqual(Object.keys(document.webhooks), Object.keys(events)));

test('the version told is the version built', () => {
  const { version: built } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  equal(version, built);
});

// A change of the interface must be seen in review. To accept one: UPDATE_FIXTURES=1 node --test test/shared/contract/openapi.test.ts
test('the interface is the one that was agreed', () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env.UPDATE_FIXTURES) writeFileSync(fixture, text);
  ok(readFileSync(fixture, 'utf8') === text, 'the interface changed: see git diff test/fixture after UPDATE_FIXTURES=1');
});

/** Public endpoints: health, keys, OpenAPI and docs. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { description, Health, system } from '../../../shared/contract/endpoints/system.ts';
import { eventNames } from '../../../shared/contract/events/event-names.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { type Document, openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import { version } from '../../../shared/contract/version.ts';
import { openapiSummary } from '../../harness/builders/openapi-summary.ts';
import { strictCopy } from '../../harness/builders/strict-copy.ts';
import { api, call, stageUrl } from '../../harness/stage/client.ts';
import { signIn } from '../../harness/stage/person.ts';

test('health: the service reports that it is up', async () => {
  const { status, text, headers } = await call(system.health);
  equal(status, 200);
  const report = strictCopy(Health).parse(JSON.parse(text));
  deepEqual(
    { success: report.success, status: report.status, version: report.version, checks: report.checks },
    { success: true, status: 'healthy', version, checks: undefined },
  );
  deepEqual(report.data, { status: report.status, version: report.version, timestamp: report.timestamp });
  ok(Math.abs(Date.parse(report.timestamp) - Date.now()) < 60_000);
  equal(headers.get('cache-control'), 'no-store');
});

test('health: a deep check tests the dependencies', async () => {
  const { status, text } = await call(system.health, { query: { checks: 'true' } });
  const report = Health.parse(JSON.parse(text));
  deepEqual(report.checks, { database: 'ok', redis: 'ok', storage: 'ok' });
  deepEqual(report.data.checks, report.checks);
  equal(status, 200);
});

for (const query of ['checks=yes', 'checks=', 'checks=true&checks=true', 'deep=1'])
  test(`health: ?${query} is refused`, async () => {
    const { status, body } = await api('GET', `/health?${query}`);
    equal(status, 400);
    equal(body.error.code, 'VALIDATION_ERROR');
  });

test('JWKS: access tokens verify with the published keys only', async () => {
  const answer = await call(system.jwks);
  equal(answer.headers.get('cache-control'), 'public, max-age=300');
  const { keys } = JSON.parse(answer.text) as { keys: Record<string, string>[] };
  ok(keys.every((key) => key.kty === 'RSA' && key.alg === 'RS256' && key.use === 'sig' && !('d' in key)));
  const [head = '', payload = '', signature = ''] = (await signIn()).accessToken.split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const key = createPublicKey({ key: keys.find((candidate) => candidate.kid === kid)!, format: 'jwk' });
  ok(verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')));
});

test('OpenAPI: the served description equals the fixture', async () => {
  const { status, text, headers } = await call(description.openapi);
  equal(status, 200);
  match(headers.get('content-type') ?? '', /^application\/json/);
  equal(headers.get('cache-control'), 'public, max-age=300');
  deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(openapiDocument())));
  equal(
    openapiSummary(JSON.parse(text) as Document),
    readFileSync(new URL('../../fixture/openapi.txt', import.meta.url), 'utf8'),
  );
});

test('docs page: lists every operation and event also without scripts, and allows scripts of the own origin only', async () => {
  const { status, text, headers } = await call(description.docs);
  equal(status, 200);
  equal(headers.get('content-type'), 'text/html; charset=utf-8');
  match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'; style-src 'self';/);
  for (const { id, method, path } of endpoints) {
    ok(text.includes(`id="${id}"`), id);
    ok(text.includes(`<code>${method} ${path}</code>`), path);
  }
  for (const name of eventNames) ok(text.includes(`<code>${name}</code>`), name);
});

test('docs page: is revalidated by its ETag, also at the address of one of its pages', async () => {
  const [first, page] = [await call(description.docs), await api('GET', '/docs/backups')];
  equal(page.text, first.text);
  const etag = first.headers.get('etag') ?? '';
  match(etag, /^"[\w-]{22}"$/);
  const again = await api('GET', '/docs', { headers: { 'if-none-match': etag } });
  deepEqual([again.status, again.text], [304, '']);
});

test('docs page: /console/docs leads to it', async () => {
  const answer = await fetch(`${stageUrl()}/console/docs/errors`, { redirect: 'manual' });
  deepEqual([answer.status, answer.headers.get('location')], [302, '/docs/errors']);
});

test('OpenAPI: repeated requests return the same description', async () => {
  const [first, second] = [await call(description.openapi), await call(description.openapi)];
  equal(first.text, second.text);
});

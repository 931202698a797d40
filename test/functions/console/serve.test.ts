/** The console's function as it is deployed: bundled with its built files. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { bundle, bundleDir } from '../../../infra/bundle/bundle.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import type { Handler } from '../../../shared/http/index.ts';
import { eventOf } from '../../harness/aws/api-event.ts';

const entry = 'functions/console/serve.ts';
const outdir = mkdtempSync(join(tmpdir(), 'console-'));
await bundle([entry], outdir);
const { serve, docs } = createRequire(import.meta.url)(join(bundleDir(entry, outdir), 'index.cjs')) as Record<
  'serve' | 'docs',
  Handler
>;

const get = async (path: string, headers: Record<string, string> = {}) => {
  const run = path.startsWith('/docs') ? docs : serve;
  const { statusCode, headers: answered = {}, body = '', isBase64Encoded } = await run(eventOf({ path, headers }));
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const encoding = answered['content-encoding'];
  const text = (encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return { status: statusCode, headers: answered as Record<string, string>, text, encoding };
};

const index = await get('/console', { 'accept-encoding': 'gzip, deflate, br' });
const [, script = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(index.text) ?? [];

test('console: index.html is revalidated, and nothing in it is inline', async () => {
  equal(index.status, 200);
  equal(index.headers['content-type'], 'text/html; charset=utf-8');
  equal(index.headers['cache-control'], 'no-cache');
  doesNotMatch(index.text, /<style|<script(?![^>]*src=)| on\w+=| style=/);
  const again = await get('/console', { 'if-none-match': index.headers.etag ?? '' });
  deepEqual([again.status, again.text], [304, '']);
});

test('console: the Content-Security-Policy allows the own origin only', () => {
  const policy = index.headers['content-security-policy'] ?? '';
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
  ])
    ok(policy.split('; ').includes(rule), rule);
  doesNotMatch(policy, /unsafe|https?:|\*/);
  equal(index.headers['x-content-type-options'], 'nosniff');
  equal(index.headers['referrer-policy'], 'same-origin');
});

test('console: a file has a hash in its name, never changes, and is compressed as the browser accepts it', async () => {
  match(script, /-[\w-]{8}\.js$/);
  const answers = await Promise.all(
    ['br', 'gzip', 'identity', 'br;q=0.5, gzip'].map((accepted) => get(script, { 'accept-encoding': accepted })),
  );
  deepEqual(
    answers.map(({ status, encoding }) => [status, encoding]),
    [
      [200, 'br'],
      [200, 'gzip'],
      [200, undefined],
      [200, 'gzip'],
    ],
  );
  equal(new Set(answers.map(({ text }) => text)).size, 1);
  for (const { headers } of answers) {
    equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    equal(headers.vary, 'accept-encoding');
  }
});

test('console: every page answers index.html, also one whose address has dots', async () => {
  for (const path of ['/console/backups/bkp_1/browse', '/console/invitations/01JZ.01JZ.Ab', '/console/no-such-page'])
    equal((await get(path)).text, index.text, path);
});

test('console: an unknown file is not found', async () => {
  for (const path of ['/console/assets/none-12345678.js', '/console/assets/none', '/console/favicon.ico', '/console/toString.js'])
    equal((await get(path)).status, 404, path);
});

test('GET / redirects browsers to the console; API clients get 404', async () => {
  const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  deepEqual([browser.status, browser.headers.location, browser.headers.vary], [302, '/console', 'accept']);
  for (const accept of ['application/json', '*/*', undefined]) {
    const answer = await get('/', accept === undefined ? {} : { accept });
    equal(answer.status, 404);
    equal(JSON.parse(answer.text).error.code, 'NOT_FOUND');
  }
});

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

test('docs: the document runs the same script, and lists every endpoint for readers without scripts', async () => {
  const { status, headers, text, encoding } = await get('/docs', { 'accept-encoding': 'br' });
  deepEqual([status, encoding, headers['content-type']], [200, 'br', 'text/html; charset=utf-8']);
  ok(text.includes(`src="${script}"`));
  equal(headers['content-security-policy'], index.headers['content-security-policy']);
  doesNotMatch(text, /<style|<script(?![^>]*src=)| on\w+=| style=|noindex/);
  const list = /<noscript>([\s\S]*)<\/noscript>/.exec(text)?.[1] ?? '';
  for (const { id, method, path, summary } of endpoints) {
    const [entry = ''] = list.split('<li ').filter((item) => item.startsWith(`id="${id}">`));
    ok(entry.includes(`<code>${method} ${path}</code>`), id);
    ok(entry.includes(escaped(summary)), id);
  }
});

test('docs: every page answers the document, and an unknown file is not found', async () => {
  const { text } = await get('/docs');
  for (const path of ['/docs/backups', '/docs/getting-started', '/docs/no-such-page']) equal((await get(path)).text, text, path);
  for (const path of ['/docs/none.js', '/docs/favicon.ico']) equal((await get(path)).status, 404, path);
});

test('docs: addresses below /console/docs lead to /docs', async () => {
  for (const [path, location] of [
    ['/console/docs', '/docs'],
    ['/console/docs/errors', '/docs/errors'],
  ] as const)
    deepEqual([(await get(path)).status, (await get(path)).headers.location], [302, location]);
});

test('console: the command line is one file, revalidated by its ETag, in every encoding', async () => {
  const path = '/console/bms.mjs';
  const answers = await Promise.all(['br', 'gzip', 'identity'].map((accepted) => get(path, { 'accept-encoding': accepted })));
  deepEqual(
    answers.map(({ status, encoding }) => [status, encoding]),
    [
      [200, 'br'],
      [200, 'gzip'],
      [200, undefined],
    ],
  );
  equal(new Set(answers.map(({ text }) => text)).size, 1);
  const [{ headers, text } = index] = answers;
  equal(headers['content-type'], 'text/javascript; charset=utf-8');
  equal(headers['cache-control'], 'no-cache');
  ok(text.startsWith('#!/usr/bin/env node\n'));
  const again = await get(path, { 'if-none-match': headers.etag ?? '' });
  deepEqual([again.status, again.text], [304, '']);
  equal((await get('/console/other.mjs')).status, 404);
});

for (const [path, location] of [
  ['/console/docs', '/docs'],
  ['/console/docs/€', '/docs/%E2%82%AC'],
  ['/console/docs/a b?c#d\\e', '/docs/a%20b%3Fc%23d%5Ce'],
  ['/console/docs/\ud800', '/docs/%EF%BF%BD'],
] as const)
  test(`console: ${JSON.stringify(path)} leads to the API docs`, async () => {
    const { status, headers } = await get(path);
    deepEqual([status, headers.location], [302, location]);
  });

for (const path of ['/console/docs/\r\nset-cookie: a=b', '/console/docs/\0', '/console/docs/\u0085'])
  test(`console: no page has a control character in its path: ${JSON.stringify(path)}`, async () =>
    equal((await get(path)).status, 404));

import { deepEqual, equal, ok } from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { group } from '../../../shared/contract/endpoint.ts';
import { serveStatic } from '../../../shared/http/index.ts';
import { eventOf } from '../../harness/aws/api-event.ts';

process.env.REQUESTS_PER_MINUTE = '3';
const { text } = group('things', '', {
  text: {
    route: 'GET /text',
    access: 'public',
    summary: '',
    reply: 'file',
    content: { 'text/plain': 'text' },
    capabilities: [],
  },
});
const now = () => new Date('2026-03-01T10:00:30Z');
const file = { body: 'Hello', contentType: 'text/plain', headers: { 'cache-control': 'public' } };
const ask = (request: Parameters<typeof eventOf>[0], made: () => typeof file = () => file) =>
  serveStatic(text, made, { now })(eventOf({ path: '/text', ...request }));
const codeOf = ({ body = '' }: { body?: string | undefined }) => (JSON.parse(body) as { error: { code: string } }).error.code;

test('serveStatic: the file is sent with the common headers and its own', async () => {
  const { statusCode, headers, body } = await ask({ ip: '203.0.113.1' });
  deepEqual([statusCode, body, headers['content-type'], headers['cache-control']], [200, 'Hello', 'text/plain', 'public']);
  deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']], ['3', '2', '30']);
  equal(typeof headers['x-request-id'], 'string');
});

test('serveStatic: an unknown parameter is refused', async () => {
  const answer = await ask({ ip: '203.0.113.2', query: 'format=yaml' });
  deepEqual([answer.statusCode, codeOf(answer)], [400, 'VALIDATION_ERROR']);
});

test('serveStatic: an address over the limit is refused, others are not', async () => {
  for (const status of [200, 200, 200, 429, 429]) equal((await ask({ ip: '203.0.113.3' })).statusCode, status);
  equal((await ask({ ip: '203.0.113.4' })).statusCode, 200);
});

test('serveStatic: a failure is a 500 without details', async () => {
  const answer = await ask({ ip: '203.0.113.5' }, () => {
    throw new Error('a secret reason');
  });
  deepEqual([answer.statusCode, codeOf(answer), answer.body?.includes('secret')], [500, 'INTERNAL_ERROR', false]);
});

const long = { ...file, body: 'Hello '.repeat(10_000) };
const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
for (const [accepted, encoding] of [
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['*', 'br'],
] as const)
  test(`serveStatic: Accept-Encoding ${accepted} gets ${encoding}`, async () => {
    const { headers, body, isBase64Encoded } = await ask(
      { headers: { 'accept-encoding': accepted }, ip: `198.51.100.${accepted.length}` },
      () => long,
    );
    deepEqual([headers['content-encoding'], headers.vary, isBase64Encoded], [encoding, 'accept-encoding', true]);
    const bytes = Buffer.from(body ?? '', 'base64');
    ok(bytes.length < long.body.length / 10);
    equal(decoders[encoding](bytes).toString(), long.body);
  });

for (const accepted of [undefined, '', 'identity', 'zstd', 'gzip;q=0, br;q=0'])
  test(`serveStatic: Accept-Encoding ${accepted} gets the plain text`, async () => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const answer = await ask({ headers, ip: `198.51.100.${100 + (accepted?.length ?? 90)}` }, () => long);
    deepEqual([answer.headers['content-encoding'], answer.headers.vary, answer.body], [undefined, 'accept-encoding', long.body]);
  });

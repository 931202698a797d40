import { deepEqual, equal } from 'node:assert/strict';
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

/** The deliveries of alerts and webhooks are listed and retried by the same commands. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { openScriptedService, runProgram } from '../../../harness/env/scripted-service.ts';
import { type Stops, stopAll, tempDir } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

const zeros = '0'.repeat(26);
for (const { group, id, path, row, noun, empty } of [
  {
    group: 'alert',
    id: `alr_${zeros}`,
    path: '/alerts',
    row: { createdAt: '2026-11-16T10:00:00.000Z', title: 'A backup failed' },
    noun: 'Message',
    empty: 'No messages',
  },
  {
    group: 'webhook',
    id: `whk_${zeros}`,
    path: '/webhooks',
    row: { timestamp: '2026-11-16T10:00:00.000Z', eventType: 'backup.failed', statusCode: 500 },
    noun: 'Delivery',
    empty: 'No deliveries',
  },
])
  test(`bms ${group} deliveries|retry: lists all pages with a status, and sends one again`, async () => {
    const service = await openScriptedService(stops, ({ method, path: at, query: { cursor = '1' } }) => {
      if (method === 'POST') return { data: {} };
      const deliveries = [{ id: `dlv_${cursor}`, status: 'failed', ...row }];
      return at === `${path}/${id}/deliveries` ? { data: { deliveries }, nextCursor: cursor === '1' ? '2' : null } : undefined;
    });
    const env = { XDG_CONFIG_HOME: tempDir(stops), BMS_URL: service.url, BMS_API_KEY: 'key' };
    const listed = await runProgram([group, 'deliveries', id, '--status', 'failed'], env);
    equal(listed.code, 0, listed.err);
    match(listed.out, /dlv_1 [\s\S]*dlv_2 /);
    match(listed.out, new RegExp('title' in row ? row.title : row.eventType));
    deepEqual(
      service.seen.map(({ query }) => query.status),
      ['failed', 'failed'],
    );
    match((await runProgram([group, 'retry', id, 'dlv_1'], env)).out, new RegExp(`^${noun} dlv_1 is sent again\n$`));
    deepEqual([service.seen.at(-1)?.method, service.seen.at(-1)?.path], ['POST', `${path}/${id}/deliveries/dlv_1/retry`]);
    service.answer = () => ({ data: { deliveries: [] } });
    match((await runProgram([group, 'deliveries', id], env)).err, new RegExp(empty));
    equal((await runProgram([group, 'deliveries', id, '--status', 'lost'], env)).code !== 0, true);
  });

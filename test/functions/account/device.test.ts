/** The sign-in of a device, in this process: limits per address, and what is stored. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';

const api = await startInProcessApi();
Object.assign(process.env, { PLAN: 'starter', AUDIT_RETENTION_DAYS: '' });
afterAll(() => api.stop());

const start = (ip: string, clientName = 'bms on build-7') =>
  api.send(device.start, {
    method: 'POST',
    path: device.start.path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientName }),
    ip,
  });

test('device.start: an address can start sixty sign-ins a minute, in all instances together', async () => {
  const answers = [];
  for (let n = 0; n < 121; n++) answers.push(await start('203.0.113.9'));
  ok(answers.slice(0, 60).every(({ status }) => status === 200));
  // The minute may end in between: then twice as many are accepted.
  const refused = answers.find(({ status }) => status !== 200)!;
  deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMITED']);
  match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  equal(refused.headers.get('ratelimit-limit'), '60');
  equal((await start('203.0.113.10')).status, 200, 'another address is not limited');
});

test('device.start: stores who asks, and neither of the codes nor a readable address in the rate count', async () => {
  const { deviceCode, userCode } = (await start('198.51.100.7', 'bms on laptop')).body.data as Record<string, string>;
  const items = JSON.stringify([...api.table.items]);
  ok(items.includes('bms on laptop'));
  for (const secret of [deviceCode, userCode, userCode?.replace('-', '')]) ok(secret && !items.includes(secret));
  ok([...api.table.items.keys()].every((name) => !name.startsWith('RATE#') || !name.includes('198.51.100.7')));
});

test('device.start: a name that could break a page or a log is refused', async () => {
  for (const clientName of ['', ' x', 'a\nb', 'x'.repeat(101)]) {
    const { status, body } = await start('203.0.113.11', clientName);
    deepEqual([status, body.error.details.field], [400, 'clientName']);
  }
});

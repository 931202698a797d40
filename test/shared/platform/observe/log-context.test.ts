/** Log lines and traces contain the ids of their context, also for concurrent work. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { addLogContext, bestEffort, lambdaHandler, log, newId, withLogContext } from '../../../../shared/platform/index.ts';
import { captureLog } from '../../../harness/aws/captured-log.ts';

const { lines, stop } = captureLog();
beforeEach(() => void lines.splice(0));
afterAll(stop);

test('withLogContext: lines of concurrent work contain their own ids at any depth', async () => {
  const work = (n: string) =>
    withLogContext({ organizationId: n }, async () => {
      await turn();
      await bestEffort('try', Promise.reject(new Error(n)));
      await withLogContext({ backupId: `${n}b` }, async () => void log.info('within'));
      log.info('after');
    });
  await withLogContext({ requestId: 'r' }, async () => void (await Promise.all([work('1'), work('2')])));
  const of = (n: string) => lines.filter(({ organizationId }) => organizationId === n);
  for (const n of ['1', '2']) {
    assert.deepEqual(
      of(n).map(({ message, requestId, backupId }) => [message, requestId, backupId]),
      [
        ['could not try', 'r', undefined],
        ['within', 'r', `${n}b`],
        ['after', 'r', undefined],
      ],
    );
    assert.equal((of(n)[0]!.error as Error).message, n);
  }
  assert.equal(lines.length, 6);
});

test('addLogContext: new ids are on later lines; existing ids win, except over the line’s own', async () => {
  await withLogContext({ organizationId: 'proven' }, async () => {
    addLogContext({ organizationId: 'claimed', projectId: 'p' });
    log.info('one');
    log.info('two', { projectId: 'another' });
  });
  assert.deepEqual(
    lines.map(({ organizationId, projectId }) => [organizationId, projectId]),
    [
      ['proven', 'p'],
      ['proven', 'another'],
    ],
  );
});

test('lambdaHandler: a failed run is logged with the ids of its event', async () => {
  const input = { organizationId: newId('organization'), restoreJobId: newId('restore'), shard: 3, note: 'rst_x' };
  const handler = lambdaHandler(async (_input: object, _context: object) => Promise.reject(new Error('broken')));
  await assert.rejects(handler(input, { awsRequestId: 'run-1' } as Context), { message: 'broken' });
  const [{ message, requestId, organizationId, restoreJobId } = {}] = lines;
  assert.deepEqual(
    { message, requestId, organizationId, restoreJobId },
    { message: 'run failed', requestId: 'run-1', organizationId: input.organizationId, restoreJobId: input.restoreJobId },
  );
});

let daemon: Socket;
const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8';
beforeAll(async () => {
  daemon = createSocket('udp4').bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  process.env.AWS_XRAY_DAEMON_ADDRESS = `127.0.0.1:${daemon.address().port}`;
});
afterAll(() => {
  daemon.close();
  delete process.env.AWS_XRAY_DAEMON_ADDRESS;
  delete process.env._X_AMZN_TRACE_ID;
});

test('annotateTrace: a sampled trace gets the ids', async () => {
  process.env._X_AMZN_TRACE_ID = `${trace};Sampled=1;Lineage=a:0`;
  const heard = once(daemon, 'message') as Promise<[Buffer]>;
  await withLogContext({ operation: 'backups.create' }, async () => addLogContext({ organizationId: 'org_1' }));
  const [header, part = ''] = (await heard)[0].toString().split('\n');
  assert.deepEqual(JSON.parse(header ?? ''), { format: 'json', version: 1 });
  const { id, start_time, end_time, ...rest } = JSON.parse(part) as { id: string; start_time: number; end_time: number };
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.ok(start_time <= end_time && start_time > 1_600_000_000 && end_time < 10_000_000_000, 'seconds');
  assert.deepEqual(rest, {
    name: 'backups.create',
    type: 'subsegment',
    trace_id: '1-5759e988-bd862e3fe1be46a994272793',
    parent_id: '53995c3f42cd8ad8',
    annotations: { operation: 'backups.create', organizationId: 'org_1' },
  });
});

test('annotateTrace: without a sampled trace nothing is sent', async () => {
  const told: string[] = [];
  daemon.on('message', (text) => told.push(String(text)));
  for (const header of [`${trace};Sampled=0`, trace, '']) {
    process.env._X_AMZN_TRACE_ID = header;
    await withLogContext({ operation: 'silent' }, async () => undefined);
  }
  process.env._X_AMZN_TRACE_ID = `${trace};Sampled=1`;
  const heard = once(daemon, 'message');
  await withLogContext({ operation: 'told' }, async () => undefined);
  await heard;
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /"name":"told"/);
});

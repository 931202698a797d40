import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, test, vi } from 'vitest';
import { health } from '../../../functions/api/system.ts';
import { Health } from '../../../shared/contract/endpoints/system.ts';
import { clock } from '../../../shared/platform/index.ts';
import { eventOf } from '../../harness/aws/api-event.ts';
import { Fault, type Script, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { strictCopy } from '../../harness/builders/strict-copy.ts';

const aws = await scriptAws();
afterAll(aws.stop);
process.env.SERVICE_VERSION = '9.9.9';

const fine: Script = {
  DescribeTable: () => ({ Table: { TableStatus: 'ACTIVE', LatestStreamArn: 'arn' } }),
  GetQueueAttributes: () => ({ Attributes: { QueueArn: 'arn' } }),
  BatchGetItem: () => ({ Responses: {} }),
  GetItem: () => ({}),
};

// Results are cached for two seconds.
let time = Date.now();
vi.spyOn(clock, 'now').mockImplementation(() => new Date(time));
const ask = async (script: Script, query = 'checks=true') => {
  time += 2_000;
  aws.play(script);
  const { statusCode, body } = await health(eventOf({ path: '/health', query }));
  return { statusCode, report: strictCopy(Health).parse(JSON.parse(body!)) };
};

test('health: a dependency that does not respond makes the service degraded: 503 with every check', async () => {
  const { statusCode, report } = await ask({ ...fine, GetQueueAttributes: () => new Fault('AccessDenied', 403) });
  equal(statusCode, 503);
  deepEqual([report.success, report.status, report.data.status], [false, 'degraded', 'degraded']);
  deepEqual(report.checks, { database: 'ok', redis: 'failing', storage: 'ok' });
});

test('health: the service is healthy again once the dependency responds', async () => {
  const { statusCode, report } = await ask(fine);
  equal(statusCode, 200);
  deepEqual([report.success, report.status, report.version], [true, 'healthy', '9.9.9']);
});

test('health: without checks no dependency is called', async () => {
  const { statusCode, report } = await ask({}, '');
  equal(statusCode, 200);
  equal(report.checks, undefined);
  equal(aws.calls.length, 0);
});

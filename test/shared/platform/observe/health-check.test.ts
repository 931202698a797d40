import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, beforeEach, test, vi } from 'vitest';
import { clock, healthCheck } from '../../../../shared/platform/index.ts';
import { Fault, type Script, scriptAws, silence } from '../../../harness/aws/scripted-aws.ts';

const aws = await scriptAws();
afterAll(aws.stop);

const table = { TableStatus: 'ACTIVE', LatestStreamArn: 'arn:stream' };
const fine: Script = {
  DescribeTable: () => ({ Table: table }),
  GetQueueAttributes: () => ({ Attributes: { QueueArn: 'arn:queue' } }),
};

// Results are cached for two seconds; each test starts after that.
let time = Date.now();
vi.spyOn(clock, 'now').mockImplementation(() => new Date(time));
beforeEach(() => {
  time += 2_000;
});

const checked = (script: Script) => {
  aws.play(script);
  return healthCheck(async () => true);
};

test('healthCheck: services that respond are ok', async () => {
  deepEqual(await checked(fine), { database: 'ok', queue: 'ok', storage: 'ok' });
});

test('healthCheck: an unavailable table fails database and storage', async () => {
  const verdict = await checked({ ...fine, DescribeTable: () => new Fault('ResourceNotFoundException') });
  deepEqual(verdict, { database: 'failing', queue: 'ok', storage: 'failing' });
});

test('healthCheck: a table whose key is inaccessible fails storage', async () => {
  const SSEDescription = { Status: 'ENABLED', InaccessibleEncryptionDateTime: 1 };
  const verdict = await checked({ ...fine, DescribeTable: () => ({ Table: { ...table, SSEDescription } }) });
  deepEqual(verdict, { database: 'ok', queue: 'ok', storage: 'failing' });
});

test('healthCheck: a table without its stream fails storage', async () => {
  const verdict = await checked({ ...fine, DescribeTable: () => ({ Table: { TableStatus: 'ACTIVE' } }) });
  equal(verdict.storage, 'failing');
});

test('healthCheck: a service that does not respond fails after two seconds, the others are ok', async () => {
  const verdict = await checked({ ...fine, GetQueueAttributes: () => silence });
  deepEqual(verdict, { database: 'ok', queue: 'failing', storage: 'ok' });
});

test('healthCheck: the services are called at most once in two seconds', async () => {
  await checked(fine);
  await Promise.all([healthCheck(async () => true), healthCheck(async () => true)]);
  equal(aws.calls.length, 2);
  time += 2_000;
  await healthCheck(async () => true);
  equal(aws.calls.length, 4);
});

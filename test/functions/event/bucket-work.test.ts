import { deepEqual, equal, ok } from 'node:assert/strict';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeEach, test } from 'vitest';
import { workers } from '../../../shared/contract/runtime/workers.ts';
import { taskRetryPolicy } from '../../../shared/destination/index.ts';
import { enqueue, Task } from '../../../shared/event/index.ts';
import { Fault, scriptAws } from '../../harness/aws/scripted-aws.ts';

let isAway = false;
const aws = await scriptAws({
  UpdateItem: () => ({}),
  BatchGetItem: () => (isAway ? new Fault('ResourceNotFoundException') : { Responses: { Table: [] } }),
});
afterAll(() => aws.stop());
const { handler } = await import('../../../functions/event/bucket-work.ts');
const { unsafeTenant } = await import('../../../shared/platform/index.ts');

beforeEach(() => {
  isAway = false;
  aws.calls.length = 0;
});

const organizationId = 'org_01JWNVAV000000000000000000';
const backupId = 'bkp_01JWNVAV000000000000000000';
const message = (task: object) => JSON.stringify({ id: 'tsk_01JWNVAV000000000000000000', organizationId, task });
const run = (body: string) =>
  handler({ Records: [{ messageId: 'm0', body }] } as SQSEvent).then(({ batchItemFailures }) => batchItemFailures.length);

test('bucket tasks: erasing a deleted backup and continuing a finished rewrap do nothing', async () => {
  equal(await run(message({ kind: 'erase-backup', backupId })), 0);
  equal(await run(message({ kind: 'rewrap-keys', walk: 'x' })), 0);
});

test('bucket tasks: replaying a deleted webhook does nothing', async () => {
  const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z', events: ['*'], status: 'all' };
  equal(await run(message({ kind: 'replay-webhook', webhookId: 'whk_01JWNVAV000000000000000000', walk: 'x', ...range })), 0);
  ok(aws.sent('BatchGetItem').length > 0);
});

test('bucket tasks: retention keeps everything of an organization in which nothing is due', async () => {
  equal(await run(message({ kind: 'apply-retention' })), 0);
  equal(aws.sent('BatchGetItem').length, 1);
});

test('bucket tasks: a failed task is retried', async () => {
  isAway = true;
  equal(await run(message({ kind: 'erase-backup', backupId })), 1);
});

test('bucket tasks: a task of another queue fails; a task of an unknown kind is dropped', async () => {
  equal(await run(message({ kind: 'start-backup', backupId })), 1);
  equal(await run(message({ kind: 'make-coffee' })), 0);
  deepEqual(aws.calls, []);
});

test('bucket tasks: the last request to a bucket ends before the function times out', () => {
  const { attempts, requestMs, maxDelayMs } = taskRetryPolicy;
  const requestMost = attempts * requestMs + (attempts - 1) * maxDelayMs;
  // Wrapping a key takes up to four requests after a third of the time, erasing one after two thirds.
  equal(workers.bucketWork.timeoutSeconds * 1_000 >= (workers.bucketWork.timeoutSeconds * 1_000) / 3 + 4 * requestMost, true);
});

test('bucket tasks: tasks that use a bucket or may take minutes go to the bucket work queue, and no others', () => {
  const tenant = unsafeTenant(organizationId, 'record');
  const queueOf = (kind: Task['kind']): unknown => {
    const write = enqueue(tenant, { kind } as Task, new Date());
    return 'put' in write && (write.put as unknown as { queue: string }).queue;
  };
  const kinds = Task.def.options.flatMap(({ shape }) => shape.kind.def.values);
  deepEqual(
    kinds.filter((kind) => queueOf(kind) === 'bucketWork'),
    [
      ...['erase-backup', 'rewrap-keys', 'finish-move', 'replay-webhook', 'apply-retention', 'expire-captures'],
      ...['store-erasures', 'assess-erasures'],
    ],
  );
  // Webhook tasks have their own queues, too.
  deepEqual(
    kinds.filter((kind) => ['eventMatch', 'delivery', 'deliveryRetry'].includes(String(queueOf(kind)))),
    ['match-event', 'deliver'],
  );
});

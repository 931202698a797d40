import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, beforeEach, test, vi } from 'vitest';
import { consumeQueue } from '../../../../shared/event/index.ts';
import {
  assertRunActive,
  batchHandler,
  FunctionTimeoutError,
  lambdaHandler,
  lambdaProcess,
  log,
  newId,
  timeoutEarlyMs,
} from '../../../../shared/platform/index.ts';
import { captureLog } from '../../../harness/aws/captured-log.ts';

const { lines, stop } = captureLog();
const exits = vi.spyOn(lambdaProcess, 'exit').mockImplementation(() => undefined);
beforeEach(() => {
  lines.splice(0);
  exits.mockClear();
});
afterAll(stop);

/** A context with this much time before the early timeout. */
const contextWith = (workMs: number): Context => {
  const deadlineMs = Date.now() + workMs + timeoutEarlyMs;
  return { awsRequestId: 'run-1', getRemainingTimeInMillis: () => deadlineMs - Date.now() } as Context;
};

const unfinished = new Promise<never>(() => {});

test('lambdaHandler: a run that takes too long is logged with its ids, its signal is aborted, and its process ends', async () => {
  let signal: AbortSignal | undefined;
  const organizationId = newId('organization');
  const handler = lambdaHandler((_event: object, _context, options) => {
    signal = options.signal;
    return unfinished;
  });
  await rejects(handler({ organizationId }, contextWith(20)), FunctionTimeoutError);
  equal(signal?.aborted, true);
  deepEqual(
    lines.map((line) => ({ message: line.message, requestId: line.requestId, organizationId: line.organizationId })),
    [{ message: 'run timed out', requestId: 'run-1', organizationId }],
  );
  deepEqual(exits.mock.calls, [[1]]);
});

test('lambdaHandler: a run that fails in time does not end its process', async () => {
  const handler = lambdaHandler(async (_event: object) => Promise.reject(new Error('broken')));
  await rejects(handler({}, contextWith(60_000)), { message: 'broken' });
  deepEqual(exits.mock.calls, []);
});

// Lambda thaws the container for another run, and the first run resumes in it.
test('lambdaHandler: a timed-out run that resumes writes nothing, the next run does', async () => {
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const written: string[] = [];
  const write = (text: string): void => {
    assertRunActive();
    written.push(text);
  };
  let left: Promise<void> | undefined;
  const slow = lambdaHandler((_event: object) => {
    left = thawed.then(() => write('late'));
    return left;
  });
  await rejects(slow({}, contextWith(20)), FunctionTimeoutError);
  const quick = lambdaHandler(async (_event: object) => {
    thaw();
    await rejects(async () => left, FunctionTimeoutError);
    write('in time');
  });
  await quick({}, contextWith(60_000));
  deepEqual(written, ['in time']);
});

test('lambdaHandler: the log context of one run does not reach the next', async () => {
  const handler = lambdaHandler(async (_event: object) => log.info('working'));
  await handler({ organizationId: newId('organization') }, contextWith(60_000));
  await handler({}, contextWith(60_000));
  equal(lines.at(-1)?.organizationId, undefined);
});

test('lambdaHandler: middleware can be added to a handler', async () => {
  const handler = lambdaHandler(async (event: { readonly n: number }) => event.n).after((request) => {
    request.response = Number(request.response) + 1;
  });
  equal(await handler({ n: 1 }, contextWith(60_000)), 2);
});

const recordOf = (messageId: string, body = ''): SQSRecord => ({ messageId, body, eventSourceARN: 'arn:x:q' }) as SQSRecord;
const eventOf = (...records: readonly SQSRecord[]): SQSEvent => ({ Records: [...records] });

test('batchHandler: records that are not finished when the time runs out are delivered again, the others are not', async () => {
  const handler = batchHandler<SQSEvent>(
    (record) => (record as SQSRecord).messageId,
    async (_event, finished) => {
      finished.add('quick');
      await unfinished;
    },
  );
  deepEqual(await handler(eventOf(recordOf('quick'), recordOf('slow')), contextWith(20)), {
    batchItemFailures: [{ itemIdentifier: 'slow' }],
  });
  match(String(lines.at(-1)?.message), /unfinished records will be retried/);
});

test('batchHandler: the process exits before a batch runs beside one that timed out', async () => {
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const handler = batchHandler<SQSEvent>(
    (record) => (record as SQSRecord).messageId,
    async ({ Records }, finished) => {
      if (Records[0]?.messageId === 'slow') await thawed;
      for (const { messageId } of Records) finished.add(messageId);
    },
  );
  await handler(eventOf(recordOf('slow')), contextWith(20));
  deepEqual(exits.mock.calls, []);
  await handler(eventOf(recordOf('next')), contextWith(60_000));
  deepEqual(exits.mock.calls, [[1]]);
  thaw();
  await pause(1);
  await handler(eventOf(recordOf('third')), contextWith(60_000));
  deepEqual(exits.mock.calls, [[1]], 'nothing is left of the batch that timed out');
});

test('batchHandler: a failure of the whole batch is not answered as a partial one', async () => {
  const handler = batchHandler<SQSEvent>(
    (record) => (record as SQSRecord).messageId,
    async () => Promise.reject(new Error('broken')),
  );
  await rejects(async () => handler(eventOf(recordOf('a')), contextWith(60_000)), { message: 'broken' });
});

test('consume: a task that hangs does not repeat the tasks beside it', async () => {
  const task = { kind: 'send-invitation', invitationId: newId('invitation') };
  const messageOf = (n: number) => JSON.stringify({ id: newId('task'), organizationId: newId('organization'), n, task });
  let started = 0;
  const handler = consumeQueue(async () => {
    started += 1;
    if (started === 2) await unfinished;
    await pause(1);
  });
  const answer = await handler(eventOf(recordOf('one', messageOf(1)), recordOf('two', messageOf(2))), contextWith(1_000));
  equal(started, 2);
  deepEqual(answer, { batchItemFailures: [{ itemIdentifier: 'two' }] });
  ok(lines.some(({ message }) => message === 'batch timed out; unfinished records will be retried'));
});

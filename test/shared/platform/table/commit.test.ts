import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { commit, create, remove, type Write } from '../../../../shared/platform/index.ts';
import { cancelled, Fault, scriptAws } from '../../../harness/aws/scripted-aws.ts';

const aws = await scriptAws();
afterAll(aws.stop);

const taken = (): ApiError => new ApiError('SLUG_TAKEN', 'taken');
const writes: readonly Write[] = [
  create({ pk: 'A', sk: 'A' }),
  create({ pk: 'B', sk: 'B' }, taken),
  remove({ pk: 'C', sk: 'C' }),
];

/** Responds in sequence; the last response repeats. */
const inSequence = (...answers: readonly (object | Fault)[]) => {
  let n = 0;
  return { TransactWriteItems: () => answers[Math.min(n++, answers.length - 1)]! };
};

test('commit: without writes nothing is sent', async () => {
  aws.play({});
  await commit([]);
  equal(aws.calls.length, 0);
});

test('commit: a clash with another transaction is retried with the same token', async () => {
  aws.play(inSequence(cancelled('None', 'TransactionConflict', 'None'), new Fault('TransactionInProgressException'), {}));
  await commit(writes);
  const sent = aws.sent('TransactWriteItems');
  equal(sent.length, 3);
  equal(new Set(sent.map((input) => input.ClientRequestToken)).size, 1);
});

test('commit: two commits of the same writes are two transactions', async () => {
  aws.play(inSequence({}));
  await commit(writes);
  await commit(writes);
  equal(new Set(aws.sent('TransactWriteItems').map((input) => input.ClientRequestToken)).size, 2);
});

test('commit: a persistent clash is a CONFLICT', async () => {
  aws.play(inSequence(cancelled('TransactionConflict', 'None', 'None')));
  await rejects(commit(writes), { code: 'CONFLICT' });
  equal(aws.sent('TransactWriteItems').length, 6);
});

test('commit: TransactionInProgressException is retried with the back-off of clashes alone, not with the SDK’s as well', async () => {
  aws.play(inSequence(new Fault('TransactionInProgressException')));
  await rejects(commit(writes), { code: 'CONFLICT' });
  equal(aws.sent('TransactWriteItems').length, 6);
});

test('commit: a transaction whose response was lost is sent again with the same token', async () => {
  aws.play(inSequence(new Fault('InternalServerError', 500), {}));
  await commit(writes);
  const tokens = aws.sent('TransactWriteItems').map((input) => input.ClientRequestToken);
  equal(tokens.length, 2);
  equal(new Set(tokens).size, 1);
});

test('commit: persistent throttling is SERVICE_UNAVAILABLE, not CONFLICT', async () => {
  aws.play(inSequence(cancelled('None', 'ThrottlingError', 'None')));
  await rejects(commit(writes), { code: 'SERVICE_UNAVAILABLE' });
});

test('commit: a failed condition throws the error of its write and is not retried', async () => {
  aws.play(inSequence(cancelled('None', 'ConditionalCheckFailed', 'None')));
  await rejects(commit(writes), { code: 'SLUG_TAKEN' });
  equal(aws.calls.length, 1);
});

test('commit: a failed condition without its own error is a CONFLICT that keeps the cause', async () => {
  aws.play(inSequence(cancelled('ConditionalCheckFailed', 'TransactionConflict', 'None')));
  await rejects(commit(writes), (error: unknown) => {
    ok(error instanceof ApiError && error.cause instanceof Error);
    equal(error.code, 'CONFLICT');
    return true;
  });
});

test('commit: any other error is thrown unchanged', async () => {
  aws.play(inSequence(new Fault('AccessDeniedException')));
  await rejects(commit(writes), { name: 'AccessDeniedException' });
  equal(aws.calls.length, 1);
});

test('commit: a transaction with too many writes is rejected before it is sent', async () => {
  aws.play(inSequence({}));
  await rejects(commit(Array.from({ length: 101 }, (_, n) => create({ pk: `${n}`, sk: 'A' }))), /101 writes/);
  equal(aws.calls.length, 0);
});

test('commit: each kind of write keeps its condition', async () => {
  aws.play(inSequence({}));
  await commit([
    create({ pk: 'A', sk: 'A', empty: undefined }),
    { update: { pk: 'B', sk: 'B' }, expression: 'SET #a = :a', names: { '#a': 'a' }, values: { ':a': 1 } },
    { remove: { pk: 'C', sk: 'C' } },
    { check: { pk: 'D', sk: 'D' }, condition: 'attribute_exists(pk)' },
  ]);
  const key = (name: string) => ({ pk: { S: name }, sk: { S: name } });
  deepEqual(aws.sent('TransactWriteItems')[0]!.TransactItems, [
    { Put: { TableName: 'Table', ConditionExpression: 'attribute_not_exists(pk)', Item: key('A') } },
    {
      Update: {
        TableName: 'Table',
        ExpressionAttributeNames: { '#a': 'a' },
        ExpressionAttributeValues: { ':a': { N: '1' } },
        Key: key('B'),
        UpdateExpression: 'SET #a = :a',
      },
    },
    { Delete: { TableName: 'Table', Key: key('C') } },
    { ConditionCheck: { TableName: 'Table', ConditionExpression: 'attribute_exists(pk)', Key: key('D') } },
  ]);
});

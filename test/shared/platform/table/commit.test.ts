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

/** Answers one call after the other, then the last one for ever. */
const inTurn = (...answers: readonly (object | Fault)[]) => {
  let n = 0;
  return { TransactWriteItems: () => answers[Math.min(n++, answers.length - 1)]! };
};

test('no writes are no transaction', async () => {
  aws.play({});
  await commit([]);
  equal(aws.calls.length, 0);
});

test('a clash with another transaction is tried again, as the same transaction', async () => {
  aws.play(inTurn(cancelled('None', 'TransactionConflict', 'None'), new Fault('TransactionInProgressException'), {}));
  await commit(writes);
  const sent = aws.sent('TransactWriteItems');
  equal(sent.length, 3);
  equal(new Set(sent.map((input) => input.ClientRequestToken)).size, 1);
});

test('two commits are two transactions, even of the same writes', async () => {
  aws.play(inTurn({}));
  await commit(writes);
  await commit(writes);
  equal(new Set(aws.sent('TransactWriteItems').map((input) => input.ClientRequestToken)).size, 2);
});

test('a clash that does not end is a conflict to the caller', async () => {
  aws.play(inTurn(cancelled('TransactionConflict', 'None', 'None')));
  await rejects(commit(writes), { code: 'CONFLICT' });
  equal(aws.sent('TransactWriteItems').length, 6);
});

test('commit: TransactionInProgressException is retried with the back-off of clashes alone, not with the SDK’s as well', async () => {
  aws.play(inTurn(new Fault('TransactionInProgressException')));
  await rejects(commit(writes), { code: 'CONFLICT' });
  equal(aws.sent('TransactWriteItems').length, 6);
});

test('commit: a transaction whose answer was lost is sent again with the same token', async () => {
  aws.play(inTurn(new Fault('InternalServerError', 500), {}));
  await commit(writes);
  const tokens = aws.sent('TransactWriteItems').map((input) => input.ClientRequestToken);
  equal(tokens.length, 2);
  equal(new Set(tokens).size, 1);
});

test('throttling that does not end is an outage, not a conflict', async () => {
  aws.play(inTurn(cancelled('None', 'ThrottlingError', 'None')));
  await rejects(commit(writes), { code: 'SERVICE_UNAVAILABLE' });
});

test('a failed condition is told in the words of its write, and not tried again', async () => {
  aws.play(inTurn(cancelled('None', 'ConditionalCheckFailed', 'None')));
  await rejects(commit(writes), { code: 'SLUG_TAKEN' });
  equal(aws.calls.length, 1);
});

test('a failed condition without words is a conflict that keeps its cause', async () => {
  aws.play(inTurn(cancelled('ConditionalCheckFailed', 'TransactionConflict', 'None')));
  await rejects(commit(writes), (error: unknown) => {
    ok(error instanceof ApiError && error.cause instanceof Error);
    equal(error.code, 'CONFLICT');
    return true;
  });
});

test('an error that is nobody else’s doing is passed on as it is', async () => {
  aws.play(inTurn(new Fault('AccessDeniedException')));
  await rejects(commit(writes), { name: 'AccessDeniedException' });
  equal(aws.calls.length, 1);
});

test('a transaction too large for the table is refused before it is sent', async () => {
  aws.play(inTurn({}));
  await rejects(commit(Array.from({ length: 101 }, (_, n) => create({ pk: `${n}`, sk: 'A' }))), /101 writes/);
  equal(aws.calls.length, 0);
});

test('each kind of write keeps its condition', async () => {
  aws.play(inTurn({}));
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

import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Permit } from '../../../../infra/local/base/types.ts';
import type { FunctionSpec } from '../../../../infra/local/lambda/function-spec.ts';
import { withLogPermission } from '../../../../infra/local/lambda/log-permission.ts';

const arn = 'arn:aws:lambda:eu-central-1:111122223333:function:fn';
const spec = { name: 'fn', arn, roleArn: 'role', logGroup: 'group', isTraced: true } as FunctionSpec;

const start = (permit: Permit) => {
  const [said, warned]: [string[], string[]] = [[], []];
  const log = withLogPermission(
    (name) => ({ write: (text) => void said.push(`${name}: ${text}`) }),
    permit,
    (line) => void warned.push(line),
  )(spec);
  log.write('hello');
  return { said, warned };
};

test('log permission: a function writes logs and traces with its own role, to the group in the template', () => {
  const asked: string[][] = [];
  const { said } = start((role, { service, sourceArn }, { action, resources }) => {
    assert.deepEqual([role, service, sourceArn], ['role', 'lambda.amazonaws.com', arn]);
    asked.push([action, ...resources]);
  });
  const stream = 'arn:aws:logs:eu-central-1:111122223333:log-group:group:log-stream:local';
  assert.deepEqual(asked, [
    ['xray:PutTraceSegments', '*'],
    ['xray:PutTelemetryRecords', '*'],
    ['logs:CreateLogStream', stream],
    ['logs:PutLogEvents', stream],
  ]);
  assert.deepEqual(said, ['fn: hello']);
});

test('log permission: a function without permission leaves no logs, and the console says so', () => {
  const { said, warned } = start((_role, _actor, { action }) => {
    if (action === 'logs:PutLogEvents') throw new Error(`not authorized to perform: ${action}`);
  });
  assert.deepEqual(said, []);
  assert.deepEqual(warned, ['not authorized to perform: logs:PutLogEvents']);
});

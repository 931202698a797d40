/** CloudFormation's call at a deployment: the answer decides whether it goes on. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeEach, test } from 'vitest';
import { schemaVersion } from '../../../shared/contract/version.ts';
import { openAnswerAddress } from '../../harness/aws/answer-address.ts';
import { Fault, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
const address = await openAnswerAddress();
afterAll(() => {
  aws.stop();
  address.close();
});
const { handler } = await import('../../../functions/deployment/check-schema.ts');
let table: InMemoryTable;
beforeEach(() => {
  table = new InMemoryTable();
  aws.play(table.script);
});

const ids = { StackId: 'arn:stack', RequestId: 'request-1', LogicalResourceId: 'Schema1' };
const call = async (more: object = {}, url = address.url) => {
  const event = {
    RequestType: 'Create',
    ResponseURL: url,
    ResourceProperties: { SchemaVersion: String(schemaVersion) },
    ...ids,
    ...more,
  };
  await handler(event as unknown as CloudFormationCustomResourceEvent);
  return address.answers.at(-1);
};
const later = { pk: 'SCHEMA', sk: 'SCHEMA', version: schemaVersion + 1, release: '9.1.0' };

test('schema check: a new table and one of this schema are accepted', async () => {
  deepEqual(await call(), { Status: 'SUCCESS', PhysicalResourceId: 'Schema1', ...ids });
  table.put({ ...later, version: schemaVersion });
  equal((await call({ RequestType: 'Update', PhysicalResourceId: 'kept' }))?.PhysicalResourceId, 'kept');
  equal(address.answers.at(-1)?.Status, 'SUCCESS');
});

test('schema check: a table of a later release fails the deployment, with what to do', async () => {
  table.put(later);
  const answer = await call();
  equal(answer?.Status, 'FAILED');
  match(answer?.Reason ?? '', /^9\.1\.0 has written the table with schema \d+, and .*: use 9\.1\.0 or a later release/);
  equal((await call({ RequestType: 'Delete', PhysicalResourceId: 'Schema1' }))?.Status, 'SUCCESS');
});

test('schema check: a table that cannot be read fails the deployment instead of letting it wait', async () => {
  aws.play({ BatchGetItem: () => new Fault('AccessDeniedException') });
  const answer = await call();
  equal(answer?.Status, 'FAILED');
  match(answer?.Reason ?? '', /^the schema of the table cannot be read \(AccessDeniedException\); deploy again$/);
});

test('schema check: an answer that does not arrive fails the run, so that Lambda repeats it', async () => {
  await rejects(call({}, address.url.replace(/:\d+/, ':1')), /fetch failed/);
});

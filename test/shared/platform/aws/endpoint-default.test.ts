/** In a file of its own, because a client resolves its endpoint once per process. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { hostsCalled } from '../../../harness/aws/aws-hosts.ts';

test('without endpoint variables every service is called at its public endpoint', async () => {
  deepEqual(
    await hostsCalled(),
    ['dynamodb', 'email', 'kms', 'scheduler', 'secretsmanager', 'sqs', 'states', 'sts'].map(
      (service) => `${service}.us-east-1.amazonaws.com`,
    ),
  );
});

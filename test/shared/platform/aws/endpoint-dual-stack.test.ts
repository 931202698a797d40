/** In a file of its own, because a client resolves its endpoint once per process. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { hostsCalled } from '../../../harness/aws/aws-hosts.ts';

process.env.AWS_USE_DUALSTACK_ENDPOINT = 'true';

test('AWS_USE_DUALSTACK_ENDPOINT: every service is called at its dual-stack endpoint', async () => {
  deepEqual(await hostsCalled(), [
    'dynamodb.us-east-1.api.aws',
    'email.us-east-1.api.aws',
    'kms.us-east-1.api.aws',
    'scheduler.us-east-1.api.aws',
    // Its ordinary host is a dual-stack endpoint.
    'secretsmanager.us-east-1.amazonaws.com',
    'sqs.us-east-1.api.aws',
    'states.us-east-1.api.aws',
    'sts.us-east-1.api.aws',
  ]);
});

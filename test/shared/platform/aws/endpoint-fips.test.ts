/** In a file of its own, because a client resolves its endpoint once per process. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { hostsCalled } from '../../../harness/aws/aws-hosts.ts';

process.env.AWS_USE_FIPS_ENDPOINT = 'true';

test('AWS_USE_FIPS_ENDPOINT: every service is called at its FIPS endpoint', async () => {
  deepEqual(await hostsCalled(), [
    'dynamodb-fips.us-east-1.amazonaws.com',
    'email-fips.us-east-1.amazonaws.com',
    'kms-fips.us-east-1.amazonaws.com',
    'scheduler-fips.us-east-1.amazonaws.com',
    'secretsmanager-fips.us-east-1.amazonaws.com',
    'sqs-fips.us-east-1.amazonaws.com',
    'states-fips.us-east-1.amazonaws.com',
    'sts-fips.us-east-1.amazonaws.com',
  ]);
});

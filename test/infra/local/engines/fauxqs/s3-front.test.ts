import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'vitest';
import { awsAuthorization } from '../../../../../infra/local/base/aws-authorization.ts';
import { makeS3Front } from '../../../../../infra/local/engines/fauxqs/s3-front.ts';
import { tempDir } from '../../../../harness/aws/embedded-aws.ts';

const start = async (t: TestContext): Promise<(accessKeyId: string) => Promise<number>> => {
  const listen = (server: ReturnType<typeof createServer>): Promise<number> =>
    new Promise((done) => {
      t.onTestFinished(() => void server.close().closeAllConnections());
      server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port));
    });
  const behind = await listen(createServer((_request, response) => response.end()));
  const front = makeS3Front({ port: behind, dir: tempDir(t), isOurs: (key) => key === 'LOCALFUNCTION' });
  const port = await listen(createServer(front));
  return async (accessKeyId) => {
    const authorization = awsAuthorization({ accessKeyId, region: 'eu-central-1', service: 's3' });
    return (await fetch(`http://127.0.0.1:${port}/bucket/object`, { headers: { authorization } })).status;
  };
};

test('s3: a bucket accepts a customer’s key and no key of a function', async (t) => {
  const get = await start(t);
  assert.equal(await get('customer'), 200);
  assert.equal(await get('LOCALFUNCTION'), 403);
});

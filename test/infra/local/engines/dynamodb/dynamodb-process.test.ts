/** The database of the local stage is reachable from this machine only. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'vitest';
import { startDynamoDbProcess } from '../../../../../infra/local/engines/dynamodb/dynamodb-process.ts';
import { tempDir } from '../../../../harness/aws/embedded-aws.ts';

const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 60_000 });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });

test('dynamodb process: it listens on loopback only', async (t) => {
  const local = await startDynamoDbProcess(tempDir(t));
  t.onTestFinished(local.stop);
  equal(await isOpen('127.0.0.1', local.port), true);
  const outside = Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one && !one.internal && one.family === 'IPv4' ? [one.address] : []));
  // Linux answers on all of 127.0.0.0/8, so this address is another interface for a server on 127.0.0.1.
  const others = process.platform === 'linux' ? [...outside, '127.0.0.2'] : outside;
  ok(others.length > 0);
  const open = await Promise.all(others.map(async (host) => ((await isOpen(host, local.port)) ? [host] : [])));
  deepEqual(open.flat(), []);
});

import { deepEqual, equal } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, test } from 'vitest';
import { takeBackup } from '../../../infra/smoke/backup.ts';
import { openClient } from '../../../infra/smoke/client.ts';
import { runSteps } from '../../../infra/smoke/step-runner.ts';

let cancelStatus = 409;
const calls: string[] = [];
const server = createServer((request, response) => {
  const path = (request.url ?? '').replace('/api/v1', '');
  calls.push(`${request.method} ${path}`);
  const status = path.endsWith('/cancel') ? cancelStatus : 200;
  const data = { id: 'bkp_1', status: 'running', phase: 'copying', progress: { percent: 10, documents: 1 } };
  const error = { code: 'CONFLICT', message: 'Only a pending or running backup can be cancelled', details: {}, requestId: 'r' };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(status === 200 ? { success: true, data } : { success: false, error }));
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
afterAll(() => server.close());
const { port } = server.address() as AddressInfo;

const interrupted = async (): Promise<readonly string[]> => {
  const stop = new AbortController();
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    stop.abort();
  };
  const client = openClient(`http://127.0.0.1:${port}`, { token: 't', organizationId: 'org_1' });
  const input = { projectId: 'prj_1', storageDestinationId: 'dst_1' };
  const isWell = await runSteps(say, stop.signal, async (runner) => {
    await takeBackup(runner, { client, input, minutes: 1 });
  });
  equal(isWell, false);
  return lines.slice(1);
};

test('smoke test: deletes a backup that ends just before it is cancelled', async () => {
  cancelStatus = 409;
  deepEqual(await interrupted(), ['FAIL  backup: interrupted', 'gone  backup bkp_1']);
  equal(calls.at(-1), 'DELETE /backups/bkp_1');
});

test('smoke test: reports a backup that could not be cancelled', async () => {
  cancelStatus = 403;
  const [, left] = await interrupted();
  equal(left?.startsWith('LEFT  backup bkp_1: POST /api/v1/backups/bkp_1/cancel answered 403 CONFLICT'), true, left);
});

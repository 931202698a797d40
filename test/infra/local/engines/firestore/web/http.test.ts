import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

let server: Firestore;
const logged: unknown[] = [];
beforeAll(async () => {
  server = await startFirestore({ log: (error) => logged.push(error) });
});
afterAll(() => server.stop());

const documents = '/v1/projects/web/databases/(default)/documents';
const send = (path: string, method = 'GET', headers: Record<string, string> = {}, agent = new Agent()) =>
  new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: string; reused: boolean }>(
    (resolve, reject) => {
      const sent = request(`${server.url}${path}`, { method, headers, agent }, async (answer) => {
        const body = Buffer.concat(await answer.toArray()).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, reused: sent.reusedSocket });
      });
      sent.on('error', reject).end();
    },
  );

test('REST: connections stay open for four minutes between requests, as in production', async () => {
  const agent = new Agent({ keepAlive: true });
  const first = await send(`${documents}/users`, 'GET', {}, agent);
  assert.equal(first.headers['keep-alive'], 'timeout=240');
  assert.ok((await send(`${documents}/users`, 'GET', {}, agent)).reused);
  agent.destroy();
});

for (const path of [
  '/v1/projects/a%ZZ/databases/(default)/documents/users',
  '/v1/projects/web/databases/%E0%A4%A/documents/users/ada',
  `${documents}/users/%`,
  '/v1/projects/web/databases/%C3%28/documents:runQuery',
])
  test(`REST: the malformed percent-escape in ${path} is 400`, async () => {
    const { status, body } = await send(path, path.endsWith('runQuery') ? 'POST' : 'GET');
    assert.equal(status, 400);
    assert.equal((JSON.parse(body) as { error: { status: string } }).error.status, 'INVALID_ARGUMENT');
    assert.deepEqual(logged, []);
  });

test('REST: a malformed percent-escape or request target of other calls is 400', async () => {
  assert.equal((await send('/emulator/v1/projects/%ZZ/databases/(default)/documents', 'DELETE')).status, 400);
  const raw = await new Promise<string>((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write('GET http:// HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
    );
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
  });
  assert.match(raw, /^HTTP\/1\.1 400 /);
  assert.deepEqual(logged, []);
});

const origin = 'https://app.example.com';

test('CORS: a preflight of any origin is allowed with the requested headers', async () => {
  const asked = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization,content-type' };
  const { status, headers } = await send(`${documents}/users/ada`, 'OPTIONS', { origin, ...asked });
  assert.equal(status, 200);
  assert.equal(headers['access-control-allow-origin'], origin);
  assert.equal(headers['access-control-allow-headers'], 'authorization,content-type');
  assert.match(String(headers['access-control-allow-methods']), /\bPATCH\b/);
  assert.equal(headers['access-control-max-age'], '3600');
});

test('CORS: responses, also errors, allow the origin', async () => {
  const found = await send(`${documents}/users`, 'GET', { origin });
  assert.equal(found.headers['access-control-allow-origin'], origin);
  assert.match(String(found.headers.vary), /Origin/);
  const missing = await send(`${documents}/users/none`, 'GET', { origin });
  assert.equal(missing.status, 404);
  assert.equal(missing.headers['access-control-allow-origin'], origin);
  const plain = await send(`${documents}/users`);
  assert.equal(plain.headers['access-control-allow-origin'], undefined);
});

test('CORS: pages of other origins cannot use the admin calls', async () => {
  const asked = { origin, 'access-control-request-method': 'DELETE' };
  for (const path of ['/admin/faults', '/emulator/v1/projects/web/databases/(default)/documents'])
    assert.equal((await send(path, 'OPTIONS', asked)).headers['access-control-allow-origin'], undefined);
});

test('startFirestore: it listens on loopback addresses only', async () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.10', 'example.com'])
    await assert.rejects(startFirestore({ host }), { message: `host ${host}: must be a loopback address` });
  for (const host of ['localhost', '127.0.0.1']) await (await startFirestore({ host })).stop();
});

/** The archive command reads backups from buckets with a key that KMS opens, while no service is running. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, test } from 'vitest';
import { account, region, rootAccessKeyId } from '../../../infra/local/base/types.ts';
import { type Cloud, startCloud } from '../../../infra/local/cloud/start-cloud.ts';
import { openKmsEngine } from '../../../infra/local/engines/kms/kms-engine.ts';
import { identity, sampleBackup } from '../../harness/builders/sample-archive-folder.ts';
import { outputs, type Run, runArchive } from '../../harness/env/run-archive-command.ts';

const dir = mkdtempSync(join(tmpdir(), 'archive-'));
const credentials = { accessKeyId: rootAccessKeyId, secretAccessKey: 'a-secret-of-the-environment' };
const aws = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };
const keyArn = `arn:aws:kms:${region}:${account}:key/data-key`;
let cloud: Cloud;
/** Requests to the bucket, recorded by a proxy. */
const requests: { readonly method: string; readonly path: string; readonly range: string | undefined }[] = [];
const proxy = createServer((incoming, outgoing) => {
  const { method = '', url = '', headers } = incoming;
  requests.push({ method, path: url.split('?')[0] ?? '', range: headers.range });
  const call = request(cloud.s3Url + url, { method, headers }, async (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    const body = Buffer.concat(await answer.toArray());
    if (/\/(chunk|index)\//.test(url) && isFaulty(incoming.socket)) body[body.length >> 1]! ^= 1;
    outgoing.end(body);
  });
  incoming.pipe(call);
});
/** Connections whose answers have a flipped byte: if `flips`, those that are open when the first one is sent. */
let flips = false;
const faulty = new Set<Socket>();
const open = new Set<Socket>();
proxy.on('connection', (socket) => {
  open.add(socket);
  socket.once('close', () => open.delete(socket));
});
const isFaulty = (socket: Socket): boolean => {
  if (flips && faulty.size === 0) for (const one of open) faulty.add(one);
  return faulty.has(socket);
};
const proxyUrl = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

beforeAll(async () => {
  await openKmsEngine({ dir, region, account }).provision({
    logicalId: 'DataKey',
    type: 'AWS::KMS::Key',
    name: 'data-key',
    arn: keyArn,
    properties: {},
  });
  cloud = await startCloud({ dir, s3Port: 0, gcsPort: 0, identityPort: 0, kmsPort: 0 });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const kms = new KMSClient({ region, credentials, endpoint: cloud.kmsUrl });
  const { Plaintext, CiphertextBlob } = await kms.send(
    new GenerateDataKeyCommand({ KeyId: keyArn, KeySpec: 'AES_256', EncryptionContext: { ...identity } }),
  );
  const wrap = { kind: 'kms', keyId: keyArn, blob: Buffer.from(CiphertextBlob ?? []) } as const;
  const { objects } = await sampleBackup(Buffer.from(Plaintext ?? []), wrap);
  const s3 = new S3Client({ region, credentials, endpoint: cloud.s3Url, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: 'customer' }));
  await fetch(`${cloud.gcsUrl}/storage/v1/b`, { method: 'POST', body: JSON.stringify({ name: 'customer' }) });
  for (const [name, bytes] of objects) {
    const Key = `team one/prj_a/bkp_a/${name}`;
    await s3.send(new PutObjectCommand({ Bucket: 'customer', Key, Body: bytes }));
    const query = `uploadType=media&name=${encodeURIComponent(Key)}`;
    const stored = await fetch(`${cloud.gcsUrl}/upload/storage/v1/b/customer/o?${query}`, { method: 'POST', body: bytes });
    equal(stored.status, 200);
  }
  kms.destroy();
  s3.destroy();
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await cloud.stop();
  rmSync(dir, { recursive: true });
});

const run = (args: readonly string[], env: Readonly<Record<string, string>> = aws): Promise<Run> =>
  runArchive([...args, '--endpoint', proxyUrl(), '--kms-endpoint', cloud.kmsUrl], env);
const location = 's3://customer/team one/prj_a/bkp_a';

test('archive: an S3 bucket and a KMS key suffice to read a backup', async () => {
  const [listed, verified] = await Promise.all([run(['ls', 's3://customer']), run(['verify', location])]);
  match(listed.out, /^s3:\/\/customer\/team one\/prj_a\/bkp_a {2}complete {2}key: kms {2}4 objects {2}[\d,]+ bytes\n$/);
  equal(verified.code, 0, verified.err);
  match(verified.out, /^ok: bkp_a, 2 objects/);
  ok(verified.out.endsWith(`, opened by KMS key ${keyArn}\n`), verified.out);
});

test('archive cat: reads the key, the manifest and two ranges, and looks for an erasure ledger', async () => {
  requests.length = 0;
  const { code, out } = await run(['cat', location, 'things/0000100']);
  equal(code, 0);
  ok(out.includes('things/0000100'));
  const read = requests.map(({ method, path, range }) => [method, path.split('/').slice(-2).join('/'), range !== undefined]);
  deepEqual(read, [
    ['HEAD', 'bkp_a/manifest', false],
    ['GET', 'bkp_a/manifest', true],
    ['HEAD', 'bkp_a/key', false],
    ['GET', 'bkp_a/key', true],
    // Lists the versions of the ledger, also those that a delete marker hides.
    ['GET', 'customer/', false],
    ['GET', 'customer/', false],
    ['GET', 'index/00000000-0000', true],
    ['GET', 'chunk/00000000-0000', true],
  ]);
});

test.each([['cat', 'things/0000100'], ['verify']])(
  'archive %s: what a faulty connection damaged is read again over a new one',
  async (command, ...more) => {
    flips = true;
    try {
      const { code, out, err } = await run([command, location, ...more]);
      equal(code, 0, err);
      ok(out.includes(more[0] ?? 'ok: bkp_a'), out);
      ok(faulty.size > 0);
    } finally {
      flips = false;
      faulty.clear();
    }
  },
);

test('archive: a Google bucket is read with a service account key file', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const file = join(dir, 'google.json');
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const token_uri = `${cloud.tokenUrl}`;
  writeFileSync(file, JSON.stringify({ type: 'service_account', client_email: 'reader@example.com', private_key, token_uri }));
  const env = { ...aws, GOOGLE_APPLICATION_CREDENTIALS: file };
  const { code, out, err } = await runArchive(
    ['verify', 'gs://customer/team one/prj_a/bkp_a', '--endpoint', cloud.gcsUrl, '--kms-endpoint', cloud.kmsUrl],
    env,
  );
  equal(code, 0, err);
  match(out, /^ok: bkp_a, 2 objects/);
});

test('archive: the bucket and KMS take credentials of their own profiles', async () => {
  const file = join(dir, 'profiles');
  const profile = (name: string, key: string) => `[${name}]\naws_access_key_id=${key}\naws_secret_access_key=secret\n`;
  // The store accepts the first, which KMS does not know, and refuses the second.
  const { AWS_ACCESS_KEY_ID: known, AWS_SECRET_ACCESS_KEY: secret } = aws;
  const kms = profile('kms', known).replace('=secret', `=${secret}`);
  writeFileSync(file, profile('bucket', 'somebody') + kms + profile('refused', 'denied'));
  const env = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: join(dir, 'none'), AWS_REGION: region };
  const [apart, swapped, onlyBucket, onlyKms] = await Promise.all([
    run(['verify', location, '--profile', 'bucket', '--kms-profile', 'kms'], env),
    run(['verify', location, '--profile', 'refused', '--kms-profile', 'kms'], env),
    run(['verify', location, '--profile', 'bucket'], { ...env, ...aws }),
    run(['verify', location, '--kms-profile', 'bucket'], { ...env, ...aws }),
  ]);
  match(apart.out, /^ok: bkp_a, /, apart.err);
  match(swapped.err, /403 AccessDenied/);
  match(onlyBucket.out, /^ok: bkp_a, /, onlyBucket.err);
  match(onlyKms.err, /^KMS did not decrypt the data key/);
});

test('archive: a backup that cannot be reached or opened gives one line and exit code 2', async () => {
  const [refused, unknownCaller, bucket, unsigned] = await Promise.all([
    run(['verify', location], { ...aws, AWS_ACCESS_KEY_ID: 'denied' }),
    run(['verify', location], { ...aws, AWS_ACCESS_KEY_ID: 'somebody' }),
    run(['verify', 's3://nobodys/prj_a/bkp_a']),
    run(['verify', location], {}),
  ]);
  match(refused.err, /^manifest: The store refused to read an object \(403 AccessDenied\)\.\n$/);
  match(unknownCaller.err, /^KMS did not decrypt the data key with arn:aws:kms:\S+ \(UnrecognizedClientException\)\n$/);
  match(bucket.err, /^manifest: The bucket does not exist\.\n$/);
  match(unsigned.err, /No credentials were found for the store/);
  for (const { code, err } of [refused, unknownCaller, bucket, unsigned]) {
    equal(code, 2, err);
    equal(err.trimEnd().split('\n').length, 1, err);
  }
});

test('archive: no output contains a secret of the environment', () => {
  ok(outputs.length > 10);
  for (const text of outputs) ok(!text.includes(credentials.secretAccessKey) && !text.includes('PRIVATE KEY'));
});

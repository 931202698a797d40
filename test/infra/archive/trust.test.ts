/** Only the provided secret opens a backup: anyone with write access to the bucket can plant a forged one. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, test } from 'vitest';
import { account, region, rootAccessKeyId } from '../../../infra/local/base/types.ts';
import { type Cloud, startCloud } from '../../../infra/local/cloud/start-cloud.ts';
import { openKmsEngine } from '../../../infra/local/engines/kms/kms-engine.ts';
import { encodeKeyFile, type KeyWrap, keyFileName, wrapKey } from '../../../shared/archive/index.ts';
import { chance, samples } from '../../harness/builders/sample-archive.ts';
import { identity, passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { type Run, runArchive } from '../../harness/env/run-archive-command.ts';

const dir = mkdtempSync(join(tmpdir(), 'archive-'));
const credentials = { accessKeyId: rootAccessKeyId, secretAccessKey: 'local' };
const aws = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };
const arnOf = (name: string): string => `arn:aws:kms:${region}:${account}:key/${name}`;
/** Anyone may use both KMS keys: KMS alone does not reveal a forged backup. */
const [ours, theirs] = [arnOf('our-key'), arnOf('their-key')];
const forged = join(dir, 'forged', 'bkp_a');
const both = join(dir, 'both', 'bkp_a');
let cloud: Cloud;

beforeAll(async () => {
  const keys = openKmsEngine({ dir, region, account });
  for (const name of ['our-key', 'their-key'])
    await keys.provision({ logicalId: name, type: 'AWS::KMS::Key', name, arn: arnOf(name), properties: {} });
  cloud = await startCloud({ dir, s3Port: 0, gcsPort: 0, identityPort: 0, kmsPort: 0 });
  const kms = new KMSClient({ region, credentials, endpoint: cloud.kmsUrl });
  const wrappedBy = async (KeyId: string): Promise<{ dataKey: Buffer; wrap: KeyWrap }> => {
    const generated = await kms.send(
      new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext: { ...identity } }),
    );
    const wrap = { kind: 'kms', keyId: KeyId, blob: Buffer.from(generated.CiphertextBlob ?? []) } as const;
    return { dataKey: Buffer.from(generated.Plaintext ?? []), wrap };
  };
  const content = { documents: samples(20) };
  const theirOwn = await wrappedBy(theirs);
  writeObjects(forged, (await sampleBackup(theirOwn.dataKey, theirOwn.wrap, content)).objects);
  const { dataKey, wrap } = await wrappedBy(ours);
  const wraps = [wrap, await wrapKey(dataKey, passphrase, { identity, random: chance('wrap') })];
  const { objects } = await sampleBackup(dataKey, wrap, content);
  writeObjects(both, new Map([...objects, [keyFileName, encodeKeyFile({ identity, wraps })]]));
  kms.destroy();
});
afterAll(async () => {
  await cloud.stop();
  rmSync(dir, { recursive: true });
});

const verify = (location: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  runArchive(['verify', location, ...args, '--kms-endpoint', cloud.kmsUrl], { ...aws, ...env });

test('archive: a provided passphrase or key is never replaced by the KMS key that the backup names', async () => {
  const [file, keys] = [join(dir, 'passphrase'), join(dir, 'keys')];
  writeFileSync(file, passphrase);
  writeFileSync(keys, `bkp_other ${Buffer.alloc(32).toString('base64url')}\n`);
  const runs = await Promise.all([
    verify(forged, [], { ARCHIVE_PASSPHRASE: passphrase }),
    verify(forged, ['--passphrase-file', file]),
    verify(forged, ['--passphrase']),
    // An empty variable counts as provided.
    verify(forged, [], { ARCHIVE_PASSPHRASE: '' }),
    verify(forged, ['--key-file', keys]),
  ]);
  for (const { code, out, err } of runs) {
    deepEqual([code, out], [2, '']);
    equal(err, 'bkp_a/key: the key is wrapped by KMS, not by the provided secret; name the KMS key with --kms-key ARN\n');
  }
  const empty = await verify(forged, [], { ARCHIVE_KEY: '' });
  deepEqual([empty.code, empty.out, empty.err], [2, '', 'ARCHIVE_KEY: contains no data key\n']);
});

test('archive: with --kms-key no other KMS key opens a backup', async () => {
  const [refused, fine, either] = await Promise.all([
    verify(forged, ['--kms-key', ours]),
    verify(both, ['--kms-key', ours]),
    verify(forged, ['--kms-key', ours], { ARCHIVE_PASSPHRASE: passphrase }),
  ]);
  for (const { code, out, err } of [refused, either]) {
    deepEqual([code, out], [2, '']);
    equal(err, `KMS did not decrypt the data key with ${ours} (IncorrectKeyException)\n`);
  }
  equal(fine.code, 0, fine.err);
  ok(fine.out.endsWith(`, opened by KMS key ${ours}\n`), fine.out);
});

test('archive verify: reports what opened the backup, so that a foreign key is noticed', async () => {
  const [byAny, byPassphrase] = await Promise.all([verify(forged), verify(both, [], { ARCHIVE_PASSPHRASE: passphrase })]);
  ok(byAny.out.endsWith(`, opened by KMS key ${theirs}\n`), byAny.out);
  match(byPassphrase.out, /^ok: .*, opened by the passphrase\n$/);
});

/** In a bucket with object lock, an intruder who may put and delete objects hides nothing from the archive command. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, test } from 'vitest';
import { verifyEvidence } from '../../../infra/archive/evidence/verify-evidence.ts';
import { findBackups } from '../../../infra/archive/list.ts';
import { openBackup } from '../../../infra/archive/open-backup.ts';
import { type BackupLocation, openLocation } from '../../../infra/archive/open-location.ts';
import { readErasures } from '../../../infra/archive/read-erasures.ts';
import { splitName } from '../../../infra/archive/store/list-hidden.ts';
import {
  encodeEvidence,
  encodeKeyFile,
  erasuresName,
  manifestDigest,
  sealErasures,
  signEvidence,
  wrapKey,
} from '../../../shared/archive/index.ts';
import { makeEvidence } from '../../../shared/restore-test/evidence/make-evidence.ts';
import { chance, samples } from '../../harness/builders/sample-archive.ts';
import { identity, passphrase, sampleBackup } from '../../harness/builders/sample-archive-folder.ts';
import { newSigner, testedRun } from '../../harness/builders/sample-test-run.ts';
import { bucket, enableObjectLock, ownerOf, type Stops, startS3, stopAll, tempDir } from '../../harness/store/store-stands.ts';

const stops: Stops = [];
const dataKey = chance('a key')(32);
const { objects } = await sampleBackup(dataKey, undefined, { documents: samples(20) });
const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: new Date(Date.now() + 86_400_000) } as const;
let endpoint: string;
let owner: S3Client;
let passphraseFile: string;
beforeAll(async () => {
  endpoint = await startS3(stops);
  await enableObjectLock(endpoint);
  owner = ownerOf(endpoint);
  passphraseFile = join(tempDir(stops), 'passphrase');
  writeFileSync(passphraseFile, passphrase);
  process.env.AWS_ACCESS_KEY_ID = 'owner';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret';
});
afterAll(() => stopAll(stops));

/** Anyone who may put objects may lock them. */
const put = (Key: string, Body: Uint8Array): Promise<unknown> =>
  owner.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ...lock }));
const remove = (Key: string): Promise<unknown> => owner.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
const decoy = async (Key: string): Promise<void> => {
  await owner.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }));
  await remove(Key);
};
/** A backup with two versions of its erasure ledger, all of it locked. */
const store = async (project: string): Promise<string> => {
  const folder = `${project}/bkp_a`;
  for (const [name, bytes] of objects) await put(`${folder}/${name}`, bytes);
  for (const version of [1, 2]) await put(`${folder}/${erasuresName(version)}`, ledger(version));
  return folder;
};
const ledger = (version: number): Buffer =>
  sealErasures({ version, erasures: [] }, { identity, dataKey, random: chance('ledger') });
const at = (folder: string): Promise<BackupLocation> => openLocation(`s3://${bucket}/${folder}`, { endpoint });
const erasuresOf = async (folder: string, noted: number, allowMissing = false): Promise<unknown> => {
  const location = await at(folder);
  const manifest = { source: 'projects/p/databases/d', notes: { erasures: noted } } as never;
  try {
    return await readErasures(location, manifest, { identity, dataKey, allowMissing });
  } finally {
    location.close();
  }
};

test('archive: the folder of a backup is told from the names of its objects', () => {
  for (const [name, folder, object] of [
    ['key', '', 'key'],
    ['chunk/00000000-0000', '', 'chunk/00000000-0000'],
    ['bkp_a/erasures/00000001', 'bkp_a', 'erasures/00000001'],
    ['prj/bkp_a/manifest', 'prj/bkp_a', 'manifest'],
    ['index/key', 'index', 'key'],
  ] as const)
    deepEqual(splitName(name), { folder, object });
});

test('archive ls: deleted decoys without a lock do not hide locked backups that were deleted', async () => {
  const folder = await store('decoys');
  for (const name of ['!', 'chunk/!', 'chunk/00000000-0000/x', 'erasures/!', 'erasures/00000000'])
    await decoy(`${folder}/${name}`);
  for (const name of [...objects.keys(), erasuresName(1), erasuresName(2)]) await remove(`${folder}/${name}`);
  const location = await at('decoys');
  const found = await findBackups(location);
  location.close();
  const bytes = [...objects.values(), ledger(1), ledger(2)].reduce((sum, { length }) => sum + length, 0);
  deepEqual([...found], [['bkp_a', { objects: 6, bytes, hasKey: true, hasManifest: true }]]);
});

test('archive ls: a backup that was removed with its locks is not listed', async () => {
  for (const [name, bytes] of objects) {
    await owner.send(new PutObjectCommand({ Bucket: bucket, Key: `removed/bkp_a/${name}`, Body: bytes }));
    await remove(`removed/bkp_a/${name}`);
  }
  const location = await at('removed');
  equal((await findBackups(location)).size, 0);
  location.close();
});

test('archive: deleted decoys and foreign objects do not keep the erasure ledger from being applied', async () => {
  const folder = await store('erased');
  await decoy(`${folder}/erasures/!`);
  for (const version of [1, 2]) await remove(`${folder}/${erasuresName(version)}`);
  ok(await erasuresOf(folder, 1));
  ok(await erasuresOf(folder, 2));
  await put(`${folder}/erasures/99999999`, Buffer.from('not a ledger'));
  // A ledger under another name is not that version.
  await put(`${folder}/erasures/00000007`, ledger(1));
  ok(await erasuresOf(folder, 2));
  await rejects(erasuresOf(folder, 3), {
    exitCode: 1,
    message: /states version 3 of the erasure ledger, but erasures\/99999999/,
  });
  ok(await erasuresOf(folder, 3, true), 'the earlier ledger is applied all the same');
  await rejects(erasuresOf(await store('noted'), 3), { exitCode: 1, message: /but the newest is 2\./ });
});

test('archive: without any genuine ledger the command refuses, unless it may show erased documents', async () => {
  await put(`garbage/bkp_a/${erasuresName(1)}`, Buffer.from('not a ledger'));
  await rejects(erasuresOf('garbage/bkp_a', 0), { exitCode: 1, message: /no erasure ledger of the backup opens/ });
  equal(await erasuresOf('garbage/bkp_a', 0, true), undefined);
  equal(await erasuresOf('none/bkp_a', 0), undefined);
});

test('archive: a key that opens, but fits no version of the manifest, is not the key of the backup', async () => {
  const wraps = [await wrapKey(chance('another key')(32), passphrase, { identity, random: chance('wrap') })];
  const folder = await store('keys');
  await put(`${folder}/key`, encodeKeyFile({ identity, wraps }));
  const open = async (): Promise<string> => {
    const location = await at(folder);
    const { digest } = await openBackup(location, { passphraseFile });
    location.close();
    return digest;
  };
  const digest = manifestDigest(objects.get('manifest')!);
  equal(await open(), digest);
  await put(`${folder}/manifest`, Buffer.from('not a manifest'));
  equal(await open(), digest);
});

test('archive verify-evidence --key: reads the version that the key signed, and the manifest that was tested', async () => {
  const folder = await store('evidence');
  const manifest = Buffer.from(manifestDigest(objects.get('manifest')!), 'base64url').toString('hex');
  const tested = testedRun({ digests: { manifest, documents: null } });
  const signer = newSigner();
  const signed = await signEvidence(makeEvidence(tested), signer);
  const object = 'evidence/restore-tests/rtr_1.json';
  const verify = async (key?: string): Promise<string> => {
    const lines: string[] = [];
    const options = { location: `s3://${bucket}/${object}`, backup: `s3://${bucket}/${folder}`, endpoint, key };
    await verifyEvidence(options, { isJson: true, line: async (text) => void lines.push(text) });
    return (JSON.parse(lines.join('')) as { manifest: string }).manifest;
  };
  const { keyId } = signed.signature;
  await put(object, encodeEvidence(signed));
  equal(await verify(keyId), 'matches');
  const foreign = await signEvidence(makeEvidence(tested), newSigner());
  await put(`${folder}/manifest`, Buffer.from('not the manifest'));
  for (const bytes of [encodeEvidence(foreign), Buffer.from('{}'), Buffer.alloc((4 << 20) + 1)]) {
    await put(object, bytes);
    equal(await verify(keyId), 'matches');
  }
  await remove(object);
  equal(await verify(keyId), 'matches');
  await put(object, Buffer.from('{}'));
  await rejects(verify(), { exitCode: 1 });
  await rejects(verify('A'.repeat(43)), { exitCode: 1 });
});

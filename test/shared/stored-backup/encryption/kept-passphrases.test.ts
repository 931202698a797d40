/** Passphrases are kept while a key in a record or in a bucket may need them, and no longer. */
import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { type MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import { unlockKeyFile } from '../../../../shared/stored-backup/encryption/data-key.ts';
import { dataKeyOf, readBackup, readEncryption } from '../../../../shared/stored-backup/index.ts';
import { tenant } from '../../../harness/builders/sample-backup.ts';
import { startRewraps } from '../../../harness/env/rewrap-env.ts';

const { table, aws, script, stop, buckets, reset, choose, rotate, rewrap, made } = await startRewraps();
afterAll(stop);
beforeEach(reset);

const [first, second] = ['the first passphrase', 'the second passphrase'];

test('rewrap: a passphrase is kept while a bucket may have a key of it, although no record has', async () => {
  await choose({ mode: 'customer', passphrase: 'the initial passphrase' });
  const { backup, dataKey, store } = await made();
  const { version, keyId } = await choose({ mode: 'customer', passphrase: first });
  const answer = loseResponses(store);
  await rewrap(version);
  answer();
  buckets.isFailing = () => true;
  await rewrap((await choose({ mode: 'customer', passphrase: second })).version);
  deepEqual((await readBackup(tenant, backup.id)).encryption, backup.encryption);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous).sort(), [backup.encryption.keyId, keyId].sort());
  const found = await unlockKeyFile(tenant, store.objects.get('key')!, { archive: backup.archive });
  deepEqual(found, { dataKey, encryption: { mode: 'customer', keyId } });
  buckets.isFailing = () => false;
  await rewrap((await rotate()).version);
  deepEqual((await readEncryption(tenant))!.previous, {});
});

/** Puts are applied, and their responses lost. */
const loseResponses = (store: MemoryStore) => {
  const put = store.put.bind(store);
  store.put = async (...args) => {
    await put(...args);
    throw new StorageError('unavailable', 'The response was lost.');
  };
  return () => {
    store.put = put;
  };
};

test('rewrap: from KMS to a passphrase and back, the passphrase is kept while the bucket may need it', async () => {
  const { backup, dataKey, store } = await made();
  const { version, keyId = '' } = await choose({ mode: 'customer', passphrase: first });
  const answer = loseResponses(store);
  await rewrap(version);
  answer();
  buckets.isFailing = () => true;
  await rewrap((await choose({ mode: 'kms' })).version);
  deepEqual((await readBackup(tenant, backup.id)).encryption, backup.encryption);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous), [keyId]);
  const found = await unlockKeyFile(tenant, store.objects.get('key')!, { archive: backup.archive });
  deepEqual(found, { dataKey, encryption: { mode: 'customer', keyId } });
  buckets.isFailing = () => false;
  await rewrap((await rotate()).version);
  deepEqual((await readEncryption(tenant))!.previous, {});
  const { keyFile, bucketKeyIds } = await readBackup(tenant, backup.id);
  deepEqual([Buffer.from(store.objects.get('key')!), bucketKeyIds], [Buffer.from(keyFile!), undefined]);
});

test('rewrap: a settings change during the last attempt leaves no bucket with a key of a forgotten passphrase', async () => {
  const { backup, dataKey, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const put = store.put.bind(store);
  store.put = async (...args) => {
    await put(...args);
    await choose({ mode: 'kms' });
    store.put = async () => {
      throw new StorageError('unavailable', 'The bucket does not answer.');
    };
  };
  await rewrap(version);
  equal((await readEncryption(tenant))?.isWalking, false);
  deepEqual((await unlockKeyFile(tenant, store.objects.get('key')!, { archive: backup.archive })).dataKey, dataKey);
});

test('rewrap: a key that is locked keeps only the passphrase it is wrapped with, however often it is replaced', async () => {
  await choose({ mode: 'customer', passphrase: first });
  const { backup, store } = await made();
  const put = store.put.bind(store);
  store.put = async () => {
    throw new StorageError('denied', 'The object is locked.');
  };
  for (const passphrase of [second, 'the third passphrase', 'the fourth passphrase']) {
    await rewrap((await choose({ mode: 'customer', passphrase })).version);
    deepEqual(Object.keys((await readEncryption(tenant))!.previous), [backup.encryption.keyId]);
  }
  store.put = put;
  await rewrap((await rotate()).version);
  deepEqual((await readEncryption(tenant))!.previous, {});
});

test('rewrap: a bucket that never answers keeps only the passphrase of its key, however often it is replaced', async () => {
  await choose({ mode: 'customer', passphrase: first });
  const { backup, store } = await made();
  store.head = async () => {
    throw new StorageError('unavailable', 'The bucket does not answer.');
  };
  for (const passphrase of [second, 'the third passphrase'])
    await rewrap((await choose({ mode: 'customer', passphrase })).version);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous), [backup.encryption.keyId]);
});

test('rewrap: a backup that is imported while a task ends keeps its passphrase, and is rewrapped', async () => {
  await choose({ mode: 'customer', passphrase: first });
  const { backup, dataKey } = await made();
  const imported = { ...backup, id: 'bkp_00000000000000000000000000', sk: 'BACKUP#bkp_00000000000000000000000000' };
  const { version, keyId } = await choose({ mode: 'customer', passphrase: second });
  let imports = 0;
  aws.play({
    ...script,
    TransactWriteItems: (input) => {
      if (imports === 0 && JSON.stringify(input).includes('"isWalking"')) {
        imports++;
        const settings = `ORG#${tenant.organizationId}\nENCRYPTION`;
        table.put(imported);
        table.items.set(settings, { ...table.items.get(settings), imports: { N: '1' } });
      }
      return script.TransactWriteItems!(input);
    },
  });
  await rewrap(version);
  equal(imports, 1);
  const record = await readBackup(tenant, imported.id);
  equal(record.encryption.keyId, keyId);
  deepEqual(await dataKeyOf(tenant, record), dataKey);
  deepEqual((await readEncryption(tenant))!.previous, {});
});

test('rewrap: a bucket that does not respond keeps its key, and its passphrase is kept', async () => {
  await choose({ mode: 'customer', passphrase: first });
  const { backup, dataKey } = await made();
  const fine = await made();
  const { version, keyId } = await choose({ mode: 'customer', passphrase: second });
  buckets.isFailing = (path) => path === backup.path;
  await rewrap(version);
  equal((await readBackup(tenant, fine.backup.id)).encryption.keyId, keyId);
  const left = await readBackup(tenant, backup.id);
  deepEqual(left.encryption, backup.encryption);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous), [backup.encryption.keyId]);
  deepEqual(await dataKeyOf(tenant, left), dataKey);
  buckets.isFailing = () => false;
  await rewrap((await rotate()).version);
  deepEqual(await dataKeyOf(tenant, await readBackup(tenant, backup.id)), dataKey);
  deepEqual((await readEncryption(tenant))!.previous, {});
});

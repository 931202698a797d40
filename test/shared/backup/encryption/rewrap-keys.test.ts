/** Wrapping keys anew: every backup opens all the way through, and what sealed data holds is never touched. */
import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { parseKeyFile, unwrapKey } from '../../../../shared/archive/index.ts';
import { unlockKeyFile } from '../../../../shared/backup/encryption/data-key.ts';
import {
  type BackupRecord,
  backupKey,
  changeEncryption,
  dataKeyOf,
  newDataKey,
  readBackup,
  readEncryption,
  rewrapKeys,
  rotateKeys,
} from '../../../../shared/backup/index.ts';
import { MemoryStore, type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import { after, commit, iso, type Write } from '../../../../shared/platform/index.ts';
import { cancelled, Fault } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, tenant } from '../../../harness/builders/sample-backup.ts';
import { arnOf, startKeys } from '../../../harness/env/kms-env.ts';

const { table, aws, script, operate, stop } = await startKeys();
afterAll(stop);

const [first, second] = ['the first passphrase', 'the second passphrase'];
const stores = new Map<string, MemoryStore>();
let failing: (path: string) => boolean;
const open = async (_tenant: unknown, _destination: unknown, path: string): Promise<ObjectStore> => {
  if (failing(path)) throw new StorageError('unavailable', 'The bucket does not answer.');
  const store = stores.get(path) ?? new MemoryStore();
  stores.set(path, store);
  return store;
};
beforeEach(() => {
  table.items.clear();
  stores.clear();
  aws.play(script);
  failing = () => false;
  process.env.DATA_KEY_ID = arnOf('data');
});

const puts = (writes: readonly Write[]) => commit(writes.filter((write) => 'put' in write));
const choose = async (wish: Parameters<typeof changeEncryption>[2]) => {
  const { chosen, change } = await changeEncryption(tenant, await readEncryption(tenant), wish, new Date());
  await puts(change.writes);
  return chosen;
};
const rotate = async () => {
  const { chosen, change } = rotateKeys(tenant, await readEncryption(tenant), new Date());
  await puts(change.writes);
  return chosen;
};
const later = new Date('2099-01-01');
const clock = { now: () => new Date() };
const options = (taskId = 'tsk_1') => ({
  taskId,
  deadline: later,
  endsBy: after(clock.now(), 150),
  until: after(clock.now(), 300),
  clock,
  openStore: open,
});
const rewrap = async (walk: string) => rewrapKeys(tenant, { walk }, options());

const made = async (more: Partial<BackupRecord> = {}) => {
  const bare = backupOf(more);
  const { dataKey, keyFile, encryption } = await newDataKey(tenant, bare.archive);
  const backup = { ...bare, keyFile, encryption };
  const destination = { pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${bare.storageDestination.id}`, id: 'x' };
  await commit([{ put: backup }, { put: destination }]);
  const store = (await open(tenant, undefined, backup.path)) as MemoryStore;
  await store.put('key', keyFile);
  await store.put('chunk/00000000-0000', Buffer.from('sealed'));
  return { backup, dataKey, store };
};

test('rewrap: after a new passphrase every key opens with it alone, in table and bucket, and the old one is forgotten', async () => {
  await choose({ mode: 'customer', passphrase: first });
  const all = [await made(), await made({ status: 'running' })];
  const { version, keyId } = await choose({ mode: 'customer', passphrase: second });
  await rewrap(version);
  for (const { backup, dataKey, store } of all) {
    const now = await readBackup(tenant, backup.id);
    deepEqual(now.encryption, { mode: 'customer', keyId });
    deepEqual(await dataKeyOf(tenant, now), dataKey);
    deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from(now.keyFile!));
    const [wrap] = parseKeyFile(store.objects.get('key')!).wraps;
    ok(wrap?.kind === 'passphrase');
    deepEqual(await unwrapKey(wrap, second, backup.archive), dataKey);
    deepEqual(Buffer.from(store.objects.get('chunk/00000000-0000')!), Buffer.from('sealed'));
  }
  const chosen = await readEncryption(tenant);
  deepEqual([chosen?.isWalking, chosen?.previous], [false, {}]);
});

test('rewrap: from KMS to a passphrase and back, the data key stays the same', async () => {
  const { backup, dataKey } = await made();
  await rewrap((await choose({ mode: 'customer', passphrase: first })).version);
  equal((await readBackup(tenant, backup.id)).encryption.mode, 'customer');
  await rewrap((await choose({ mode: 'kms' })).version);
  const now = await readBackup(tenant, backup.id);
  deepEqual([now.encryption.mode, await dataKeyOf(tenant, now)], ['kms', dataKey]);
});

test('rewrap: a rotation uses the current KMS key, and the previous one is not needed any more', async () => {
  const { backup, dataKey } = await made();
  process.env.DATA_KEY_ID = arnOf('later');
  await rewrap((await rotate()).version);
  operate('DisableKey', 'data');
  const now = await readBackup(tenant, backup.id);
  deepEqual([now.encryption.keyId, await dataKeyOf(tenant, now)], [arnOf('later'), dataKey]);
  operate('EnableKey', 'data');
});

test('rewrap: backups without a key or objects are skipped', async () => {
  const { backup } = await made({ status: 'deleted' });
  await commit([{ put: backupOf({ status: 'pending' }) }]);
  await rewrap((await choose({ mode: 'customer', passphrase: first })).version);
  equal((await readBackup(tenant, backup.id)).encryption.mode, 'kms');
  equal((await readEncryption(tenant))?.isWalking, false);
});

test('rewrap: at the deadline another task is enqueued, which continues after the last backup', async () => {
  const all = [await made(), await made(), await made()].sort((a, b) => (a.backup.id < b.backup.id ? -1 : 1));
  const { version } = await choose({ mode: 'customer', passphrase: first });
  let looks = 0;
  const short = { now: () => new Date(looks++ < 2 ? '2026-01-01' : '2026-01-03') };
  await rewrapKeys(tenant, { walk: version }, { ...options(), deadline: new Date('2026-01-02'), clock: short });
  const modes = async () => Promise.all(all.map(async ({ backup }) => (await readBackup(tenant, backup.id)).encryption.mode));
  deepEqual(await modes(), ['customer', 'kms', 'kms']);
  equal((await readEncryption(tenant))?.isWalking, true);
  const task = tasks().find(({ after: from }) => from !== undefined);
  deepEqual(task, { kind: 'rewrap-keys', walk: version, after: all[0]!.backup.id });
  await rewrapKeys(tenant, task, options('tsk_2'));
  deepEqual(await modes(), ['customer', 'customer', 'customer']);
  equal((await readEncryption(tenant))?.isWalking, false);
});

test('rewrap: a task of replaced settings uses the current ones, and the task of those finds nothing left', async () => {
  const { backup, dataKey, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const { version: current, keyId } = await choose({ mode: 'customer', passphrase: second });
  await rewrap(version);
  const now = await readBackup(tenant, backup.id);
  deepEqual([now.encryption, await dataKeyOf(tenant, now)], [{ mode: 'customer', keyId }, dataKey]);
  const chosen = await readEncryption(tenant);
  deepEqual([chosen?.isWalking, chosen?.previous], [false, {}]);
  await rewrap(current);
  deepEqual((await readBackup(tenant, backup.id)).keyFile, now.keyFile);
  deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from(now.keyFile!));
});

/** The store of the path, whose next `put` of a key waits until it is released. */
const holdPut = (path: string) => {
  const store = stores.get(path)!;
  const put = store.put.bind(store);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  store.put = async (...args) => {
    store.put = put;
    reached.resolve();
    await released.promise;
    return put(...args);
  };
  return { reached: reached.promise, release: released.resolve };
};

test('rewrap: while one task is slow, another one does nothing, and the slow one continues with the changed settings', async () => {
  await choose({ mode: 'customer', passphrase: 'the initial passphrase' });
  const all = [await made(), await made()].sort((a, b) => (a.backup.id < b.backup.id ? -1 : 1));
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const held = holdPut(all[0]!.backup.path);
  const slow = rewrapKeys(tenant, { walk: version }, options('tsk_slow'));
  await held.reached;
  const { version: current, keyId } = await choose({ mode: 'customer', passphrase: second });
  await rewrapKeys(tenant, { walk: current }, options('tsk_late'));
  deepEqual((await readBackup(tenant, all[1]!.backup.id)).encryption, all[1]!.backup.encryption);
  held.release();
  await slow;
  for (const { backup, dataKey, store } of all) {
    const now = await readBackup(tenant, backup.id);
    equal(now.encryption.keyId, keyId);
    deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from(now.keyFile!));
    const [wrap] = parseKeyFile(store.objects.get('key')!).wraps;
    ok(wrap?.kind === 'passphrase');
    deepEqual(await unwrapKey(wrap, second, backup.archive), dataKey);
  }
  const chosen = await readEncryption(tenant);
  deepEqual([chosen?.isWalking, chosen?.previous], [false, {}]);
});

test('rewrap: a duplicate of a running task fails, so that it comes again if the first one dies', async () => {
  const { backup, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const held = holdPut(backup.path);
  const running = rewrap(version);
  await held.reached;
  await rejects(rewrap(version), /an earlier run of this task has not ended/);
  held.release();
  await running;
  deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from((await readBackup(tenant, backup.id)).keyFile!));
});

const fail = () => {
  throw new Error('a fault');
};

test('rewrap: a task that failed can be repeated at once', async () => {
  const { backup } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  failing = fail;
  await rejects(rewrap(version), /a fault/);
  failing = () => false;
  await rewrap(version);
  equal((await readBackup(tenant, backup.id)).encryption.mode, 'customer');
});

test('rewrap: the lock of a task that died expires, a task that comes before is repeated, and one that was released is free for a clock that is behind', async () => {
  const { backup } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const [endsBy, until] = [iso(after(clock.now(), 30)), iso(after(clock.now(), 60))];
  await commit([{ put: { ...lockKey, taskId: 'tsk_dead', runId: 'x', endsBy, until } }]);
  await rewrap(version);
  equal((await readBackup(tenant, backup.id)).encryption.mode, 'kms');
  const between = { now: () => after(clock.now(), 31) };
  await rejects(rewrapKeys(tenant, { walk: version }, { ...options(), clock: between }), /has died/);
  const late = { now: () => after(clock.now(), 61) };
  await rewrapKeys(tenant, { walk: version }, { ...options(), clock: late });
  const { keyId } = (await readBackup(tenant, backup.id)).encryption;
  await rewrap((await choose({ mode: 'customer', passphrase: second })).version);
  notDeepEqual((await readBackup(tenant, backup.id)).encryption.keyId, keyId);
});
const lockKey = { pk: `ORG#${tenant.organizationId}`, sk: 'REWRAP' };

test('rewrap: a lock is acquired although the response of the table is lost', async () => {
  const { backup } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  let losses = 1;
  aws.play({
    ...script,
    UpdateItem: (input) => {
      const answer = script.UpdateItem!(input);
      return losses-- > 0 ? new Fault('InternalServerError', 500) : answer;
    },
  });
  await rewrap(version);
  ok(losses < 1);
  equal((await readBackup(tenant, backup.id)).encryption.mode, 'customer');
});

test('rewrap: a task that fails enqueues that of changed settings, which did nothing meanwhile', async () => {
  const { backup } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const held = holdPut(backup.path);
  const running = rewrapKeys(tenant, { walk: version }, options('tsk_failing'));
  await held.reached;
  const { version: current } = await choose({ mode: 'customer', passphrase: second });
  await rewrapKeys(tenant, { walk: current }, options('tsk_late'));
  const before = tasks().filter(({ walk }) => walk === current).length;
  failing = fail;
  held.release();
  await rejects(running, /a fault/);
  equal(tasks().filter(({ walk }) => walk === current).length, before + 1);
  failing = () => false;
  await rewrapKeys(tenant, { walk: current }, options('tsk_again'));
  equal((await readBackup(tenant, backup.id)).encryption.keyId, (await readEncryption(tenant))?.keyId);
});
const tasks = () =>
  [...table.items.values()].filter(({ sk }) => sk?.S?.startsWith('TASK#')).map(({ message }) => JSON.parse(message!.S!).task);

test('rewrap: ends if the organization is purged meanwhile, and writes no key again', async () => {
  const { backup, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const held = holdPut(backup.path);
  const running = rewrap(version);
  await held.reached;
  table.items.clear();
  held.release();
  await running;
  equal(table.items.size, 0);
  deepEqual(Buffer.from(store.objects.get('key')!), backup.keyFile);
});

test('rewrap: a passphrase is kept while a bucket may have a key of it, although no record has', async () => {
  await choose({ mode: 'customer', passphrase: 'the initial passphrase' });
  const { backup, dataKey, store } = await made();
  const { version, keyId } = await choose({ mode: 'customer', passphrase: first });
  const answer = loseResponses(store);
  await rewrap(version);
  answer();
  failing = () => true;
  await rewrap((await choose({ mode: 'customer', passphrase: second })).version);
  deepEqual((await readBackup(tenant, backup.id)).encryption, backup.encryption);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous).sort(), [backup.encryption.keyId, keyId].sort());
  const found = await unlockKeyFile(tenant, store.objects.get('key')!, backup.archive);
  deepEqual(found, { dataKey, encryption: { mode: 'customer', keyId } });
  failing = () => false;
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
  failing = () => true;
  await rewrap((await choose({ mode: 'kms' })).version);
  deepEqual((await readBackup(tenant, backup.id)).encryption, backup.encryption);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous), [keyId]);
  const found = await unlockKeyFile(tenant, store.objects.get('key')!, backup.archive);
  deepEqual(found, { dataKey, encryption: { mode: 'customer', keyId } });
  failing = () => false;
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
  deepEqual((await unlockKeyFile(tenant, store.objects.get('key')!, backup.archive)).dataKey, dataKey);
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

test('rewrap: settings that change while a task ends are not overlooked', async () => {
  const { backup, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const name = `ORG#${tenant.organizationId}\nENCRYPTION`;
  const stored: string[] = [];
  const onEnd = (): void => {
    stored.push(Buffer.from(store.objects.get('key')!).toString('hex'));
    if (stored.length === 1) table.items.set(name, { ...table.items.get(name), version: { S: 'rotated' } });
  };
  aws.play({
    ...script,
    TransactWriteItems: (input) => {
      if (JSON.stringify(input).includes('isWalking')) onEnd();
      return script.TransactWriteItems!(input);
    },
  });
  await rewrap(version);
  const { version: current, isWalking } = (await readEncryption(tenant))!;
  deepEqual([current, isWalking], ['rotated', false]);
  equal(new Set(stored).size, 2);
  equal(Buffer.from((await readBackup(tenant, backup.id)).keyFile!).toString('hex'), stored[1]);
});

test('rewrap: a bucket that does not respond keeps its key, and its passphrase is kept', async () => {
  await choose({ mode: 'customer', passphrase: first });
  const { backup, dataKey } = await made();
  const fine = await made();
  const { version, keyId } = await choose({ mode: 'customer', passphrase: second });
  failing = (path) => path === backup.path;
  await rewrap(version);
  equal((await readBackup(tenant, fine.backup.id)).encryption.keyId, keyId);
  const left = await readBackup(tenant, backup.id);
  deepEqual(left.encryption, backup.encryption);
  deepEqual(Object.keys((await readEncryption(tenant))!.previous), [backup.encryption.keyId]);
  deepEqual(await dataKeyOf(tenant, left), dataKey);
  failing = () => false;
  await rewrap((await rotate()).version);
  deepEqual(await dataKeyOf(tenant, await readBackup(tenant, backup.id)), dataKey);
  deepEqual((await readEncryption(tenant))!.previous, {});
});

test('rewrap: a backup that changes concurrently is retried, and its bucket gets the key of its record', async () => {
  const { backup, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  let refusals = 1;
  const isRewrap = (input: object): boolean => JSON.stringify(input).includes('"keyFile"');
  aws.play({
    ...script,
    TransactWriteItems: (input) =>
      isRewrap(input) && refusals-- > 0 ? cancelled('None', 'ConditionalCheckFailed') : script.TransactWriteItems!(input),
  });
  await rewrap(version);
  const now = await readBackup(tenant, backup.id);
  equal(now.encryption.mode, 'customer');
  deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from(now.keyFile!));
  notDeepEqual(now.keyFile, backup.keyFile);
});

// The step that begins a backup keeps its key on the record first and in the bucket second.
test('rewrap: a key stored late by the prepare step is replaced by the new one', async () => {
  const { backup, store } = await made({ status: 'running' });
  const { version } = await choose({ mode: 'customer', passphrase: first });
  aws.play({
    ...script,
    TransactWriteItems: (input) => {
      if (JSON.stringify(input).includes('"keyFile"')) void store.put('key', backup.keyFile);
      return script.TransactWriteItems!(input);
    },
  });
  await rewrap(version);
  deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from((await readBackup(tenant, backup.id)).keyFile!));
});

/** The backup becomes something else while its key is wrapped anew. */
const becoming = (change: () => void): void =>
  aws.play({
    ...script,
    TransactWriteItems: (input) => {
      if (!JSON.stringify(input).includes('"keyFile"')) return script.TransactWriteItems!(input);
      change();
      return cancelled('None', 'ConditionalCheckFailed');
    },
  });

test('rewrap: the bucket keeps the key of another record that shares the objects', async () => {
  const { backup, store } = await made();
  const twin = backupOf({ archive: backup.archive, path: backup.path, leaving: 'mov_1' });
  await commit([
    { put: { ...twin, keyFile: backup.keyFile } },
    { put: { ...backupKey.archive(tenant, backup.archive.backup, twin.id), backupId: twin.id } },
  ]);
  const { version } = await choose({ mode: 'customer', passphrase: first });
  const name = `ORG#${tenant.organizationId}\nBACKUP#${backup.id}`;
  becoming(() => table.items.set(name, { ...table.items.get(name), status: { S: 'deleted' } }));
  await rewrap(version);
  deepEqual(Buffer.from(store.objects.get('key')!), Buffer.from((await readBackup(tenant, twin.id)).keyFile!));
});

test('rewrap: the key of a backup that moved away or was purged concurrently is unchanged', async () => {
  const { backup, store } = await made();
  const { version } = await choose({ mode: 'customer', passphrase: first });
  becoming(() => table.items.delete(`ORG#${tenant.organizationId}\nBACKUP#${backup.id}`));
  await rewrap(version);
  deepEqual(Buffer.from(store.objects.get('key')!), backup.keyFile);
});

test('rewrap: the key of a backup that ended concurrently is deleted from its bucket', async () => {
  const { backup, store } = await made({ status: 'running' });
  const { version } = await choose({ mode: 'customer', passphrase: first });
  aws.play({
    ...script,
    TransactWriteItems: (input) => {
      if (!JSON.stringify(input).includes('"keyFile"')) return script.TransactWriteItems!(input);
      table.put({ ...backupOf({ id: backup.id, status: 'failed' }), ...backupKey.backup(tenant, backup.id) });
      return cancelled('None', 'ConditionalCheckFailed');
    },
  });
  await rewrap(version);
  equal(store.objects.has('key'), false);
});

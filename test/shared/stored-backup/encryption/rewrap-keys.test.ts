/** Wrapping keys anew: every backup opens all the way through, and what sealed data holds is never touched. */
import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { parseKeyFile, unwrapKey } from '../../../../shared/archive/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { backupKey, dataKeyOf, readBackup, readEncryption, rewrapKeys } from '../../../../shared/stored-backup/index.ts';
import { cancelled } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, tenant } from '../../../harness/builders/sample-backup.ts';
import { arnOf } from '../../../harness/env/kms-env.ts';
import { startRewraps } from '../../../harness/env/rewrap-env.ts';

const { table, aws, script, operate, stop, options, reset, choose, rotate, rewrap, made, tasks, holdPut } = await startRewraps();
afterAll(stop);
beforeEach(reset);

const [first, second] = ['the first passphrase', 'the second passphrase'];

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

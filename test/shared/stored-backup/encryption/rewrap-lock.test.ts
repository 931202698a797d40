/** One rewrap of an organization at a time: none is lost, whichever task holds the lock, fails or dies. */
import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { parseKeyFile, unwrapKey } from '../../../../shared/archive/index.ts';
import { after, commit, iso } from '../../../../shared/platform/index.ts';
import { readBackup, readEncryption, rewrapKeys } from '../../../../shared/stored-backup/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { tenant } from '../../../harness/builders/sample-backup.ts';
import { clock, startRewraps } from '../../../harness/env/rewrap-env.ts';

const { aws, script, stop, buckets, options, reset, choose, rewrap, made, tasks, holdPut } = await startRewraps();
afterAll(stop);
beforeEach(reset);

const [first, second] = ['the first passphrase', 'the second passphrase'];

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
  buckets.isFailing = fail;
  await rejects(rewrap(version), /a fault/);
  buckets.isFailing = () => false;
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
  buckets.isFailing = fail;
  held.release();
  await rejects(running, /a fault/);
  equal(tasks().filter(({ walk }) => walk === current).length, before + 1);
  buckets.isFailing = () => false;
  await rewrapKeys(tenant, { walk: current }, options('tsk_again'));
  equal((await readBackup(tenant, backup.id)).encryption.keyId, (await readEncryption(tenant))?.keyId);
});

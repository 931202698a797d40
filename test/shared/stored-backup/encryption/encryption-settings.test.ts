import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { commit, type Write } from '../../../../shared/platform/index.ts';
import {
  changeEncryption,
  currentEncryption,
  encryptionData,
  readEncryption,
  rotateKeys,
} from '../../../../shared/stored-backup/index.ts';
import { tenant } from '../../../harness/builders/sample-backup.ts';
import { arnOf, startKeys } from '../../../harness/env/kms-env.ts';

const { table, aws, script, stop } = await startKeys();
afterAll(stop);
beforeEach(() => {
  table.items.clear();
  aws.play(script);
  process.env.PLAN = 'enterprise';
});

const now = new Date('2026-03-01T10:00:00.000Z');
const choose = async (wish: Parameters<typeof changeEncryption>[2]['input']) => {
  const { chosen, change } = await changeEncryption(tenant, await readEncryption(tenant), { input: wish, now });
  await commit(change.writes.filter((write) => 'put' in write));
  return { chosen, change };
};
const tasks = (writes: readonly Write[]) =>
  writes.flatMap((write) =>
    'put' in write && write.put.sk.startsWith('TASK#') ? [JSON.parse(write.put.message as string).task] : [],
  );

test('encryption: by default KMS wraps and no rewrap runs', async () => {
  deepEqual(encryptionData(await readEncryption(tenant)), {
    mode: 'kms',
    keyId: arnOf('data'),
    rewrap: 'idle',
    updatedAt: null,
  });
});

for (const [what, wish, field, reason] of [
  ['no passphrase', { mode: 'customer' }, 'passphrase', /required/],
  ['an empty one', { mode: 'customer', passphrase: '' }, 'passphrase', /shorter than 8/],
  ['7 characters', { mode: 'customer', passphrase: '1234567' }, 'passphrase', /shorter than 8/],
  // Seven to a reader, fourteen to JavaScript.
  ['7 characters outside the plane', { mode: 'customer', passphrase: '😀'.repeat(7) }, 'passphrase', /shorter than 8/],
  ['1,025 bytes', { mode: 'customer', passphrase: 'x'.repeat(1_025) }, 'passphrase', /longer than 1024/],
  ['a mebibyte', { mode: 'customer', passphrase: 'x'.repeat(1 << 20) }, 'passphrase', /longer than 1024/],
  ['half a character', { mode: 'customer', passphrase: 'password\ud800' }, 'passphrase', /unpaired surrogate/],
  ['a passphrase for KMS', { mode: 'kms', passphrase: 'password1' }, 'passphrase', /only allowed with mode customer/],
] as const)
  test(`encryption: ${what} is refused, and nothing is encrypted`, async () => {
    await rejects(choose(wish), (error: Error & { code: string; details: { field: string; reason: string } }) => {
      deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', field]);
      match(error.details.reason, reason);
      return true;
    });
    equal(aws.sent('Encrypt').length, 0);
  });

test('encryption: passphrases of 8 characters and of 1,024 bytes are accepted', async () => {
  await choose({ mode: 'customer', passphrase: '12345678' });
  await choose({ mode: 'customer', passphrase: 'é'.repeat(512) });
});

for (const plan of ['starter', 'professional'])
  test(`encryption: the plan ${plan} has no customer-managed encryption`, async () => {
    process.env.PLAN = plan;
    await rejects(choose({ mode: 'customer', passphrase: 'password1' }), { code: 'FORBIDDEN' });
    await choose({ mode: 'kms' });
  });

test('encryption: each passphrase has a new id, the previous one is kept for its backups, and a rewrap starts', async () => {
  const first = await choose({ mode: 'customer', passphrase: 'password1' });
  const second = await choose({ mode: 'customer', passphrase: 'password1' });
  ok(first.chosen.keyId && first.chosen.keyId !== second.chosen.keyId);
  deepEqual(Object.keys(second.chosen.previous), [first.chosen.keyId]);
  deepEqual(tasks(second.change.writes), [{ kind: 'rewrap-keys', walk: second.chosen.version }]);
  deepEqual(encryptionData(await readEncryption(tenant)), {
    mode: 'customer',
    keyId: second.chosen.keyId,
    rewrap: 'running',
    updatedAt: now.toISOString(),
  });
});

test('encryption: returning to KMS keeps the passphrase until every key is rewrapped', async () => {
  const own = await choose({ mode: 'customer', passphrase: 'password1' });
  const { chosen, change } = await choose({ mode: 'kms' });
  deepEqual(currentEncryption(chosen), { mode: 'kms', keyId: arnOf('data') });
  deepEqual([Object.keys(chosen.previous), chosen.sealed], [[own.chosen.keyId], undefined]);
  equal(tasks(change.writes).length, 1);
});

test('encryption: choosing KMS again rewraps nothing; a rotation does', async () => {
  const { change } = await choose({ mode: 'kms' });
  deepEqual(tasks(change.writes), []);
  const rotated = rotateKeys(tenant, await readEncryption(tenant), now);
  deepEqual(tasks(rotated.change.writes), [{ kind: 'rewrap-keys', walk: rotated.chosen.version }]);
  equal(encryptionData(rotated.chosen).rewrap, 'running');
  equal(rotateKeys(tenant, undefined, now).chosen.mode, 'kms');
});

test('encryption: the number of kept passphrases is limited', async () => {
  for (let n = 0; n <= 20; n++) await choose({ mode: 'customer', passphrase: `password${n}` });
  await rejects(choose({ mode: 'customer', passphrase: 'password1' }), { code: 'CONFLICT' });
});

test('encryption: neither the response nor the audit entry contains the passphrase, plain or encrypted', async () => {
  const { chosen, change } = await choose({ mode: 'customer', passphrase: 'password1' });
  const told = JSON.stringify([encryptionData(chosen), change.audit]);
  ok(!told.includes('password1') && !told.includes('sealed'));
  deepEqual(change.audit[0]?.details, currentEncryption(chosen));
});

/** Another organization does not have the passphrase that wraps the keys of backups. */
import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { finishOrRevertMove, moveProject } from '../../../shared/move/index.ts';
import { commit, unsafeTenant } from '../../../shared/platform/index.ts';
import type { MoveRecord } from '../../../shared/project/index.ts';
import { encryptionKey } from '../../../shared/stored-backup/encryption/encryption-settings.ts';
import { type BackupRecord, type EncryptionRecord, readEncryption } from '../../../shared/stored-backup/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import { createMoveEnv, from, moveCaller, newBackup, projectId, start, stopEnv, to } from '../../harness/env/move-env.ts';

afterAll(stopEnv);
const move = () => moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time: { now: () => start } });

const customer = { encryption: { mode: 'customer', keyId: 'k' } } as const;
const inBucket = { bucketKeyIds: ['k'] } as const;

for (const [what, backup, chosen, message] of [
  ['a passphrase', customer, { mode: 'customer', isWalking: false }, /Set the encryption to kms first$/],
  ['a passphrase that replaces another one', customer, { mode: 'customer', isWalking: true }, /Set the encryption to kms first$/],
  [
    'kms, which is being applied',
    customer,
    { mode: 'kms', isWalking: true },
    /still being rewrapped. Try again when rewrap .* idle$/,
  ],
  ['kms, which is being applied in buckets', inBucket, { mode: 'kms', isWalking: true }, /still being rewrapped/],
  ['kms, which could not be applied', customer, { mode: 'kms', isWalking: false }, /is still encrypted .*Rotate the keys/],
  ['kms, which could not be applied in a bucket', inBucket, { mode: 'kms', isWalking: false }, /in its bucket\. Rotate the keys/],
] as const satisfies readonly (readonly [string, Partial<BackupRecord>, Partial<EncryptionRecord>, RegExp])[])
  test(`moveProject: with the encryption set to ${what}, the refusal says what to do`, async () => {
    await createMoveEnv(1);
    const settings = { ...encryptionKey(from), previous: {}, version: 'v', updatedAt: start.toISOString(), ...chosen };
    await commit([{ put: newBackup(backup) }, { put: settings }]);
    await rejects(move(), { code: 'CONFLICT', message });
  });

test('moveProject: the keys of moved backups are wrapped with the passphrase of the target', async () => {
  await createMoveEnv(1);
  const settings = { ...encryptionKey(to), mode: 'customer', keyId: 'k', previous: {}, isWalking: false } as const;
  await commit([{ put: { ...settings, version: 'v', updatedAt: start.toISOString() } }]);
  await move();
  const { version, isWalking, keyId } = (await readEncryption(to))!;
  notEqual(version, 'v');
  deepEqual([isWalking, keyId], [true, 'k']);
});

test('moveProject: with KMS in the target nothing is rewrapped', async () => {
  await createMoveEnv(1);
  const settings = { ...encryptionKey(to), mode: 'kms', previous: {}, isWalking: false } as const;
  await commit([{ put: { ...settings, version: 'v', updatedAt: start.toISOString() } }]);
  await move();
  deepEqual((await readEncryption(to))?.version, 'v');
});

test('revertMove: the keys of backups that stay are wrapped with a passphrase that was set meanwhile', async () => {
  const table = await createMoveEnv(1);
  const settings = { ...encryptionKey(from), mode: 'customer', keyId: 'k', previous: {}, isWalking: false } as const;
  let writes = 0;
  // Fails after the copies are made.
  table.onWrite = (when) => (when === 'before' && ++writes > 2 ? new Fault('AccessDeniedException') : undefined);
  await rejects(move());
  table.onWrite = () => undefined;
  // The rewrap that follows ends without the backups, which are leaving.
  await commit([{ put: { ...settings, version: 'v', updatedAt: start.toISOString() } }]);
  const [begun] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
  const later = { now: () => new Date(start.getTime() + 120_000) };
  const task = { projectId, moveId: begun!.id };
  await finishOrRevertMove(from, {
    task,
    tenantOf: (id) => unsafeTenant(id, 'record'),
    until: new Date(start.getTime() + 600_000),
    time: later,
  });
  const { version, isWalking } = (await readEncryption(from))!;
  notEqual(version, 'v');
  equal(isWalking, true);
});

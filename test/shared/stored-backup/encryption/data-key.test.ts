/** Data keys: what wraps them, what opens them, and how each way of not opening is told apart. */
import { deepEqual, equal, match, notDeepEqual, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { parseKeyFile, unwrapKey } from '../../../../shared/archive/index.ts';
import { commit, newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { newDataKey } from '../../../../shared/stored-backup/encryption/data-key.ts';
import {
  type BackupRecord,
  changeEncryption,
  dataKeyOf,
  readEncryption,
  unlockKeyFile,
} from '../../../../shared/stored-backup/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { backupOf } from '../../../harness/builders/sample-backup.ts';
import { arnOf, startKeys } from '../../../harness/env/kms-env.ts';

const { table, aws, script, operate, stop } = await startKeys();
afterAll(stop);

const passphrase = 'correct horse battery staple';
let tenant = unsafeTenant(newId('organization'), 'created');
beforeEach(() => {
  table.items.clear();
  aws.play(script);
  tenant = unsafeTenant(newId('organization'), 'created');
});

const choose = async (wish: Parameters<typeof changeEncryption>[2]['input']) => {
  const { chosen, change } = await changeEncryption(tenant, await readEncryption(tenant), { input: wish, now: new Date() });
  await commit(change.writes.filter((write) => 'put' in write));
  return chosen;
};
const made = async (): Promise<{ backup: BackupRecord; dataKey: Buffer }> => {
  const { archive } = backupOf();
  const { dataKey, keyFile, encryption } = await newDataKey(tenant, archive);
  return { backup: backupOf({ archive, keyFile, encryption }), dataKey };
};
const unavailable = (reason: RegExp) => (error: Error & { code?: string }) => {
  equal(error.code, 'KEY_UNAVAILABLE');
  match(error.message, reason);
  return true;
};

test('data key: KMS creates 32 bytes bound to the backup and decrypts them', async () => {
  const { backup, dataKey } = await made();
  equal(dataKey.length, 32);
  deepEqual(backup.encryption, { mode: 'kms', keyId: arnOf('data') });
  deepEqual(
    parseKeyFile(backup.keyFile!).wraps.map(({ kind }) => kind),
    ['kms'],
  );
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
  deepEqual(aws.sent('GenerateDataKey')[0]!.EncryptionContext, { ...backup.archive });
  notDeepEqual((await made()).dataKey, dataKey);
});

test('data key: with a passphrase the key file has no KMS wrap', async () => {
  const { keyId } = await choose({ mode: 'customer', passphrase });
  const { backup, dataKey } = await made();
  deepEqual(backup.encryption, { mode: 'customer', keyId });
  match(keyId!, /^passphrase-[0-9A-Z]{26}$/);
  const [wrap, ...others] = parseKeyFile(backup.keyFile!).wraps;
  deepEqual([wrap?.kind, others.length], ['passphrase', 0]);
  ok(wrap?.kind === 'passphrase' && wrap.kdf.iterations === 600_000);
  // A person with the passphrase needs nothing of ours.
  deepEqual(await unwrapKey(wrap, passphrase, backup.archive), dataKey);
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
});

test('data key: the table never contains the passphrase in plaintext', async () => {
  await choose({ mode: 'customer', passphrase });
  const stored = JSON.stringify([...table.items.values()]);
  ok(!stored.includes(passphrase) && !stored.includes(Buffer.from(passphrase).toString('base64')));
});

test('data key: a key opened before opens again, whatever became of the first copy, until its passphrase is gone', async () => {
  await choose({ mode: 'customer', passphrase });
  const { backup, dataKey } = await made();
  const first = await dataKeyOf(tenant, backup);
  deepEqual(first, dataKey);
  first.fill(0);
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
  const damaged = Buffer.from(backup.keyFile!);
  damaged[damaged.length - 1]! ^= 1;
  await rejects(dataKeyOf(tenant, { ...backup, keyFile: damaged }), unavailable(/./));
  await rejects(dataKeyOf(unsafeTenant(newId('organization'), 'created'), backup), unavailable(/the organization has none/));
  table.items.clear();
  await rejects(dataKeyOf(tenant, backup), unavailable(/the organization has none/));
});

test('data key: a backup of a previous passphrase opens while that one is kept', async () => {
  await choose({ mode: 'customer', passphrase });
  const { backup, dataKey } = await made();
  await choose({ mode: 'customer', passphrase: 'another passphrase' });
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
  await choose({ mode: 'kms' });
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
  // The key file alone is enough, as an import has it.
  const { dataKey: opened, encryption } = await unlockKeyFile(tenant, backup.keyFile!, { archive: backup.archive });
  deepEqual([opened, encryption], [dataKey, backup.encryption]);
});

test('data key: a key that was rewrapped after the record was read still opens', async () => {
  await choose({ mode: 'customer', passphrase });
  const { backup } = await made();
  table.items.clear();
  const { backup: wrappedAnew, dataKey } = await made();
  table.put({ pk: `ORG#${tenant.organizationId}`, sk: `BACKUP#${backup.id}`, id: backup.id });
  const key = [...table.items.keys()].find((name) => name.endsWith(backup.id))!;
  table.items.set(key, {
    ...table.items.get(key)!,
    keyFile: { B: Buffer.from(wrappedAnew.keyFile!).toString('base64') },
    archive: { M: Object.fromEntries(Object.entries(wrappedAnew.archive).map(([name, id]) => [name, { S: id }])) },
    encryption: { M: { mode: { S: 'kms' }, keyId: { S: arnOf('data') } } },
  });
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
});

test('data key: a wrong passphrase, a missing one and a foreign key file have distinct errors', async () => {
  await choose({ mode: 'customer', passphrase });
  const { backup } = await made();
  table.items.clear();
  await rejects(dataKeyOf(tenant, backup), unavailable(/the organization has none/));
  await choose({ mode: 'customer', passphrase: 'another passphrase' });
  await rejects(dataKeyOf(tenant, backup), unavailable(/encrypted with another one/));
  const other = { ...backup, archive: { ...backup.archive, backup: newId('backup') } };
  await rejects(dataKeyOf(tenant, other), unavailable(/belongs to another backup/));
  await rejects(dataKeyOf(tenant, backupOf()), unavailable(/has no key/));
  await rejects(dataKeyOf(tenant, backupOf({ keyFile: Buffer.from('{') })), unavailable(/cannot be read/));
});

// Someone with the table alone cannot make a key of one organization open for another: KMS compares the context.
test('data key: KMS refuses a key whose organization was changed in the table', async () => {
  const { backup } = await made();
  const archive = { ...backup.archive, organization: newId('organization') };
  const keyFile = Buffer.from(Buffer.from(backup.keyFile!).toString().replace(backup.archive.organization, archive.organization));
  await rejects(dataKeyOf(tenant, { ...backup, archive, keyFile }), unavailable(/encrypted for another backup, or modified/));
});

test('data key: a disabled key, one pending deletion and a denied one have distinct errors, and none marks the backup as damaged', async () => {
  const { backup, dataKey } = await made();
  operate('DisableKey', 'data');
  await rejects(dataKeyOf(tenant, backup), unavailable(/is disabled/));
  await rejects(made(), unavailable(/is disabled/));
  operate('EnableKey', 'data');
  operate('ScheduleKeyDeletion', 'data');
  await rejects(dataKeyOf(tenant, backup), unavailable(/pending deletion/));
  operate('CancelKeyDeletion', 'data');
  operate('EnableKey', 'data');
  aws.play({ ...script, Decrypt: () => new Fault('AccessDeniedException') });
  await rejects(dataKeyOf(tenant, backup), unavailable(/may not use/));
  aws.play(script);
  deepEqual(await dataKeyOf(tenant, backup), dataKey);
});

test('data key: a transient KMS error is rethrown, to be retried', async () => {
  const { backup } = await made();
  aws.play({ ...script, Decrypt: () => new Fault('ThrottlingException') });
  await rejects(dataKeyOf(tenant, backup), { name: 'ThrottlingException' });
  aws.play({ ...script, GenerateDataKey: () => new Fault('KMSInternalException', 500) });
  await rejects(made(), { name: 'KMSInternalException' });
});

/** Encryption settings: who may change them, which key wraps the data keys, and that rewrapping leaves data objects unchanged. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { keyFileName, manifestName, openManifest, parseKeyFile, unwrapKey } from '../../../shared/archive/index.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import type { Backup } from '../../../shared/contract/models/backup.ts';
import { takeBackup } from '../../harness/stage/backup.ts';
import { objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { allItems, getItem } from '../../harness/stage/table.ts';

type Shown = z.output<typeof Backup>;

let organization: TestOrganization;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const current = async () => (await call(encryption.get, by())).body.data;
const set = (body: object) => call(encryption.set, { ...by(), body });
const untilIdle = async () => {
  for (;;) {
    const data = await current();
    if (data.rewrap === 'idle') return data;
    await pause(100);
  }
};

/** The letter å, composed and decomposed. */
const [composed, decomposed] = ['p\u00e4ssw\u00f6rter canary', 'pa\u0308sswo\u0308rter canary'];
const second = 'the second passphrase canary';

beforeAll(async () => {
  organization = await newOrganization();
});

describe('encryption settings', () => {
  test('default to KMS, visible to every role', async () => {
    const viewer = await addMember(organization, 'viewer');
    const { status, body } = await call(encryption.get, { org: organization.id, token: viewer.accessToken });
    equal(status, 200);
    deepEqual({ ...body.data, keyId: '' }, { mode: 'kms', keyId: '', rewrap: 'idle', updatedAt: null });
    match(body.data.keyId, /^arn:aws:kms:/);
  });

  for (const [what, body, field] of [
    ['no mode', {}, 'mode'],
    ['another mode', { mode: 'none' }, 'mode'],
    ['a passphrase missing', { mode: 'customer' }, 'passphrase'],
    ['an empty one', { mode: 'customer', passphrase: '' }, 'passphrase'],
    ['7 characters', { mode: 'customer', passphrase: '1234567' }, 'passphrase'],
    ['too many bytes', { mode: 'customer', passphrase: 'ä'.repeat(513) }, 'passphrase'],
    ['half a million characters', { mode: 'customer', passphrase: 'x'.repeat(500_000) }, 'passphrase'],
    ['half a character', { mode: 'customer', passphrase: 'password\ud800' }, 'passphrase'],
    ['a number', { mode: 'customer', passphrase: 12_345_678 }, 'passphrase'],
    ['a passphrase for KMS', { mode: 'kms', passphrase: 'password1' }, 'passphrase'],
    ['a field more', { mode: 'kms', key: 'x' }, 'key'],
  ] as const)
    test(`${what} is refused`, async () => {
      const { status, body: answer, text } = await set(body);
      deepEqual(
        { status, code: answer.error.code, field: answer.error.details.field },
        { status: 400, code: 'VALIDATION_ERROR', field },
        text,
      );
    });

  test('and nothing of it is stored', async () => equal((await current()).updatedAt, null));
});

describe('an existing backup', () => {
  let backup: Shown;
  let bucket: string;
  let stored: Readonly<Record<string, string>>;
  const get = async () => (await call(backups.get, { ...by(), params: { backupId: backup.id } })).body.data;
  const objects = async () => {
    const { [`${backup.path}/${keyFileName}`]: key, ...sealed } = await objectsIn(bucket, backup.path);
    return { key, sealed };
  };
  /** Opens a backup with only the bucket and the passphrase. */
  const openWith = async (passphrase: string): Promise<number> => {
    const [keyFile, manifest] = await Promise.all(
      [keyFileName, manifestName].map((name) => objectAt(bucket, `${backup.path}/${name}`)),
    );
    const { identity, wraps } = parseKeyFile(keyFile!);
    equal(wraps.length, 1);
    ok(wraps[0]?.kind === 'passphrase', wraps[0]?.kind);
    const dataKey = await unwrapKey(wraps[0], passphrase, identity);
    return (await openManifest(manifest!, { identity, dataKey })).objects.length;
  };

  beforeAll(async () => {
    backup = await takeBackup(organization);
    const params = { storageId: backup.storageDestination.id };
    bucket = (await call(storageDestinations.get, { ...by(), params })).body.data.bucket;
    stored = (await objects()).sealed;
    ok(Object.keys(stored).length >= 3);
  });

  test('is rewrapped with a new passphrase, which alone opens it in any Unicode normalization', async () => {
    const answer = await set({ mode: 'customer', passphrase: decomposed });
    deepEqual(
      { status: answer.status, mode: answer.body.data.mode, rewrap: answer.body.data.rewrap },
      { status: 200, mode: 'customer', rewrap: 'running' },
    );
    ok(!answer.text.includes('canary'));
    const { keyId } = await untilIdle();
    match(keyId, /^passphrase-/);
    deepEqual((await get()).encryption, { mode: 'customer', keyId });
    deepEqual((await objects()).sealed, stored);
    ok((await openWith(composed)) >= 2);
  });

  test('is rewrapped by a rotation, which changes only its key', async () => {
    const { key } = await objects();
    const { status, body } = await call(encryption.rotate, by());
    deepEqual([status, body.data.rewrap], [202, 'running']);
    await untilIdle();
    const after = await objects();
    deepEqual(after.sealed, stored);
    notEqual(after.key, key);
    ok((await openWith(composed)) >= 2);
  });

  test('stays readable by the service throughout', async () => {
    const { status, text } = await call(backupContents.documents, {
      ...by(),
      params: { backupId: backup.id },
      query: { path: 'users/ada' },
    });
    equal(status, 200, text);
    ok(text.includes('1815'));
  });

  test('a new backup is wrapped with the passphrase from the start', async () => {
    const { encryption: made } = await takeBackup(organization);
    equal(made.mode, 'customer');
    equal(made.keyId, (await current()).keyId);
  });

  test('another passphrase replaces the first, which no longer works', async () => {
    await set({ mode: 'customer', passphrase: second });
    await untilIdle();
    deepEqual((await objects()).sealed, stored);
    ok((await openWith(second)) >= 2);
    const kept = await getItem({ pk: `ORG#${organization.id}`, sk: 'ENCRYPTION' });
    deepEqual(kept?.previous, {});
  });

  test('after several changes at once its key in the bucket is that of its record, and opens with the last passphrase', async () => {
    const passphrases = [1, 2, 3].map((number) => `passphrase ${number} canary`);
    const answers = await Promise.all(passphrases.map((passphrase) => set({ mode: 'customer', passphrase })));
    deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]), answers.map(({ text }) => text).join());
    const { keyId } = await untilIdle();
    const last = passphrases[answers.findIndex(({ body }) => body.data.keyId === keyId)];
    const key = await objectAt(bucket, `${backup.path}/${keyFileName}`);
    const record = await getItem({ pk: `ORG#${organization.id}`, sk: `BACKUP#${backup.id}` });
    deepEqual(Buffer.from(key!), Buffer.from(record?.keyFile as Uint8Array));
    ok((await openWith(last!)) >= 2);
    deepEqual((await getItem({ pk: `ORG#${organization.id}`, sk: 'ENCRYPTION' }))?.previous, {});
  });

  test('back on KMS needs no passphrase, and its objects are unchanged', async () => {
    await set({ mode: 'kms' });
    const { mode } = await untilIdle();
    equal(mode, 'kms');
    equal((await get()).encryption.mode, 'kms');
    const after = await objects();
    deepEqual(after.sealed, stored);
    const { wraps } = parseKeyFile(await objectAt(bucket, `${backup.path}/${keyFileName}`));
    deepEqual(
      wraps.map(({ kind }) => kind),
      ['kms'],
    );
    const kept = await getItem({ pk: `ORG#${organization.id}`, sk: 'ENCRYPTION' });
    deepEqual([kept?.previous, kept?.sealed], [{}, undefined]);
  });

  test('the audit log names who changed it, and no passphrase is stored or logged anywhere', async () => {
    const { body, text } = await call(auditLogs.list, by());
    const actions = body.data.map(({ action }) => action).filter((action) => action.startsWith('encryption.'));
    deepEqual(actions.sort(), [...Array(6).fill('encryption.changed'), 'encryption.rotated']);
    for (const everything of [text, logs(), JSON.stringify(await allItems())]) ok(!everything.includes('rter canary'));
    ok(!JSON.stringify(await allItems()).includes(second) && !logs().includes(second));
  });
});

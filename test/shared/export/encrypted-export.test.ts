/** Exports encrypted for public keys: another implementation of age reads them, and a repeated run stores the same bytes. */
import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { beforeEach, test } from 'vitest';
import { parseAgeRecipient } from '../../../shared/export/encrypt/age-recipient.ts';
import { AgeSealer, isAgeRecipient } from '../../../shared/export/encrypt/age-sealer.ts';
import { maskSaltKey } from '../../../shared/job/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import type { Fields } from '../../harness/env/archive-env.ts';
import { CrashError, createExportEnv } from '../../harness/env/export-env.ts';

const t = await createExportEnv();
const identities = await Promise.all([generateIdentity(), generateIdentity()]);
const recipients = await Promise.all(identities.map((identity) => identityToRecipient(identity)));
let backup: BackupRecord;

const decrypt = async (sealed: Uint8Array, identity = identities[0] ?? ''): Promise<Buffer> => {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return Buffer.from(await decrypter.decrypt(sealed));
};

/** By the names that they have without encryption. */
const decrypted = async (files: ReadonlyMap<string, Buffer>): Promise<readonly (readonly [string, string])[]> => {
  const all: (readonly [string, string])[] = [];
  for (const [name, bytes] of files) {
    ok(name.endsWith('.age'), name);
    all.push([name.slice(0, -4), (await decrypt(bytes)).toString('latin1')]);
  }
  return all.sort();
};

const plain = (files: ReadonlyMap<string, Buffer>) =>
  [...files].map(([name, bytes]) => [name, bytes.toString('latin1')] as const).sort();

beforeEach(async () => {
  t.reset();
  const documents: Record<string, Fields> = {};
  for (let n = 0; n < 200; n++)
    documents[n % 3 === 0 ? `users/${n}/orders/o` : `users/${n}`] = {
      n: { integerValue: BigInt(n) },
      text: { stringValue: 'x'.repeat(8_000) + n },
    };
  await t.put(documents);
  backup = await t.takeBackup();
  t.sizes = { shardSegments: 2, fileBytes: 1 << 20, bufferBytes: 1 << 20 };
});

for (const format of ['ndjson', 'csv', 'parquet', 'google'] as const)
  test(`encrypted export: the owners of the keys read the same ${format} as without encryption`, async () => {
    const open = await t.runExport(await t.startExport(backup, { format }));
    const ended = await t.runExport(await t.startExport(backup, { format, recipients }));
    equal(ended.status, 'completed');
    const files = t.filesOf(ended);
    const contents = await decrypted(files);
    // The metadata of Google's format has the time of the backup, not that of the export.
    deepEqual(contents, plain(t.filesOf(open)));
    equal(
      ended.bytes,
      [...files.values()].reduce((sum, { length }) => sum + length, 0),
    );
    const manifest = JSON.parse(Buffer.from(t.stores.get(ended.path)!.objects.get('manifest.json')!).toString());
    deepEqual(manifest.export.id, ended.id);
    deepEqual([manifest.encryptedFor, manifest.documents], [recipients, 200]);
    equal(t.table.get(maskSaltKey(t.tenant, ended.id)), undefined);
  });

test('encrypted export: each recipient reads every file, and a stranger reads none', async () => {
  const ended = await t.runExport(await t.startExport(backup, { recipients }));
  const stranger = await generateIdentity();
  for (const [, sealed] of t.filesOf(ended)) {
    deepEqual(await decrypt(sealed, identities[0]), await decrypt(sealed, identities[1]));
    await rejects(decrypt(sealed, stranger));
  }
});

test('encrypted export: a repeated run stores the same bytes, and another export does not', async () => {
  const puts = new Map<string, Buffer[]>();
  let count = 0;
  t.wrapStore = (store, folder) =>
    folder.includes('exports/')
      ? Object.assign(Object.create(store), {
          put: async (name: string, bytes: Uint8Array) => {
            puts.set(`${folder}/${name}`, [...(puts.get(`${folder}/${name}`) ?? []), Buffer.from(bytes)]);
            await store.put(name, bytes);
            count += 1;
            if (count % 3 === 0) throw new CrashError('after it was stored');
          },
        })
      : store;
  const first = await t.runExport(await t.startExport(backup, { recipients }));
  const repeated = [...puts.entries()].filter(([name, stored]) => name.endsWith('.age') && stored.length > 1);
  ok(repeated.length > 0);
  for (const [name, [one, ...others]] of repeated) for (const other of others) deepEqual(other, one, name);
  const second = await t.runExport(await t.startExport(backup, { recipients }));
  notDeepEqual(plain(t.filesOf(first)), plain(t.filesOf(second)));
  deepEqual(await decrypted(t.filesOf(first)), await decrypted(t.filesOf(second)));
});

const content = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251));
interface SealedPart {
  readonly name?: string;
  readonly size?: number;
  readonly cut?: number;
}

const sealed = (sealer: AgeSealer, { name = 'a', size = content.length, cut = size }: SealedPart): Buffer => {
  const whole = content.subarray(0, size);
  const pieces = [whole.subarray(0, cut), whole.subarray(cut)];
  return Buffer.concat([...sealer.seal(name, { digest: createHash('sha256').update(whole).digest(), pieces })]);
};

test('age: contents of any size, in any pieces, are read by another implementation', async () => {
  const sealer = new AgeSealer(recipients, Buffer.alloc(32, 1));
  for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    for (const cut of [0, 1, size >> 1, size])
      deepEqual(await decrypt(sealed(sealer, { size, cut })), content.subarray(0, size), `${size}, ${cut}`);
});

test('age: bytes follow from key, name and content, and nothing is shared by two files', () => {
  const sealer = new AgeSealer(recipients, Buffer.alloc(32, 1));
  const one = sealed(sealer, {});
  deepEqual(sealed(new AgeSealer(recipients, Buffer.alloc(32, 1)), { cut: 7 }), one);
  const others = [
    sealed(sealer, { name: 'b' }),
    sealed(sealer, { size: 199_999 }),
    sealed(new AgeSealer(recipients, Buffer.alloc(32, 2)), {}),
  ];
  const linesOf = (bytes: Buffer) => bytes.subarray(0, 400).toString('latin1').split('\n').slice(2, 6);
  for (const other of others)
    for (const line of linesOf(one).filter((text) => !text.startsWith('-> '))) ok(!other.toString('latin1').includes(line));
});

test('age: only whole public keys of age are accepted', () => {
  const [key = ''] = recipients;
  ok(isAgeRecipient(key));
  const mistyped = `${key.slice(0, 20)}${key[20] === 'q' ? 'p' : 'q'}${key.slice(21)}`;
  // The last one is zero: every secret with it is the same.
  const zero = 'age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z';
  ok(parseAgeRecipient(zero));
  for (const text of [mistyped, key.slice(0, -1), key.toUpperCase(), identities[0] ?? '', '', 'age1', zero])
    ok(!isAgeRecipient(text), text);
});

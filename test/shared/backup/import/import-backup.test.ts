/** A folder that is imported may say anything: what no backup of ours could say is refused, or passed over. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test, vi } from 'vitest';
import {
  encodeKeyFile,
  type KeyWrap,
  type Manifest,
  parseKeyFile,
  ShardWriter,
  sealManifest,
} from '../../../../shared/archive/index.ts';
import { importBackup } from '../../../../shared/backup/index.ts';
import type { EventData } from '../../../../shared/contract/events/event-catalogue.ts';
import { Backup } from '../../../../shared/contract/models/backup.ts';
import { type DestinationRecord, MemoryStore } from '../../../../shared/destination/index.ts';
import { after, clock, commit, iso, newId, StaleReadError, secureRandomBytes } from '../../../../shared/platform/index.ts';
import { decideExpiry, toCandidate } from '../../../../shared/retention/index.ts';
import { newDataKey } from '../../../../shared/stored-backup/encryption/data-key.ts';
import { backupData, backupKey, changeEncryption } from '../../../../shared/stored-backup/index.ts';
import { backupOf, now, project, tenant } from '../../../harness/builders/sample-backup.ts';
import { startKeys } from '../../../harness/env/kms-env.ts';

const { table, aws, script, stop } = await startKeys();
afterAll(stop);

let store = new MemoryStore();
beforeEach(() => {
  table.items.clear();
  store = new MemoryStore();
});

const destination = { id: newId('storageDestination'), name: 'Bucket', type: 's3', prefix: '' } as DestinationRecord;
const wish = { path: 'copies/one', metadata: {}, createdBy: { type: 'user', id: newId('user') } };
const organization = { id: tenant.organizationId, name: 'Example' };
const bring = () => importBackup({ tenant, organization, project, destination }, { options: wish, now, open: async () => store });

const source = 'projects/p/databases/(default)';
const noTimes = { createdSeconds: 0, createdNanos: 0, updatedSeconds: 0, updatedNanos: 0 };

/** A folder with a backup of nothing, and whatever else its manifest says; or of one document, that it was not there. */
const fill = async (more: Partial<Manifest> = {}, isAbsent = false) => {
  const { archive } = backupOf();
  const { dataKey, keyFile } = await newDataKey(tenant, archive);
  if (isAbsent) {
    const writer = new ShardWriter(0, { identity: archive, dataKey, random: secureRandomBytes });
    const name = Buffer.from(`${source}/documents/a/1`);
    writer.tombstone(name, { ...noTimes, nameStart: 0, nameEnd: name.length });
    const { chunk, index, pages } = writer.finish();
    await store.put(chunk!.name, Buffer.concat(writer.takeChunk()));
    await store.put(index.name, Buffer.concat(writer.takeIndex()));
    more = { counts: { documents: 0, tombstones: 1, users: 0 }, objects: [chunk!, index], pages, ...more };
  }
  const manifest: Manifest = {
    ...{ formatVersion: 2, requiredFeatures: [], ...archive, parent: null, source },
    ...{ readTime: '2026-01-01T00:00:00Z', counts: { documents: 0, tombstones: 0, users: 0 } },
    ...{ collections: [], objects: [], pages: [], notes: {}, ...more },
  };
  await store.put('key', keyFile);
  await store.put('manifest', sealManifest(manifest, { identity: archive, dataKey, random: secureRandomBytes }).bytes);
  return archive;
};

test('import: valid notes of the manifest are used', async () => {
  await fill({ notes: { collections: ['a', 'b'], excludedCollections: ['a/1/c'], originalSize: 7, countVerified: true } });
  const { collections, excludedCollections, originalSize, countVerified, isPartial } = (await bring()).backup;
  deepEqual([collections, excludedCollections, originalSize, countVerified], [['a', 'b'], ['a/1/c'], 7, true]);
  equal(isPartial, undefined);
});

test('import: since when its documents were read is what its manifest says, and unknown if it says nothing or nonsense', async () => {
  const readTime = '2026-01-01T00:00:00Z';
  const noted = async (notes: Manifest['notes']) => {
    store = new MemoryStore();
    table.items.clear();
    await fill({ readTime, notes: { collections: ['*'], ...notes } });
    const { builtFrom, auditedSince } = backupData((await bring()).backup);
    return [builtFrom, auditedSince];
  };
  const auditedSince = '2025-12-30T10:00:00.123456Z';
  deepEqual(await noted({}), [null, null]);
  deepEqual(await noted({ builtFrom: 'changes', auditedSince }), ['changes', auditedSince]);
  deepEqual(await noted({ builtFrom: 'source', auditedSince: readTime }), ['source', readTime]);
  deepEqual(await noted({ builtFrom: 'source' }), [null, null]);
  deepEqual(await noted({ builtFrom: 'thin air', auditedSince }), [null, null]);
  deepEqual(await noted({ builtFrom: 'changes', auditedSince: 'once' }), [null, null]);
});

test('import: it is dated by its archive unless the caller knows better, and its duration is that of the import', async () => {
  const readTime = '2026-01-01T00:00:00.123456Z';
  await fill({ readTime });
  using _ = vi.spyOn(clock, 'now').mockReturnValue(after(now, 7));
  const { backup, change } = await bring();
  deepEqual([backup.createdAt, backup.startedAt, backup.completedAt], ['2026-01-01T00:00:00.123Z', iso(now), iso(after(now, 7))]);
  equal(backupData(backup).duration, 7_000);
  const completed = change.writes.flatMap((write) =>
    'put' in write && write.put.type === 'backup.completed' ? [write.put.data] : [],
  );
  deepEqual(
    completed.map((data) => (data as EventData<'backup.completed'>).backup.duration),
    [7_000],
  );
  const given = { ...wish, metadata: { createdAt: '2025-05-05T05:05:05Z' } };
  const dated = await importBackup(
    { tenant, organization, project, destination },
    { options: given, now, open: async () => store },
  );
  equal(dated.backup.createdAt, '2025-05-05T05:05:05.000Z');
});

test('import: retention leaves it, however old its archive is', async () => {
  await fill({ readTime: '2001-01-01T00:00:00Z' });
  const old = toCandidate((await bring()).backup)!;
  const newer = toCandidate(backupOf({ readTime: iso(now) }))!;
  deepEqual(decideExpiry([old, newer], { scheduleRules: new Map(), pins: new Set() }, now).expiring, []);
});

test('import: a backup of another database is known as such', async () => {
  for (const [from, isForeign] of [
    [`projects/${project.sourceProjectId}/databases/${project.databaseId}`, undefined],
    [`projects/${project.sourceProjectId}/databases/other`, true],
    [`projects/other/databases/${project.databaseId}`, true],
  ] as const) {
    await fill({ source: from });
    equal((await bring()).backup.isForeign, isForeign);
  }
});

test('import: mayLackCollections is kept, so that a rollback deletes nothing it does not list', async () => {
  for (const mayLackCollections of [true, undefined, 'yes']) {
    await fill({ notes: { collections: ['*'], excludedCollections: [], mayLackCollections } as unknown as Manifest['notes'] });
    equal((await bring()).backup.mayLackCollections, mayLackCollections === true ? true : undefined);
  }
});

test('import: fails if the passphrase that opens the key is forgotten before the record is stored', async () => {
  const settings = {
    ...{ pk: `ORG#${tenant.organizationId}`, sk: 'ENCRYPTION' },
    mode: 'customer',
    version: 'v',
    isWalking: false,
  };
  const { chosen } = await changeEncryption(tenant, undefined, {
    input: { mode: 'customer', passphrase: 'the passphrase' },
    now,
  });
  const [keyId, sealed] = [chosen.keyId ?? '', chosen.sealed];
  await commit([{ put: { ...settings, keyId, sealed, previous: {} } }]);
  await fill();
  const { change } = await bring();
  const writes = change.writes.filter((write) => 'update' in write && write.update.sk === 'ENCRYPTION');
  equal(writes.length, 1);
  await commit(writes);
  await commit([{ put: { ...settings, keyId: 'another', sealed, previous: { [keyId]: sealed } } }]);
  await commit(writes);
  await commit([{ put: { ...settings, keyId: 'another', sealed, previous: {} } }]);
  await rejects(commit(writes), StaleReadError);
});

test('import: backup.started and backup.completed are emitted in the same transaction, in order', async () => {
  await fill();
  const { backup, change } = await bring();
  const events = change.writes.flatMap((write) => ('put' in write && write.put.sk.startsWith('EVENT#') ? [write.put] : []));
  const told = events
    .toSorted((a, b) => (a.sk < b.sk ? -1 : 1))
    .map(({ type, data }) => {
      const { backup: of, project: from } = data as EventData<'backup.completed'>;
      return [type, of.id, of.status, of.trigger, from.name];
    });
  deepEqual(told, [
    ['backup.started', backup.id, 'running', 'import', project.name],
    ['backup.completed', backup.id, 'completed', 'import', project.name],
  ]);
});

test('import: the collections that did not exist when the backup was made are taken from its notes', async () => {
  const scope = { collections: ['a', 'b'], excludedCollections: ['a/1/c'] };
  await fill({ notes: { ...scope, unknownCollections: ['b', 'a/1/c', 'of another scope', 7] } });
  deepEqual((await bring()).backup.unknownCollections, ['b', 'a/1/c']);
  await fill({ notes: { ...scope, unknownCollections: 'b' } });
  deepEqual((await bring()).backup.unknownCollections, []);
});

const whole = { collections: ['*'], excludedCollections: [] };
for (const [what, notes, isAbsent, partial] of [
  ['of everything', { ...whole, trigger: 'manual' }, false, undefined],
  ['that says it was made for safety', { ...whole, trigger: 'safety' }, false, true],
  ['that says it has not all it was to hold', { ...whole, trigger: 'pitr-base', partial: true }, false, true],
  ['that says of a document that it was not there', whole, true, true],
  ['that does not say what it was to hold', { trigger: 'manual' }, false, true],
] as const)
  test(`import: a backup ${what} counts as ${partial ? 'partial' : 'complete'}`, async () => {
    await fill({ notes: notes as unknown as Manifest['notes'] }, isAbsent);
    const { backup } = await bring();
    deepEqual([backup.trigger, backup.isPartial, Backup.parse(backupData(backup)).partial], ['import', partial, partial]);
  });

for (const [what, notes] of [
  ['a size with a fraction', { originalSize: 1.5 }],
  ['a size below nothing', { originalSize: -1 }],
  ['a size beyond all', { originalSize: 1e300 }],
  ['40,000 collections', { collections: Array.from({ length: 40_000 }, (_, n) => `collection-${n}`) }],
  ['collections of many bytes', { collections: Array.from({ length: 900 }, (_, n) => `${n}`.padEnd(1_500, 'x')) }],
  ['collections that are none', { collections: ['a/b', ''] }],
  ['something else', { collections: 'a', excludedCollections: [1], countVerified: 'yes' }],
  ['everything left out', { collections: ['a'], excludedCollections: ['*'] }],
] as const)
  test(`import: notes with ${what} are ignored`, async () => {
    await fill({ notes: notes as unknown as Manifest['notes'] });
    const { backup } = await bring();
    const { collections, excludedCollections, originalSize, countVerified, isPartial } = backup;
    deepEqual([collections, excludedCollections, originalSize, countVerified, isPartial], [['*'], [], 0, null, true]);
    Backup.parse(backupData(backup));
    ok(JSON.stringify(backup).length < 200_000);
  });

test('import: a folder with too many foreign objects is refused', async () => {
  const { archive } = backupOf();
  const collections = Array.from({ length: 200_001 }, (_, n) => ({ id: String(n), documents: 0 }));
  await rejects(fill({ collections, ...archive }), { code: 'too-large' });
});

test('import: a key file that requires too much work is refused before any is done', async () => {
  const archive = await fill();
  const wrap = (iterations: number): KeyWrap => ({
    kind: 'passphrase',
    kdf: { name: 'pbkdf2-hmac-sha256', iterations, salt: Buffer.alloc(16) },
    check: Buffer.alloc(32),
    nonce: Buffer.alloc(12),
    sealed: Buffer.alloc(48),
  });
  const good = parseKeyFile(store.objects.get('key')!).wraps;
  let calls = 0;
  const Decrypt: typeof script.Decrypt = (input) => {
    calls += 1;
    return script.Decrypt!(input);
  };
  aws.play({ ...script, Decrypt });
  for (const wraps of [
    [...good, wrap(10_000_000), wrap(10_000_000), wrap(600_000)],
    [...good, wrap(10_000_000), wrap(10_000_000), wrap(-10_000_000)],
    [...good, wrap(1e300)],
    [...good, ...Array.from({ length: 4 }, () => wrap(600_000))],
  ]) {
    await store.put('key', encodeKeyFile({ identity: archive, wraps }));
    await rejects(bring(), { code: 'VALIDATION_ERROR' });
  }
  equal(calls, 0);
  await store.put('key', encodeKeyFile({ identity: archive, wraps: [...good, wrap(600_000)] }));
  await bring();
  aws.play(script);
});

test('import: a backup that moved to another organization is refused', async () => {
  const archive = await fill();
  table.put({ ...backupKey.archive(tenant, archive.backup, archive.backup), backupId: archive.backup, movedTo: 'org_x' });
  await rejects(bring(), (error: { code: string; details: { field: string; reason: string } }) => {
    deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', 'path']);
    ok(error.details.reason.includes('another organization now'));
    return true;
  });
});

const chunkOf = (backup: string): Manifest['objects'][number] => ({
  ...{
    backup,
    name: 'chunk/00000000-0000',
    size: 100,
    frames: 2,
    records: 1,
    sha256: 'A'.repeat(43),
    plainSha256: 'A'.repeat(43),
  },
  ...{ salt: 'A'.repeat(43), noncePrefix: 'AAAAAAAAAA' },
});

test('import: an incremental backup with unregistered dependencies is refused with their ids; once registered, they are held', async () => {
  const [first, second, gone] = [backupOf(), backupOf({ type: 'incremental', chainLength: 7 }), backupOf()];
  await fill({ parent: second.id, objects: [chunkOf(first.id), chunkOf(second.id)] });
  const register = (backup: typeof first, more: object = {}): void => {
    table.put({ ...backup, ...more });
    table.put({ ...backupKey.archive(tenant, backup.id, backup.id), backupId: backup.id });
  };
  // One that was never completed has nothing to find records in.
  register(first, { status: 'failed' });
  await rejects(bring(), { code: 'CONFLICT', details: { missing: [first.id, second.id] } });
  register(first);
  await rejects(bring(), { code: 'CONFLICT', details: { missing: [second.id] } });
  register(second);
  const { backup, change } = await bring();
  deepEqual(
    [backup.type, backup.parentBackupId, backup.chainLength, backup.needs, backup.isPartial],
    ['incremental', second.id, 8, [first.id, second.id], true],
  );
  const held = change.writes.flatMap((write) =>
    'update' in write && write.expression === 'ADD #builtUpon :builtUpon' ? [write.update.sk] : [],
  );
  deepEqual(held, [first.sk, second.sk]);
  // Its parent may be gone, if it finds no record there; what is sealed for another project cannot be read with it.
  await fill({ parent: gone.id, objects: [chunkOf(first.id)] });
  deepEqual([(await bring()).backup.parentBackupId, (await bring()).backup.chainLength], [null, 1]);
  register(first, { archive: { ...first.archive, project: newId('project') } });
  await rejects(bring(), { code: 'VALIDATION_ERROR' });
  register(first, { leaving: 'mov_1' });
  await rejects(bring(), { code: 'JOB_IN_PROGRESS' });
});

/** A verification finds all damage of a backup and names it correctly. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { encodeKeyFile, openManifest, sealManifest } from '../../../../shared/archive/index.ts';
import { asIncrementalOf } from '../../../../shared/backup/index.ts';
import { type MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import { commit, after as later } from '../../../../shared/platform/index.ts';
import {
  type BackupRecord,
  giveUpVerification,
  startVerification,
  storeErasureCopy,
  verifyBackup,
} from '../../../../shared/stored-backup/index.ts';
import { drawLeafNumbers } from '../../../../shared/stored-backup/verify/leaf-sampler.ts';
import { chance } from '../../../harness/builders/sample-archive.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';

const t = await createArchiveEnv();

type Depth = 'structure' | 'sample' | 'full';
const depths: readonly Depth[] = ['structure', 'sample', 'full'];
const text = (stringValue: string): Fields => ({ text: { stringValue } });

let backup: BackupRecord;
let store: MemoryStore;

/** Three chunks with an index each: the ranges of the three collections are not adjacent. */
beforeEach(async () => {
  t.reset();
  const documents = ['a', 'c', 'e'].flatMap((id) => Array.from({ length: 40 }, (_, n) => [`${id}/${n}`, text(`${id}${n}`)]));
  await t.put(Object.fromEntries(documents));
  backup = await t.takeBackup({ collections: ['a', 'c', 'e'] });
  store = t.storeOf(backup);
});

const chunks = ['chunk/00000000-0000', 'chunk/00000001-0000', 'chunk/00000002-0000'] as const;

/** Runs the workflow of a verification; steps without time check one part each. */
const verify = async (depth: Depth, options: { seed?: string; stepMs?: number; of?: BackupRecord } = {}) => {
  const { of = backup, stepMs = 600_000, seed } = options;
  await commit(startVerification(t.tenant, { backup: t.backupOf(of.id), depth, now: t.clock.now() }).change.writes);
  const { checkedAt: startedAt } = t.backupOf(of.id).verification!;
  const tally = { documents: 0, tombstones: 0, users: 0 };
  let position = seed === undefined ? null : { startedAt, seed, objects: 0, leaves: 0, tally };
  for (let steps = 1; ; steps++) {
    const until = later(t.clock.now(), stepMs / 1_000);
    position = (await verifyBackup(t.tenant, { backupId: of.id, position, deadline: until, deps: t.deps })) ?? null;
    if (!position) return { steps, ...t.backupOf(of.id).verification!, verifiedAt: t.backupOf(of.id).verifiedAt };
  }
};
const found = ({ findings }: { findings: readonly { object: string; problem: string }[] }) =>
  findings.map(({ object, problem }) => `${problem} ${object}`);
const flip = (name: string, at = 0.5): void => {
  const bytes = store.objects.get(name)!;
  bytes[Math.floor(bytes.length * at)]! ^= 1;
};

for (const depth of depths)
  test(`verify: an undamaged backup passes at depth ${depth}`, async () => {
    const { status, objects, findings, verifiedAt, checkedAt } = await verify(depth);
    deepEqual([status, objects, findings], ['passed', 8, []]);
    equal(verifiedAt, checkedAt);
    const [entry] = t.table
      .find(`AUDIT#${t.tenant.organizationId}`)
      .filter(({ action }) => String(action).includes('verification'));
    deepEqual([entry!.action, (entry!.actor as { type: string }).type], ['backup.verification_passed', 'system']);
  });

test('verify: a missing, empty or overwritten object yields exactly one finding', async () => {
  const whole = store.objects.get(chunks[1])!;
  store.objects.delete(chunks[1]);
  for (const depth of depths) deepEqual(found(await verify(depth)), [`missing ${chunks[1]}`]);
  store.objects.set(chunks[1], new Uint8Array());
  for (const depth of depths) deepEqual(found(await verify(depth)), [`size ${chunks[1]}`]);
  store.objects.set(chunks[1], new Uint8Array(whole.length).fill(1));
  deepEqual(found(await verify('structure')), []);
  for (const depth of ['sample', 'full'] as const) {
    const { status, findings, verifiedAt, checkedAt } = await verify(depth);
    deepEqual([status, found({ findings })], ['failed', [`corrupt ${chunks[1]}`]]);
    ok(verifiedAt !== checkedAt);
  }
});

test('verify: a full check finds any flipped bit of any object', async () => {
  for (const name of [...store.objects.keys()].filter((one) => one !== 'key'))
    for (const at of [0, 0.1, 0.5, 0.999]) {
      flip(name, at);
      deepEqual(found(await verify('full')), [`corrupt ${name}`], `${name} at ${at}`);
      flip(name, at);
    }
  equal((await verify('full')).status, 'passed');
});

test('verify: every depth checks the indexes', async () => {
  flip('index/00000001-0000', 0.9);
  for (const depth of depths) deepEqual(found(await verify(depth)), ['corrupt index/00000001-0000']);
});

/** Transforms every response of the store to `get`. */
const throughGet = (change: (bytes: Uint8Array, name: string) => Uint8Array): void => {
  t.wrapStore = (inner) =>
    Object.assign(Object.create(inner) as MemoryStore, {
      get: async (...args: Parameters<MemoryStore['get']>) => change(await inner.get(...args), args[0]),
      put: inner.put.bind(inner),
      head: inner.head.bind(inner),
      list: (prefix: string) => inner.list(prefix),
      close: () => undefined,
    });
};

test('verify: a bit flipped in every read is damage, in one read a bad transfer', async () => {
  let random = chance('flips');
  throughGet((bytes, name) => {
    if (!name.startsWith('chunk/')) return bytes;
    const at = random(4).readUInt32BE() % bytes.length;
    return bytes.map((byte, n) => (n === at ? byte ^ (1 << (at % 8)) : byte));
  });
  for (let run = 0; run < 50; run++) {
    random = chance(`flips ${run}`);
    const { status, findings } = await verify('full');
    deepEqual([status, found({ findings })], ['failed', chunks.map((name) => `corrupt ${name}`)]);
  }
  const seen = new Set<string>();
  throughGet((bytes, name) => {
    if (seen.has(name)) return bytes;
    seen.add(name);
    return bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte));
  });
  equal((await verify('full')).status, 'passed');
  ok(seen.size >= 8);
});

test('verify: an unreachable store is no damage, and a short response no unreachable store', async () => {
  throughGet((bytes, name) => {
    if (name === chunks[0]) throw new StorageError('unavailable', 'The store does not answer.');
    if (name === chunks[1]) throw new StorageError('denied', 'The credentials do not allow it.');
    return name === chunks[2] ? bytes.subarray(0, 8) : bytes;
  });
  deepEqual(found(await verify('full')), [`unreadable ${chunks[0]}`, `unreadable ${chunks[1]}`, `corrupt ${chunks[2]}`]);
  throughGet(() => {
    throw new StorageError('unavailable', 'The store does not answer.');
  });
  const { status, findings } = await verify('structure');
  deepEqual([status, found({ findings })], ['failed', ['unreadable manifest']]);
});

test('verify: orphans are reported and do no harm', async () => {
  await store.put('chunk/00000009-0000', Buffer.from('left over'));
  await store.put('notes.txt', Buffer.from('not ours'));
  for (const depth of depths) {
    const { status, findings } = await verify(depth);
    deepEqual([status, found({ findings })], ['passed', ['orphan chunk/00000009-0000', 'orphan notes.txt']]);
  }
});

test('verify: the copies of the erasure ledger belong to the backup', async () => {
  const dataKey = await t.deps.dataKeyOf(t.tenant, backup);
  const erasures = [{ id: 'ers_1', createdAt: '2026-01-01T00:00:00.000Z', paths: ['a/1'], includeSubcollections: true }];
  await storeErasureCopy(store, backup, { ledger: { version: 3, erasures }, dataKey, now: t.clock.now() });
  await store.put('erasures/notes', Buffer.from('not ours'));
  ok(store.objects.has('erasures/00000003'));
  for (const depth of depths) deepEqual(found(await verify(depth)), ['orphan erasures/notes']);
});

test('verify: mixed damage is counted exactly, the worst first', async () => {
  await store.put('chunk/00000009-0000', Buffer.from('left over'));
  store.objects.delete(chunks[0]);
  flip(chunks[1]);
  throughGet((bytes, name) => {
    if (name === chunks[2]) throw new StorageError('denied', 'The credentials do not allow it.');
    return bytes;
  });
  deepEqual(found(await verify('full')), [
    `missing ${chunks[0]}`,
    `corrupt ${chunks[1]}`,
    `unreadable ${chunks[2]}`,
    'orphan chunk/00000009-0000',
  ]);
});

test('verify: a missing manifest is distinguished from a missing backup', async () => {
  store.objects.delete('manifest');
  const alone = await verify('structure');
  deepEqual(
    [alone.status, alone.findings[0]!.message],
    ['failed', 'The manifest is missing, although other objects of the backup exist'],
  );
  store.objects.clear();
  const all = await verify('full');
  deepEqual([found(all), all.findings[0]!.message], [['missing manifest'], 'The destination has no objects of the backup']);
});

test('verify: an outdated or shortened manifest is detected, although it is genuine', async () => {
  const dataKey = await t.deps.dataKeyOf(t.tenant, backup);
  const options = { identity: backup.archive, dataKey, random: chance('another') };
  const manifest = await openManifest(store.objects.get('manifest')!, options);
  await store.put('manifest', sealManifest({ ...manifest, readTime: '2020-01-01T00:00:00Z' }, options).bytes);
  for (const depth of depths) deepEqual(found(await verify(depth)), ['corrupt manifest']);
  const { pages, objects, counts } = manifest;
  const isGone = (name: string) => name.includes('00000002');
  const less = {
    ...manifest,
    objects: objects.filter(({ name }) => !isGone(name)),
    pages: pages.filter(({ object }) => !isGone(object)),
    counts: { ...counts, documents: 80 },
  };
  await store.put('manifest', sealManifest(less, options).bytes);
  store.objects.delete(chunks[2]);
  store.objects.delete('index/00000002-0000');
  for (const depth of depths) deepEqual(found(await verify(depth)), ['corrupt manifest']);
});

test('verify: a chunk of another backup under the same name is detected', async () => {
  const other = await t.takeBackup({ collections: ['a', 'c', 'e'] });
  store.objects.set(chunks[0], t.storeOf(other).objects.get(chunks[0])!);
  const { findings } = await verify('full');
  deepEqual(
    found({ findings }).map((one) => one.replace('size', 'corrupt')),
    [`corrupt ${chunks[0]}`],
  );
});

test('verify: a missing or wrong key in the bucket is reported', async () => {
  store.objects.delete('key');
  deepEqual(found(await verify('structure')), ['missing key']);
  await store.put('key', Buffer.from('{}'));
  deepEqual(found(await verify('structure')), ['corrupt key']);
  // Labelled as a key of this backup, but unusable.
  const { archive, keyFile } = backup;
  const wrap = { kind: 'kms', keyId: 'key', blob: Buffer.from('not a key') } as const;
  await store.put('key', encodeKeyFile({ identity: archive, wraps: [wrap] }));
  for (const depth of depths) deepEqual(found(await verify(depth)), ['corrupt key']);
  // The key of another backup.
  await store.put('key', (await t.takeBackup()).keyFile!);
  deepEqual(found(await verify('structure')), ['corrupt key']);
  // The same key, wrapped again.
  await store.put('key', Buffer.from(`${Buffer.from(keyFile!)} `));
  equal((await verify('structure')).status, 'passed');
});

test('verify: any check of an incremental backup includes the key of every backup it depends on', async () => {
  const full = await t.takeBackup();
  await t.put({ 'a/1': text('changed') });
  const first = await t.takeBackup(asIncrementalOf(full));
  await t.put({ 'c/1': text('changed') });
  const second = await t.takeBackup(asIncrementalOf(first));
  deepEqual([...(second.needs ?? [])].sort(), [full.id, first.id].sort());
  const whole = await verify('full', { of: second });
  deepEqual([whole.status, found(whole), whole.objects], ['passed', [], 2 + 2 + 4]);
  const { objects } = t.storeOf(full);
  const key = objects.get('key')!;
  objects.delete('key');
  for (const depth of depths) deepEqual(found(await verify(depth, { of: second })), [`missing ${full.id}/key`]);
  objects.set('key', t.storeOf(first).objects.get('key')!);
  deepEqual(found(await verify('full', { of: second })), [`corrupt ${full.id}/key`]);
  objects.set('key', Buffer.from(`${Buffer.from(key)} `));
  equal((await verify('full', { of: second })).status, 'passed', 'wrapped another way it is the same key');
});

test('verify: a dependency that is not in the folder next to the backup fails a check', async () => {
  const full = await t.takeBackup();
  await t.put({ 'a/1': text('changed') });
  const next = await t.takeBackup(asIncrementalOf(full));
  const elsewhere = `copies/${full.id}`;
  (t.stores as Map<string, MemoryStore>).set(elsewhere, t.storeOf(full));
  t.table.put({ ...t.backupOf(full.id), path: elsewhere });
  const { findings } = await verify('full', { of: next });
  deepEqual(found({ findings }), [`unreadable ${full.id}/key`]);
  ok(findings[0]!.message.includes(full.path), findings[0]!.message);
});

test('verify: damage stays reported after the damaged object was deleted', async () => {
  flip(chunks[0]);
  equal((await verify('full')).status, 'failed');
  store.objects.delete(chunks[0]);
  for (const depth of depths) equal((await verify(depth)).status, 'failed');
  equal(t.backupOf(backup.id).verifiedAt, null);
});

test('verify: damage is cleared only by a check that is at least as deep', async () => {
  ok((await verify('full')).verifiedAt);
  flip(chunks[1]);
  deepEqual([(await verify('full')).status, t.backupOf(backup.id).verifiedAt], ['failed', null]);
  deepEqual([(await verify('structure')).status, t.backupOf(backup.id).verifiedAt], ['passed', null]);
  flip(chunks[1]);
  deepEqual([(await verify('sample')).status, t.backupOf(backup.id).verifiedAt], ['passed', null]);
  const { checkedAt, verifiedAt } = await verify('full');
  equal(verifiedAt, checkedAt);
});

test('verify: a sample finds damage if and only if it covers it, and depends on the seed only', async () => {
  for (const [seed, total] of [
    ['x', 3],
    ['y', 1_000],
    ['z', 401],
  ] as const) {
    const sample = drawLeafNumbers(seed, total);
    equal(new Set(sample).size, Math.min(total, Math.max(20, Math.ceil(total * 0.05))));
    ok(sample.every((n) => n >= 0 && n < total));
    deepEqual(sample, drawLeafNumbers(seed, total));
  }
  const filler = 'x'.repeat(300_000);
  await t.put(Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`large/${n}`, text(`${filler}${n}`)])));
  const large = await t.takeBackup({ collections: ['large'] });
  const { objects } = t.storeOf(large);
  const name = 'chunk/00000000-0000';
  const bytes = objects.get(name)!;
  const at = bytes.length - 40;
  bytes[at]! ^= 1;
  // The last leaf is damaged.
  const total = 40;
  const [within, without] = [true, false].map((is) => {
    for (let n = 0; ; n++) if (drawLeafNumbers(`seed ${n}`, total).includes(total - 1) === is) return `seed ${n}`;
  });
  deepEqual(found(await verify('sample', { of: large, seed: within! })), [`corrupt ${name}`]);
  deepEqual(found(await verify('sample', { of: large, seed: without! })), []);
});

test('verify: a step continues where the previous one ended, and is idempotent', async () => {
  let now = Date.now();
  t.nowMs = () => now++;
  Object.assign(t.clock, { now: () => new Date(now++) });
  flip(chunks[1]);
  const { steps, findings, objects } = await verify('full', { stepMs: 3 });
  ok(steps > 3, String(steps));
  deepEqual([found({ findings }), objects], [[`corrupt ${chunks[1]}`], 8]);
  const { change } = startVerification(t.tenant, { backup: t.backupOf(backup.id), depth: 'full', now: new Date(now) });
  await commit(change.writes);
  const until = () => new Date(now + 3);
  const first = await verifyBackup(t.tenant, { backupId: backup.id, position: null, deadline: until(), deps: t.deps });
  await verifyBackup(t.tenant, { backupId: backup.id, position: first!, deadline: until(), deps: t.deps });
  let position = await verifyBackup(t.tenant, { backupId: backup.id, position: first!, deadline: until(), deps: t.deps });
  while (position) position = await verifyBackup(t.tenant, { backupId: backup.id, position, deadline: until(), deps: t.deps });
  deepEqual(found(t.backupOf(backup.id).verification!), [`corrupt ${chunks[1]}`]);
});

for (const depth of depths)
  test(`verify: a running one at depth ${depth} says how far it is`, async () => {
    let now = Date.now();
    Object.assign(t.clock, { now: () => new Date(now++) });
    await commit(startVerification(t.tenant, { backup: t.backupOf(backup.id), depth, now: new Date(now) }).change.writes);
    const percents: number[] = [];
    let position: Awaited<ReturnType<typeof verifyBackup>> | null = null;
    do {
      percents.push(t.backupOf(backup.id).verification!.percent!);
      const deadline = new Date(now + 3);
      position = await verifyBackup(t.tenant, { backupId: backup.id, position, deadline, deps: t.deps });
    } while (position);
    equal(percents[0], 0);
    deepEqual(
      percents,
      percents.toSorted((a, b) => a - b),
    );
    ok(new Set(percents).size > 3 && percents.at(-1)! < 100, percents.join(' '));
    equal(t.backupOf(backup.id).verification!.percent, 100);
  });

test('verify: a replaced verification or deleted backup is not overwritten', async () => {
  const start = async (ms: number) =>
    commit(startVerification(t.tenant, { backup: t.backupOf(backup.id), depth: 'full', now: new Date(ms) }).change.writes);
  await start(Date.now() - 30 * 3_600_000);
  const { checkedAt } = t.backupOf(backup.id).verification!;
  await start(Date.now());
  const stale = { startedAt: checkedAt, seed: 'x', objects: 0, leaves: 0, tally: { documents: 0, tombstones: 0, users: 0 } };
  const until = new Date(Date.now() + 60_000);
  equal(await verifyBackup(t.tenant, { backupId: backup.id, position: stale, deadline: until, deps: t.deps }), undefined);
  equal(t.backupOf(backup.id).verification!.status, 'running');
  t.table.put({ ...t.backupOf(backup.id), status: 'deleted' });
  equal(await verifyBackup(t.tenant, { backupId: backup.id, position: null, deadline: until, deps: t.deps }), undefined);
  equal(t.backupOf(backup.id).verification!.status, 'running');
});

test('verify: an unfinished verification is recorded, and another can start at once', async () => {
  await commit(startVerification(t.tenant, { backup: t.backupOf(backup.id), depth: 'full', now: new Date() }).change.writes);
  const { checkedAt: startedAt } = t.backupOf(backup.id).verification!;
  const tally = { documents: 0, tombstones: 0, users: 0 };
  const other = { startedAt: '2020-01-01T00:00:00.000Z', seed: 'x', objects: 0, leaves: 0, tally };
  await giveUpVerification(t.tenant, { backupId: backup.id, position: other, clock: t.clock });
  equal(t.backupOf(backup.id).verification!.status, 'running');
  await giveUpVerification(t.tenant, { backupId: backup.id, position: { ...other, startedAt }, clock: t.clock });
  const { status, findings } = t.backupOf(backup.id).verification!;
  deepEqual([status, found({ findings })], ['failed', ['unreadable manifest']]);
  equal((await verify('full')).status, 'passed');
});

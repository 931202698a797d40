/** Evidence in the bucket: stored once, and never returned if it is not what was stored. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { decodeEvidence, encodeEvidence, evidenceDigest, signEvidence } from '../../../shared/archive/index.ts';
import { MemoryStore } from '../../../shared/destination/index.ts';
import { makeEvidence } from '../../../shared/restore-test/evidence/make-evidence.ts';
import { readEvidence } from '../../../shared/restore-test/evidence/read-evidence.ts';
import { storeEvidence } from '../../../shared/restore-test/evidence/store-evidence.ts';
import { newSigner, testedRun } from '../../harness/builders/sample-test-run.ts';
import { enableObjectLock, openAt, type Stops, startS3, stopAll } from '../../harness/store/store-stands.ts';

const signer = newSigner();
const destination = { prefix: 'prod/backups', objectLock: null } as never;
const runId = testedRun().run.id;
const name = `${runId}.json`;

const stored = async (change = {}) => {
  const store = new MemoryStore();
  const now = new Date('2026-11-16T03:00:05Z');
  const reference = await storeEvidence(testedRun(change), { destination, store, now, signer: async () => signer });
  const read = () => readEvidence({} as never, { runId, reference, destination, open: async () => store });
  return { store, reference, read };
};

test('evidence: is stored beside the backups of the project and read back', async () => {
  const { store, reference, read } = await stored();
  equal(reference.object, `prod/backups/prj_01JZ8Q4V0M6T3X9C2B7N5K1HRD/restore-tests/${name}`);
  const bytes = store.objects.get(name)!;
  equal(reference.digest, evidenceDigest(bytes));
  deepEqual(await read(), decodeEvidence(bytes));
});

test('evidence: with object lock it is locked as long as a backup of now', async () => {
  const options: unknown[] = [];
  const store = Object.assign(new MemoryStore(), { put: async (...given: unknown[]) => void options.push(given[2]) });
  const locked = { prefix: '', objectLock: { mode: 'compliance', days: 30 } } as never;
  const now = new Date('2026-11-16T00:00:00Z');
  await storeEvidence(testedRun(), { destination: locked, store, now, signer: async () => signer });
  deepEqual(options, [{ lockedUntil: new Date('2026-12-16T00:00:00Z') }]);
});

test('evidence: what was altered in the bucket is never returned', async () => {
  const { store, read } = await stored();
  const genuine = store.objects.get(name)!;
  const other = encodeEvidence(await signEvidence(makeEvidence(testedRun({ status: 'failed' })), signer));
  const foreign = encodeEvidence(await signEvidence(makeEvidence(testedRun()), newSigner()));
  for (const bytes of [
    Buffer.from(Buffer.from(genuine).toString().replace('"documents":98', '"documents":99')),
    // Genuine, but not of this run.
    other,
    foreign,
    Buffer.from('{}'),
    Buffer.alloc(0),
    Buffer.alloc((4 << 20) + 1),
    // The same value with other spaces was not stored, either.
    Buffer.from(JSON.stringify(JSON.parse(Buffer.from(genuine).toString()), undefined, 2)),
  ]) {
    store.objects.set(name, bytes);
    await rejects(read(), { name: 'ApiError', code: 'EVIDENCE_ALTERED', status: 409 });
  }
});

test('evidence: what was deleted in the bucket is not found', async () => {
  const { store, read } = await stored();
  store.objects.clear();
  await rejects(read(), { code: 'NOT_FOUND', message: /deleted from the storage destination/ });
});

test('evidence: in a bucket with object lock, what was replaced or deleted is read from the version that was stored', async () => {
  const stops: Stops = [];
  const url = await startS3(stops);
  await enableObjectLock(url);
  const objectLock = { mode: 'compliance', days: 1 } as const;
  const open = () => openAt('s3', url, { folder: 'evidence', config: { objectLock } });
  const store = await open();
  const locked = { prefix: 'evidence', objectLock } as never;
  const reference = await storeEvidence(testedRun(), { destination: locked, store, now: new Date(), signer: async () => signer });
  const bytes = await store.get(name);
  const read = () => readEvidence({} as never, { runId, reference, destination: locked, open });
  const until = { lockedUntil: new Date(Date.now() + 86_400_000) };
  for (const other of [Buffer.from('{}'), Buffer.alloc((4 << 20) + 1)]) {
    await store.put(name, other, until);
    deepEqual(await read(), decodeEvidence(bytes));
  }
  await store.remove([name]);
  deepEqual(await read(), decodeEvidence(bytes));
  const unlike = { ...reference, digest: evidenceDigest(Buffer.from('another')) };
  await rejects(readEvidence({} as never, { runId, reference: unlike, destination: locked, open }), { code: 'EVIDENCE_ALTERED' });
  store.close();
  await stopAll(stops);
});

test('evidence: lists are bounded, and totals say what is omitted', () => {
  const item = { path: 'a/b', kind: 'changed', against: 'source', message: 'differs' } as const;
  const tested = testedRun({ differences: { total: 5_000, items: Array.from({ length: 500 }, () => item) } });
  const collections = Array.from({ length: 1_500 }, (_, n) => ({ id: `c${n}`, documents: n }));
  const evidence = makeEvidence({ ...tested, collections });
  deepEqual(
    [evidence.differences.total, evidence.differences.items.length, evidence.collections.length, evidence.collectionsOmitted],
    [5_000, 100, 1_000, 500],
  );
});

test('evidence: a run that has not ended has none', async () => {
  await rejects(
    async () => makeEvidence(testedRun({ status: 'running' })),
    (error: Error) => {
      match(error.message, /a run that is running has no evidence/);
      return true;
    },
  );
});

/**
 * Backups built from captured changes, in random histories: documents are created, changed, deleted and created again in old and new
 * collections while captures run, crash and are late, workers are killed at their effects, resume tokens are forgotten, and batches and
 * bases are lost or damaged. Every backup, built or read, has exactly the documents that the source had.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { SeededRandom } from '../../../../infra/local/engines/firestore/seed/seeded-random.ts';
import { changesAfter, microsOf } from '../../../../shared/pitr/index.ts';
import { type BackupRecord, backupKey } from '../../../../shared/stored-backup/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { assertVerified, documentsIn } from '../../../harness/env/capture/built-backup.ts';
import { forgetTokens } from '../../../harness/env/capture/forget-tokens.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { crashCapture } from '../../../harness/faults/crash-capture.ts';
import { CrashInjector, type CrashPoint } from '../../../harness/faults/crash-injector.ts';

afterAll(stopCaptureEnv);

const collections = ['users', 'shops', 'users/u0/notes', 'new', 'shops/s1/fresh'];

type Step =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly isGone: boolean;
      readonly isLarge: boolean;
      readonly seconds: number;
    }
  /** All documents of a collection, so that leaves are mostly changed, and shards become empty. */
  | { readonly kind: 'sweep'; readonly id: string; readonly isGone: boolean }
  | { readonly kind: 'cycle'; readonly crash: CrashPoint | undefined }
  | { readonly kind: 'base'; readonly mustRead: boolean }
  | {
      readonly kind: 'backup';
      readonly isIncremental: boolean;
      readonly crash: CrashPoint | undefined;
      readonly isTwice: boolean;
    }
  | { readonly kind: 'fault'; readonly fault: (typeof faults)[number] };

/** What befalls captures and their base: resume tokens that the source forgot, and bytes in the bucket. */
const faults = ['forgotten tokens', 'a lost batch', 'a damaged batch', 'a damaged base'] as const;

/** A worker is killed before or after one of its effects, and its step is tried again. */
const crash = (at: number, often: number): fc.Arbitrary<CrashPoint | undefined> =>
  fc.option(fc.record({ at: fc.integer({ min: 1, max: at }), when: fc.constantFrom('before' as const, 'after' as const) }), {
    nil: undefined,
    freq: often,
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path: fc.tuple(fc.constantFrom(...collections), fc.integer({ min: 0, max: 6 })).map(([id, n]) => `${id}/d${n}`),
      isGone: fc.boolean(),
      isLarge: fc.boolean(),
      seconds: fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('sweep' as const), id: fc.constantFrom(...collections), isGone: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cycle' as const), crash: crash(8, 9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('base' as const), mustRead: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('backup' as const),
      isIncremental: fc.boolean(),
      crash: crash(30, 3),
      isTwice: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault' as const), fault: fc.constantFrom(...faults) }) },
);

/** Text that does not compress: a few large documents fill a leaf. */
const textOf = (n: number, path: string, isLarge: boolean): string => {
  if (!isLarge) return `${n}`;
  const dice = new SeededRandom(n * 31 + path.length);
  return Array.from({ length: 12_000 }, () => dice.below(2 ** 30).toString(36)).join('');
};

/** When the oldest document was read, from the chain of what it was built from: the record must say the same. */
const readSince = (t: CaptureEnv, { buildBase, readTime }: BackupRecord): string | null => {
  const base = buildBase && t.table.get<BackupRecord>(backupKey.backup(t.tenant, buildBase.backupId));
  return base ? readSince(t, base) : readTime;
};

const countsOf = (paths: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(paths, (path) => path.split('/').at(-2) ?? '')].map(([id, all]) => [id, all.length]));

const heal = (t: CaptureEnv): void => {
  t.table.onWrite = () => undefined;
  t.table.onRead = () => undefined;
  t.wrap = (store) => store;
};

/** Returns the id of a base that is damaged. */
const befall = (t: CaptureEnv, fault: (typeof faults)[number]): string | undefined => {
  if (fault === 'forgotten tokens') {
    forgetTokens(t);
    return undefined;
  }
  const base = t.pitr.bases.at(-1);
  const record = base && t.table.get<BackupRecord>(backupKey.backup(t.tenant, base.backupId));
  const path = fault === 'a damaged base' ? record?.path : t.batches.at(-1)?.path;
  const { objects } = t.folder(path ?? '');
  const [name, bytes] = [...objects].find(([one]) => fault !== 'a damaged base' || one.startsWith('chunk/')) ?? [];
  if (name === undefined || !bytes) return undefined;
  if (fault === 'a lost batch') objects.delete(name);
  // The tag of its last frame.
  else objects.set(name, Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]));
  return fault === 'a damaged base' ? record?.id : undefined;
};

test(
  'built backups: each is what reading at its moment would have given, and reads next to nothing',
  async () => {
    let [built, read, copied, kept] = [0, 0, 0, 0];
    const bases = { changes: 0, source: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 40 }),
        fc.constantFrom('second' as const, 'interval' as const),
        async (steps, precision) => {
          const first = Object.fromEntries([0, 1, 2, 3].map((n) => [`users/d${n}`, `first ${n}`]));
          const t = await createActiveCapture(first, { precision, captureIntervalSeconds: 10 });
          // While a backup waits, the capture that it asked for runs.
          const wait = async (): Promise<void> => {
            t.pass(1);
            if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
          };
          t.deps = { ...t.deps, changes: changesAfter(wait) };
          const damaged = new Set<string>();
          let last: string | undefined = (await t.takeBackup({ source: 'read' })).id;
          for (const [n, one] of steps.entries()) {
            if (one.kind === 'write') {
              t.pass(one.seconds);
              await t.put({ [one.path]: one.isGone ? null : textOf(n, one.path, one.isLarge) });
            } else if (one.kind === 'sweep') {
              t.pass(1);
              const paths = Array.from({ length: 7 }, (_, d) => `${one.id}/d${d}`);
              await t.put(Object.fromEntries(paths.map((path) => [path, one.isGone ? null : `swept ${n}`])));
            } else if (one.kind === 'cycle') {
              if (one.crash) crashCapture(t, new CrashInjector(one.crash.at, one.crash.when));
              await t.runNextCycle().catch((error: unknown) => ok(one.crash, String(error)));
              heal(t);
            } else if (one.kind === 'fault') {
              const id = befall(t, one.fault);
              // What has not changed stays in the parent, and only its names are read: that is not found.
              if (id !== undefined) {
                damaged.add(id);
                last = undefined;
              }
            } else if (one.kind === 'base') {
              // So many changes that a new base is due: the next cycle requests one, or adopts the last backup.
              const before = t.pitr.bases.length;
              t.table.put({ ...t.pitr, bytesSinceBase: 1 << 30, ...(one.mustRead && { mustReadBase: true as const }) });
              await t.runNextCycle();
              await t.runRequestedBase();
              await t.runNextCycle();
              for (const base of t.pitr.bases.slice(before)) {
                const backup = t.table.get<BackupRecord>(backupKey.backup(t.tenant, base.backupId))!;
                equal(base.builtFrom, backup.builtFrom === 'changes' ? 'changes' : undefined);
                if (one.mustRead) equal(base.builtFrom, undefined);
                bases[base.builtFrom ?? 'source'] += 1;
                if (backup.needs?.some((id) => damaged.has(id))) continue;
                deepEqual(await documentsIn(t, backup), [...t.truthAt(microsOf(base.readTime))].sort());
              }
            } else {
              const asked = t.nowMs;
              const type =
                one.isIncremental && last !== undefined
                  ? { type: 'incremental' as const, parentBackupId: last, chainLength: 1 }
                  : {};
              const starts = await Promise.allSettled([t.startBackup(type), ...(one.isTwice ? [t.startBackup()] : [])]);
              const [id, ...more] = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
              ok(id !== undefined && more.length === 0, 'of two that start at once, one is refused');
              if (one.crash) crashCapture(t, new CrashInjector(one.crash.at, one.crash.when));
              await t.runBackup(id, { onError: () => heal(t) });
              heal(t);
              const backup = t.table.get<BackupRecord>(backupKey.backup(t.tenant, id))!;
              equal(backup.status, 'completed', backup.error?.message);
              ok(Date.parse(backup.readTime ?? '') >= asked, 'everything written before it was asked for is in it');
              const truth = [...t.truthAt(microsOf(backup.readTime ?? ''))].sort();
              deepEqual(await documentsIn(t, backup), truth);
              deepEqual(Object.fromEntries(backup.collectionCounts), countsOf(truth.map(([path]) => path)));
              equal(
                backup.originalSize,
                truth.reduce((sum, [, hex]) => sum + hex.length / 2, 0),
              );
              await assertVerified(t, backup);
              if (backup.builtFrom === 'changes') {
                built += 1;
                equal(backup.reads, 1);
                equal(backup.auditedSince, readSince(t, backup));
                const objects = [...t.folder(backup.path).objects.keys()];
                if (objects.some((name) => name.startsWith('chunk/5'))) copied += 1;
                if (backup.type === 'incremental' && backup.buildBase?.backupId === backup.parentBackupId) kept += 1;
              } else {
                read += 1;
                ok(backup.builtFromReason);
              }
              last = backup.id;
            }
            await t.runRequestedBase();
          }
        },
      ),
      { numRuns: propertyRuns({ quick: 3, usual: 20, fuzz: 200 }) },
    );
    ok(built > read, `${built} were built, ${read} were read`);
    ok(bases.changes > 0, `${bases.changes} bases were built, ${bases.source} were read`);
    ok(copied > 0 && kept > 0, `of ${copied} the leaves were copied, of ${kept} those of the parent were kept`);
    // Twenty histories take longer than a minute beside other tests, and hundreds of `npm run fuzz` longer than an hour.
  },
  Number(process.env.TEST_TIMEOUT_MS ?? 600_000),
);

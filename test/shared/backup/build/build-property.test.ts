/**
 * Backups built from captured changes, in random histories: documents are created, changed, deleted and created again in old and new
 * collections while captures run, crash and are late. Every backup, built or read, has exactly the documents that the source had.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { SeededRandom } from '../../../../infra/local/engines/firestore/seed/seeded-random.ts';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { changesAfter, microsOf } from '../../../../shared/pitr/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import {
  type BackupRecord,
  backupKey,
  openArchive,
  startVerification,
  verifyBackup,
} from '../../../../shared/stored-backup/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { documentsRoot } from '../../../harness/firestore/write-documents.ts';

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
  | { readonly kind: 'cycle' }
  | { readonly kind: 'base'; readonly mustRead: boolean }
  | { readonly kind: 'backup'; readonly isIncremental: boolean };

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
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cycle' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('base' as const), mustRead: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('backup' as const), isIncremental: fc.boolean() }) },
);

/** Text that does not compress: a few large documents fill a leaf. */
const textOf = (n: number, path: string, isLarge: boolean): string => {
  if (!isLarge) return `${n}`;
  const dice = new SeededRandom(n * 31 + path.length);
  return Array.from({ length: 12_000 }, () => dice.below(2 ** 30).toString(36)).join('');
};

const contentsOf = async (t: CaptureEnv, backup: BackupRecord): Promise<readonly (readonly [string, string])[]> => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const found: [string, string][] = [];
  const root = documentsRoot(t.sourceProjectId).length + 1;
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) === recordKind.document)
        found.push([leaf.name(slot).toString().slice(root), leaf.content(slot).toString('hex')]);
  open.close();
  return found.sort();
};

/** When the oldest document was read, from the chain of what it was built from: the record must say the same. */
const readSince = (t: CaptureEnv, { buildBase, readTime }: BackupRecord): string | null => {
  const base = buildBase && t.table.get<BackupRecord>(backupKey.backup(t.tenant, buildBase.backupId));
  return base ? readSince(t, base) : readTime;
};

/** Every byte is where the index and the manifest say, and nothing else is in the folder. */
const assertVerified = async (t: CaptureEnv, backup: BackupRecord): Promise<void> => {
  await commit(startVerification(t.tenant, { backup, depth: 'full', now: t.now }).change.writes);
  let position: Awaited<ReturnType<typeof verifyBackup>> | null = null;
  do
    position =
      (await verifyBackup(t.tenant, { backupId: backup.id, position, deadline: new Date(t.nowMs + 60_000), deps: t.deps })) ??
      null;
  while (position !== null);
  const { verification } = t.table.get<BackupRecord>(backupKey.backup(t.tenant, backup.id))!;
  equal(verification?.status, 'passed', JSON.stringify(verification?.findings));
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const own = open.archive.manifest.objects.filter((one) => one.backup === backup.archive.backup).map(({ name }) => name);
  const stored = [...t.folder(backup.path).objects.keys()].filter((name) => name !== 'key' && name !== 'manifest');
  deepEqual(stored.sort(), own.sort());
  open.close();
};

const countsOf = (paths: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(paths, (path) => path.split('/').at(-2) ?? '')].map(([id, all]) => [id, all.length]));

test('built backups: each is what reading at its moment would have given, and reads next to nothing', async () => {
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
        let last = (await t.takeBackup({ source: 'read' })).id;
        for (const [n, one] of steps.entries()) {
          if (one.kind === 'write') {
            t.pass(one.seconds);
            await t.put({ [one.path]: one.isGone ? null : textOf(n, one.path, one.isLarge) });
          } else if (one.kind === 'sweep') {
            t.pass(1);
            const paths = Array.from({ length: 7 }, (_, d) => `${one.id}/d${d}`);
            await t.put(Object.fromEntries(paths.map((path) => [path, one.isGone ? null : `swept ${n}`])));
          } else if (one.kind === 'cycle') await t.runNextCycle();
          else if (one.kind === 'base') {
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
              deepEqual(await contentsOf(t, backup), [...t.truthAt(microsOf(base.readTime))].sort());
              bases[base.builtFrom ?? 'source'] += 1;
            }
          } else {
            const asked = t.nowMs;
            const type = one.isIncremental ? { type: 'incremental' as const, parentBackupId: last, chainLength: 1 } : {};
            const backup = await t.takeBackup(type);
            equal(backup.status, 'completed', backup.error?.message);
            ok(Date.parse(backup.readTime ?? '') >= asked, 'everything written before it was asked for is in it');
            const truth = [...t.truthAt(microsOf(backup.readTime ?? ''))].sort();
            deepEqual(await contentsOf(t, backup), truth);
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
    { numRuns: propertyRuns({ quick: 3, usual: 20, fuzz: 300 }) },
  );
  ok(built > read, `${built} were built, ${read} were read`);
  ok(bases.changes > 0, `${bases.changes} bases were built, ${bases.source} were read`);
  ok(copied > 0 && kept > 0, `of ${copied} the leaves were copied, of ${kept} those of the parent were kept`);
  // Twenty histories take longer than a minute beside other tests.
}, 600_000);

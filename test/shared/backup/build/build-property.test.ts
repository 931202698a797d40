/**
 * Backups built from captured changes, in random histories: documents are created, changed, deleted and created again in old and new
 * collections while captures run, crash and are late. Every backup, built or read, has exactly the documents that the source had.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { changesAfter, microsOf } from '../../../../shared/pitr/index.ts';
import { type BackupRecord, openArchive } from '../../../../shared/stored-backup/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { documentsRoot } from '../../../harness/firestore/write-documents.ts';

afterAll(stopCaptureEnv);

const collections = ['users', 'shops', 'users/u0/notes', 'new', 'shops/s1/fresh'];

type Step =
  | { readonly kind: 'write'; readonly path: string; readonly isGone: boolean; readonly seconds: number }
  | { readonly kind: 'cycle' }
  | { readonly kind: 'base' }
  | { readonly kind: 'backup'; readonly isIncremental: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path: fc.tuple(fc.constantFrom(...collections), fc.integer({ min: 0, max: 6 })).map(([id, n]) => `${id}/d${n}`),
      isGone: fc.boolean(),
      seconds: fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cycle' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('base' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('backup' as const), isIncremental: fc.boolean() }) },
);

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

test('built backups: each is what reading at its moment would have given, and reads next to nothing', async () => {
  let [built, read] = [0, 0];
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
            await t.put({ [one.path]: one.isGone ? null : `${n}` });
          } else if (one.kind === 'cycle') await t.runNextCycle();
          else if (one.kind === 'base') {
            await t.takeBackup({ source: 'read' });
            await t.runNextCycle();
          } else {
            const asked = t.nowMs;
            const type = one.isIncremental ? { type: 'incremental' as const, parentBackupId: last, chainLength: 1 } : {};
            const backup = await t.takeBackup(type);
            equal(backup.status, 'completed', backup.error?.message);
            ok(Date.parse(backup.readTime ?? '') >= asked, 'everything written before it was asked for is in it');
            deepEqual(await contentsOf(t, backup), [...t.truthAt(microsOf(backup.readTime ?? ''))].sort());
            if (backup.builtFrom === 'changes') {
              built += 1;
              equal(backup.reads, 1);
              equal(backup.auditedSince, backup.buildBase?.readTime);
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
});

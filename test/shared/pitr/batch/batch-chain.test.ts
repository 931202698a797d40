/** A batch lost with its record is detected: restores that need it are refused by its name, others are not. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { JobFailure } from '../../../../shared/job/index.ts';
import { canBegin } from '../../../../shared/pitr/base/base-backup.ts';
import { batchNameOf, findMissingBatch } from '../../../../shared/pitr/batch/batch-chain.ts';
import { type BatchRecord, loadRestorePoint, microsOf, momentOf, planPoint, shownMoment } from '../../../../shared/pitr/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { readBackup } from '../../../../shared/stored-backup/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

test('batch chain: with batches removed, none is missing only if all that the moment needs exist', () => {
  const spans = fc.array(fc.record({ idle: fc.integer({ min: 0, max: 3 }), lasts: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 8,
  });
  const request = fc.record({
    begin: fc.integer({ min: 0, max: 30 }),
    ahead: fc.integer({ min: 1, max: 20 }),
    gone: fc.nat(255),
  });
  fc.assert(
    fc.property(spans, request, (given, { begin, ahead, gone }) => {
      const moment = begin + ahead;
      const row: (Pick<BatchRecord, 'id' | 'to' | 'from' | 'previous'> & { isGone: boolean })[] = [];
      for (const [n, { idle, lasts }] of given.entries()) {
        const last = row.at(-1);
        const from = (last ? microsOf(last.to) : 0) + idle;
        const previous = last ? batchNameOf(last) : null;
        row.push({ id: `c${n}`, from: momentOf(from), to: momentOf(from + lasts), previous, isGone: ((gone >> n) & 1) === 1 });
      }
      const isNeeded = ({ from, to }: (typeof row)[number]) => microsOf(to) > begin && microsOf(from) < moment;
      const left = row.filter(({ isGone, to }) => !isGone && microsOf(to) > begin);
      const found = left.filter(isNeeded);
      const following = left.find(({ from }) => microsOf(from) >= moment);
      const lastName = following ? following.previous : batchNameOf(row.at(-1)!);
      const missing = findMissingBatch({ batches: found, lastName, begin, moment });
      const lost = row.filter((batch) => batch.isGone && isNeeded(batch));
      if (lost.length > 0) assert.ok(missing !== undefined, 'one that is needed was passed over');
      if (missing !== undefined) assert.ok(row.some((batch) => batch.isGone && batchNameOf(batch) === missing));
      // Batches after one that reaches the moment are not needed.
      const isReached = found.some(({ to }) => microsOf(to) >= moment);
      if (lost.length === 0 && (isReached || !row.some(({ isGone }) => isGone))) assert.equal(missing, undefined);
    }),
    { numRuns: propertyRuns({ quick: 500, usual: 2_000 }) },
  );
});

test('batch chain: after the loss of a batch a later moment is refused by its name, an earlier one is not', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  const seconds: string[] = [];
  for (let n = 1; n <= 10; n++) {
    t.pass(2);
    await t.put({ 'users/ada': String(n) });
    t.pass(2);
    seconds.push(shownMoment(t.nowMs * 1_000));
    await t.runNextCycle();
    // A cycle without a change leaves no batch, and no hole.
    if (n % 3 === 0) await t.runNextCycle();
  }
  const plan = (pointInTime: string) => planPoint(t.tenant, { projectId: t.projectId, request: { pointInTime }, now: t.now });
  const plans = await Promise.all(seconds.map(plan));
  assert.deepEqual(
    plans.map(({ batches: found }) => found.length),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  const isNamed = (id: string) => (error: unknown) =>
    (error instanceof ApiError
      ? error.code === 'CONFLICT'
      : error instanceof JobFailure && error.code === 'STORAGE_READ_ERROR') && (error as Error).message.includes(id);
  const all = t.batches;
  const lose = ({ pk, sk }: BatchRecord): boolean => t.table.items.delete(`${pk}\n${sk}`);
  const [sixth, tenth] = [all[5]!, all[9]!];
  lose(sixth);
  for (const [n, second] of seconds.entries())
    if (n < 5) assert.equal((await plan(second)).batches.length, n + 1);
    else await assert.rejects(plan(second), isNamed(sixth.id));
  await assert.rejects(loadRestorePoint(t.tenant, t.projectId, plans[7]!.point), isNamed(sixth.id));
  assert.equal((await loadRestorePoint(t.tenant, t.projectId, plans[3]!.point)).batches.length, 4);
  t.table.put(sixth);
  // The record names the last batch, also after captures were disabled and enabled again.
  lose(tenth);
  await assert.rejects(plan(seconds[9]!), isNamed(tenth.id));
  await t.disable();
  await t.enable();
  await assert.rejects(plan(seconds[9]!), isNamed(tenth.id));
  for (const batch of all) lose(batch);
  await assert.rejects(plan(seconds[0]!), isNamed(tenth.id));
  assert.equal(t.pitr.lastBatch, batchNameOf(tenth));
});

test('batch chain: captures never begin again before the last captured moment, so that the chain stays in order', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  await t.runNextCycle();
  const pitr = t.pitr;
  const base = await readBackup(t.tenant, pitr.bases[0]!.backupId);
  const gap = { from: base.readTime!, to: null, reason: 'the base backup is gone' };
  const begins = (micros: number) => {
    const backup = { ...base, id: newId('backup'), readTime: momentOf(microsOf(pitr.capturedTo!) + micros) };
    return canBegin(t.tenant, backup, { pitr: { ...pitr, gaps: [gap] }, now: t.now });
  };
  assert.deepEqual([-1, 0, 1].map(begins), [false, true, true]);
});

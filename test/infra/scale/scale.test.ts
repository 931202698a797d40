/** The scale model matches the code, and infra/scale.md matches the model. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { estimateBackup, transitionsOf } from '../../../infra/scale/backup.ts';
import { captureLimits, estimateCapture, provingReads } from '../../../infra/scale/capture.ts';
import * as code from '../../../infra/scale/code.ts';
import { awsDollars, type Estimate } from '../../../infra/scale/estimate.ts';
import { fleetLoad } from '../../../infra/scale/fleet.ts';
import { formatCount, formatDollars, formatDuration } from '../../../infra/scale/format.ts';
import { loopHistoryEvents, sequenceHistoryEvents } from '../../../infra/scale/history.ts';
import { backupLimits, restoreLimits } from '../../../infra/scale/job-limits.ts';
import { inOrder, type Limit, reachedAt } from '../../../infra/scale/limit.ts';
import { measured } from '../../../infra/scale/measured.ts';
import { pageWithTables } from '../../../infra/scale/page.ts';
import { statePayload } from '../../../infra/scale/payload.ts';
import { quota } from '../../../infra/scale/quota.ts';
import { estimateRestore, secondsToWrite } from '../../../infra/scale/restore.ts';
import { BackupStep } from '../../../shared/backup/steps/backup-steps.ts';
import { scopeOf } from '../../../shared/firestore/index.ts';
import { permittedPerSecond } from '../../../shared/firestore/write/rate-ramp.ts';
import { root } from '../../harness/law/source-files.ts';

const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const jobs: Readonly<Record<string, (documents: number) => Estimate>> = {
  'full backup, fast': (documents) => estimateBackup(documents, 'fast'),
  'full backup, slow': (documents) => estimateBackup(documents, 'slow'),
  'incremental backup': (documents) => estimateBackup(documents, 'fast', 'incremental'),
  'restore into nothing': (documents) => estimateRestore(documents, 'fast', 'empty'),
  'restore over as much': (documents) => estimateRestore(documents, 'slow', 'over'),
  'captures by the second': (documents) => estimateCapture(documents, 'second'),
  'captures by intervals': (documents) => estimateCapture(documents, 'interval'),
};

test('infra/scale.md has the tables of the model (npm run scale -- --write)', () => {
  const page = read('infra/scale.md');
  assert.equal(page, pageWithTables(page));
});

test('scale: a manually changed table is detected', () => {
  const page = read('infra/scale.md');
  assert.notEqual(page.replace('| 1 million |', '| 2 million |'), pageWithTables(page));
  assert.throws(() => pageWithTables(page.replace('### Restore', '### Rest')), /no section "Restore"/);
});

describe('cost', () => {
  for (const [name, estimate] of Object.entries(jobs))
    test(`scale: ${name}: ten times as many documents cost at most 10.5 times as much`, () => {
      // A smaller restore has fewer writers that wait for the write rate.
      for (const documents of [1e6, 1e7, 1e8, 1e9]) {
        const [one, ten] = [estimate(documents), estimate(10 * documents)];
        assert.ok(awsDollars(ten) <= 10.5 * awsDollars(one), `${documents} at AWS`);
        assert.ok(ten.sourceDollars <= 10.5 * one.sourceDollars, `${documents} at Google`);
      }
    });

  test('scale: a background backup of a million documents costs at most half a cent at AWS', () =>
    assert.ok(awsDollars(estimateBackup(1e6, 'core')) <= 0.005));
});

test('scale: the model is between slightly below and twice the counted requests', () => {
  const { documents, ...counted } = measured.counted;
  const { counts } = estimateBackup(documents, 'core');
  for (const name of ['writeUnits', 'readUnits', 'puts', 'gets'] as const)
    assert.ok(counts[name] >= 0.6 * counted[name] && counts[name] <= 2 * counted[name], `${name}: ${counts[name]}`);
});

test('scale: captures include the reads that list root collections and prove an interruption, within their budget', () => {
  const reads = (documents: number) => estimateCapture(documents, 'second').sourceDollars / code.usdPerRead;
  assert.ok(reads(1e4) >= 24 * 3_600 + 60 * 10);
  assert.ok(reads(1e6) - reads(1e4) >= 59_400 - 1);
  assert.deepEqual([provingReads(1e4, 'second'), provingReads(1e8, 'second')], [600, 60_000]);
  assert.equal(provingReads(1e8, 'interval'), 200_000);
});

describe('limits', () => {
  const all: readonly (readonly [name: string, limits: readonly Limit[]])[] = (['fast', 'slow'] as const).flatMap((pace) => [
    [`full ${pace}`, backupLimits(pace, 'full')] as const,
    [`incremental ${pace}`, backupLimits(pace, 'incremental')] as const,
    [`restore ${pace}`, restoreLimits(pace, 'over')] as const,
    [`captures ${pace}`, captureLimits(pace)] as const,
  ]);

  for (const [name, limits] of all)
    test(`scale: ${name}: each limit is reached at the computed size`, () => {
      for (const limit of limits) {
        const at = reachedAt(limit);
        if (!Number.isFinite(at)) continue;
        // Ranges are integers, so usage may decrease slightly between two sizes.
        assert.ok(limit.used(at * 0.9) <= limit.most * 1.01 && limit.used(at * 1.1) > limit.most * 0.99, limit.name);
      }
    });

  test('scale: a million documents of the slowest source need no changed setting', () => {
    for (const [name, limits] of all) assert.ok((inOrder(limits)[0]?.at ?? 0) > 1e6, name);
  });

  test('scale: the workflow is never the tightest limit of a job', () => {
    for (const [name, limits] of all) {
      const order = inOrder(limits);
      const workflow = order.findIndex((limit) => /history|payload/.test(limit.name));
      assert.ok(workflow !== 0, name);
      assert.ok(!order.some((limit) => limit.name.includes('payload')), name);
    }
  });

  test('scale: no shared quota is used by more than 90 %', () => {
    for (const { what, used, most } of fleetLoad) assert.ok(used <= 0.9 * most, what);
  });
});

describe('scale: the model and the code agree', () => {
  test('on the time to write: the code permits the same, second by second', () => {
    const state = { startedAtMs: 0, givenUntilMs: 0, slowdowns: 0, slowedAtMs: 0, slowedPerSecond: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50_000_000 }), (documents) => {
        const seconds = secondsToWrite(documents);
        let permitted = 0;
        for (let second = 0; second < Math.floor(seconds); second++)
          permitted += permittedPerSecond(state, undefined, second * 1_000);
        const next = permittedPerSecond(state, undefined, seconds * 1_000);
        assert.ok(permitted <= documents && permitted + 2 * next >= documents, `${documents}: ${permitted}`);
      }),
      { numRuns: 20 },
    );
  });

  test('on workflow transitions: every state of the successful path, once', () => {
    // Prepare, plan, copy and seal, a choice after three of them, the end, and the start.
    assert.equal(transitionsOf(0), 9);
    // Copied, choice, ended, and the start.
    assert.equal(transitionsOf(1) - transitionsOf(0), 4);
    assert.equal(transitionsOf(1, 3) - transitionsOf(1), 4);
  });
});

describe('workflow payloads and histories', () => {
  test('contain ids only', () => assert.deepEqual(Object.keys(BackupStep.shape), ['organizationId', 'backupId']));

  test('have range numbers of the computed size', () => {
    for (const count of [0, 1, 9, 10, 11, 99, 100, 101, 1_000, 12_345]) {
      const numbers = Array.from({ length: count }, (_, number) => number);
      const more = JSON.stringify(numbers).length - '[]'.length;
      const reckoned = statePayload(count) - statePayload(0);
      assert.ok(reckoned >= more && reckoned <= more + 1, `${count}: computed ${reckoned} instead of ${more}`);
    }
  });

  test('a request with the most collections stays within the payload limit', () => {
    const names: string[] = [];
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const sizeOf = () => JSON.stringify([[...names], []]).length;
    for (const a of letters) for (const b of letters) for (const c of letters) names.push(a + b + c);
    names.length = Math.min(names.length, Math.floor(code.listsMaxBytes / '"abc",'.length));
    assert.ok(sizeOf() <= code.listsMaxBytes + 10 && sizeOf() > 0.95 * code.listsMaxBytes);
    const ranges = scopeOf(names).length + code.rangesMax;
    assert.ok(ranges > 10_000);
    assert.ok(statePayload(ranges) < 0.6 * quota.stateBytes, String(statePayload(ranges)));
    // And with the most exclusions.
    assert.ok(statePayload(scopeOf(undefined, names).length + code.rangesMax) < 0.6 * quota.stateBytes);
  });

  test('an execution that waits and works as long as possible fits its history', () => {
    const half = code.workers.purge.timeoutSeconds / 2;
    const loops = {
      // A step that is not done has used at least half of its timeout.
      purge: loopHistoryEvents(code.purgeWorkflowSeconds / half, code.waitsMax),
      verify: loopHistoryEvents(code.verifyWorkflowSeconds / (code.workers.backupVerify.timeoutSeconds / 2), code.waitsMax),
      copy: loopHistoryEvents(code.backupWorkflowSeconds / (code.workers.backupCopy.timeoutSeconds / 2), code.waitsMax),
      write: loopHistoryEvents(code.restoreWorkflowSeconds / (code.workers.restoreWrite.timeoutSeconds / 2), code.waitsMax),
      backup: sequenceHistoryEvents(4, 1, 4 * code.waitsMax),
      restore: sequenceHistoryEvents(4, 2, 4 * code.waitsMax),
    };
    for (const [name, events] of Object.entries(loops)) assert.ok(events < quota.historyEvents, `${name}: ${events}`);
  });
});

test('scale: numbers are formatted for people', () => {
  assert.deepEqual([45, 119, 121, 7_300, 200_000].map(formatDuration), ['45 s', '119 s', '2 min', '2 h', '2.3 d']);
  assert.deepEqual([1e6, 2.54e9, 12_345, 7].map(formatCount), ['1 million', '2.5 billion', '12 thousand', '7']);
  assert.deepEqual([0.0034, 0.92, 60.06, 6_006].map(formatDollars), ['$0.0034', '$0.92', '$60.06', '$6,006']);
});

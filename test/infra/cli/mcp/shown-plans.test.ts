import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { ShownPlans } from '../../../../infra/cli/mcp/shown-plans.ts';

const body = { backupId: 'bkp_1', options: { mergeMode: 'rollback' as const } };

test('plans: the request of a plan is bound to its deletions and writes', () => {
  const plans = new ShownPlans();
  const planId = plans.add(body, 'd'.repeat(64));
  deepEqual(plans.take(planId), {
    backupId: 'bkp_1',
    options: { mergeMode: 'rollback', dryRun: false, deleteDigest: 'd'.repeat(64) },
  });
});

test('plans: a plan works once, also if it is too old', () => {
  let nowMs = 0;
  const plans = new ShownPlans(() => nowMs);
  const [first, second] = [plans.add(body, ''), plans.add(body, '')];
  nowMs = 15 * 60_000;
  plans.take(first);
  throws(() => plans.take(first), /used already/);
  nowMs += 1;
  throws(() => plans.take(second), /older than 15 minutes/);
  throws(() => plans.take(second), /used already/);
});

test('plans: an id that was not shown is refused', () => {
  for (const planId of ['', 'plan_x', '__proto__', 'constructor'])
    throws(() => new ShownPlans().take(planId), /was not shown in this session/);
});

test('plans: only the last hundred are kept', () => {
  const plans = new ShownPlans();
  const ids = Array.from({ length: 101 }, () => plans.add(body, ''));
  throws(() => plans.take(ids[0] ?? ''), /was not shown/);
  plans.take(ids[1] ?? '');
});

/** Stalled captures raise an alarm in time, once per outage, and only for enabled projects. */
import assert from 'node:assert/strict';
import { afterAll, test, vi } from 'vitest';
import { logLines } from '../../../../shared/contract/runtime/alarm-log-lines.ts';
import { type OrganizationRecord, organizationKey } from '../../../../shared/organization/index.ts';
import { stalledSince } from '../../../../shared/pitr/capture/stalled-capture.ts';
import { type PitrRecord, watchCaptures } from '../../../../shared/pitr/index.ts';
import { log } from '../../../../shared/platform/index.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const lines = vi.spyOn(log, 'error').mockImplementation(() => undefined);
const rung = (): number => lines.mock.calls.filter(([line]) => line === logLines.captureStopped).length;
const watch = (t: CaptureEnv) =>
  watchCaptures({ clock: t.deps.clock, tenantOf: () => t.tenant, send: async () => new Set<never>() as never });
const gapEvents = (t: CaptureEnv) => t.table.find('', 'EVENT#').filter((item) => JSON.stringify(item).includes('"gap"')).length;

test('stalled capture: after 15 minutes or three intervals, or two hours while waiting for a base', () => {
  const start = Date.parse('2026-01-01T12:00:00.000Z');
  const at = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();
  const cases: readonly (readonly [Partial<PitrRecord>, minutes: number, since: string | undefined])[] = [
    [{ status: 'active' }, 15, undefined],
    [{ status: 'active' }, 16, at(0)],
    [{ status: 'active', captureIntervalSeconds: 600 }, 30, undefined],
    [{ status: 'active', captureIntervalSeconds: 600 }, 31, at(0)],
    // It has just begun, on an older base.
    [{ status: 'active', begunAt: at(40) }, 55, undefined],
    [{ status: 'active', begunAt: at(40) }, 56, at(0)],
    [{ status: 'starting' }, 120, undefined],
    [{ status: 'starting' }, 121, at(0)],
    [{ status: 'starting', captureIntervalSeconds: 3_600 }, 121, undefined],
    // It begins again and again without progress.
    [{ status: 'active', begunAt: at(120) }, 121, at(0)],
    [{ status: 'starting', lastCapture: null }, 60, undefined],
    [{ status: 'starting', lastCapture: null }, 61, at(-60)],
    [{ status: 'disabled', enabledAt: null }, 1_000, undefined],
  ];
  for (const [more, minutes, since] of cases) {
    const known = { enabledAt: at(-60), lastCapture: { at: at(0), changes: 0, reads: 0 }, captureIntervalSeconds: 60 };
    assert.equal(
      stalledSince({ ...known, ...more } as PitrRecord, new Date(at(minutes))),
      since,
      JSON.stringify([more, minutes]),
    );
  }
});

test('stalled capture: a refusing bucket is reported once per outage, with an event if there is a gap', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  await t.runNextCycle();
  const { wrap } = t;
  const fail = async (minutes: number, { everyMinutes = 1 } = {}): Promise<void> => {
    t.wrap = () => {
      throw new Error('the bucket is away');
    };
    await t.put({ 'users/ada': String(minutes) });
    for (const end = t.nowMs + minutes * 60_000; t.nowMs < end; t.pass(everyMinutes * 60)) {
      await t.runCycle();
      await watch(t);
    }
  };
  const before = rung();
  await fail(14);
  assert.equal(rung() - before, 0);
  await fail(10);
  assert.equal(rung() - before, 1);
  t.wrap = wrap;
  t.pass(300);
  await t.runNextCycle();
  await watch(t);
  assert.equal(rung() - before, 1);
  await fail(25);
  assert.equal(rung() - before, 2);
  // Lost by now and without a base: the same outage, reported already.
  await fail(150, { everyMinutes: 10 });
  assert.deepEqual([rung() - before, t.pitr.status], [2, 'starting']);
  // The same without an earlier report: the event contains the gap.
  const { stoppedTold: _, ...untold } = t.pitr;
  t.table.put(untold);
  const events = gapEvents(t);
  await watch(t);
  await watch(t);
  assert.deepEqual([rung() - before, gapEvents(t) - events], [3, 1]);
});

test('stalled capture: a deleted organization raises no alarm', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  t.pass(3 * 3_600);
  const organization = t.table.get<OrganizationRecord>(organizationKey.organization(t.tenant))!;
  const before = rung();
  t.table.put({ ...organization, deletedAt: new Date(t.nowMs).toISOString() });
  await watch(t);
  assert.equal(rung(), before);
  t.table.put(organization);
  await watch(t);
  assert.equal(rung(), before + 1);
});

/** Stalled captures raise an alarm in time, once per outage, and only for enabled projects. */
import assert from 'node:assert/strict';
import { afterAll, test, vi } from 'vitest';
import { logLines } from '../../../../shared/contract/runtime/alarm-log-lines.ts';
import { type OrganizationRecord, organizationKey } from '../../../../shared/organization/index.ts';
import { stalledSince } from '../../../../shared/pitr/capture/stalled-capture.ts';
import { type PitrRecord, watchCaptures } from '../../../../shared/pitr/index.ts';
import { log } from '../../../../shared/platform/index.ts';
import {
  type CaptureWorld,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  put,
  runCycle,
  runNextCycle,
  server,
  table,
  tenant,
  time,
  untilActive,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

const lines = vi.spyOn(log, 'error').mockImplementation(() => undefined);
const rung = (): number => lines.mock.calls.filter(([line]) => line === logLines.captureStopped).length;
const watch = ({ engine }: CaptureWorld) =>
  watchCaptures({ clock: engine.clock, tenantOf: () => tenant, send: async () => new Set<never>() as never });
const gapEvents = () => table.find('', 'EVENT#').filter((item) => JSON.stringify(item).includes('"gap"')).length;

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
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  await untilActive(world);
  await runNextCycle(world);
  const { wrap } = world;
  const fail = async (minutes: number): Promise<void> => {
    world.wrap = () => {
      throw new Error('the bucket is away');
    };
    await put(world, { 'users/ada': String(minutes) });
    for (const end = time.ms + minutes * 60_000; time.ms < end; pass(60)) {
      await runCycle(world);
      await watch(world);
    }
  };
  const before = rung();
  await fail(14);
  assert.equal(rung() - before, 0);
  await fail(10);
  assert.equal(rung() - before, 1);
  world.wrap = wrap;
  pass(300);
  await runNextCycle(world);
  await watch(world);
  assert.equal(rung() - before, 1);
  await fail(25);
  assert.equal(rung() - before, 2);
  // Lost by now and without a base: the same outage, reported already.
  await fail(150);
  assert.deepEqual([rung() - before, pitrNow().status], [2, 'starting']);
  // The same without an earlier report: the event contains the gap.
  const { stoppedTold: _, ...untold } = pitrNow();
  table.put(untold);
  const events = gapEvents();
  await watch(world);
  await watch(world);
  assert.deepEqual([rung() - before, gapEvents() - events], [3, 1]);
});

test('stalled capture: a deleted organization raises no alarm', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  await untilActive(world);
  pass(3 * 3_600);
  const organization = table.get<OrganizationRecord>(organizationKey.organization(tenant))!;
  const before = rung();
  table.put({ ...organization, deletedAt: new Date(time.ms).toISOString() });
  await watch(world);
  assert.equal(rung(), before);
  table.put(organization);
  await watch(world);
  assert.equal(rung(), before + 1);
});

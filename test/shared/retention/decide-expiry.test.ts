/** What retention decides, against an oracle that was written apart from it, over two years of random backups in three time zones. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { type BackupRecord, expiryOf } from '../../../shared/backup/index.ts';
import { decide, type Rules, toCandidate } from '../../../shared/retention/index.ts';
import { randomYears, startMs, yearsMs } from '../../harness/builders/random-years.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import { removable, standsUpon, type World } from '../../harness/env/retention-oracle.ts';

const dayMs = 24 * 3_600_000;
const rulesOf = ({ schedules, pins }: World): Rules => ({
  pins,
  judges: new Map([...schedules].map(([id, { policy, timezone }]) => [id, { policy, timezone, revision: 1 }])),
});
const decideOn = (world: World, now: Date) =>
  decide(
    world.backups.map((backup) => toCandidate(backup)).filter((seen) => seen !== undefined),
    rulesOf(world),
    now,
  );
const idsOf = (world: World, now: Date) => decideOn(world, now).expiring.map(({ backup }) => backup.id);
const without = (world: World, gone: ReadonlySet<string>): World => ({
  ...world,
  backups: world.backups.filter(({ id }) => !gone.has(id)),
});
const seed = fc.integer({ min: 0, max: 2 ** 31 });
/** Up to a year after the last of them. */
const moment = fc.double({ min: 0, max: 1.5, noNaN: true }).map((share) => new Date(startMs + share * yearsMs));

test('it removes exactly what the oracle does, and whoever needs another goes before it', () => {
  fc.assert(
    fc.property(seed, moment, (n, now) => {
      const world = randomYears(n);
      const ids = idsOf(world, now);
      deepEqual(new Set(ids), removable(world, now));
      equal(new Set(ids).size, ids.length);
      const order = new Map(ids.map((id, place) => [id, place]));
      const going = world.backups.filter(({ id }) => order.has(id));
      for (const upper of going)
        for (const lower of going)
          if (upper !== lower && standsUpon(upper, lower)) ok(order.get(upper.id)! < order.get(lower.id)!);
    }),
    { numRuns: 30 },
  );
});

test('nothing that stays needs what goes, and a second look finds nothing more', () => {
  fc.assert(
    fc.property(seed, moment, (n, now) => {
      const world = randomYears(n);
      const gone = new Set(idsOf(world, now));
      const left = without(world, gone);
      const living = left.backups.filter(({ status }) => ['pending', 'running', 'completed'].includes(status));
      for (const upper of living)
        for (const lower of world.backups) if (gone.has(lower.id)) ok(!standsUpon(upper, lower), `${upper.id} needs ${lower.id}`);
      deepEqual(idsOf(left, now), []);
    }),
    { numRuns: 15 },
  );
});

test('a clock that goes back removes nothing that the later one would have kept', () => {
  fc.assert(
    fc.property(seed, moment, fc.integer({ min: 1, max: 400 * 24 }), (n, now, hours) => {
      const world = randomYears(n, 120);
      const later = new Set(idsOf(world, now));
      for (const id of idsOf(world, new Date(now.getTime() - hours * 3_600_000))) ok(later.has(id));
    }),
    { numRuns: 15 },
  );
});

test('applied whenever it says, it removes in the end what one look at the end does', () => {
  fc.assert(
    fc.property(seed, (n) => {
      // Without what holds or judges by others: then nothing but time changes what is over.
      const world = randomYears(n, 60);
      const calm = (backup: BackupRecord): BackupRecord => ({
        ...backup,
        restoring: 0,
        verification: null,
        status: backup.status === 'running' || backup.status === 'pending' ? 'completed' : backup.status,
        expiresAt: backup.expiresAt ?? new Date(Date.parse(backup.createdAt) + 90 * dayMs).toISOString(),
      });
      let left: World = { ...world, backups: world.backups.map(calm) };
      const end = new Date(startMs + 3 * yearsMs);
      const expected = new Set(idsOf(left, end));
      const gone = new Set<string>();
      for (let nowMs: number | undefined = startMs, looks = 0; nowMs !== undefined && nowMs <= end.getTime(); looks++) {
        ok(looks < 5_000);
        const { expiring, nextAtMs } = decideOn(left, new Date(nowMs));
        for (const { backup } of expiring) gone.add(backup.id);
        left = without(left, gone);
        ok(nextAtMs === undefined || nextAtMs > nowMs);
        // What is looked for daily is looked for every month here, to be done sooner.
        nowMs = nextAtMs === undefined ? undefined : Math.max(nextAtMs, nextAtMs === nowMs + dayMs ? nowMs + 30 * dayMs : 0);
      }
      for (const id of idsOf(left, end)) gone.add(id);
      deepEqual(gone, expected);
    }),
    { numRuns: 10 },
  );
});

const day = (n: number, more: Partial<BackupRecord> = {}): BackupRecord => {
  const at = new Date(startMs + n * dayMs).toISOString();
  return backupOf({ createdAt: at, readTime: at, completedAt: at, ...more });
};
const alone: Omit<World, 'backups'> = { schedules: new Map(), pins: new Set() };
const over = { expiresAt: new Date(startMs + 100 * dayMs).toISOString() };
const lookAt = (backups: readonly BackupRecord[], more: Partial<World> = {}, now = new Date(startMs + 200 * dayMs)) =>
  idsOf({ ...alone, ...more, backups }, now);

test('the last good one of each scope stays, however old; a damaged, partial or unfinished one stands in for none', () => {
  const [older, last] = [day(1, over), day(2, over)];
  const others = [
    day(3, { ...over, damagedDepth: 'full' }),
    day(4, { ...over, isPartial: true, trigger: 'safety' }),
    day(5, { status: 'running', completedAt: null }),
    day(6, { ...over, collections: ['users'] }),
    day(7, { ...over, includeAuthUsers: true }),
    day(8, { ...over, projectId: 'prj_other' }),
  ];
  deepEqual(new Set(lookAt([older, last, ...others])), new Set([older.id, others[0]!.id, others[1]!.id]));
});

test('neither what was put together for a restore nor what may lack collections stands in for the last good one', () => {
  const [older, last] = [day(1, over), day(2, over)];
  const point = day(3, { ...over, trigger: 'pitr-base', retentionDays: 8 });
  const lacking = day(4, { ...over, trigger: 'import', mayLackCollections: true });
  deepEqual(new Set(lookAt([older, last, point, lacking])), new Set([older.id, point.id, lacking.id]));
  // Nor where all others are damaged.
  const damaged = day(2, { ...over, damagedDepth: 'full' });
  deepEqual(lookAt([damaged, { ...lacking, damagedDepth: 'full' }]), [lacking.id]);
});

test('where all are damaged the newest stays, and beside one that is read from a damaged one also the last that is not', () => {
  const damaged = [day(1, over), day(2, over)].map((backup) => ({ ...backup, damagedDepth: 'sample' as const }));
  deepEqual(lookAt(damaged), [damaged[0]!.id]);
  const sound = day(0, over);
  const chained = day(3, { ...over, type: 'incremental', needs: [damaged[1]!.archive.backup] });
  // What the newest good one is read from stays with it, damaged or not.
  deepEqual(lookAt([sound, ...damaged, chained]), [damaged[0]!.id]);
});

test('a base without days goes a day after its completion if nothing pins it; one with days by its days', () => {
  const pinned = day(1, { trigger: 'pitr-base' });
  const free = day(2, { trigger: 'pitr-base' });
  const point = day(3, { trigger: 'pitr-base', ...over });
  const fresh = day(199.5, { trigger: 'pitr-base' });
  const world = { ...alone, pins: new Set([pinned.id]), backups: [pinned, free, point, fresh] };
  const now = new Date(startMs + 200 * dayMs);
  deepEqual(
    decideOn(world, now).expiring.map(({ backup, reason }) => [backup.id, reason]),
    [
      [free.id, 'pitr'],
      [point.id, 'days'],
    ],
  );
});

test('days count from the completion, and from the beginning where the clock went back meanwhile', () => {
  const made = backupOf({ createdAt: '2026-01-10T12:00:00.000Z', retentionDays: 2 });
  equal(expiryOf(made, new Date('2026-01-10T13:00:00Z')), '2026-01-12T13:00:00.000Z');
  equal(expiryOf(made, new Date('2026-01-10T11:00:00Z')), '2026-01-12T12:00:00.000Z');
  equal(expiryOf(backupOf(), new Date()), null);
});

test('it looks again when the next days or the next lock end, daily where others decide, and never if nothing can change', () => {
  const now = new Date(startMs + 200 * dayMs);
  const at = (n: number) => new Date(startMs + n * dayMs).toISOString();
  const nextDay = (...backups: readonly BackupRecord[]) => {
    const { nextAtMs } = decideOn({ ...alone, backups }, now);
    return nextAtMs === undefined ? undefined : (nextAtMs - startMs) / dayMs;
  };
  equal(nextDay(day(1), day(2)), undefined);
  equal(nextDay(day(1, { expiresAt: at(250) }), day(2, { expiresAt: at(240) }), day(3)), 240);
  equal(nextDay(day(1, { expiresAt: at(100), lockedUntil: at(222) }), day(2)), 222);
  equal(nextDay(day(1, { expiresAt: at(100), restoring: 1 }), day(2)), 201);
  equal(nextDay(day(1, over)), 201);
  equal(nextDay(day(1, { scheduleId: 'sch', retentionPolicy: { daily: 1, weekly: 0, monthly: 0, yearly: 0 } })), 201);
  // What is not completed tells of itself when it is.
  equal(nextDay(day(1, { status: 'running', expiresAt: at(100) })), undefined);
});

test('days are those of the schedule, also where one has 23 hours or a wall time comes twice', () => {
  const policy = { daily: 2, weekly: 0, monthly: 0, yearly: 0 };
  const made = (readTime: string) => backupOf({ readTime, scheduleId: 'sch', retentionPolicy: policy });
  const schedules = new Map([['sch', { policy, timezone: 'Europe/Berlin' }]]);
  // 29 March 2026 begins at 23:00 UTC and ends at 22:00 UTC.
  const spring = ['2026-03-28T22:30:00Z', '2026-03-28T23:30:00Z', '2026-03-29T21:30:00Z', '2026-03-29T22:30:00Z'].map(made);
  deepEqual(new Set(lookAt(spring, { schedules })), new Set([spring[0]!.id, spring[1]!.id]));
  // 25 October 2026 has 02:30 twice, and is one day.
  const autumn = ['2026-10-24T21:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(made);
  deepEqual(lookAt(autumn, { schedules }), [autumn[1]!.id]);
  // Of a schedule that is gone its newest backup knows the zone; else UTC counts: 28 and 29 March, the last of each.
  const known = spring.map((backup) => ({ ...backup, retentionTimezone: 'Europe/Berlin' }));
  deepEqual(new Set(lookAt(known)), new Set([spring[0]!.id, spring[1]!.id]));
  deepEqual(new Set(lookAt(spring)), new Set([spring[0]!.id, spring[2]!.id]));
});

test('a policy that keeps less takes nothing from what was made under one that keeps more', () => {
  const policyOf = (daily: number) => ({ daily, weekly: 0, monthly: 0, yearly: 0 });
  const [generous, mean] = [policyOf(365), policyOf(1)];
  const before = [1, 2, 3].map((n) => day(n, { scheduleId: 'sch', retentionPolicy: generous }));
  const after = [4, 5].map((n) => day(n, { scheduleId: 'sch', retentionPolicy: mean }));
  const schedules = new Map([['sch', { policy: mean, timezone: 'UTC' }]]);
  deepEqual(lookAt(before, { schedules }), []);
  deepEqual(lookAt([...before, ...after], { schedules }), [after[0]!.id]);
});

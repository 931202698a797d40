/** Compares the decision with an independently written oracle, over two years of random backups in three time zones. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { decideExpiry, type Rules, toCandidate } from '../../../shared/retention/index.ts';
import { type BackupRecord, expiryOf } from '../../../shared/stored-backup/index.ts';
import { propertyRuns } from '../../harness/builders/property-runs.ts';
import { randomYears, startMs, yearsMs } from '../../harness/builders/random-years.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import { dependsOn, removable, type World } from '../../harness/env/retention/retention-oracle.ts';

const dayMs = 24 * 3_600_000;
const rulesOf = ({ schedules, pins }: World): Rules => ({
  pins,
  scheduleRules: new Map([...schedules].map(([id, { policy, timezone }]) => [id, { policy, timezone, revision: 1 }])),
});
const decideOn = (world: World, now: Date) =>
  decideExpiry(
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
/** Up to a year after the last backup. */
const moment = fc.double({ min: 0, max: 1.5, noNaN: true }).map((share) => new Date(startMs + share * yearsMs));

test('expiry decision: equals that of the oracle, with dependents before their dependencies', () => {
  fc.assert(
    fc.property(seed, moment, (n, now) => {
      const world = randomYears(n);
      const ids = idsOf(world, now);
      deepEqual(new Set(ids), removable(world, now));
      equal(new Set(ids).size, ids.length);
      const order = new Map(ids.map((id, index) => [id, index]));
      const going = world.backups.filter(({ id }) => order.has(id));
      for (const upper of going)
        for (const lower of going)
          if (upper !== lower && dependsOn(upper, lower)) ok(order.get(upper.id)! < order.get(lower.id)!);
    }),
    { numRuns: propertyRuns({ usual: 10, fuzz: 30 }) },
  );
});

test('expiry decision: no backup that stays depends on an expiring one, and a second decision expires nothing', () => {
  fc.assert(
    fc.property(seed, moment, (n, now) => {
      const world = randomYears(n);
      const gone = new Set(idsOf(world, now));
      const rest = without(world, gone);
      const living = rest.backups.filter(({ status }) => ['pending', 'running', 'completed'].includes(status));
      for (const upper of living)
        for (const lower of world.backups) if (gone.has(lower.id)) ok(!dependsOn(upper, lower), `${upper.id} needs ${lower.id}`);
      deepEqual(idsOf(rest, now), []);
    }),
    { numRuns: propertyRuns({ usual: 5, fuzz: 15 }) },
  );
});

test('expiry decision: a clock that goes back expires nothing that a later decision would keep', () => {
  fc.assert(
    fc.property(seed, moment, fc.integer({ min: 1, max: 400 * 24 }), (n, now, hours) => {
      const world = randomYears(n, 120);
      const later = new Set(idsOf(world, now));
      for (const id of idsOf(world, new Date(now.getTime() - hours * 3_600_000))) ok(later.has(id));
    }),
    { numRuns: propertyRuns({ usual: 5, fuzz: 15 }) },
  );
});

test('expiry decision: repeated whenever it is due, it expires the same backups as one decision at the end', () => {
  fc.assert(
    fc.property(seed, (n) => {
      // Without holds and running jobs, so that the decision depends on time alone.
      const world = randomYears(n, 60);
      const calm = (backup: BackupRecord): BackupRecord => ({
        ...backup,
        restoring: 0,
        verification: null,
        status: backup.status === 'running' || backup.status === 'pending' ? 'completed' : backup.status,
        expiresAt: backup.expiresAt ?? new Date(Date.parse(backup.createdAt) + 90 * dayMs).toISOString(),
      });
      let rest: World = { ...world, backups: world.backups.map(calm) };
      const end = new Date(startMs + 3 * yearsMs);
      const expected = new Set(idsOf(rest, end));
      const gone = new Set<string>();
      for (let nowMs: number | undefined = startMs, looks = 0; nowMs !== undefined && nowMs <= end.getTime(); looks++) {
        ok(looks < 5_000);
        const { expiring, nextAtMs } = decideOn(rest, new Date(nowMs));
        for (const { backup } of expiring) gone.add(backup.id);
        rest = without(rest, gone);
        ok(nextAtMs === undefined || nextAtMs > nowMs);
        // Daily checks are made monthly here, to keep the test short.
        nowMs = nextAtMs === undefined ? undefined : Math.max(nextAtMs, nextAtMs === nowMs + dayMs ? nowMs + 30 * dayMs : 0);
      }
      for (const id of idsOf(rest, end)) gone.add(id);
      deepEqual(gone, expected);
    }),
    { numRuns: propertyRuns({ usual: 5, fuzz: 10 }) },
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

test('expiry decision: the last good backup of each scope stays; a damaged, partial or running one does not replace it', () => {
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

test('expiry decision: a restore point or a backup that may lack collections does not replace the last good backup', () => {
  const [older, last] = [day(1, over), day(2, over)];
  const point = day(3, { ...over, trigger: 'pitr-base', retentionDays: 8 });
  const lacking = day(4, { ...over, trigger: 'import', mayLackCollections: true });
  deepEqual(new Set(lookAt([older, last, point, lacking])), new Set([older.id, point.id, lacking.id]));
  // Nor if all others are damaged.
  const damaged = day(2, { ...over, damagedDepth: 'full' });
  deepEqual(lookAt([damaged, { ...lacking, damagedDepth: 'full' }]), [lacking.id]);
});

test('expiry decision: the newest stays if all are damaged; with damaged dependencies, the last one without them stays, too', () => {
  const damaged = [day(1, over), day(2, over)].map((backup) => ({ ...backup, damagedDepth: 'sample' as const }));
  deepEqual(lookAt(damaged), [damaged[0]!.id]);
  const sound = day(0, over);
  const chained = day(3, { ...over, type: 'incremental', needs: [damaged[1]!.archive.backup] });
  // The dependencies of the newest good backup stay, damaged or not.
  deepEqual(lookAt([sound, ...damaged, chained]), [damaged[0]!.id]);
});

test('expiry decision: an unpinned base without days expires a day after its completion, one with days by its days', () => {
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

test('expiry date: counts from the completion, or from the start if the clock went back meanwhile', () => {
  const made = backupOf({ createdAt: '2026-01-10T12:00:00.000Z', retentionDays: 2 });
  equal(expiryOf(made, new Date('2026-01-10T13:00:00Z')), '2026-01-12T13:00:00.000Z');
  equal(expiryOf(made, new Date('2026-01-10T11:00:00Z')), '2026-01-12T12:00:00.000Z');
  equal(expiryOf(backupOf(), new Date()), null);
});

test('expiry decision: is due again when days or a lock end, daily where policies or pins decide, or never', () => {
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
  // A running backup makes retention due when it completes.
  equal(nextDay(day(1, { status: 'running', expiresAt: at(100) })), undefined);
});

test('expiry decision: counts local days of the schedule, also days of 23 or 25 hours', () => {
  const policy = { daily: 2, weekly: 0, monthly: 0, yearly: 0 };
  const made = (readTime: string) => backupOf({ readTime, scheduleId: 'sch', retentionPolicy: policy });
  const schedules = new Map([['sch', { policy, timezone: 'Europe/Berlin' }]]);
  // 29 March 2026 begins at 23:00 UTC and ends at 22:00 UTC.
  const spring = ['2026-03-28T22:30:00Z', '2026-03-28T23:30:00Z', '2026-03-29T21:30:00Z', '2026-03-29T22:30:00Z'].map(made);
  deepEqual(new Set(lookAt(spring, { schedules })), new Set([spring[0]!.id, spring[1]!.id]));
  // 25 October 2026 has 02:30 twice and is one day.
  const autumn = ['2026-10-24T21:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(made);
  deepEqual(lookAt(autumn, { schedules }), [autumn[1]!.id]);
  // After the schedule is deleted its newest backup has the zone, else UTC applies: the last of 28 and of 29 March stay.
  const known = spring.map((backup) => ({ ...backup, retentionTimezone: 'Europe/Berlin' }));
  deepEqual(new Set(lookAt(known)), new Set([spring[0]!.id, spring[1]!.id]));
  deepEqual(new Set(lookAt(spring)), new Set([spring[0]!.id, spring[2]!.id]));
});

test('expiry decision: tightening a policy does not affect backups made under the old one', () => {
  const policyOf = (daily: number) => ({ daily, weekly: 0, monthly: 0, yearly: 0 });
  const [generous, mean] = [policyOf(365), policyOf(1)];
  const before = [1, 2, 3].map((n) => day(n, { scheduleId: 'sch', retentionPolicy: generous }));
  const after = [4, 5].map((n) => day(n, { scheduleId: 'sch', retentionPolicy: mean }));
  const schedules = new Map([['sch', { policy: mean, timezone: 'UTC' }]]);
  deepEqual(lookAt(before, { schedules }), []);
  deepEqual(lookAt([...before, ...after], { schedules }), [after[0]!.id]);
});

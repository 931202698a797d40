/** Two years of random backups: schedules in three time zones, chains, imports, captures, damage and holds. */

import { newIdOf } from '../../../shared/platform/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import type { World } from '../env/retention/retention-oracle.ts';
import { backupOf } from './sample-backup.ts';

const dayMs = 24 * 3_600_000;
export const startMs = Date.parse('2026-01-01T00:00:00Z');
export const yearsMs = 730 * dayMs;
/** Lord Howe shifts by half an hour; all three change clocks on different dates and hours. */
export const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

/** mulberry32. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

const projects = ['prj_a', 'prj_b'];
const scopes = [{ collections: ['*'] }, { collections: ['b', 'a'], excludedCollections: ['c'] }];

export const randomYears = (seed: number, size = 220): World => {
  const random = randomOf(seed);
  const chance = (share: number) => random() < share;
  const among = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const small = (most: number) => Math.floor(random() * (most + 1));
  const policyOf = () => ({ daily: small(10), weekly: small(6), monthly: small(8), yearly: small(2) });
  const schedules = new Map(
    zones.map((timezone, n) => [`sch_${n}`, { timezone, ...(chance(0.8) && { policy: policyOf() }) }] as const),
  );
  // A deleted schedule whose backups still exist.
  if (chance(0.5)) schedules.delete('sch_2');
  const backups: BackupRecord[] = [];
  const at = (ms: number) => new Date(ms).toISOString();
  // Some days have several backups, like those of an hourly schedule.
  const moments = Array.from({ length: size }, () => startMs + random() * yearsMs).flatMap((ms) =>
    chance(0.2) ? [ms, ms + 3_600_000, ms + 7_200_000] : [ms],
  );
  for (const ms of moments.sort((a, b) => a - b)) {
    const projectId = among(projects);
    const storage = { projectId, ...among(scopes), includeAuthUsers: chance(0.2) };
    const scheduleId = chance(0.6) ? `sch_${small(2)}` : null;
    const kind = small(9);
    const id = newIdOf('backup', new Date(ms));
    const fellow = backups.findLast((other) => other.projectId === projectId && other.status === 'completed' && chance(0.8));
    // The same archive imported again has the same dependencies.
    const twin = chance(0.05) ? fellow : undefined;
    const isChild = fellow !== undefined && !twin && chance(0.5);
    const ancestors = isChild ? [fellow.archive.backup, ...(fellow.needs ?? []).filter(() => chance(0.8))] : [];
    const needs = twin?.needs ?? ancestors;
    const completedAt = at(ms + 60_000);
    backups.push(
      backupOf({
        id,
        ...storage,
        createdAt: at(ms),
        completedAt,
        readTime: chance(0.95) ? at(ms) : null,
        archive: { organization: 'o', project: projectId, backup: twin?.archive.backup ?? id },
        ...(needs.length > 0 && { type: 'incremental' as const, needs, parentBackupId: fellow?.id ?? null }),
        ...(scheduleId !== null && kind < 7 && { scheduleId, trigger: 'scheduled' as const, retentionPolicy: policyOf() }),
        ...(chance(0.5) && { retentionTimezone: among(zones) }),
        ...(kind === 7 && { retentionDays: 30, expiresAt: at(ms + 30 * dayMs) }),
        ...(kind === 8 && { trigger: 'pitr-base' as const }),
        ...(chance(0.05) && { isPartial: true, trigger: 'safety' as const, expiresAt: at(ms + 7 * dayMs) }),
        ...(chance(0.05) && { trigger: 'pitr-base' as const, retentionDays: 8, expiresAt: at(ms + 8 * dayMs) }),
        ...(chance(0.03) && { trigger: 'import' as const, mayLackCollections: true }),
        ...(chance(0.08) && { damagedDepth: 'sample' as const }),
        ...(chance(0.05) && { restoring: small(1) }),
        ...(chance(0.04) && { lockedUntil: at(ms + random() * 400 * dayMs) }),
        ...(chance(0.02) && { leaving: 'mov' }),
        ...(chance(0.03) && { verification: { status: 'running', depth: 'full', checkedAt: at(ms), objects: 0, findings: [] } }),
        ...(chance(0.05) && { status: among(['failed', 'cancelled', 'deleted', 'expired', 'pending', 'running'] as const) }),
        ...(isChild && chance(0.03) && { status: 'running' as const, needs: [], synthesizedFrom: fellow.id }),
      }),
    );
  }
  const pins = new Set(backups.filter(() => chance(0.05)).map(({ id }) => id));
  return { backups, schedules, pins };
};

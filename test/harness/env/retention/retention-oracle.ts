/**
 * Decides by brute force which backups may expire: every rule compares one backup with all others, without sorting or indexes,
 * until a fixed point. Shares no code with the implementation.
 */
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';

export interface World {
  readonly backups: readonly BackupRecord[];
  readonly schedules: ReadonlyMap<string, { policy?: BackupRecord['retentionPolicy']; timezone: string }>;
  readonly pins: ReadonlySet<string>;
}

const hourMs = 3_600_000;
const kinds = ['daily', 'weekly', 'monthly', 'yearly'] as const;
type Kind = (typeof kinds)[number];

export const removable = (world: World, now: Date): ReadonlySet<string> => {
  const living = world.backups.filter(({ status }) => ['pending', 'running', 'completed'].includes(status));
  const kept = new Set(living.filter((backup) => staysForItself(backup, { living, world, nowMs: now.getTime() })));
  // Dependencies of a kept backup are kept, transitively.
  for (let before = -1; before !== kept.size; ) {
    before = kept.size;
    for (const upper of [...kept]) for (const lower of living) if (dependsOn(upper, lower)) kept.add(lower);
  }
  return new Set(living.filter((backup) => !kept.has(backup)).map(({ id }) => id));
};

export const dependsOn = (upper: BackupRecord, lower: BackupRecord): boolean =>
  (lower.status === 'completed' && (upper.needs ?? []).includes(lower.archive.backup)) ||
  (upper.status !== 'completed' && [upper.parentBackupId, upper.synthesizedFrom].includes(lower.id));

const staysForItself = (
  one: BackupRecord,
  { living, world, nowMs }: { readonly living: readonly BackupRecord[]; readonly world: World; readonly nowMs: number },
): boolean => {
  if (one.status !== 'completed' || one.arriving || one.leaving || (one.restoring ?? 0) > 0) return true;
  if (one.lockedUntil !== null && Date.parse(one.lockedUntil) > nowMs) return true;
  const { verification } = one;
  if (verification?.status === 'running' && Date.parse(verification.checkedAt) + 25 * hourMs > nowMs) return true;
  if (world.pins.has(one.id) || isLastResort(one, living)) return true;
  if (one.retentionPolicy && one.scheduleId !== null) return isKeptByPolicy(one, living, world);
  if (one.expiresAt !== null) return Date.parse(one.expiresAt) > nowMs;
  return one.trigger !== 'pitr-base' || Date.parse(one.completedAt ?? '') + 24 * hourMs > nowMs;
};

const shown = new WeakMap<BackupRecord, number>();
const shows = (backup: BackupRecord): number => {
  const moment = shown.get(backup) ?? Date.parse(backup.readTime ?? backup.completedAt ?? backup.createdAt);
  shown.set(backup, moment);
  return moment;
};
const isNewer = (a: BackupRecord, b: BackupRecord): boolean => shows(a) > shows(b) || (shows(a) === shows(b) && a.id > b.id);
const list = (names: readonly string[]): string => [...names].sort().join(' ');
const isOneKind = (a: BackupRecord, b: BackupRecord): boolean =>
  a.projectId === b.projectId &&
  a.includeAuthUsers === b.includeAuthUsers &&
  list(a.collections) === list(b.collections) &&
  list(a.excludedCollections) === list(b.excludedCollections);

/** The last good one, the last without damaged dependencies, or the last of all if none is good. */
const isLastResort = (one: BackupRecord, living: readonly BackupRecord[]): boolean => {
  const isWhole = (other: BackupRecord) =>
    other.status === 'completed' &&
    !other.isPartial &&
    !other.mayLackCollections &&
    !(other.trigger === 'pitr-base' && other.retentionDays);
  const isGood = (other: BackupRecord) => isWhole(other) && !other.damagedDepth;
  const isSound = (other: BackupRecord) =>
    isGood(other) && !living.some(({ archive, damagedDepth }) => damagedDepth && other.needs?.includes(archive.backup));
  const isNewest = (test: (other: BackupRecord) => boolean) =>
    test(one) && !living.some((other) => isNewer(other, one) && isOneKind(one, other) && test(other));
  return (
    isNewest(isGood) ||
    isNewest(isSound) ||
    (isNewest(isWhole) && !living.some((other) => isGood(other) && isOneKind(one, other)))
  );
};

/** By the current policy, or by the one it was made under, counted among the backups of the same policy. */
const isKeptByPolicy = (one: BackupRecord, living: readonly BackupRecord[], { schedules }: World): boolean => {
  const fellows = living.filter(
    (other) => other.status === 'completed' && other.retentionPolicy && other.scheduleId === one.scheduleId,
  );
  const schedule = schedules.get(one.scheduleId ?? '');
  const newest = fellows.find((fellow) => !fellows.some((other) => isNewer(other, fellow)));
  const timezone = schedule?.timezone ?? newest?.retentionTimezone ?? 'UTC';
  const isAlike = ({ retentionPolicy }: BackupRecord): boolean =>
    kinds.every((kind) => retentionPolicy?.[kind] === one.retentionPolicy?.[kind]);
  return (
    keeps(schedule?.policy ?? newest?.retentionPolicy, { timezone, one, fellows }) ||
    keeps(one.retentionPolicy, { timezone, one, fellows: fellows.filter(isAlike) })
  );
};

const keeps = (
  policy: BackupRecord['retentionPolicy'],
  {
    timezone,
    one,
    fellows,
  }: { readonly timezone: string; readonly one: BackupRecord; readonly fellows: readonly BackupRecord[] },
): boolean =>
  kinds.some((kind) => {
    const label = (backup: BackupRecord) => labelOf(shows(backup), timezone, kind);
    const within = fellows.filter((other) => label(other) === label(one));
    const sound = within.filter(({ damagedDepth }) => !damagedDepth);
    const rivals = sound.length > 0 ? sound : within;
    if (!rivals.includes(one) || rivals.some((other) => isNewer(other, one))) return false;
    const later = new Set(fellows.filter((other) => !other.damagedDepth && label(other) > label(one)).map(label));
    return later.size < (policy?.[kind] ?? 0);
  });

const zones = new Map<string, { format: Intl.DateTimeFormat; known: Map<number, Record<Kind, string>> }>();
/** Labels that sort like the periods. */
const labelOf = (moment: number, timeZone: string, kind: Kind): string => {
  // The Swedish locale formats dates as ISO 8601.
  const zone = zones.get(timeZone) ?? { format: new Intl.DateTimeFormat('sv-SE', { timeZone }), known: new Map() };
  zones.set(timeZone, zone);
  const known = zone.known.get(moment);
  if (known) return known[kind];
  const date = zone.format.format(moment);
  const label = { daily: date, weekly: weekOf(date), monthly: date.slice(0, 7), yearly: date.slice(0, 4) };
  zone.known.set(moment, label);
  return label[kind];
};

/** The Monday of its week, found by going back day by day. */
const weekOf = (date: string): string => {
  const day = new Date(`${date}T12:00:00Z`);
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
};

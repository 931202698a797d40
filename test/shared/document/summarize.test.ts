/** What is known about a document becomes when it vanished, and what to restore. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import type { DocumentVersion } from '../../../shared/document/find-versions.ts';
import { type KnownStates, summarize } from '../../../shared/document/summarize.ts';

const second = 1_000_000;
const gone = { exists: false, contentHash: null, updateTime: null };
const there = (contentHash: string) => ({ exists: true, contentHash, updateTime: null });
const backup = (id: string, readAt: number, contentHash?: string) => ({
  id,
  readAt: readAt * second,
  ...(contentHash === undefined ? gone : there(contentHash)),
});
const version = (at: number, contentHash: string | null, restorable: number | null = null): DocumentVersion => ({
  at: at * second,
  encoded: undefined,
  isDeleted: contentHash === null,
  contentHash,
  restorableAt: restorable === null ? null : restorable * second,
  restorableBefore: (at - 1) * second,
});
const states = (given: Partial<KnownStates>): KnownStates => ({
  now: 100 * second,
  live: gone,
  backups: [],
  versions: [],
  searchedFrom: undefined,
  ...given,
});
const vanishedOf = (given: Partial<KnownStates>) => {
  const { vanished } = summarize(states(given));
  return vanished && [vanished.from / second, vanished.to / second];
};
const recommendedOf = (given: Partial<KnownStates>) => {
  const { recommended } = summarize(states(given));
  return recommended && (recommended.backupId ?? (recommended.moment ?? 0) / second);
};

test('document summary: backups alone say between which of them a document vanished', () => {
  const backups = [backup('c', 90), backup('b', 60, 'x'), backup('a', 30, 'x')];
  deepEqual(vanishedOf({ backups }), [60, 90]);
  deepEqual(vanishedOf({ backups: backups.slice(1) }), [60, 100]);
  // An outage of the database hides neither.
  const live = { ...gone, exists: null };
  deepEqual(vanishedOf({ backups, live }), [60, 90]);
  equal(vanishedOf({ backups: backups.slice(1), live }), undefined);
  equal(recommendedOf({ backups, live }), 'b');
});

test('document summary: a captured deletion is exact, and the version before it is recommended', () => {
  const backups = [backup('a', 30, 'x')];
  const versions = [version(80, null), version(50, 'y', 79)];
  deepEqual(vanishedOf({ backups, versions, searchedFrom: 20 * second }), [79, 80]);
  equal(recommendedOf({ backups, versions, searchedFrom: 20 * second }), 79);
  equal(summarize(states({ backups, versions })).lastChangedAt, 50 * second);
  // Not changed since the backup: that has the same state.
  equal(recommendedOf({ backups, versions: [version(80, null)], searchedFrom: 20 * second }), 'a');
  equal(recommendedOf({ backups: [backup('b', 60, 'y'), ...backups], versions, searchedFrom: 20 * second }), 'b');
  // The search did not reach the backup: changes since may be unknown.
  equal(recommendedOf({ backups, versions: [version(80, null)], searchedFrom: 70 * second }), 79);
});

test('document summary: of a document that exists, the newest other state is recommended, if there is one', () => {
  const backups = [backup('c', 90, 'new'), backup('b', 60, 'old'), backup('a', 30, 'older')];
  equal(recommendedOf({ live: there('new'), backups }), 'b');
  equal(recommendedOf({ live: there('new'), backups: backups.slice(0, 1) }), undefined);
  equal(recommendedOf({ live: there('new'), backups, versions: [version(95, 'new', 99), version(92, 'mid', 94)] }), 94);
  equal(vanishedOf({ live: there('new'), backups }), undefined);
  equal(summarize(states({ live: there('new') })).lastSeen, 100 * second);
});

test('document summary: nothing is found of a document that never existed', () => {
  deepEqual(summarize(states({ backups: [backup('a', 30)] })), {
    found: false,
    lastSeen: undefined,
    lastChangedAt: undefined,
    vanished: undefined,
    recommended: undefined,
  });
});

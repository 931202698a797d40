/** Races with retention: a concurrent hold on an expiring backup either keeps it or is refused, never both. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { create, newIdOf, set, type Write } from '../../../shared/platform/index.ts';
import { holdBackup } from '../../../shared/restore/start/start-restore.ts';
import { scheduleKey } from '../../../shared/schedule/index.ts';
import {
  type BackupRecord,
  backupKey,
  deleteBackup,
  holdParent,
  startVerification,
} from '../../../shared/stored-backup/index.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import {
  ago,
  apply,
  begin,
  now,
  over,
  put,
  recordOf,
  statuses,
  statusOf,
  tenant,
  transact,
} from '../../harness/env/retention/retention-env.ts';

interface Backups {
  readonly full: BackupRecord;
  /** Read from the full one. */
  readonly upper: BackupRecord;
  readonly last: BackupRecord;
}

const newBackups = (): Backups => {
  const full = over(40);
  return { full, upper: over(30, { type: 'incremental', needs: [full.archive.backup] }), last: over(10) };
};

/** Runs retention once per answer of the table, with a concurrent action before that answer, and asserts the outcome. */
const atEveryMoment = async (
  act: (backups: Backups) => boolean,
  assertOutcome: (backups: Backups, isDone: boolean, call: number) => void,
  before: (backups: Backups) => void = () => undefined,
): Promise<void> => {
  const seen = new Set<boolean>();
  for (let call = 1; ; call++) {
    const all = newBackups();
    begin(all.full, all.upper, all.last);
    before(all);
    let isDone: boolean | undefined;
    await apply([], (n) => {
      if (n === call) isDone = act(all);
    });
    if (isDone === undefined) break;
    seen.add(isDone);
    assertOutcome(all, isDone, call);
  }
  // Both outcomes occurred.
  deepEqual([...seen].sort(), [false, true]);
};

/** Either the whole chain is kept, or it expires from its end. */
const assertKeptIf = ({ full, upper, last }: Backups, isDone: boolean, call: number): void => {
  const expected = isDone ? ['completed', 'completed', 'completed'] : ['expired', 'expired', 'completed'];
  // Between the two transactions only the upper one has expired.
  const isBetween = !isDone && statusOf(full) === 'completed';
  deepEqual(statuses(full, upper, last), isBetween ? ['completed', 'expired', 'completed'] : expected, `before answer ${call}`);
};

test('retention race: with the start of a restore', () =>
  atEveryMoment(({ upper }) => transact([holdBackup(tenant, upper.id)]), assertKeptIf));

test('retention race: with the start of a verification', () =>
  atEveryMoment(({ upper }) => {
    try {
      return transact(startVerification(tenant, { backup: recordOf(upper)!, depth: 'full', now }).change.writes);
    } catch {
      return false;
    }
  }, assertKeptIf));

const begun = (parent: BackupRecord, more: Partial<BackupRecord>): readonly Write[] => [
  holdParent(tenant, parent.id),
  create(backupOf({ parentBackupId: parent.id, type: 'incremental', ...more })),
];

test('retention race: with the start of an incremental child', () =>
  atEveryMoment(({ upper }) => transact(begun(upper, { id: newIdOf('backup', now), status: 'pending' })), assertKeptIf));

test('retention race: with a child whose id lies behind the walk, also of a backup that already has children', async () => {
  const old = () => ({ id: newIdOf('backup', ago(400)), createdAt: ago(400).toISOString() });
  const pending = ({ upper }: Backups) => transact(begun(upper, { ...old(), status: 'running' }));
  const imported = ({ full, upper }: Backups) =>
    transact([
      holdParent(tenant, full.id),
      ...begun(upper, { ...old(), projectId: 'prj_other', needs: [full.archive.backup, upper.archive.backup] }),
    ]);
  const withChildren = ({ full, upper }: Backups) => put({ ...full, builtUpon: 1 }, { ...upper, builtUpon: 2 });
  for (const act of [pending, imported]) {
    await atEveryMoment(act, assertKeptIf);
    await atEveryMoment(act, assertKeptIf, withChildren);
  }
});

test('retention race: nothing expires after the last good backup was deleted or found damaged', async () => {
  const remove = ({ last }: Backups): boolean =>
    transact(deleteBackup(tenant, { backup: recordOf(last)!, child: undefined, now }).writes);
  const damage = ({ last }: Backups): boolean =>
    transact([set(backupKey.backup(tenant, last.id), { damagedDepth: 'full' }, { expected: { status: 'completed' } })]);
  for (const act of [remove, damage]) {
    const outcomes = new Set<string>();
    for (let call = 1, isDone = true; isDone; call++) {
      const all = newBackups();
      begin(all.full, all.upper, all.last);
      let then: unknown;
      isDone = false;
      await apply([], (n) => {
        if (n !== call) return;
        isDone = act(all);
        then = statuses(all.full, all.upper);
      });
      if (!isDone) break;
      deepEqual(statuses(all.full, all.upper), then, `before answer ${call}`);
      outcomes.add(String(then));
    }
    deepEqual([...outcomes], ['completed,completed', 'completed,expired', 'expired,expired']);
  }
});

test('retention race: a backup expires only by the policy that the schedule has at that moment', async () => {
  const scheduleId = 'sch_x';
  const retentionPolicy = { daily: 1, weekly: 0, monthly: 0, yearly: 0 };
  const key = scheduleKey.schedule(tenant, scheduleId);
  let [before, since] = [0, 0];
  for (let call = 1, isDone = true; isDone; call++) {
    const made = [1, 2].map((days) => over(days, { scheduleId, retentionPolicy, expiresAt: null }));
    begin(...made);
    put({ ...key, id: scheduleId, timezone: 'UTC', revision: 1, retentionPolicy });
    let goneBefore = false;
    isDone = false;
    await apply([], (n) => {
      if (n !== call) return;
      goneBefore = statusOf(made[1]!) === 'expired';
      isDone = transact([set(key, { revision: 2, retentionPolicy: { ...retentionPolicy, daily: 2 } })]);
    });
    if (!isDone) break;
    equal(statusOf(made[1]!), goneBefore ? 'expired' : 'completed');
    if (goneBefore) since += 1;
    else before += 1;
  }
  ok(before > 0 && since > 0);
});

test('retention race: concurrent runs expire each backup once', async () => {
  const { full, upper, last } = newBackups();
  begin(full, upper, last);
  await Promise.all([apply(), apply(), apply()]);
  deepEqual(statuses(full, upper, last), ['expired', 'expired', 'completed']);
});

/** Whoever takes hold of a backup at the moment that it expires: either it is kept or they are refused, never both. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type BackupRecord, backupKey, deleteBackup, holdParent, startVerification } from '../../../shared/backup/index.ts';
import { create, newIdOf, set, type Write } from '../../../shared/platform/index.ts';
import { holdBackup } from '../../../shared/restore/start/start-restore.ts';
import { scheduleKey } from '../../../shared/schedule/index.ts';
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
} from '../../harness/env/retention-env.ts';

interface Scene {
  readonly full: BackupRecord;
  /** Read from the full one. */
  readonly upper: BackupRecord;
  readonly last: BackupRecord;
}

const scene = (): Scene => {
  const full = over(40);
  return { full, upper: over(30, { type: 'incremental', needs: [full.archive.backup] }), last: over(10) };
};

/** Lets someone act before each answer of the table in turn, and looks at what came of it. */
const atEveryMoment = async (
  act: (scene: Scene) => boolean,
  judge: (scene: Scene, isDone: boolean, call: number) => void,
  before: (scene: Scene) => void = () => undefined,
): Promise<void> => {
  const seen = new Set<boolean>();
  for (let call = 1; ; call++) {
    const all = scene();
    begin(all.full, all.upper, all.last);
    before(all);
    let isDone: boolean | undefined;
    await apply([], (n) => {
      if (n === call) isDone = act(all);
    });
    if (isDone === undefined) break;
    seen.add(isDone);
    judge(all, isDone, call);
  }
  // Both ways it can end were seen.
  deepEqual([...seen].sort(), [false, true]);
};

/** The chain is there or not, and those that are read from what is gone are gone. */
const isKeptIf = ({ full, upper, last }: Scene, isDone: boolean, call: number): void => {
  const expected = isDone ? ['completed', 'completed', 'completed'] : ['expired', 'expired', 'completed'];
  // Between the two, only the upper one is gone.
  const isBetween = !isDone && statusOf(full) === 'completed';
  deepEqual(statuses(full, upper, last), isBetween ? ['completed', 'expired', 'completed'] : expected, `before answer ${call}`);
};

test('a restore', () => atEveryMoment(({ upper }) => transact([holdBackup(tenant, upper.id)]), isKeptIf));

test('a verification', () =>
  atEveryMoment(({ upper }) => {
    try {
      return transact(startVerification(tenant, recordOf(upper)!, 'full', now).change.writes);
    } catch {
      return false;
    }
  }, isKeptIf));

const begun = (parent: BackupRecord, more: Partial<BackupRecord>): readonly Write[] => [
  holdParent(tenant, parent.id),
  create(backupOf({ parentBackupId: parent.id, type: 'incremental', ...more })),
];

test('an incremental backup upon it', () =>
  atEveryMoment(({ upper }) => transact(begun(upper, { id: newIdOf('backup', now), status: 'pending' })), isKeptIf));

test('one whose id lies behind the walk, because a clock went back or it was imported as an old one, also upon what was built upon before', async () => {
  const old = () => ({ id: newIdOf('backup', ago(400)), createdAt: ago(400).toISOString() });
  const pending = ({ upper }: Scene) => transact(begun(upper, { ...old(), status: 'running' }));
  const imported = ({ full, upper }: Scene) =>
    transact([
      holdParent(tenant, full.id),
      ...begun(upper, { ...old(), projectId: 'prj_other', needs: [full.archive.backup, upper.archive.backup] }),
    ]);
  const wasBuiltUpon = ({ full, upper }: Scene) => put({ ...full, builtUpon: 1 }, { ...upper, builtUpon: 2 });
  for (const act of [pending, imported]) {
    await atEveryMoment(act, isKeptIf);
    await atEveryMoment(act, isKeptIf, wasBuiltUpon);
  }
});

test('somebody who deletes the backup because of which others may go, or finds it damaged: from then on nobody goes', async () => {
  const remove = ({ last }: Scene): boolean => transact(deleteBackup(tenant, recordOf(last)!, undefined, now).writes);
  const damage = ({ last }: Scene): boolean =>
    transact([set(backupKey.backup(tenant, last.id), { damagedDepth: 'full' }, { expected: { status: 'completed' } })]);
  for (const act of [remove, damage]) {
    const left = new Set<string>();
    for (let call = 1, isDone = true; isDone; call++) {
      const all = scene();
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
      left.add(String(then));
    }
    deepEqual([...left], ['completed,completed', 'completed,expired', 'expired,expired']);
  }
});

test('another policy', async () => {
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
    // What went, went by the policy of its time.
    equal(statusOf(made[1]!), goneBefore ? 'expired' : 'completed');
    if (goneBefore) since += 1;
    else before += 1;
  }
  ok(before > 0 && since > 0);
});

test('two sweeps at once remove each backup once', async () => {
  const { full, upper, last } = scene();
  begin(full, upper, last);
  await Promise.all([apply(), apply(), apply()]);
  deepEqual(statuses(full, upper, last), ['expired', 'expired', 'completed']);
});

/** Applying retention to a table: a backup expires in one transaction, however often the run is interrupted. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { MemoryStore, StorageError } from '../../../shared/destination/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { epochSeconds, newIdOf } from '../../../shared/platform/index.ts';
import { restoreKey } from '../../../shared/restore/model/record.ts';
import { scheduleKey } from '../../../shared/schedule/index.ts';
import { backupKey, eraseBackup, retentionKey } from '../../../shared/stored-backup/index.ts';
import {
  ago,
  apply,
  audits,
  begin,
  counts,
  dueAt,
  now,
  over,
  put,
  recordOf,
  statuses,
  statusOf,
  storageDestination,
  table,
  tasks,
  tenant,
} from '../../harness/env/retention/retention-env.ts';
import { CrashInjector } from '../../harness/faults/crash-injector.ts';

const chain = () => {
  const full = over(40);
  const first = over(30, { type: 'incremental', needs: [full.archive.backup], parentBackupId: full.id });
  const second = over(20, { type: 'incremental', needs: [full.archive.backup, first.archive.backup] });
  return { full, first, second, last: over(10) };
};

test('retention: an expired backup loses its counts and objects, is audited, and keeps its record for a month', async () => {
  const { full, first, second, last } = chain();
  begin(full, first, second, last);
  await apply();
  deepEqual(statuses(full, first, second, last), ['expired', 'expired', 'expired', 'completed']);
  deepEqual(counts(), [1, 100, 1]);
  equal(recordOf(full)?.ttl, epochSeconds(now) + 30 * 24 * 3_600);
  deepEqual(
    tasks(),
    [second, first, full].map(({ id }) => ({ kind: 'erase-backup', backupId: id })),
  );
  const { path, isErasing } = table.get(backupKey.archive(tenant, full.archive.backup, full.id)) ?? {};
  deepEqual([path, isErasing], [full.path, true]);
  const [entry] = audits().filter(({ resource }) => (resource as { id: string }).id === full.id);
  deepEqual(entry?.actor, { type: 'system', id: 'retention', email: null });
  deepEqual(entry?.details, { projectId: full.projectId, reason: 'days', size: 100, expiresAt: full.expiresAt });
  // The last good backup is past its retention, too: checked daily.
  equal(dueAt(), ago(-1).toISOString());
});

test('retention: does nothing before it is due, keeps all backups of a deleted organization, and forgets a purged one', async () => {
  const { full, first, second, last } = chain();
  begin(full, first, second, last);
  await apply();
  equal(await apply(), 1);
  equal(audits().length, 3);
  begin(full, last);
  const organization = organizationKey.organization(tenant);
  put({ ...organization, id: tenant.organizationId, deletedAt: now.toISOString() });
  await apply();
  deepEqual([statuses(full, last), dueAt()], [['completed', 'completed'], ago(-1).toISOString()]);
  begin(full, last);
  table.items.delete(`${organization.pk}\n${organization.sk}`);
  await apply();
  equal(dueAt(), undefined);
});

test('retention: the due item is deleted if nothing can expire, unless a backup completes meanwhile', async () => {
  begin(over(3, { expiresAt: null }));
  await apply();
  equal(dueAt(), undefined);
  begin(over(3, { expiresAt: null }));
  const later = ago(-0.01).toISOString();
  await apply([], (call) => {
    if (call === 3) put({ ...retentionKey(tenant), organizationId: tenant.organizationId, dueAt: later });
  });
  equal(dueAt(), later);
});

test('retention: a pinned backup and its dependencies stay', async () => {
  const { full, first, second, last } = chain();
  begin(full, first, second, last);
  await apply([first.id]);
  deepEqual(statuses(full, first, second, last), ['completed', 'completed', 'expired', 'completed']);
});

test('retention: a backup with an anomaly stays until that is acknowledged, and so does the last one from before it', async () => {
  const [held, anomalous, free] = [over(40, { heldFor: ['bkp_anomalous'] }), over(30, { anomalyState: 'open' }), over(20)];
  begin(held, anomalous, free, over(1));
  await apply();
  deepEqual(statuses(held, anomalous, free), ['completed', 'completed', 'expired']);
});

test('retention: killed before and after every effect and run again, it expires each backup once', async () => {
  const { full, first, second, last } = chain();
  const run = async (mortal: CrashInjector): Promise<void> => {
    begin(full, first, second, last);
    table.onWrite = (when) => mortal.atWrite(when);
    table.onRead = () => mortal.atRead();
    await apply().catch(() => undefined);
  };
  const whole = new CrashInjector();
  await run(whole);
  equal(whole.effects, 4);
  for (let at = 1; at <= whole.effects; at++)
    for (const when of ['before', 'after'] as const) {
      const mortal = new CrashInjector(at, when);
      await run(mortal);
      ok(mortal.isDead);
      // No existing backup depends on an expired one.
      const found = statuses(full, first, second).join();
      ok(
        [
          'completed,completed,completed',
          'completed,completed,expired',
          'completed,expired,expired',
          'expired,expired,expired',
        ].includes(found),
        found,
      );
      [table.onWrite, table.onRead] = [() => undefined, () => undefined];
      await apply();
      deepEqual(statuses(full, first, second, last), ['expired', 'expired', 'expired', 'completed']);
      deepEqual([audits().length, tasks().length, counts()], [3, 3, [1, 100, 1]]);
      equal(dueAt(), ago(-1).toISOString());
    }
});

test('retention: at its deadline it enqueues another task, which continues', async () => {
  const { full, first, second, last } = chain();
  begin(full, first, second, last);
  await apply([], undefined, now);
  deepEqual([statusOf(second), tasks(), dueAt()], ['completed', [{ kind: 'apply-retention' }], now.toISOString()]);
  await apply();
  deepEqual(statuses(full, first, second, last), ['expired', 'expired', 'expired', 'completed']);
});

test('retention: a backup that cannot be expired fails the run at the end, blocks no other, and keeps its dependencies', async () => {
  const { full, first, second, last } = chain();
  const lost = { ...first, storageDestination: { ...storageDestination, id: 'dst_gone' } };
  begin(full, lost, second, last, over(50));
  await rejects(apply(), /1 backups could not be expired/);
  deepEqual(statuses(full, lost, second, last), ['completed', 'completed', 'expired', 'completed']);
  equal(dueAt(), now.toISOString());
});

test('retention: applies the current policy of the schedule, else that of the newest backup', async () => {
  const scheduleId = 'sch_x';
  const own = { daily: 1, weekly: 0, monthly: 0, yearly: 0 };
  const made = [1, 2, 3, 4].map((days) =>
    over(days, { scheduleId, trigger: 'scheduled', retentionPolicy: own, expiresAt: null }),
  );
  const schedule = { ...scheduleKey.schedule(tenant, scheduleId), id: scheduleId, timezone: 'UTC', revision: 3 };
  for (const [current, kept] of [[{ ...own, daily: 3 }, 3] as const, [null, 1] as const, [undefined, 1] as const]) {
    begin(...made);
    if (current !== undefined) put({ ...schedule, retentionPolicy: current });
    await apply();
    equal(statuses(...made).filter((status) => status === 'completed').length, kept);
    const [entry] = audits();
    deepEqual(entry?.details, { projectId: made[0]!.projectId, reason: 'policy', size: 100, scheduleId, policy: current ?? own });
  }
});

test('retention: a restore can no longer be undone once its safety backup expires', async () => {
  const safetyOf = newIdOf('restore', ago(20));
  const safety = over(20, { trigger: 'safety', isPartial: true, safetyOf });
  begin(safety, over(10));
  put({ ...restoreKey.restore(tenant, safetyOf), id: safetyOf, undoUntil: safety.expiresAt });
  await apply();
  deepEqual([statusOf(safety), table.get(restoreKey.restore(tenant, safetyOf))?.undoUntil], ['expired', null]);
});

test('retention: objects that the store refuses to delete stay, and the audit log says so', async () => {
  const [old, last] = [over(40), over(10)];
  const refusing = async () => {
    throw new StorageError('denied', 'Access Denied because object protected by object lock.');
  };
  begin(old, last);
  await apply();
  await eraseBackup(tenant, { backupId: old.id, open: refusing });
  const [entry] = table.find('AUDIT#').filter(({ action }) => action === 'backup.objects_kept');
  deepEqual(entry?.details, {
    path: `${old.projectId}/${old.id}`,
    projectId: old.projectId,
    reason: 'Access Denied because object protected by object lock.',
  });
  equal(statusOf(old), 'expired');
  // Where the store permits it, they are deleted.
  begin(old, last);
  await apply();
  const store = new MemoryStore();
  for (const name of ['manifest', 'key', 'chunk/00000000-0000', 'theirs.txt']) await store.put(name, Buffer.from('x'));
  await eraseBackup(tenant, { backupId: old.id, open: async () => store });
  deepEqual([...store.objects.keys()], ['theirs.txt']);
  equal(table.get(backupKey.archive(tenant, old.archive.backup, old.id)), undefined);
});

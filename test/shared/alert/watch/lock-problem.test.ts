/** A project whose backups are less protected than promised has one incident, which is over when nothing known is. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { applySignal } from '../../../../shared/alert/incident/apply-signal.ts';
import { applyEvent, applyVerification, assessIncidents } from '../../../../shared/alert/index.ts';
import { iso, newIdOf, omitUndefined } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { type BackupRecord, backupKey } from '../../../../shared/stored-backup/index.ts';
import { alertOf, createAlertEnv, hours, now, shop, tenant } from '../../../harness/env/alert-env.ts';
import { eventAt, eventItem } from '../../../harness/env/webhook-records.ts';

const { table, aws, reset, incidents } = await createAlertEnv();
afterAll(() => aws.stop());

const { id: projectId } = shop;
const destinationId = newIdOf('storageDestination', hours(-10));
/** A backup of the project to a destination with object lock. */
const lockBackup = (at: Date, more: Partial<BackupRecord> = {}): BackupRecord => {
  const id = newIdOf('backup', at);
  const times = { readTime: iso(at), completedAt: iso(at), createdAt: iso(at) };
  const common = { id, projectId, status: 'completed', trigger: 'scheduled', scheduleId: null, verification: null, ...times };
  const storageDestination = { id: destinationId, name: 'Vault' };
  return { ...backupKey.backup(tenant, id), ...common, storageDestination, ...more } as unknown as BackupRecord;
};
const refused = (at: Date) => ({ lockProblem: { reason: 'The store refused (403)', since: iso(at) } });

/** Completes a backup, as the worker reports it. */
const complete = async (at: Date, more: Partial<BackupRecord> = {}): Promise<BackupRecord> => {
  const backup = lockBackup(at, more);
  table.put(backup);
  if (backup.trigger !== 'safety') table.put({ ...shop, lastBackupId: backup.id, lastBackupAt: iso(at) });
  if (backup.lockProblem) await applyVerification(tenant, backup.id, at);
  return backup;
};
const locksOpen = () => incidents().filter(({ kind, status }) => kind === 'lock_problem' && status === 'open');

test('locks: a destination that refuses every lock has one incident, until a later backup to it has its locks', async () => {
  reset(alertOf({ lapsedAfterHours: 8_760 }));
  let last: BackupRecord | undefined;
  for (let n = 1; n <= 5; n++) {
    last = await complete(hours(n), refused(hours(n)));
    await complete(hours(n + 0.5), { ...refused(hours(n + 0.5)), trigger: 'safety', isPartial: true });
    await assessIncidents(tenant, hours(n + 0.6));
  }
  const [incident, second] = incidents();
  equal(second, undefined);
  deepEqual(
    [incident?.subject, incident?.count, incident?.status],
    [{ type: 'project', id: projectId, name: 'Shop' }, 10, 'open'],
  );
  ok(incident?.facts.some(({ name, value }) => name === 'Backup' && value !== last?.id));
  // A verification of one of them says nothing new, and a backup to another destination nothing about this one.
  table.put({ ...last, verification: { status: 'passed', depth: 'full', checkedAt: iso(hours(6)), objects: 1, findings: [] } });
  await applyVerification(tenant, last!.id, hours(6));
  await complete(hours(7), { storageDestination: { id: newIdOf('storageDestination', now), name: 'Other' } } as never);
  await assessIncidents(tenant, hours(7));
  deepEqual([locksOpen().length, locksOpen()[0]?.count], [1, 10]);
  const accepted = await complete(hours(8));
  const event = eventAt(hours(8), 'backup.completed');
  const data = event.data as { readonly backup: object };
  table.put(eventItem({ ...event, data: { ...data, backup: { ...data.backup, id: accepted.id } } }));
  await applyEvent(tenant, event.id, hours(8));
  deepEqual([locksOpen(), incidents()[0]?.message], [[], 'A later backup has the locks that its storage destination promises']);
  // Nor is it opened again by a verification of a backup from before.
  await applyVerification(tenant, last!.id, hours(9));
  deepEqual([incidents().length, locksOpen()], [1, []]);
});

test('locks: a backup for which a verification found a hidden object keeps the incident open, whatever later backups say', async () => {
  reset(alertOf({ lapsedAfterHours: 8_760 }));
  const old = await complete(hours(1));
  const verify = async (
    backup: BackupRecord,
    {
      at,
      problems,
      more = {},
    }: { readonly at: Date; readonly problems: readonly string[]; readonly more?: Partial<BackupRecord> | undefined },
  ) => {
    const findings = problems.map((problem) => ({ object: 'chunk/1', problem, message: 'Found' }));
    table.put({
      ...(omitUndefined({ ...backup, ...more }) as BackupRecord),
      verification: { status: 'passed', depth: 'full', checkedAt: iso(at), objects: 1, findings },
    });
    await applyVerification(tenant, backup.id, at);
    await assessIncidents(tenant, at);
    return locksOpen().length;
  };
  const failing = await complete(hours(2), refused(hours(2)));
  equal(await verify(old, { at: hours(3), problems: ['hidden'] }), 1);
  // Also a lock that was shortened later, of a backup whose locks were refused in part.
  equal(await verify(failing, { at: hours(3.5), problems: ['unlocked'] }), 1);
  await complete(hours(4));
  await assessIncidents(tenant, hours(4));
  equal(locksOpen().length, 1);
  equal(await verify(old, { at: hours(5), problems: [] }), 1);
  equal(await verify(failing, { at: hours(6), problems: [], more: { lockProblem: undefined } }), 0);
  match(incidents()[0]?.message ?? '', /^A (verification found the locks|later backup has the locks)/);
  // A backup outlives its project: what hides it does, too.
  equal(await verify(old, { at: hours(7), problems: ['hidden'] }), 1);
  const { pk, sk } = projectKey.project(tenant, projectId);
  table.items.delete(`${pk}\n${sk}`);
  await assessIncidents(tenant, hours(8));
  equal(locksOpen().length, 1);
  table.items.delete(`${old.pk}\n${old.sk}`);
  await assessIncidents(tenant, hours(9));
  equal(locksOpen().length, 0);
});

test('locks: an incident of one backup, from before, ends with its verification', async () => {
  for (const [more, status] of [
    [{ lockProblem: { reason: 'Refused', since: iso(hours(1)) } }, 'open'],
    [{}, 'recovered'],
  ] as const) {
    reset(alertOf({ lapsedAfterHours: 8_760 }));
    const { id } = await complete(hours(2), more);
    const subject = { type: 'backup', id, name: null } as const;
    const failed = { state: 'failed', kind: 'lock_problem', at: iso(hours(2)), source: id, message: 'Refused' } as const;
    await applySignal(tenant, { ...failed, subject, project: null, facts: [], page: '/' }, hours(2));
    await assessIncidents(tenant, hours(3));
    equal(incidents().find((incident) => incident.subject.id === id)?.status, status);
  }
});

test('verification: locks that were shortened or objects that are hidden open an incident, until a verification finds neither', async () => {
  const id = newIdOf('backup', now);
  const backup = { ...lockBackup(now), ...backupKey.backup(tenant, id), id };
  const problem = { reason: 'The lock of one object that the backup needs ends earlier than its own', since: iso(now) };
  const verify = async (at: Date, { lockProblem, hidden = 0 }: { lockProblem?: typeof problem; hidden?: number }) => {
    const findings = Array.from({ length: hidden }, (_, n) => ({ object: `chunk/${n}`, problem: 'hidden', message: 'Hidden' }));
    const verification = { status: 'passed', depth: 'structure', checkedAt: iso(at), objects: 3, findings };
    table.put({ ...backup, verification, ...(lockProblem && { lockProblem }) });
    await applyVerification(tenant, id, at);
    await assessIncidents(tenant, at);
    return incidents().map(({ kind, status, severity }) => [kind, status, severity]);
  };
  reset();
  table.put(shop);
  deepEqual(await verify(hours(1), {}), []);
  deepEqual(await verify(hours(2), { lockProblem: problem }), [['lock_problem', 'open', 'warning']]);
  match(incidents()[0]?.message ?? '', /is intact, but less protected than it should be: The lock of one object/);
  deepEqual(await verify(hours(3), { hidden: 2 }), [['lock_problem', 'open', 'warning']]);
  // While a verification runs its findings are not complete.
  table.put({
    ...backup,
    verification: { status: 'running', depth: 'full', startedAt: iso(hours(4)), objects: 0, findings: [] },
  });
  await applyVerification(tenant, id, hours(4));
  await assessIncidents(tenant, hours(4));
  equal(incidents()[0]?.status, 'open');
  deepEqual(await verify(hours(5), {}), [['lock_problem', 'recovered', 'warning']]);
  // A backup whose store refused a lock has not been verified yet.
  table.put({ ...backup, completedAt: iso(hours(6)), lockProblem: { ...problem, since: iso(hours(6)) } });
  await applyVerification(tenant, id, hours(6));
  deepEqual(
    incidents().map(({ status }) => status),
    ['recovered', 'open'],
  );
});

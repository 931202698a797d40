/** The report for an auditor with a table in memory: what it lists, what it leaves out, its page and its CSV file. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { auditPartition, entryPrefix } from '../../../shared/audit/index.ts';
import type { AuditAction } from '../../../shared/contract/audit-actions.ts';
import { ProtectionReport } from '../../../shared/contract/models/protection-report.ts';
import { newIdOf, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { protectionCsv, protectionPage, readProtectionReport } from '../../../shared/report/index.ts';
import { restoreKey } from '../../../shared/restore/index.ts';
import { scheduleKey } from '../../../shared/schedule/index.ts';
import { backupKey } from '../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../../harness/aws/in-process.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import { strictCopy } from '../../harness/builders/strict-copy.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerInProcess(table.script);

const now = new Date('2026-03-31T12:00:00.000Z');
const period = { start: new Date('2026-03-01T00:00:00.000Z'), end: now };
const ada = { type: 'user', id: 'usr_1', email: 'ada@example.com' } as const;
const organization = { id: 'org_1', name: 'Acme <b>' };
let tenant: Tenant;
let projectId: string;

const at = (day: number): Date => new Date(Date.UTC(2026, 2, day));

beforeEach(() => {
  process.env.AUDIT_RETENTION_DAYS = '365';
  table.items.clear();
  table.pageMax = 1_000;
  tenant = unsafeTenant(newIdOf('organization', now), 'created');
  projectId = newIdOf('project', at(1));
  table.put({ ...projectKey.project(tenant, projectId), id: projectId, name: '=HYPERLINK("x")', createdAt: at(1).toISOString() });
});

const putBackup = (day: number, more: object = {}): void => {
  const id = newIdOf('backup', at(day));
  const { pk, sk } = backupKey.backup(tenant, id);
  const times = { createdAt: at(day).toISOString(), completedAt: at(day).toISOString() };
  table.put({ ...backupOf({ id, projectId, size: 100, ...times }), ...more, pk, sk });
};

const putEntry = (day: number, action: AuditAction, more: object = {}): void => {
  const id = newIdOf('audit', at(day));
  table.put({
    pk: auditPartition(tenant.organizationId),
    sk: `${entryPrefix}${id}`,
    id,
    timestamp: at(day).toISOString(),
    action,
    actor: ada,
    resource: { type: action.split('.')[0], id: 'x_1' },
    details: {},
    ttl: 4e9,
    ...more,
  });
};

const read = async (of = period) => {
  const report = await readProtectionReport(tenant, { organization, generatedBy: ada, period: of, now });
  deepEqual(strictCopy(ProtectionReport).parse(report), report);
  return report;
};

test('protection report: counts and lists the jobs of the period, with who restored what', async () => {
  putBackup(2, { lockedUntil: at(30).toISOString(), immutableUntil: at(30).toISOString() });
  putBackup(3, {
    status: 'expired',
    lockedUntil: at(20).toISOString(),
    lockProblem: { since: at(3).toISOString(), message: 'x' },
  });
  putBackup(4, { status: 'failed', error: { code: 'SOURCE_AUTH_ERROR', message: 'denied', details: {} } });
  putBackup(-5);
  const restore = {
    projectName: 'Shop',
    targetProjectId: projectId,
    targetProjectName: 'Copy',
    status: 'completed',
    mergeMode: 'overwrite',
    backupId: 'bkp_1',
    written: 7,
    deleted: 1,
    undoOf: null,
    createdBy: ada,
    createdAt: at(5).toISOString(),
    error: null,
  };
  for (const dryRun of [true, false]) {
    const id = newIdOf('restore', at(5));
    table.put({ ...restoreKey.restore(tenant, id), ...restore, id, dryRun });
  }
  const scheduleId = newIdOf('schedule', at(1));
  const schedule = { name: 'Nightly', cron: '0 3 * * *', timezone: 'UTC', enabled: true, retention: 30, retentionPolicy: null };
  table.put({ ...scheduleKey.schedule(tenant, scheduleId), id: scheduleId, projectId, ...schedule });
  const { backups, restores, retention, restoreTests } = await read();
  deepEqual([backups.completed, backups.failed, backups.addedBytes], [2, 1, 200]);
  equal(backups.projects[0]?.lastCompletedAt, at(3).toISOString());
  const [{ locked, lockIncomplete, lockedUntil } = {}] = backups.projects as readonly Partial<
    (typeof backups.projects)[number]
  >[];
  deepEqual([locked, lockIncomplete, lockedUntil], [2, 1, at(30).toISOString()], 'the locks of each backup, not of the bucket');
  deepEqual(
    backups.failures.items.map(({ code, message }) => [code, message]),
    [['SOURCE_AUTH_ERROR', 'denied']],
  );
  deepEqual([restores.completed, restores.items.length, restores.items[0]?.by?.email], [1, 1, 'ada@example.com']);
  deepEqual([restores.items[0]?.written, restores.items[0]?.deleted], [7, 1]);
  equal(retention.schedules.items[0]?.retention, '30 days');
  equal(restoreTests.summary.notTested, 1);
});

test('protection report: a project that was connected after the period is neither without backups nor untested', async () => {
  const id = newIdOf('project', at(20));
  table.put({ ...projectKey.project(tenant, id), id, name: 'Later', createdAt: at(20).toISOString() });
  const listed = async (end: Date) => {
    const { backups, restoreTests } = await read({ ...period, end });
    return [backups.projects.length, restoreTests.projects.length, restoreTests.summary.notTested];
  };
  deepEqual(await listed(at(19)), [1, 1, 1]);
  deepEqual(await listed(at(20)), [2, 2, 2]);
});

test('protection report: erasures, removals and changes come from the audit log; sign-ins, reads and expired entries do not', async () => {
  putEntry(2, 'erasure.created', { details: { reason: 'Request 4711' } });
  putEntry(3, 'backup.deleted');
  putEntry(4, 'member.role_changed');
  putEntry(5, 'schedule.updated');
  putEntry(6, 'webhook.toggled');
  for (const action of ['auth.signed_in', 'backup.browsed', 'schedule.triggered', 'storage.tested', 'backup.completed'] as const)
    putEntry(7, action);
  putEntry(8, 'member.removed', { ttl: 1 });
  const { erasures, removals, changes } = await read();
  const actions = ({ items }: typeof changes) => items.map(({ action }) => action);
  deepEqual(actions(erasures), ['erasure.created']);
  deepEqual(actions(removals), ['backup.deleted']);
  deepEqual(actions(changes), ['webhook.toggled', 'schedule.updated', 'member.role_changed']);
});

test('protection report: a list has at most 500 entries and says how many it omits; too many records are refused', async () => {
  for (let n = 0; n < 605; n++) putEntry(4, 'project.updated');
  const { changes } = await read();
  deepEqual([changes.items.length, changes.omitted], [500, 105]);
  match(protectionPage(await read()), /105 more are not listed/);
  table.pageMax = 10;
  deepEqual((await read()).changes, changes, 'in spans of the period, in the same order');
  table.pageMax = 1;
  await rejects(read(), /too many audit entries for one report/);
});

test('protection report: the page escapes every text, and no cell of the CSV file is a formula', async () => {
  putBackup(4, { status: 'failed', error: { code: 'X', message: '<script>1</script>', details: {} } });
  putEntry(2, 'project.updated', { details: { name: '=1+1' }, resource: { type: 'project', id: '@x' } });
  const report = await read();
  const page = protectionPage(report);
  ok(page.includes('Protection of Acme &lt;b&gt;') && page.includes('&lt;script&gt;') && !page.includes('<script'));
  match(page, /No backup was deleted, found damaged or left without its lock/);
  const lines = parseCsv(protectionCsv(report));
  equal(lines[0]?.at(-1), 'UTC');
  ok(lines.some(([list, time]) => list === 'List' && time === 'Time (UTC)'));
  ok(lines.flat().every((cell) => !/^[=+@-]/.test(cell)));
  deepEqual(lines.find(([list]) => list === 'Backups by project')?.slice(0, 4), [
    'Backups by project',
    `'=HYPERLINK("x")`,
    '0',
    '1',
  ]);
  ok(
    lines.some(
      ([list, , project, result]) => list === 'Restore tests' && project === `'=HYPERLINK("x")` && result === 'not_tested',
    ),
  );
});

// A month of 2,000 projects is 60,000 records, of which a read of a megabyte has 400: 150 reads. So are these, which are smaller.
test('protection report: 2,000 projects with a backup a night for a month fit into one report', async () => {
  table.pageMax = 27;
  const ids = [projectId];
  while (ids.length < 2_000) {
    const id = newIdOf('project', at(1));
    ids.push(id);
    table.put({ ...projectKey.project(tenant, id), id, name: `Shop ${ids.length}`, createdAt: at(1).toISOString() });
  }
  for (let night = 1; night <= 2; night++) for (const one of ids) putBackup(night * 9, { projectId: one });
  const report = await read();
  deepEqual([report.backups.completed, report.backups.projects.length], [4_000, 2_000]);
  ok(report.backups.projects.every(({ completed }) => completed === 2));
  for (const text of [JSON.stringify(report), protectionCsv(report), protectionPage(report)])
    ok(JSON.stringify(text).length < 5 * 1_024 * 1_024, 'fits into the response of a Lambda');
});

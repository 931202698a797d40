/** The report of a year that is too long for one request: what the refusal asks for, and that the parts make the whole. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { ApiFailure, joinReports, partsOf } from '../../../shared/client/index.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { newIdOf, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { readProtectionReport } from '../../../shared/report/index.ts';
import { restoreTestKey } from '../../../shared/restore-test/index.ts';
import { backupKey } from '../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../../harness/aws/in-process.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import { sampleRun } from '../../harness/builders/sample-test-run.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
let reads = 0;
table.onRead = () => {
  reads += 1;
  return undefined;
};
answerInProcess(table.script);

const dayMs = 24 * 3_600_000;
const now = new Date('2026-12-31T12:00:00.000Z');
const year = { start: new Date(now.getTime() - 365 * dayMs), end: now };
const generatedBy = { type: 'user', id: 'usr_1', email: 'ada@example.com' } as const;
let tenant: Tenant;
let projectIds: readonly string[];

beforeEach(() => {
  process.env.AUDIT_RETENTION_DAYS = '365';
  table.items.clear();
  table.pageMax = 1_000;
  reads = 0;
  tenant = unsafeTenant(newIdOf('organization', now), 'created');
  projectIds = ['Shop', 'CRM', 'Café'].map((name) => {
    const id = newIdOf('project', year.start);
    table.put({ ...projectKey.project(tenant, id), id, name });
    return id;
  });
});

/** A backup of each project a night; every tenth failed, every seventh is locked. */
const putYear = (): void => {
  for (let day = 0; day < 365; day++)
    for (const [n, projectId] of projectIds.entries()) {
      const at = new Date(year.start.getTime() + day * dayMs + 3_600_000 + n);
      const id = newIdOf('backup', at);
      const { pk, sk } = backupKey.backup(tenant, id);
      const times = { createdAt: at.toISOString(), completedAt: at.toISOString() };
      const isFailed = (day + n) % 10 === 0;
      const error = isFailed ? { code: 'SOURCE_AUTH_ERROR', message: `denied ${day}`, details: {} } : null;
      const lockedUntil = day % 7 === 0 ? new Date(at.getTime() + 90 * dayMs).toISOString() : null;
      table.put({
        ...backupOf({ id, projectId, size: 100 + day, ...times, lockedUntil }),
        ...{ status: isFailed ? 'failed' : 'completed', error, pk, sk },
      });
    }
};

/** A test a week; the same backup may be tested twice. */
const putTests = (): void => {
  for (let week = 0; week < 52; week++) {
    const at = new Date(year.start.getTime() + week * 7 * dayMs);
    const id = newIdOf('restoreTestRun', at);
    const [projectId = ''] = projectIds;
    const more = {
      projectId,
      projectName: 'Shop',
      backupId: `bkp_${week >> 1}`,
      rtoSeconds: week,
      completedAt: at.toISOString(),
    };
    table.put({ ...sampleRun({ id, ...more }), differenceTotal: 0, ...restoreTestKey.run(tenant, id) });
  }
};

const read = (period: { readonly start: Date; readonly end: Date }) =>
  readProtectionReport(tenant, { organization: { id: 'org_1', name: 'Acme' }, generatedBy, period, now });

/** As the client gets it. */
const refusalOf = async (period: typeof year): Promise<ApiFailure> => {
  const error = await read(period).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  ok(error instanceof ApiError, `${error}`);
  const { code, message, details = {} } = error;
  return new ApiFailure({ route: '', status: 400, code, message, details, requestId: null, retryAfter: null });
};

test('long report: the refusal says after a part of the reads how many days fit, and they do', async () => {
  putYear();
  table.pageMax = 1;
  const refusal = await refusalOf(year);
  ok(reads < 250, `${reads} reads in vain`);
  const { maxDays } = refusal.details as { maxDays: number };
  ok(maxDays >= 60 && maxDays <= 133, `${maxDays} days have ${maxDays * 3} backups of at most 400`);
  equal(refusal.message, `from: the period has too many backups for one report; ask for at most ${maxDays} days at a time`);
  for (const { from, to } of partsOf(refusal)) await read({ start: new Date(from), end: new Date(to) });
});

test('long report: the parts of a period, joined, are the report of the period', async () => {
  putYear();
  putTests();
  table.pageMax = 1;
  const parts = partsOf(await refusalOf(year));
  table.pageMax = 1_000;
  const [newest, ...older] = await Promise.all(parts.map(({ from, to }) => read({ start: new Date(from), end: new Date(to) })));
  ok(newest && older.length >= 2);
  deepEqual(joinReports([newest, ...older]), await read(year));
});

test('long report: a day with too many records is refused without an offer', async () => {
  putYear();
  table.pageMax = 1;
  for (let n = 0; n < 900; n++) {
    const id = newIdOf('backup', new Date(now.getTime() - n * 1_000));
    const { pk, sk } = backupKey.backup(tenant, id);
    table.put({ ...backupOf({ id, projectId: projectIds[0] ?? '' }), pk, sk });
  }
  const day = { start: new Date(now.getTime() - dayMs), end: now };
  await rejects(read(day), /^ApiError: from: a day has too many backups for one report/);
  deepEqual(partsOf(await refusalOf(day)), []);
});

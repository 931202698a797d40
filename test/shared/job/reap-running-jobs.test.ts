/** Ten thousand running jobs, and a Step Functions that throttles as AWS does, in virtual time. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type ReapedKind, type RunningJobItem, reapRunningJobs } from '../../../shared/job/index.ts';
import { iso, log, removeAll, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import { answerInProcess } from '../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

log.setLogLevel('SILENT');
const table = new InMemoryTable();
table.pageMax = 100_000;
answerInProcess(table.script);
process.env.TABLE_NAME = 'table';

const jobsMax = 10_000;
const runEverySeconds = 300;

let nowMs: number;
const clock = { now: () => new Date(nowMs) };
const wait = async (ms: number): Promise<void> => {
  nowMs += ms;
};

/** DescribeExecution of an account: 250 calls at once, and ten a second. Others use a third of it. */
const bucket = { tokens: 0, atMs: 0 };
const described = new Map<string, number>();
const takeToken = (): void => {
  const refilled = bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * 10 * (2 / 3);
  Object.assign(bucket, { tokens: Math.min(refilled, 250), atMs: nowMs });
  if (bucket.tokens < 1) throw Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
  bucket.tokens -= 1;
};

interface Job {
  readonly id: string;
  diedAtMs?: number;
  endedAtMs?: number;
}
const jobs = new Map<string, Job>();
type NamedItem = RunningJobItem & { readonly jobId: string };
const keyOf = (id: string) => ({ pk: 'ORG#org_1', sk: `JOB#${id}` });

const kind: ReapedKind<NamedItem, { status: string; completedAt: string | null; seenAt?: string }> = {
  name: 'backup',
  partition: 'RUNNING#TEST',
  clock,
  workflow: {
    describe: async (name) => {
      takeToken();
      described.set(name, (described.get(name) ?? 0) + 1);
      return (jobs.get(name)?.diedAtMs ?? Number.POSITIVE_INFINITY) > nowMs ? 'running' : 'ended';
    },
    start: () => Promise.reject(new Error('nothing is to be started')),
    stop: () => Promise.reject(new Error('nothing is to be stopped')),
  },
  execution: ({ jobId }) => ({ name: jobId, input: {} }),
  recordKey: (_tenant: Tenant, { jobId }) => keyOf(jobId),
  reasonOf: () => ({ code: 'INTERNAL_ERROR', message: 'died' }),
  startFailure: { code: 'INTERNAL_ERROR', message: 'not started' },
  fail: async (_tenant, { jobId }) => {
    jobs.get(jobId)!.endedAtMs = nowMs;
    table.put({ ...keyOf(jobId), status: 'failed', completedAt: iso(clock.now()) });
  },
  cleanUp: async (_tenant, { pk, sk }) => removeAll([{ pk, sk }]),
};

const addJobs = (count: number): void => {
  table.items.clear();
  jobs.clear();
  described.clear();
  nowMs = Date.parse('2026-03-01T00:00:00.000Z');
  Object.assign(bucket, { tokens: 250, atMs: nowMs });
  for (let n = 0; n < count; n++) {
    const id = `bkp_${String(n).padStart(5, '0')}`;
    jobs.set(id, { id });
    table.put({ pk: 'RUNNING#TEST', sk: id, organizationId: 'org_1', jobId: id, since: iso(clock.now()) });
    table.put({ ...keyOf(id), status: 'running', completedAt: null, startedAt: iso(clock.now()) });
  }
};

/** The workers of all jobs that live mark their records. */
const moveAll = (): void => {
  for (const { id, diedAtMs, endedAtMs } of jobs.values())
    if (endedAtMs === undefined)
      table.put({
        ...keyOf(id),
        status: 'running',
        completedAt: null,
        seenAt: iso(new Date(Math.min(diedAtMs ?? nowMs, nowMs))),
      });
};

const runs = async (count: number, between: () => void): Promise<void> => {
  const startMs = nowMs;
  for (let n = 1; n <= count; n++) {
    nowMs = Math.max(nowMs, startMs + n * runEverySeconds * 1_000);
    between();
    const beganMs = nowMs;
    await reapRunningJobs(kind, ({ organizationId }) => unsafeTenant(organizationId, 'record'), wait);
    ok(nowMs - beganMs < runEverySeconds * 1_000, 'a run ends within its time');
  }
};

test('reaper: of 10,000 jobs every dead one is ended within 15 minutes, and those that move are not asked for', async () => {
  addJobs(jobsMax);
  const startMs = nowMs;
  const dying = [...jobs.values()].filter((_, n) => n % 20 === 7);
  for (const [n, job] of dying.entries()) job.diedAtMs = startMs + 200_000 + ((n * 7919) % 280_000);
  await runs(3, moveAll);
  equal(dying.length, 500);
  const slowest = Math.max(...dying.map(({ diedAtMs, endedAtMs }) => (endedAtMs ?? Number.POSITIVE_INFINITY) - diedAtMs!));
  ok(slowest <= 15 * 60_000, `the slowest took ${slowest / 1_000} s`);
  deepEqual([...described.keys()].sort(), dying.map(({ id }) => id).sort());
  equal(table.find('RUNNING#TEST', 'bkp_').length, jobsMax - dying.length);
});

test('reaper: if no job moves, runs do not fail, and each continues where the last one stopped', async () => {
  const count = 1_500;
  addJobs(count);
  bucket.tokens = 0;
  await runs(2, () => undefined);
  ok(described.size > 1_000 && described.size < count, `${described.size} were looked at`);
  deepEqual(new Set(described.values()), new Set([1]));
  await runs(1, () => undefined);
  equal(described.size, count);
});

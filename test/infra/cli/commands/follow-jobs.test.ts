/** bms watch: jobs are told once when they begin and once when they end. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { followJobs, type JobRound } from '../../../../infra/cli/commands/watch/follow-jobs.ts';
import { jobSources } from '../../../../infra/cli/commands/watch/job-sources.ts';
import { openClient } from '../../../../shared/client/index.ts';
import { openScriptedService } from '../../../harness/env/scripted-service.ts';
import { type Stops, stopAll } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

interface Job {
  readonly id: string;
  readonly createdAt: string;
  status: string;
  verification?: { status: string; checkedAt: string } | null;
}

const at = (minute: number): string => `2026-11-16T10:${String(minute).padStart(2, '0')}:00.000Z`;

const openWatch = async () => {
  const jobs = { backups: [] as Job[], restores: [] as Job[], runs: [] as Job[] };
  const filtered = (all: readonly Job[], { status, from = '' }: Readonly<Record<string, string>>) =>
    all
      .filter((job) => (status === undefined || job.status === status) && job.createdAt >= from)
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const full = (job: Job) => ({
    ...job,
    restoreJobId: job.id,
    projectName: 'Shop',
    targetProjectName: 'Shop',
    phase: job.status,
    progress: { percent: 5, documents: 1, totalDocuments: null },
    waitingFor: null,
    startedAt: job.createdAt,
    error: job.status === 'failed' ? { message: 'The bucket is gone' } : null,
  });
  const service = await openScriptedService(stops, ({ path, query }) => {
    const [, id] = /\/((?:bkp|rst|rtr)_\w+)$/.exec(path) ?? [];
    const found = Object.values(jobs)
      .flat()
      .find((job) => job.id === id);
    if (found) return { data: full(found) };
    if (path === '/backups') return { data: filtered(jobs.backups, query).map(full) };
    if (path === '/backups/restore') return { data: filtered(jobs.restores, query).map(full) };
    if (path === '/restore-tests') return { data: [{ id: 'rtp_1', projectId: null }] };
    if (path === '/restore-tests/rtp_1/runs') return { data: filtered(jobs.runs, query).map(full) };
    return undefined;
  });
  const client = openClient({ baseUrl: service.url, retry: { attempts: 1 } });
  const { signal } = new AbortController();
  const sources = jobSources({ client, projectId: undefined, signal }).map((source) => ({ ...source, everyMs: 0 }));
  const rounds = followJobs(sources, signal, 1);
  const next = async (): Promise<JobRound> => (await rounds.next()).value as JobRound;
  const told = async () => (await next()).events.map(({ what, job: { kind, id, status } }) => `${kind} ${id} ${what} ${status}`);
  return { jobs, service, next, told };
};

test('bms watch: a job that is shorter than a round is told, and nothing that had ended before', async () => {
  const { jobs, next, told } = await openWatch();
  const running = { id: 'bkp_2', createdAt: at(1), status: 'running' };
  jobs.backups.push({ id: 'bkp_1', createdAt: at(0), status: 'completed' }, running, {
    id: 'bkp_3',
    createdAt: at(2),
    status: 'failed',
  });
  jobs.restores.push({ id: 'rst_1', createdAt: at(0), status: 'completed' });
  const first = await next();
  deepEqual(
    first.running.map(({ id }) => id),
    ['bkp_2'],
  );
  deepEqual(
    first.events.map(({ what, job }) => [what, job.id]),
    [['started', 'bkp_2']],
  );
  deepEqual(await told(), []);
  jobs.backups.push({ id: 'bkp_4', createdAt: at(3), status: 'failed' });
  jobs.restores.push({ id: 'rst_2', createdAt: at(3), status: 'completed' });
  running.status = 'completed';
  deepEqual((await told()).sort(), [
    'backup bkp_2 ended completed',
    'backup bkp_4 ended failed',
    'backup bkp_4 started failed',
    'restore rst_2 ended completed',
    'restore rst_2 started completed',
  ]);
  deepEqual(await told(), []);
});

test('bms watch: verifications and runs of restore tests are told, a repeated verification again', async () => {
  const { jobs, next, told } = await openWatch();
  const backup: Job = { id: 'bkp_1', createdAt: at(0), status: 'completed', verification: null };
  jobs.backups.push(backup);
  await next();
  const run = { id: 'rtr_1', createdAt: new Date().toISOString(), status: 'running' };
  jobs.runs.push(run);
  backup.verification = { status: 'running', checkedAt: at(5) };
  deepEqual(await told(), ['verification bkp_1 started running', 'restore test rtr_1 started running']);
  backup.verification = { status: 'passed', checkedAt: at(5) };
  run.status = 'passed';
  deepEqual(await told(), ['verification bkp_1 ended passed', 'restore test rtr_1 ended passed']);
  backup.verification = { status: 'failed', checkedAt: at(6) };
  deepEqual(await told(), ['verification bkp_1 started failed', 'verification bkp_1 ended failed']);
  deepEqual(await told(), []);
});

test('bms watch: an outage is told and survived; a refusal is not an outage', async () => {
  const { jobs, service, next, told } = await openWatch();
  const backup = { id: 'bkp_1', createdAt: at(0), status: 'running' };
  jobs.backups.push(backup);
  await next();
  const { answer } = service;
  service.answer = () => ({ status: 503, error: { code: 'SERVICE_UNAVAILABLE', message: 'Busy' } });
  for (let round = 0; round < 3; round++) {
    const { outage, running, events } = await next();
    match(outage?.message ?? '', /Busy/);
    deepEqual([running.length, events.length], [1, 0]);
  }
  backup.status = 'completed';
  service.answer = answer;
  deepEqual(await told(), ['backup bkp_1 ended completed']);
  equal((await next()).outage, undefined);
  service.answer = () => ({ status: 403, error: { code: 'FORBIDDEN', message: 'No' } });
  await rejects(next(), /No/);
});

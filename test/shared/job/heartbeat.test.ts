import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { checkIntervalMs, reportIntervalMs } from '../../../shared/job/heartbeat.ts';
import { JobEndedError, RunControl, withHeartbeat } from '../../../shared/job/index.ts';
import { clock } from '../../../shared/platform/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const controlOf = (): RunControl => new RunControl(new Date(Date.now() + 3_600_000), clock);
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('withHeartbeat: it checks the job while the work runs, and not after it', async () => {
  let checks = 0;
  const checkRunning = async (): Promise<void> => void checks++;
  const result = await withHeartbeat({ checkRunning, control: controlOf(), clock }, async () => {
    await pass(3 * checkIntervalMs);
    return 'done';
  });
  await pass(5 * checkIntervalMs);
  deepEqual([result, checks], ['done', 3]);
});

test('withHeartbeat: a job that has ended stops the run', async () => {
  const control = controlOf();
  const ended = new JobEndedError('cancelled');
  await withHeartbeat({ checkRunning: () => Promise.reject(ended), control, clock }, () => pass(checkIntervalMs));
  equal(control.storing.reason, ended);
});

test('withHeartbeat: any other failure of a check is retried at the next beat', async () => {
  const control = controlOf();
  await withHeartbeat({ checkRunning: () => Promise.reject(new Error('busy')), control, clock }, () => pass(2 * checkIntervalMs));
  equal(control.storing.aborted, false);
});

test('withHeartbeat: progress is reported once it is worth it, else at the report interval', async () => {
  let unreported = 0;
  const reports: number[] = [];
  const report = async (): Promise<void> => {
    reports.push(unreported);
    unreported = 0;
  };
  const options = {
    checkRunning: async () => undefined,
    control: controlOf(),
    clock,
    total: 1_000,
    unreported: () => unreported,
    report,
  };
  await withHeartbeat(options, async () => {
    unreported = 4;
    await pass(checkIntervalMs);
    deepEqual(reports, []);
    unreported = 5;
    await pass(checkIntervalMs);
    deepEqual(reports, [5]);
    unreported = 1;
    await pass(reportIntervalMs + checkIntervalMs);
    deepEqual(reports, [5, 1]);
  });
});

test('withHeartbeat: an error of the work is thrown after the heartbeat has stopped', async () => {
  let checks = 0;
  const checkRunning = async (): Promise<void> => void checks++;
  const work = (): Promise<never> => Promise.reject(new Error('no'));
  await rejects(withHeartbeat({ checkRunning, control: controlOf(), clock }, work), /no/);
  await pass(checkIntervalMs);
  equal(checks, 0);
});

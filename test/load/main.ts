/**
 * `npm run load`: boots a stage and puts it under mixed traffic of several organizations, with backups, restores and webhooks. Kills and
 * restarts the stage in the middle, then checks the guarantees. Clients send without pause and share this machine, so latencies are those
 * of a saturated one. `-- --minutes 60` runs a soak test; load-settings.ts has the other options.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type KillableStage, startKillableStage } from '../harness/faults/killable-stage.ts';
import { startReceiver } from '../harness/stage/receiver.ts';
import { readLoadSettings } from './load-settings.ts';
import { memoryOf } from './memory-of.ts';
import { makeMeter } from './meter.ts';
import { type Moment, memoryGrowth, printEndpoints, printJobs, printResults, printTime } from './report.ts';
import { startLoad } from './start-load.ts';
import { openTenant, type Tenant } from './tenant.ts';
import { verifyLoad, waitForDeliveries } from './verify-load.ts';

/** Delays as in production: retries come after a minute. */
const delayScale = 1;
/** A failed message is delivered again after its visibility timeout: up to six times the minute of its function. */
const deliveryTimeoutMs = 7 * 60_000;
const rowsMin = 12;

const run = async (args: readonly string[]): Promise<boolean> => {
  const settings = readLoadSettings(args);
  const dir = mkdtempSync(join(tmpdir(), 'load-'));
  const say = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`);
  console.log(`Node ${process.version} on ${availableParallelism()} × ${cpus()[0]?.model}; the stage is in ${dir}`);
  let stage: KillableStage = await startKillableStage(dir, undefined, delayScale);
  const receiver = await startReceiver({ forgets: true });
  const meter = makeMeter();
  const tenants: Tenant[] = [];
  for (let n = 0; n < settings.organizations; n++)
    tenants.push(await openTenant(receiver, meter, { ...settings, failsOneOf: 50 }));
  say(`load started: ${JSON.stringify(settings)}`);

  const totalMs = settings.minutes * 60_000;
  const stretchMs = Math.min(10_000, totalMs / rowsMin);
  const killEveryMs = totalMs / (settings.restarts + 1);
  const moments: Moment[] = [];
  const startedMs = performance.now();
  const load = startLoad(tenants, { ...settings, restores: true });
  const counted = (): { jobs: number; deliveries: number } => ({
    jobs: [load.jobs.backups, load.jobs.restores].flatMap((ends) => Object.values(ends)).reduce((sum, count) => sum + count, 0),
    deliveries: tenants.reduce((sum, { received }) => sum + received.count.all, 0),
  });
  let kills = 0;
  let before = counted();
  for (let sinceMs = startedMs; sinceMs - startedMs < totalMs; ) {
    await pause(stretchMs);
    const wasKilled = kills < settings.restarts && performance.now() - startedMs >= (kills + 1) * killEveryMs;
    const memory = await memoryOf(stage.pid);
    if (wasKilled) {
      kills += 1;
      say(`stage killed while ${load.jobs.running} jobs are running`);
      const { ports } = stage;
      await stage.kill();
      stage = await startKillableStage(dir, ports, delayScale);
      say('stage restarted');
    }
    const [nowMs, now] = [performance.now(), counted()];
    moments.push({
      atSeconds: (nowMs - startedMs) / 1_000,
      seconds: (nowMs - sinceMs) / 1_000,
      tally: meter.takeInterval(),
      jobsEnded: now.jobs - before.jobs,
      deliveries: now.deliveries - before.deliveries,
      stageBytes: memory.stage,
      tableBytes: memory.table,
      wasKilled,
    });
    [sinceMs, before] = [nowMs, now];
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  say('stopping the load');
  await load.stop();
  say('waiting for deliveries');
  await waitForDeliveries(tenants, deliveryTimeoutMs);
  const results = [
    ...(await verifyLoad(tenants)),
    {
      guarantee: 'no unexpected outcome: no 5xx except 503, no refusal, no failed job',
      cases: meter.unexpected.length,
      broken: meter.unexpected,
    },
  ];
  printTime(moments);
  printEndpoints(meter, seconds);
  printJobs(load.jobs, tenants, seconds);
  printResults(results);
  const calls = [...meter.endpoints.values()].reduce((sum, { times }) => sum + times.count, 0);
  console.log(`\n${calls} calls in ${seconds.toFixed(0)} s; ${memoryGrowth(moments)}`);
  const isGood = results.every(({ broken }) => broken.length === 0);
  await stage.kill();
  await receiver.stop();
  if (isGood) rmSync(dir, { recursive: true, force: true });
  else console.log(`the stage's state and logs are in ${dir}`);
  return isGood;
};

process.exit((await run(process.argv.slice(2))) ? 0 : 1);

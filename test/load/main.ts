/**
 * `npm run load`: a stage of its own under mixed traffic of several organizations, with backups, restores and a receiver of webhooks,
 * killed and started again in the middle; then, what must be there is looked for. Everyone asks as fast as they are answered and all
 * share this machine, so times are those of a full house. `-- --minutes 60` soaks; settings.ts has the other choices.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type KillableStage, startKillableStage } from '../harness/faults/killable-stage.ts';
import { startReceiver } from '../harness/stage/receiver.ts';
import { judge, settle } from './judgement.ts';
import { startLoad } from './load.ts';
import { memoryOf } from './memory.ts';
import { makeMeter } from './meter.ts';
import { type Moment, memoryGrowth, printEndpoints, printJobs, printTime, printVerdicts } from './report.ts';
import { readLoadSettings } from './settings.ts';
import { openTenant, type Tenant } from './tenant.ts';

/** Times pass as they do in production: retries come after a minute. */
const delayScale = 1;
/** A message whose work failed comes again after its visibility timeout: up to six times the minute that its function has. */
const settleMs = 7 * 60_000;
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
  say(`the load begins: ${JSON.stringify(settings)}`);

  const totalMs = settings.minutes * 60_000;
  const stretchMs = Math.min(10_000, totalMs / rowsMin);
  const killEveryMs = totalMs / (settings.restarts + 1);
  const moments: Moment[] = [];
  const startedMs = performance.now();
  const load = startLoad(tenants, { ...settings, restores: true });
  const counted = (): { jobs: number; deliveries: number } => ({
    jobs: [load.jobs.backups, load.jobs.restores].flatMap((ends) => Object.values(ends)).reduce((sum, count) => sum + count, 0),
    deliveries: tenants.reduce((sum, { hearing }) => sum + hearing.count.came, 0),
  });
  let kills = 0;
  let before = counted();
  for (let sinceMs = startedMs; sinceMs - startedMs < totalMs; ) {
    await pause(stretchMs);
    const wasKilled = kills < settings.restarts && performance.now() - startedMs >= (kills + 1) * killEveryMs;
    const memory = await memoryOf(stage.pid);
    if (wasKilled) {
      kills += 1;
      say(`killed while ${load.jobs.running} jobs are under way`);
      const { ports } = stage;
      await stage.kill();
      stage = await startKillableStage(dir, ports, delayScale);
      say('started again');
    }
    const [nowMs, now] = [performance.now(), counted()];
    moments.push({
      atSeconds: (nowMs - startedMs) / 1_000,
      seconds: (nowMs - sinceMs) / 1_000,
      tally: meter.turn(),
      jobsEnded: now.jobs - before.jobs,
      deliveries: now.deliveries - before.deliveries,
      stageBytes: memory.stage,
      tableBytes: memory.table,
      wasKilled,
    });
    [sinceMs, before] = [nowMs, now];
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  say('nothing new is begun; what is under way ends');
  await load.stop();
  say('waiting for what is not delivered yet');
  await settle(tenants, settleMs);
  const verdicts = [
    ...(await judge(tenants)),
    {
      law: 'nothing else was unexpected: no 5xx but 503, no refusal, no failed job',
      cases: meter.surprises.length,
      broken: meter.surprises,
    },
  ];
  printTime(moments);
  printEndpoints(meter, seconds);
  printJobs(load.jobs, tenants, seconds);
  printVerdicts(verdicts);
  const calls = [...meter.endpoints.values()].reduce((sum, { times }) => sum + times.count, 0);
  console.log(`\n${calls} calls in ${seconds.toFixed(0)} s; ${memoryGrowth(moments)}`);
  const isGood = verdicts.every(({ broken }) => broken.length === 0);
  await stage.kill();
  await receiver.stop();
  if (isGood) rmSync(dir, { recursive: true, force: true });
  else console.log(`the stage's state and logs are in ${dir}`);
  return isGood;
};

process.exit((await run(process.argv.slice(2))) ? 0 : 1);

/** Prints the results of a load as tables. */
import { fixed, printTable, whole } from '../bench/print.ts';
import type { JobCount } from './jobs.ts';
import type { Meter, Tally } from './meter.ts';
import type { Tenant } from './tenant.ts';
import type { GuaranteeResult } from './verify-load.ts';

/** Measurements of one interval. */
export interface Moment {
  readonly atSeconds: number;
  readonly seconds: number;
  readonly tally: Tally;
  readonly jobsEnded: number;
  readonly deliveries: number;
  readonly stageBytes: number;
  readonly tableBytes: number;
  readonly wasKilled: boolean;
}

const mb = (bytes: number): string => (bytes === 0 ? '' : whole(bytes / 1_048_576));
const ms = (value: number): string => (Number.isNaN(value) ? '' : whole(value));

export const printTime = (moments: readonly Moment[]): void =>
  printTable(
    'Over time',
    ['until', 'calls/s', 'p50 ms', 'p99 ms', '5xx', '503', 'no response', 'jobs', 'deliveries', 'stage MB', 'table MB', ''],
    moments.map(({ atSeconds, seconds, tally: { times, outcomes }, ...moment }) => [
      `${whole(atSeconds)} s`,
      fixed(times.count / seconds, 1),
      ms(times.quantile(0.5)),
      ms(times.quantile(0.99)),
      whole(outcomes.failed),
      whole(outcomes.busy),
      whole(outcomes.unavailable),
      whole(moment.jobsEnded),
      whole(moment.deliveries),
      mb(moment.stageBytes),
      mb(moment.tableBytes),
      moment.wasKilled ? 'killed and restarted' : '',
    ]),
  );

export const printEndpoints = ({ endpoints }: Meter, seconds: number): void =>
  printTable(
    'By endpoint',
    ['', 'calls', 'calls/s', 'p50 ms', 'p99 ms', 'max ms', '5xx', '503', '429', 'refused'],
    [...endpoints]
      .sort(([, a], [, b]) => b.times.count - a.times.count)
      .map(([id, { times, outcomes }]) => [
        id,
        whole(times.count),
        fixed(times.count / seconds, 1),
        ...[0.5, 0.99, 1].map((share) => ms(times.quantile(share))),
        ...[outcomes.failed, outcomes.busy, outcomes.rateLimited, outcomes.refused].map(whole),
      ]),
  );

export const printJobs = (jobs: JobCount, tenants: readonly Tenant[], seconds: number): void => {
  const rows = (['backups', 'restores'] as const).map((kind) => {
    const ended = Object.entries(jobs[kind]);
    const count = ended.reduce((sum, [, times]) => sum + times, 0);
    return [kind, whole(count), fixed(count / seconds, 2), ended.map(([how, times]) => `${times} ${how}`).join(', ')];
  });
  const deliveries = tenants.reduce((sum, { received }) => sum + received.count.all, 0);
  const repeated = tenants.reduce((sum, { received }) => sum + received.count.repeated, 0);
  const lags = tenants.map(({ received }) => received.lag);
  const worst = (share: number): string => fixed(Math.max(...lags.map((lag) => lag.quantile(share))) / 1_000, 1);
  const delivered = `p50 ${worst(0.5)} s, p99 ${worst(0.99)} s after the change; ${repeated} repeated`;
  printTable(
    'Work',
    ['', 'count', '/s', ''],
    [...rows, ['deliveries', whole(deliveries), fixed(deliveries / seconds, 2), delivered]],
  );
};

export const printResults = (results: readonly GuaranteeResult[]): void => {
  printTable(
    'Guarantees',
    ['', 'cases', 'violations'],
    results.map(({ guarantee, cases, broken }) => [guarantee, whole(cases), whole(broken.length)]),
  );
  for (const { guarantee, broken } of results)
    for (const each of broken.slice(0, 20)) console.log(`VIOLATION ${guarantee}: ${each}`);
};

/**
 * Growth of the last process's memory: its last third compared with the one before. Unless the load was short, every function has
 * been started by then.
 */
export const memoryGrowth = (moments: readonly Moment[]): string => {
  // The interval of a kill shows the killed process.
  const own = moments.slice(moments.findLastIndex(({ wasKilled }) => wasKilled) + 1);
  const third = Math.floor(own.length / 3);
  if (third === 0) return 'too short to say how memory grows';
  const mean = (some: readonly Moment[], of: (moment: Moment) => number): number =>
    some.reduce((sum, moment) => sum + of(moment), 0) / some.length;
  const [before, after] = [own.slice(-2 * third, -third), own.slice(-third)];
  const [bytesBefore, bytesAfter] = [before, after].map((some) => mean(some, ({ stageBytes }) => stageBytes)) as [number, number];
  const minutes = (mean(after, ({ atSeconds }) => atSeconds) - mean(before, ({ atSeconds }) => atSeconds)) / 60;
  const perMinute = (bytesAfter - bytesBefore) / 1_048_576 / minutes;
  return `memory of the stage: ${mb(bytesBefore)} MB in the second last third of its run, ${mb(bytesAfter)} MB in the last, ${fixed(perMinute, 1)} MB a minute`;
};

/** A function nobody calls over HTTP, as its row in the contract describes it, with an alarm for its failures. */
import { Duration } from 'aws-cdk-lib';
import type { Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type Worker, type WorkerName, workers } from '../../../shared/contract/runtime/workers.ts';
import { capital, kebab } from '../names.ts';
import { addAlarm, alarmPeriod } from '../observe/alarm.ts';
import { runRetries } from '../trigger/periodic-trigger.ts';
import { type FnProps, makeFunction } from './lambda-function.ts';

/** The longest that Lambda lets a function run. */
const longSeconds = 900;

export interface WorkerProps extends Pick<FnProps, 'parts' | 'code' | 'logGroup' | 'trigger' | 'concurrencyMax'> {
  readonly topic: ITopic;
}

export const makeWorker = (scope: Construct, name: WorkerName, { topic, ...rest }: WorkerProps): Fn => {
  const worker: Worker = workers[name];
  const fn = makeFunction(scope, capital(name), {
    entry: worker.entry,
    exportName: 'handler',
    description: worker.summary,
    timeoutSeconds: worker.timeoutSeconds,
    memoryMegabytes: worker.memoryMegabytes,
    capabilities: worker.capabilities,
    sendsToItself: worker.sendsToItself,
    ...rest,
  });
  addAlarm(scope, {
    name: `${kebab(name)}-errors`,
    says: `The function ${name} fails again and again`,
    ...(worker.trigger === 'clock'
      ? // It runs at intervals, so it never fails for long: it rings when a run and all its retries failed.
        { metric: fn.metricErrors({ period: Duration.minutes(15), statistic: 'Sum' }), above: runRetries }
      : worker.timeoutSeconds >= longSeconds && worker.trigger === 'queue'
        ? // What runs for a quarter of an hour fails seldom in periods that follow each other.
          { metric: fn.metricErrors({ period: Duration.hours(1), statistic: 'Sum' }), above: 2 }
        : // One failure is retried; three periods in a row are not luck.
          { metric: fn.metricErrors({ period: alarmPeriod, statistic: 'Sum' }), above: 0, periods: 3 }),
    topic,
  });
  return fn;
};

/** A function that is not called over HTTP, configured by its row in the contract, with an alarm for failures. */
import { Duration } from 'aws-cdk-lib';
import type { Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type Worker, type WorkerName, workers } from '../../../shared/contract/runtime/workers.ts';
import { kebabCase, pascalCase } from '../name-case.ts';
import { addAlarm, alarmPeriod } from '../observe/alarm.ts';
import { runRetries } from '../trigger/periodic-trigger.ts';
import { type FnProps, makeFunction } from './lambda-function.ts';

/** Lambda's maximum. */
const longSeconds = 900;

interface WorkerProps extends Pick<FnProps, 'parts' | 'code' | 'logGroup' | 'trigger' | 'concurrencyMax' | 'environment'> {
  readonly topic: ITopic;
}

export const makeWorker = (scope: Construct, name: WorkerName, { topic, ...rest }: WorkerProps): Fn => {
  const worker: Worker = workers[name];
  const fn = makeFunction(scope, pascalCase(name), {
    entry: worker.entry,
    exportName: worker.handler ?? 'handler',
    description: worker.summary,
    timeoutSeconds: worker.timeoutSeconds,
    memoryMegabytes: worker.memoryMegabytes,
    capabilities: worker.capabilities,
    ...rest,
    sendsToItself: worker.sendsToItself || rest.environment?.WORK_QUEUE_URL !== undefined,
  });
  addAlarm(scope, {
    name: `${kebabCase(name)}-errors`,
    description: `The function ${name} fails repeatedly`,
    ...(worker.trigger === 'clock'
      ? // Runs at intervals: the alarm fires when one run and all its retries fail.
        { metric: fn.metricErrors({ period: Duration.minutes(15), statistic: 'Sum' }), above: runRetries }
      : worker.timeoutSeconds >= longSeconds && worker.trigger === 'queue'
        ? // Runs of up to 15 minutes rarely fail in consecutive periods.
          { metric: fn.metricErrors({ period: Duration.hours(1), statistic: 'Sum' }), above: 2 }
        : // Single failures are retried; failures in three consecutive periods are not.
          { metric: fn.metricErrors({ period: alarmPeriod, statistic: 'Sum' }), above: 0, periods: 3 }),
    topic,
  });
  return fn;
};

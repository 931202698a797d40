/** The standard queue: encrypted, TLS only, with a dead-letter queue that has an alarm. */
import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type AlarmProps, addAlarm, alarmPeriod } from '../observe/alarm.ts';

/** SQS's maximum: time to investigate, repair and redrive. */
const keptDays = 14;
/** Lambda receives messages before it has capacity for them; with fewer receives, load alone would dead-letter them. */
export const receivesMax = 5;
/** AWS's recommendation for a queue trigger: leaves room for Lambda's own retries of a throttled batch. */
const visibilityPerTimeout = 6;

/** The dead-letter queue of `name`; its first message raises the alarm. */
export const makeDeadLetterQueue = (scope: Construct, id: string, props: { name: string; topic: ITopic }): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(keptDays),
  });
  addAlarm(scope, {
    name: `${props.name}-dead-letters`,
    description: `Messages of ${props.name} failed permanently and are in its dead-letter queue`,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: 'Maximum' }),
    above: 0,
    topic: props.topic,
  });
  return queue;
};

interface WorkQueueProps {
  readonly name: string;
  /** Timeout of the worker. */
  readonly timeoutSeconds: number;
  /** The alarm fires when a message has waited this much longer than one failed attempt takes. Undefined: when some always wait. */
  readonly waitMaxSeconds: number | undefined;
  readonly topic: ITopic;
}

export const makeWorkQueue = (scope: Construct, id: string, props: WorkQueueProps): Queue => {
  const visibilitySeconds = props.timeoutSeconds * visibilityPerTimeout;
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(keptDays),
    visibilityTimeout: Duration.seconds(visibilitySeconds),
    deadLetterQueue: {
      queue: makeDeadLetterQueue(scope, `${id}DeadLetters`, { name: props.name, topic: props.topic }),
      maxReceiveCount: receivesMax,
    },
  });
  addAlarm(scope, { name: `${props.name}-backlog`, ...backlogOf(queue, props, visibilitySeconds), topic: props.topic });
  return queue;
};

/**
 * A failed message returns after the visibility timeout, and its age counts from when it was sent. So the threshold is above that
 * timeout: one failed attempt that succeeds when repeated is no backlog.
 */
const backlogOf = (
  queue: Queue,
  { name, waitMaxSeconds }: WorkQueueProps,
  visibilitySeconds: number,
): Pick<AlarmProps, 'description' | 'metric' | 'above' | 'periods'> =>
  waitMaxSeconds === undefined
    ? {
        description: `Messages of ${name} are not received`,
        metric: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: 'Minimum' }),
        above: 0,
        periods: 3,
      }
    : {
        description: `The oldest message of ${name} has waited more than ${waitMaxSeconds + visibilitySeconds} s`,
        metric: queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod, statistic: 'Maximum' }),
        above: waitMaxSeconds + visibilitySeconds,
      };

/** A queue as all of ours are: encrypted, TLS only, and with a place for what could not be done, which rings. */
import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type AlarmProps, addAlarm, alarmPeriod } from '../observe/alarm.ts';

/** The longest SQS keeps a message: time to look, repair and send it again. */
const keptDays = 14;
/** Lambda's poller takes messages it then has no room for; below 5 a busy hour alone would fill the dead letters. */
const receivesMax = 5;
/** What AWS asks of a queue that feeds a function: room for the function's own retries of a throttled batch. */
const visibilityPerTimeout = 6;

/** Where the messages go that `name` could not handle; one is enough to ring. */
export const makeDeadLetters = (scope: Construct, id: string, props: { name: string; topic: ITopic }): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(keptDays),
  });
  addAlarm(scope, {
    name: `${props.name}-dead-letters`,
    says: `Work of ${props.name} was given up and waits in its dead-letter queue`,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: 'Maximum' }),
    above: 0,
    topic: props.topic,
  });
  return queue;
};

export interface WorkQueueProps {
  readonly name: string;
  /** Of the function that works on it. */
  readonly timeoutSeconds: number;
  /** It rings when a message has waited longer; without it, when there was always one that nobody took. */
  readonly waitMaxSeconds: number | undefined;
  readonly topic: ITopic;
}

export const makeWorkQueue = (scope: Construct, id: string, props: WorkQueueProps): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(keptDays),
    visibilityTimeout: Duration.seconds(props.timeoutSeconds * visibilityPerTimeout),
    deadLetterQueue: {
      queue: makeDeadLetters(scope, `${id}DeadLetters`, { name: props.name, topic: props.topic }),
      maxReceiveCount: receivesMax,
    },
  });
  addAlarm(scope, { name: `${props.name}-backlog`, ...backlogOf(queue, props), topic: props.topic });
  return queue;
};

/** A message that is worked on for long counts as old, and one whose worker died for longer still; neither is one that nobody takes. */
const backlogOf = (
  queue: Queue,
  { name, waitMaxSeconds }: WorkQueueProps,
): Pick<AlarmProps, 'says' | 'metric' | 'above' | 'periods'> =>
  waitMaxSeconds === undefined
    ? {
        says: `Messages of ${name} are not taken`,
        metric: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: 'Minimum' }),
        above: 0,
        periods: 3,
      }
    : {
        says: `The oldest message of ${name} has waited more than ${waitMaxSeconds} s`,
        metric: queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod, statistic: 'Maximum' }),
        above: waitMaxSeconds,
      };

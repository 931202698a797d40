/** What feeds functions: the table's stream and the queues. What a function cannot take is kept, tried again, and put aside. */

import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, type Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { capital, kebab } from '../names.ts';
import { addAlarm, alarmPeriod } from '../observe/alarm.ts';
import { allow } from '../policy-statements.ts';

export interface StreamFeedProps {
  readonly name: string;
  readonly streamArn: string;
  /** Only new items whose sort key begins with one of these wake the function; every other change of the table costs nothing. */
  readonly prefixes: readonly string[];
  readonly batchSize: number;
  readonly deadLetters: Queue;
  readonly topic: ITopic;
}

/** No limit: counted tries are over within minutes of a bad deployment, and what is given up has to be sent by hand. Age ends them. */
const streamRetries = -1;
/** Time to be woken and to repair; the stream itself forgets after 24 h. */
const recordAgeMaxSeconds = 6 * 3_600;
const recordWaitMaxSeconds = 900;

/**
 * What is slow holds up everything behind it in its shard, whoever's it is, and what waits too long is gone: a reader hands on to
 * queues, at the same small price for every record, and leaves the work to those who read there. A shard serves two readers well,
 * and no more.
 */
export const feedFromStream = (scope: Construct, target: Fn, props: StreamFeedProps): void => {
  const pattern = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: props.prefixes.map((prefix) => ({ prefix })) } } } };
  // Records the function could not hand on are no error of it; this hears of them too.
  addAlarm(scope, {
    name: `${kebab(props.name)}-late`,
    says: `The oldest record of the stream has waited more than ${recordWaitMaxSeconds} s for ${props.name}`,
    metric: target.metric('IteratorAge', { period: alarmPeriod, statistic: 'Maximum' }),
    above: recordWaitMaxSeconds * 1_000,
    topic: props.topic,
  });
  new CfnEventSourceMapping(scope, `${capital(props.name)}Feed`, {
    functionName: target.functionName,
    eventSourceArn: props.streamArn,
    startingPosition: 'TRIM_HORIZON',
    batchSize: props.batchSize,
    bisectBatchOnFunctionError: true,
    maximumRetryAttempts: streamRetries,
    maximumRecordAgeInSeconds: recordAgeMaxSeconds,
    functionResponseTypes: ['ReportBatchItemFailures'],
    destinationConfig: { onFailure: { destination: props.deadLetters.queueArn } },
    filterCriteria: { filters: [{ pattern: JSON.stringify(pattern) }] },
  });
};

export interface QueueFeedProps {
  readonly name: string;
  readonly queue: Queue;
  readonly batchSize: number;
  readonly concurrencyMax: number;
}

export const addQueueTrigger = (scope: Construct, target: Fn, props: QueueFeedProps): void => {
  new CfnEventSourceMapping(scope, `${capital(props.name)}Feed`, {
    functionName: target.functionName,
    eventSourceArn: props.queue.queueArn,
    batchSize: props.batchSize,
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: props.concurrencyMax },
  });
};

/** A mapping reads its source with the function's own role; these are what Lambda's documentation asks for. */
export const readStream = (streamArn: string): PolicyStatement =>
  allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'], [streamArn]);

export const readQueue = ({ queueArn }: Queue): PolicyStatement =>
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queueArn]);

/** What a function cannot handle is put aside with its own permission. */
export const allowDeadLetter = ({ queueArn }: Queue): PolicyStatement => allow(['sqs:SendMessage'], [queueArn]);

/** Triggers from the table's stream and from queues. Failed records and messages are retried and then dead-lettered. */

import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, type Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { allow, leadingKeysLike } from '../allow.ts';
import { kebabCase, pascalCase } from '../name-case.ts';
import { addAlarm, alarmPeriod } from '../observe/alarm.ts';

export interface StreamTriggerProps {
  readonly name: string;
  readonly streamArn: string;
  /** Only inserted items whose sort key has one of these prefixes invoke the function; other changes cost nothing. */
  readonly prefixes: readonly string[];
  readonly batchSize: number;
  readonly deadLetters: Queue;
  readonly topic: ITopic;
}

/**
 * Unlimited retries until the maximum age: after a bad deployment a fixed number would be used up within minutes, and
 * dead-lettered records have to be resent by hand.
 */
const streamRetries = -1;
/** Time to notice and repair; the stream itself keeps 24 h. */
const recordAgeMaxSeconds = 6 * 3_600;
const recordWaitMaxSeconds = 900;

/**
 * A slow record delays everything behind it in its shard, across organizations, and records that wait too long are lost. So a
 * stream consumer only forwards to queues, at the same small cost per record. A shard supports two consumers.
 */
export const addStreamTrigger = (scope: Construct, target: Fn, props: StreamTriggerProps): void => {
  const pattern = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: props.prefixes.map((prefix) => ({ prefix })) } } } };
  // Records that the function could not forward are no function errors; this alarm covers them.
  addAlarm(scope, {
    name: `${kebabCase(props.name)}-late`,
    description: `The oldest stream record has waited more than ${recordWaitMaxSeconds} s for ${props.name}`,
    metric: target.metric('IteratorAge', { period: alarmPeriod, statistic: 'Maximum' }),
    above: recordWaitMaxSeconds * 1_000,
    topic: props.topic,
  });
  new CfnEventSourceMapping(scope, `${pascalCase(props.name)}Feed`, {
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

interface QueueTriggerProps {
  readonly name: string;
  readonly queue: Queue;
  readonly batchSize: number;
  readonly concurrencyMax: number;
}

export const addQueueTrigger = (scope: Construct, target: Fn, props: QueueTriggerProps): void => {
  new CfnEventSourceMapping(scope, `${pascalCase(props.name)}Feed`, {
    functionName: target.functionName,
    eventSourceArn: props.queue.queueArn,
    batchSize: props.batchSize,
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: props.concurrencyMax },
  });
};

/** A mapping reads its source with the function's role; Lambda's documentation requires these actions. */
export const readStream = (streamArn: string): PolicyStatement =>
  allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'], [streamArn]);

export const readQueue = ({ queueArn }: Queue): PolicyStatement =>
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queueArn]);

/** A queue worker of a small account takes a slot, or returns its messages to the queue. */
export const shareSlots = (tableArn: string, { queueArn }: Queue): readonly PolicyStatement[] => [
  allow(['dynamodb:BatchGetItem', 'dynamodb:PutItem'], [tableArn], leadingKeysLike('SLOTS')),
  allow(['sqs:SendMessage'], [queueArn]),
];

/** Lambda sends failed records with the function's own permission. */
export const allowDeadLetter = ({ queueArn }: Queue): PolicyStatement => allow(['sqs:SendMessage'], [queueArn]);

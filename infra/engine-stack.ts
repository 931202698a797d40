/** What works behind the API: the stream's fan-out, the task queue and its worker, the clock and the purge workflow. */
import { Duration, Lazy, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type WorkerName, workers } from '../shared/contract/workers.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { addAlarm, alarmPeriod } from './part/alarm.ts';
import { everyHour, runRetries } from './part/clock.ts';
import { type CodeOf, makeFunction } from './part/fn.ts';
import type { Parts } from './part/grant.ts';
import { makeLogGroup } from './part/log.ts';
import { makeDeadLetters, makeWorkQueue } from './part/queue.ts';
import { settingsOf } from './part/setting.ts';
import { makeWorkflow } from './part/workflow.ts';
import { purgeDefinition } from './workflow/purge.ts';

export interface EngineStackProps extends StackProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly code: CodeOf;
}

/** A task that waits longer than this is late: mail is expected within minutes. */
const taskWaitMaxSeconds = 900;
/** Tasks are small; ten of them fit well into the worker's time, and SQS sends no more without a wait. */
const taskBatch = 10;
/** Mappings of queues scale from 2. */
const taskConcurrencyMax = 5;
const fanOutBatch = 100;
/** No limit: counted tries are over within minutes of a bad deployment, and what is given up has to be sent by hand. Age ends them. */
const fanOutRetries = -1;
/** Time to be woken and to repair; the stream itself forgets after 24 h. */
const fanOutAgeMaxSeconds = 6 * 3_600;
const fanOutWaitMaxSeconds = 900;

export class EngineStack extends Stack {
  readonly parts: Parts;
  readonly #props: EngineStackProps;
  readonly #logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: EngineStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    const { alarms: topic } = props.data;
    const queue = makeWorkQueue(this, 'Tasks', {
      name: 'task',
      timeoutSeconds: workers.task.timeoutSeconds,
      waitMaxSeconds: taskWaitMaxSeconds,
      topic,
    });
    // The worker that starts the workflow and the workflow itself share these parts, so its name comes late.
    const workflowArn = Lazy.string({ produce: () => workflow.attrArn });
    this.parts = this.#makeParts(queue, workflowArn);
    const purge = this.#makeWorker('purge');
    const workflow = makeWorkflow(this, 'PurgeWorkflow', {
      name: 'purge',
      steps: [purge],
      definition: purgeDefinition(purge.functionArn, workers.purge.timeoutSeconds),
      topic,
    });
    this.#feedFromStream();
    this.#feedFromQueue(queue);
    const deadLetters = makeDeadLetters(this, 'SweepDeadLetters', { name: 'sweep', topic });
    const sweep = this.#makeWorker('sweep', [sendTo(deadLetters)]);
    everyHour(this, 'Sweep', { name: 'sweep', target: sweep, deadLetters });
  }

  #makeParts(queue: Queue, purgeWorkflowArn: string): Parts {
    const { config, data } = this.#props;
    return {
      tableName: data.table.tableName,
      tableArn: data.table.tableArn,
      tokenKeyArns: data.tokenKeyArns,
      secretsKeyArn: data.secretsKey.keyArn,
      serviceSecretArn: data.serviceSecret.secretArn,
      identitySecretArn: data.identitySecret.secretArn,
      taskQueueUrl: queue.queueUrl,
      taskQueueArn: queue.queueArn,
      purgeWorkflowArn,
      mailArns: ['identity', 'configuration-set'].map((resource) =>
        this.formatArn({ service: 'ses', resource, resourceName: '*' }),
      ),
      settings: settingsOf(config, data.publicUrl),
    };
  }

  #makeWorker(name: WorkerName, trigger: readonly PolicyStatement[] = []): lambda.Function {
    const worker = workers[name];
    const fn = makeFunction(
      this,
      name.replace(/^./, (letter) => letter.toUpperCase()),
      {
        entry: worker.entry,
        exportName: 'handler',
        description: worker.summary,
        timeoutSeconds: worker.timeoutSeconds,
        uses: worker.uses,
        parts: this.parts,
        code: this.#props.code,
        logGroup: this.#logGroup,
        trigger,
      },
    );
    addAlarm(this, {
      name: `${kebab(name)}-errors`,
      says: `The function ${name} fails again and again`,
      ...(worker.trigger === 'clock'
        ? // It runs once an hour, so it never fails for long: it rings when a run and all its retries failed.
          { metric: fn.metricErrors({ period: Duration.minutes(15), statistic: 'Sum' }), above: runRetries }
        : // One failure is retried; three periods in a row are not luck.
          { metric: fn.metricErrors({ period: alarmPeriod, statistic: 'Sum' }), above: 0, periods: 3 }),
      topic: this.#props.data.alarms,
    });
    return fn;
  }

  /** Tasks leave the table with the transaction that asked for them. */
  #feedFromStream(): void {
    const streamArn = this.#props.data.table.tableStreamArn ?? '';
    const deadLetters = makeDeadLetters(this, 'FanOutDeadLetters', { name: 'fan-out', topic: this.#props.data.alarms });
    const fanOut = this.#makeWorker('fanOut', [
      new PolicyStatement({
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
        resources: [streamArn],
      }),
      sendTo(deadLetters),
    ]);
    // Records the queue did not take are no error of the function; this hears of them too.
    addAlarm(this, {
      name: 'fan-out-late',
      says: `The oldest record of the stream has waited more than ${fanOutWaitMaxSeconds} s`,
      metric: fanOut.metric('IteratorAge', { period: alarmPeriod, statistic: 'Maximum' }),
      above: fanOutWaitMaxSeconds * 1_000,
      topic: this.#props.data.alarms,
    });
    new lambda.CfnEventSourceMapping(this, 'FanOutFeed', {
      functionName: fanOut.functionName,
      eventSourceArn: streamArn,
      startingPosition: 'TRIM_HORIZON',
      batchSize: fanOutBatch,
      bisectBatchOnFunctionError: true,
      maximumRetryAttempts: fanOutRetries,
      maximumRecordAgeInSeconds: fanOutAgeMaxSeconds,
      functionResponseTypes: ['ReportBatchItemFailures'],
      destinationConfig: { onFailure: { destination: deadLetters.queueArn } },
      filterCriteria: { filters: [{ pattern: JSON.stringify(newTask) }] },
    });
  }

  #feedFromQueue(queue: Queue): void {
    const task = this.#makeWorker('task', [
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
        resources: [queue.queueArn],
      }),
    ]);
    new lambda.CfnEventSourceMapping(this, 'TaskFeed', {
      functionName: task.functionName,
      eventSourceArn: queue.queueArn,
      batchSize: taskBatch,
      functionResponseTypes: ['ReportBatchItemFailures'],
      // A burst of invitations must not use up the account's concurrency, nor what SES sends a second.
      scalingConfig: { maximumConcurrency: taskConcurrencyMax },
    });
  }
}

/** Only new outbox items wake the fan-out; every other change of the table costs nothing. */
const newTask = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'TASK#' }] } } } };

/** What a function cannot handle is put aside with its own permission. */
const sendTo = (deadLetters: Queue): PolicyStatement =>
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] });

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

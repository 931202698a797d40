/** What works behind the API: the stream's fan-out, the queues and their workers, the clocks and the workflows. */
import { Duration, Lazy, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type WorkerName, workers } from '../shared/contract/workers.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { addAlarm, alarmPeriod } from './part/alarm.ts';
import { runRetries, startByClock } from './part/clock.ts';
import { type CodeOf, makeFunction } from './part/fn.ts';
import type { Parts } from './part/grant.ts';
import { makeLogGroup } from './part/log.ts';
import { countLines, linesCounted } from './part/log-count.ts';
import { makeDeadLetters, makeWorkQueue } from './part/queue.ts';
import { settingsOf } from './part/setting.ts';
import { makeWorkflow } from './part/workflow.ts';
import { backupDefinition, backupSteps } from './workflow/backup.ts';
import { purgeDefinition } from './workflow/purge.ts';
import { restoreDefinition, restoreSteps } from './workflow/restore.ts';
import type { Step } from './workflow/step.ts';
import { verifyDefinition } from './workflow/verify.ts';

export interface EngineStackProps extends StackProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly code: CodeOf;
}

/** A task that waits longer than this is late: mail is expected within minutes. */
const taskWaitMaxSeconds = 900;
/** Nobody waits for a chore, and a burst of them (an organization that tidies up) may take an hour. */
const choreWaitMaxSeconds = 3_600;
/**
 * Tasks are small; ten of them fit well into the worker's time, and SQS sends no more without a wait. A chore may take all of its
 * worker's time, and comes alone. What runs at once must not use up the account's concurrency, nor what SES sends a second.
 */
const feeds = { task: { batchSize: 10, concurrencyMax: 5 }, chore: { batchSize: 1, concurrencyMax: 10 } } as const;
type QueueName = keyof typeof feeds;
const fanOutBatch = 100;
/** No limit: counted tries are over within minutes of a bad deployment, and what is given up has to be sent by hand. Age ends them. */
const fanOutRetries = -1;
/** Time to be woken and to repair; the stream itself forgets after 24 h. */
const fanOutAgeMaxSeconds = 6 * 3_600;
const fanOutWaitMaxSeconds = 900;

const workflowNames = ['purge', 'backup', 'verify', 'restore'] as const;
type WorkflowName = (typeof workflowNames)[number];
type WorkflowArns = Pick<Parts, `${WorkflowName}WorkflowArn`>;

export class EngineStack extends Stack {
  readonly parts: Parts;
  readonly #props: EngineStackProps;
  readonly #logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: EngineStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    const { alarms: topic } = props.data;
    const queues = {
      task: makeWorkQueue(this, 'Tasks', {
        name: 'task',
        timeoutSeconds: workers.task.timeoutSeconds,
        waitMaxSeconds: taskWaitMaxSeconds,
        topic,
      }),
      chore: makeWorkQueue(this, 'Chores', {
        name: 'chore',
        timeoutSeconds: workers.chore.timeoutSeconds,
        waitMaxSeconds: choreWaitMaxSeconds,
        topic,
      }),
    };
    // The worker that starts a workflow and the workflow itself share these parts, so its name comes late.
    const arns = Object.fromEntries(
      workflowNames.map((name) => [`${name}WorkflowArn`, Lazy.string({ produce: () => made.get(name)?.attrArn })]),
    ) as WorkflowArns;
    const made = new Map<WorkflowName, CfnStateMachine>();
    this.parts = this.#makeParts(queues, arns);
    made.set('purge', this.#makeWorkflow('purge', purgeDefinition, ['purge']));
    made.set('backup', this.#makeWorkflow('backup', backupDefinition, backupSteps, true));
    made.set('verify', this.#makeWorkflow('verify', verifyDefinition, ['backupVerify']));
    made.set('restore', this.#makeWorkflow('restore', restoreDefinition, restoreSteps, true));
    this.#feedFromStream();
    this.#feedFromQueue('task', queues.task);
    this.#feedFromQueue('chore', queues.chore);
    this.#startByClock('sweep', 'rate(1 hour)');
    this.#startByClock('backupReap', 'rate(5 minutes)');
    this.#startByClock('restoreReap', 'rate(5 minutes)');
    this.#watchKeys();
  }

  #makeWorkflow<S extends WorkerName>(
    name: WorkflowName,
    define: (steps: Readonly<Record<S, Step>>) => object,
    steps: readonly S[],
    isDistributed = false,
  ): CfnStateMachine {
    const functions = Object.fromEntries(steps.map((step) => [step, this.#makeWorker(step)])) as Record<S, lambda.Function>;
    const named = Object.fromEntries(
      steps.map((step) => [step, { arn: functions[step].functionArn, timeoutSeconds: workers[step].timeoutSeconds }]),
    ) as Record<S, Step>;
    return makeWorkflow(this, `${capital(name)}Workflow`, {
      name,
      steps: Object.values(functions),
      definition: define(named),
      topic: this.#props.data.alarms,
      isDistributed,
    });
  }

  /** A key that is disabled or to be deleted takes all backups with it, and within days there is no way back. */
  #watchKeys(): void {
    countLines(this.#logGroup, 'keyRefused');
    addAlarm(this, {
      name: 'key-refused',
      says: 'KMS refuses the key of a backup',
      metric: linesCounted('keyRefused'),
      above: 0,
      topic: this.#props.data.alarms,
    });
  }

  #makeParts({ task, chore }: Readonly<Record<QueueName, Queue>>, workflowArns: WorkflowArns): Parts {
    const { config, data } = this.#props;
    return {
      tableName: data.table.tableName,
      tableArn: data.table.tableArn,
      tokenKeyArns: data.tokenKeyArns,
      secretsKeyArn: data.secretsKey.keyArn,
      serviceSecretArn: data.serviceSecret.secretArn,
      identitySecretArn: data.identitySecret.secretArn,
      taskQueueUrl: task.queueUrl,
      taskQueueArn: task.queueArn,
      choreQueueUrl: chore.queueUrl,
      choreQueueArn: chore.queueArn,
      ...workflowArns,
      dataKeyArn: data.dataKey.keyArn,
      mailArns: ['identity', 'configuration-set'].map((resource) =>
        this.formatArn({ service: 'ses', resource, resourceName: '*' }),
      ),
      settings: settingsOf(config, data.publicUrl),
    };
  }

  #makeWorker(name: WorkerName, trigger: readonly PolicyStatement[] = []): lambda.Function {
    const worker = workers[name];
    const fn = makeFunction(this, capital(name), {
      entry: worker.entry,
      exportName: 'handler',
      description: worker.summary,
      timeoutSeconds: worker.timeoutSeconds,
      memoryMegabytes: 'memoryMegabytes' in worker ? worker.memoryMegabytes : undefined,
      uses: worker.uses,
      parts: this.parts,
      code: this.#props.code,
      logGroup: this.#logGroup,
      trigger,
    });
    addAlarm(this, {
      name: `${kebab(name)}-errors`,
      says: `The function ${name} fails again and again`,
      ...(worker.trigger === 'clock'
        ? // It runs at intervals, so it never fails for long: it rings when a run and all its retries failed.
          { metric: fn.metricErrors({ period: Duration.minutes(15), statistic: 'Sum' }), above: runRetries }
        : // One failure is retried; three periods in a row are not luck.
          { metric: fn.metricErrors({ period: alarmPeriod, statistic: 'Sum' }), above: 0, periods: 3 }),
      topic: this.#props.data.alarms,
    });
    return fn;
  }

  #startByClock(name: WorkerName, rate: string): void {
    const shown = kebab(name);
    const deadLetters = makeDeadLetters(this, `${capital(name)}DeadLetters`, { name: shown, topic: this.#props.data.alarms });
    const target = this.#makeWorker(name, [sendTo(deadLetters)]);
    startByClock(this, capital(name), { name: shown, rate, target, deadLetters });
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

  #feedFromQueue(name: QueueName, queue: Queue): void {
    const { batchSize, concurrencyMax } = feeds[name];
    const worker = this.#makeWorker(name, [
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
        resources: [queue.queueArn],
      }),
    ]);
    new lambda.CfnEventSourceMapping(this, `${capital(name)}Feed`, {
      functionName: worker.functionName,
      eventSourceArn: queue.queueArn,
      batchSize,
      functionResponseTypes: ['ReportBatchItemFailures'],
      scalingConfig: { maximumConcurrency: concurrencyMax },
    });
  }
}

/** Only new outbox items wake the fan-out; every other change of the table costs nothing. */
const newTask = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'TASK#' }] } } } };

/** What a function cannot handle is put aside with its own permission. */
const sendTo = (deadLetters: Queue): PolicyStatement =>
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] });

const capital = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

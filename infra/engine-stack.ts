/** Everything behind the API: the stream consumer, the queues and workers, the periodic triggers and the workflows. */
import { Lazy, Stack, type StackProps } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { logLines } from '../shared/contract/runtime/alarm-log-lines.ts';
import { type WorkerName, workers } from '../shared/contract/runtime/workers.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { queueConcurrency, reservedFor } from './part/function/concurrency.ts';
import type { CodeOf } from './part/function/lambda-function.ts';
import { settingsOf } from './part/function/settings-variables.ts';
import { makeWorker } from './part/function/worker.ts';
import { capital, kebab } from './part/names.ts';
import { addAlarm } from './part/observe/alarm.ts';
import { makeLogGroup } from './part/observe/log-group.ts';
import { countLines, linesCounted } from './part/observe/log-metric-filter.ts';
import type { ResourceNames } from './part/resource-names.ts';
import { type DelayedMessages, makeLater } from './part/trigger/delayed-messages.ts';
import {
  addQueueTrigger,
  allowDeadLetter,
  feedFromStream,
  readQueue,
  readStream,
  type StreamFeedProps,
} from './part/trigger/event-sources.ts';
import { addPeriodicTrigger } from './part/trigger/periodic-trigger.ts';
import { makeDeadLetters, makeWorkQueue } from './part/trigger/queue-with-dlq.ts';
import { makeWorkflow } from './part/trigger/state-machine.ts';
import { type QueueName, queueNames, queues } from './part/trigger/work-queue-specs.ts';
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

/** Ten concurrent queue calls of about 50 ms: 2,000 records per second and shard. A shard takes 1,000 writes. */
const fanOutBatch = 100;

const workflowNames = ['purge', 'backup', 'verify', 'restore'] as const;
type WorkflowName = (typeof workflowNames)[number];
type Laters = Readonly<Record<'retries' | 'ticks', DelayedMessages>>;
type WorkflowArns = Pick<ResourceNames, `${WorkflowName}WorkflowArn`>;

export class EngineStack extends Stack {
  readonly parts: ResourceNames;
  readonly #props: EngineStackProps;
  readonly #logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: EngineStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    const made = Object.fromEntries(queueNames.map((name) => [name, this.#makeQueue(name)])) as Record<QueueName, Queue>;
    const retries = makeLater(this, 'Retries', {
      name: 'delivery-retry',
      queue: made.slowDelivery,
      topic: props.data.alarms,
    });
    const ticks = makeLater(this, 'Ticks', { name: 'schedule-tick', queue: made.schedule, topic: props.data.alarms });
    // The worker that starts a workflow and the workflow itself share these names, so its ARN is resolved lazily.
    const arns = Object.fromEntries(
      workflowNames.map((name) => [`${name}WorkflowArn`, Lazy.string({ produce: () => workflows.get(name)?.attrArn })]),
    ) as WorkflowArns;
    const workflows = new Map<WorkflowName, CfnStateMachine>();
    this.parts = this.#makeParts(made, { retries, ticks }, arns);
    workflows.set('purge', this.#makeWorkflow('purge', purgeDefinition, ['purge']));
    workflows.set('backup', this.#makeWorkflow('backup', backupDefinition, backupSteps, true));
    workflows.set('verify', this.#makeWorkflow('verify', verifyDefinition, ['backupVerify']));
    workflows.set('restore', this.#makeWorkflow('restore', restoreDefinition, restoreSteps, true));
    // Tasks and events are written in the transaction that requested them.
    this.#feedFromStream('fanOut', { prefixes: ['TASK#', 'EVENT#'], batchSize: fanOutBatch });
    for (const name of queueNames) this.#feedFromQueue(name, made[name]);
    this.#startByClock('sweep', 60);
    this.#startByClock('backupReap', 5);
    this.#startByClock('restoreReap', 5);
    this.#startByClock('scheduleWatch', 5);
    this.#startByClock('captureWatch', 5);
    this.#startByClock('retentionSweep', 60);
    // A key that is disabled or pending deletion makes all backups unreadable, and a deletion is final within days.
    this.#ringAtLine('keyRefused', 'key-refused', 'KMS refuses to use the key of a backup');
    this.#ringAtLine(
      'secretsKeyRefused',
      'secrets-key-refused',
      'KMS refuses to use the key that signs tokens or encrypts secrets',
    );
    // An event informs the customer; only this alarm shows that many schedules fail at once.
    this.#ringAtLine('scheduleOverdue', 'schedule-overdue', 'A schedule has had no successful backup for two periods');
    // A failed cycle is postponed and its message succeeds, so it causes no dead letter.
    this.#ringAtLine('captureStopped', 'capture-stopped', 'The changes of a project have not been captured for too long');
    // A partial batch failure does not count as a function error.
    this.#ringAtLine('batchTimedOut', 'batch-timed-out', 'A worker of a queue or of the stream times out');
  }

  #ringAtLine(line: keyof typeof logLines, name: string, says: string): void {
    countLines(this.#logGroup, line);
    addAlarm(this, { name, says, metric: linesCounted(line), above: 0, topic: this.#props.data.alarms });
  }

  #makeQueue(name: QueueName): Queue {
    const { id, worker, waitMaxSeconds } = queues[name];
    const { timeoutSeconds } = workers[worker];
    return makeWorkQueue(this, id, { name: kebab(name), timeoutSeconds, waitMaxSeconds, topic: this.#props.data.alarms });
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

  #makeParts(made: Readonly<Record<QueueName, Queue>>, { retries, ticks }: Laters, workflowArns: WorkflowArns): ResourceNames {
    const { config, data } = this.#props;
    return {
      tableName: data.table.tableName,
      tableArn: data.table.tableArn,
      tokenKeyArns: data.tokenKeyArns,
      secretsKeyArn: data.secretsKey.keyArn,
      serviceSecretArn: data.serviceSecret.secretArn,
      identitySecretArn: data.identitySecret.secretArn,
      taskQueueUrl: made.task.queueUrl,
      taskQueueArn: made.task.queueArn,
      choreQueueUrl: made.chore.queueUrl,
      choreQueueArn: made.chore.queueArn,
      matchQueueUrl: made.match.queueUrl,
      matchQueueArn: made.match.queueArn,
      deliveryQueueUrl: made.delivery.queueUrl,
      deliveryQueueArn: made.delivery.queueArn,
      slowDeliveryQueueUrl: made.slowDelivery.queueUrl,
      slowDeliveryQueueArn: made.slowDelivery.queueArn,
      scheduleQueueUrl: made.schedule.queueUrl,
      scheduleQueueArn: made.schedule.queueArn,
      captureQueueUrl: made.capture.queueUrl,
      captureQueueArn: made.capture.queueArn,
      scheduleGroupName: ticks.groupName,
      scheduleRoleArn: ticks.roleArn,
      scheduleDeadLettersArn: ticks.deadLetters.queueArn,
      retryGroupName: retries.groupName,
      retryRoleArn: retries.roleArn,
      retryDeadLettersArn: retries.deadLetters.queueArn,
      ...workflowArns,
      dataKeyArn: data.dataKey.keyArn,
      mailArns: ['identity', 'configuration-set'].map((resource) =>
        this.formatArn({ service: 'ses', resource, resourceName: '*' }),
      ),
      settings: settingsOf(config, data.publicUrl),
    };
  }

  #makeWorker(name: WorkerName, trigger: readonly PolicyStatement[] = []): lambda.Function {
    const { code, config, data } = this.#props;
    const concurrencyMax = reservedFor(name, config.accountConcurrency);
    return makeWorker(this, name, {
      ...{ parts: this.parts, code, logGroup: this.#logGroup, topic: data.alarms, trigger, concurrencyMax },
    });
  }

  #makeDeadLetters(name: WorkerName): Queue {
    return makeDeadLetters(this, `${capital(name)}DeadLetters`, { name: kebab(name), topic: this.#props.data.alarms });
  }

  #startByClock(name: WorkerName, everyMinutes: number): void {
    const deadLetters = this.#makeDeadLetters(name);
    const target = this.#makeWorker(name, [allowDeadLetter(deadLetters)]);
    addPeriodicTrigger(this, capital(name), {
      name: kebab(name),
      everyMinutes,
      target,
      deadLetters,
      topic: this.#props.data.alarms,
    });
  }

  #feedFromStream(name: WorkerName, what: Pick<StreamFeedProps, 'prefixes' | 'batchSize'>): void {
    const streamArn = this.#props.data.table.tableStreamArn ?? '';
    const deadLetters = this.#makeDeadLetters(name);
    const target = this.#makeWorker(name, [readStream(streamArn), allowDeadLetter(deadLetters)]);
    feedFromStream(this, target, { ...what, name, streamArn, deadLetters, topic: this.#props.data.alarms });
  }

  #feedFromQueue(name: QueueName, queue: Queue): void {
    const { worker, batchSize } = queues[name];
    const concurrencyMax = queueConcurrency(queues[name].concurrencyMax, this.#props.config.accountConcurrency);
    addQueueTrigger(this, this.#makeWorker(worker, [readQueue(queue)]), { name: worker, queue, batchSize, concurrencyMax });
  }
}

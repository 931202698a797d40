/** Everything behind the API: the stream consumer, the queues and workers, the periodic triggers and the workflows. */
import { CfnResource, Lazy, Stack, type StackProps } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { logLines } from '../shared/contract/runtime/alarm-log-lines.ts';
import { type WorkerName, workers } from '../shared/contract/runtime/workers.ts';
import { schemaVersion } from '../shared/contract/version.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { mapWidth, queueConcurrency, reservedFor, slotsOf, smallBelow } from './part/function/concurrency.ts';
import { type CodeOf, makeFunction } from './part/function/lambda-function.ts';
import type { ResourceNames } from './part/function/resource-names.ts';
import { makeWorker } from './part/function/worker.ts';
import { kebabCase, pascalCase } from './part/name-case.ts';
import { addAlarm } from './part/observe/alarm.ts';
import { makeLogGroup } from './part/observe/log-group.ts';
import { addLogMetricFilter, logLineMetric } from './part/observe/log-metric-filter.ts';
import { makeDelayedMessages } from './part/trigger/delayed-messages.ts';
import {
  addQueueTrigger,
  addStreamTrigger,
  allowDeadLetter,
  readQueue,
  readStream,
  type StreamTriggerProps,
  shareSlots,
} from './part/trigger/event-triggers.ts';
import { addPeriodicTrigger } from './part/trigger/periodic-trigger.ts';
import { makeDeadLetterQueue, makeWorkQueue, receivesMax } from './part/trigger/queue-with-dlq.ts';
import { makeStateMachine } from './part/trigger/state-machine.ts';
import { type QueueName, queueNames, workQueueSpecs } from './part/trigger/work-queue-specs.ts';
import { settingsVariables } from './settings-variables.ts';
import { backupDefinition, backupSteps, copiesMax } from './workflow/backup.ts';
import { exportDefinition, exportSteps, shardsAtOnce } from './workflow/export.ts';
import { purgeDefinition } from './workflow/purge.ts';
import { restoreDefinition, restoreSteps, writersMax } from './workflow/restore.ts';
import { restoreTestDefinition } from './workflow/restore-test.ts';
import type { Step } from './workflow/step.ts';
import { verifyDefinition } from './workflow/verify.ts';

interface EngineStackProps extends StackProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly code: CodeOf;
}

/** Ten concurrent queue calls of about 50 ms: 2,000 records per second and shard. A shard takes 1,000 writes. */
const fanOutBatch = 100;

const workflowNames = ['purge', 'backup', 'verify', 'restore', 'restoreTest', 'export'] as const;
type WorkflowName = (typeof workflowNames)[number];
type WorkflowArns = Pick<ResourceNames, `${WorkflowName}WorkflowArn`>;

interface WorkflowShape<S extends WorkerName> {
  readonly define: (steps: Readonly<Record<S, Step>>) => object;
  readonly isDistributed?: boolean;
}

export class EngineStack extends Stack {
  readonly parts: ResourceNames;
  readonly #props: EngineStackProps;
  readonly #logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: EngineStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    const queues = Object.fromEntries(queueNames.map((name) => [name, this.#makeQueue(name)])) as Record<QueueName, Queue>;
    const retries = makeDelayedMessages(this, 'Retries', {
      name: 'retry-entry',
      queue: queues.deliveryRetry,
      topic: props.data.alarms,
    });
    const ticks = makeDelayedMessages(this, 'Ticks', { name: 'schedule-tick', queue: queues.schedule, topic: props.data.alarms });
    // The worker that starts a workflow and the workflow itself share these names, so its ARN is resolved lazily.
    const arns = Object.fromEntries(
      workflowNames.map((name) => [`${name}WorkflowArn`, Lazy.string({ produce: () => workflows.get(name)?.attrArn })]),
    ) as WorkflowArns;
    const workflows = new Map<WorkflowName, CfnStateMachine>();
    this.parts = this.#makeParts({ queues, retries, ticks, ...arns });
    const { accountConcurrency } = props.config;
    const width = {
      backup: mapWidth(copiesMax, 'backup', accountConcurrency),
      restore: mapWidth(writersMax, 'restore', accountConcurrency),
      export: mapWidth(shardsAtOnce, 'export', accountConcurrency),
    };
    workflows.set('purge', this.#makeWorkflow('purge', ['purge'], { define: purgeDefinition }));
    workflows.set(
      'backup',
      this.#makeWorkflow('backup', backupSteps, {
        define: (steps) => backupDefinition(steps, width.backup),
        isDistributed: true,
      }),
    );
    workflows.set('verify', this.#makeWorkflow('verify', ['backupVerify'], { define: verifyDefinition }));
    workflows.set(
      'restore',
      this.#makeWorkflow('restore', restoreSteps, {
        define: (steps) => restoreDefinition(steps, width.restore),
        isDistributed: true,
      }),
    );
    workflows.set('restoreTest', this.#makeWorkflow('restoreTest', ['restoreTestRun'], { define: restoreTestDefinition }));
    workflows.set(
      'export',
      this.#makeWorkflow('export', exportSteps, {
        define: (steps) => exportDefinition(steps, width.export),
        isDistributed: true,
      }),
    );
    // Tasks and events are written in the transaction that requested them.
    this.#addStreamTrigger('fanOut', { prefixes: ['TASK#', 'EVENT#'], batchSize: fanOutBatch });
    for (const name of queueNames) this.#addQueueTrigger(name, queues[name]);
    this.#addPeriodicTrigger('sweep', 60);
    this.#addPeriodicTrigger('backupReap', 5);
    this.#addPeriodicTrigger('restoreReap', 5);
    this.#addPeriodicTrigger('restoreTestReap', 5);
    this.#addPeriodicTrigger('exportReap', 5);
    this.#addPeriodicTrigger('scheduleWatch', 5);
    this.#addPeriodicTrigger('captureWatch', 5);
    this.#addPeriodicTrigger('retentionSweep', 60);
    this.#addPeriodicTrigger('alertSweep', 10);
    // A key that is disabled or pending deletion makes all backups unreadable, and a deletion is final within days.
    this.#alarmOnLogLine('keyRefused', 'key-refused', 'KMS refuses to use the key of a backup');
    this.#alarmOnLogLine(
      'secretsKeyRefused',
      'secrets-key-refused',
      'KMS refuses to use the key that signs tokens or encrypts secrets',
    );
    // An event informs the customer; only this alarm shows that many schedules fail at once.
    this.#alarmOnLogLine('scheduleOverdue', 'schedule-overdue', 'A schedule has had no successful backup for two periods');
    // A failed cycle is postponed and its message succeeds, so it causes no dead letter.
    this.#alarmOnLogLine('captureStopped', 'capture-stopped', 'The changes of a project have not been captured for too long');
    // A partial batch failure does not count as a function error.
    this.#alarmOnLogLine('batchTimedOut', 'batch-timed-out', 'A worker of a queue or of the stream times out');
    this.#alarmOnLogLine('slotAwaited', 'slot-awaited', 'Messages wait too long for a slot of queue workers');
    this.#checkSchemaFirst();
  }

  /**
   * A deployment behind the schema of the table fails before a function of it runs. The resource is named after the schema: a deployment
   * that goes back creates one, which is checked, while CloudFormation's own roll back finds the former one as it was.
   */
  #checkSchemaFirst(): void {
    const { code, data } = this.#props;
    const { entry, summary: description, timeoutSeconds, capabilities } = workers.schemaCheck;
    const check = makeFunction(this, 'SchemaCheck', {
      entry,
      exportName: 'handler',
      description,
      timeoutSeconds,
      capabilities,
      parts: this.parts,
      code,
      logGroup: this.#logGroup,
    });
    const functions = this.node.findAll().filter((node) => node instanceof lambda.CfnFunction);
    const schema = new CfnResource(this, `Schema${schemaVersion}`, {
      type: 'Custom::SchemaCheck',
      properties: {
        ServiceToken: check.functionArn,
        ServiceTimeout: timeoutSeconds * 2,
        SchemaVersion: schemaVersion,
        // A restored table is checked, too.
        TableName: data.table.tableName,
      },
    });
    for (const one of functions) if (one !== check.node.defaultChild) one.addResourceDependency(schema);
  }

  #alarmOnLogLine(line: keyof typeof logLines, name: string, description: string): void {
    addLogMetricFilter(this.#logGroup, line);
    addAlarm(this, { name, description, metric: logLineMetric(this, line), above: 0, topic: this.#props.data.alarms });
  }

  #makeQueue(name: QueueName): Queue {
    const { id, worker, waitMaxSeconds } = workQueueSpecs[name];
    const { timeoutSeconds } = workers[worker];
    return makeWorkQueue(this, id, { name: kebabCase(name), timeoutSeconds, waitMaxSeconds, topic: this.#props.data.alarms });
  }

  #makeWorkflow<S extends WorkerName>(
    name: WorkflowName,
    steps: readonly S[],
    { define, isDistributed = false }: WorkflowShape<S>,
  ): CfnStateMachine {
    const functions = Object.fromEntries(steps.map((step) => [step, this.#makeWorker(step)])) as Record<S, lambda.Function>;
    const named = Object.fromEntries(
      steps.map((step) => [step, { arn: functions[step].functionArn, timeoutSeconds: workers[step].timeoutSeconds }]),
    ) as Record<S, Step>;
    return makeStateMachine(this, `${pascalCase(name)}Workflow`, {
      name: kebabCase(name),
      steps: Object.values(functions),
      definition: define(named),
      topic: this.#props.data.alarms,
      isDistributed,
    });
  }

  #makeParts(shared: Pick<ResourceNames, 'queues' | 'retries' | 'ticks' | keyof WorkflowArns>): ResourceNames {
    const { config, data } = this.#props;
    return {
      tableName: data.table.tableName,
      tableArn: data.table.tableArn,
      tokenKeyArns: data.tokenKeyArns,
      evidenceKeyArns: data.evidenceKeyArns,
      secretsKeyArn: data.secretsKey.keyArn,
      serviceSecretArn: data.serviceSecret.secretArn,
      identitySecretArn: data.identitySecret.secretArn,
      googleRoleArn: data.googleRole.roleArn,
      ...shared,
      dataKeyArns: data.dataKeyArns,
      mailArns: ['identity', 'configuration-set'].map((resource) =>
        this.formatArn({ service: 'ses', resource, resourceName: '*' }),
      ),
      settings: settingsVariables(config, data.publicUrl),
    };
  }

  #makeWorker(
    name: WorkerName,
    trigger: readonly PolicyStatement[] = [],
    environment?: Readonly<Record<string, string>>,
  ): lambda.Function {
    const { code, config, data } = this.#props;
    const concurrencyMax = reservedFor(name, config.reservedConcurrency);
    const { parts } = this;
    return makeWorker(this, name, {
      parts,
      code,
      logGroup: this.#logGroup,
      topic: data.alarms,
      trigger,
      concurrencyMax,
      environment,
    });
  }

  #makeDeadLetters(name: WorkerName): Queue {
    return makeDeadLetterQueue(this, `${pascalCase(name)}DeadLetters`, { name: kebabCase(name), topic: this.#props.data.alarms });
  }

  #addPeriodicTrigger(name: WorkerName, everyMinutes: number): void {
    const deadLetters = this.#makeDeadLetters(name);
    const target = this.#makeWorker(name, [allowDeadLetter(deadLetters)]);
    addPeriodicTrigger(this, pascalCase(name), {
      name: kebabCase(name),
      everyMinutes,
      windowMinutes: this.#props.config.accountConcurrency < smallBelow ? everyMinutes - 1 : 0,
      target,
      deadLetters,
      topic: this.#props.data.alarms,
    });
  }

  #addStreamTrigger(name: WorkerName, what: Pick<StreamTriggerProps, 'prefixes' | 'batchSize'>): void {
    const streamArn = this.#props.data.table.tableStreamArn ?? '';
    const deadLetters = this.#makeDeadLetters(name);
    const target = this.#makeWorker(name, [readStream(streamArn), allowDeadLetter(deadLetters)]);
    addStreamTrigger(this, target, { ...what, name, streamArn, deadLetters, topic: this.#props.data.alarms });
  }

  #makeQueueWorker(name: QueueName, queue: Queue): lambda.Function {
    const { worker } = workQueueSpecs[name];
    const slots = slotsOf(name, this.#props.config.accountConcurrency);
    if (slots === undefined) return this.#makeWorker(worker, [readQueue(queue)]);
    const { tableArn } = this.#props.data.table;
    return this.#makeWorker(worker, [readQueue(queue), ...shareSlots(tableArn, queue)], {
      WORK_SLOTS: JSON.stringify({ ...slots, seconds: workers[worker].timeoutSeconds, receivesMax }),
      WORK_QUEUE_URL: queue.queueUrl,
    });
  }

  #addQueueTrigger(name: QueueName, queue: Queue): void {
    const { worker, batchSize } = workQueueSpecs[name];
    const concurrencyMax = queueConcurrency(workQueueSpecs[name].concurrencyMax, this.#props.config.accountConcurrency);
    addQueueTrigger(this, this.#makeQueueWorker(name, queue), { name: worker, queue, batchSize, concurrencyMax });
  }
}

/**
 * Step Functions: standard workflows on aws-local-stepfunctions.
 * Executions survive a restart of the stage: one that was running starts again from its first state, so steps may run twice.
 */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AwsError, type Json, makeEngine, type Need, type Operation, text } from '../../base/aws-service.ts';
import type { Permit, Resource } from '../../base/types.ts';
import { openAppendLog } from '../shared/append-log.ts';
import { describeExecution, type ExecutionRecord, listExecutions } from './execution-record.ts';
import { type Run, runMachine } from './run-execution.ts';
import { prepareStateMachine } from './state-machine.ts';

interface StepFunctionsOptions {
  readonly dir: string;
  readonly delayScale: number;
  readonly invoke: (functionArn: string, payload: unknown) => Promise<unknown>;
  readonly permit: Permit;
}

interface Machine {
  readonly name: string;
  readonly arn: string;
  run(execution: ExecutionRecord): Run;
}

export const openStepFunctionsEngine = ({ dir, delayScale, invoke, permit }: StepFunctionsOptions) => {
  const executions = openAppendLog<ExecutionRecord>(join(dir, 'step-functions', 'executions.jsonl'));
  const validated = openAppendLog<string>(join(dir, 'step-functions', 'validated.jsonl'));
  const machines = new Map<string, Machine>();
  const running = new Map<string, Run>();

  let stopped = false;

  const run = (machine: Machine, execution: ExecutionRecord): void => {
    // Stored; it begins at the next start.
    if (stopped) return;
    const started = machine.run(execution);
    running.set(execution.arn, started);
    void started.ended.then((outcome) => {
      running.delete(execution.arn);
      // No outcome: the stage is stopping, and the execution resumes at the next start.
      if (outcome) executions.set(execution.arn, { ...execution, ...outcome, stoppedAtMs: Date.now() });
    });
  };

  const start = (machineArn: string, name: string, input: string): ExecutionRecord => {
    const machine = machines.get(machineArn);
    if (!machine) throw new AwsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${machineArn}'`);
    if (!/^[\w-]{1,80}$/.test(name)) throw new AwsError('InvalidName', `Invalid Name: '${name}'`);
    if (!isJson(input)) throw new AwsError('InvalidExecutionInput', 'Invalid State Machine Execution Input');
    const arn = `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    const known = executions.get(arn);
    if (known?.status === 'RUNNING' && known.input === input) return known;
    if (known) throw new AwsError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
    const execution: ExecutionRecord = { arn, machineArn, name, input, status: 'RUNNING', startedAtMs: Date.now() };
    executions.set(arn, execution);
    run(machine, execution);
    return execution;
  };

  const find = (input: Json): ExecutionRecord => {
    const arn = text(input, 'executionArn');
    const execution = executions.get(arn);
    if (!execution) throw new AwsError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
    return execution;
  };

  const operations = {
    StartExecution: (input: Json) => {
      const given = typeof input.input === 'string' ? input.input : '{}';
      const { arn, startedAtMs } = start(text(input, 'stateMachineArn'), String(input.name ?? randomUUID()), given);
      return { executionArn: arn, startDate: startedAtMs / 1_000 };
    },
    StopExecution: async (input: Json) => {
      const { arn } = find(input);
      const { error, cause } = input as { error?: string; cause?: string };
      const stopped = running.get(arn);
      stopped?.end({ status: 'ABORTED', ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) });
      await stopped?.ended;
      return { stopDate: (executions.get(arn)?.stoppedAtMs ?? Date.now()) / 1_000 };
    },
    DescribeExecution: (input: Json) => describeExecution(find(input)),
    ListExecutions: (input: Json) => listExecutions(executions.values(), input),
  };

  const needs = ({ action, input }: Operation): readonly Need[] => {
    const field = action === 'StartExecution' || action === 'ListExecutions' ? 'stateMachineArn' : 'executionArn';
    return [{ action: `states:${action}`, resources: [text(input, field)] }];
  };

  const provision = async ({ name, arn, properties }: Resource): Promise<void> => {
    const { DefinitionString: asText, Definition: asObject, RoleArn: roleArn } = properties;
    const may = (action: string, resource: string): void =>
      permit(String(roleArn), { service: 'states.amazonaws.com', sourceArn: arn }, { action, resources: [resource] });
    for (const action of observing(properties)) may(action, '*');
    const definition = (typeof asText === 'string' ? JSON.parse(asText) : asObject) as Json;
    // Loading takes 300 ms and only workflows need it.
    const { StateMachine } = await import('aws-local-stepfunctions');
    const prepared = prepareStateMachine(definition, delayScale);
    const digest = createHash('sha256').update(JSON.stringify(definition)).digest('hex');
    // Validation takes 500 ms, so it runs once per definition.
    if (validated.get(arn) !== digest) new StateMachine(definition as never, { validationOptions: { checkArn: false } });
    validated.set(arn, digest);
    const runner = new StateMachine(prepared.definition, { validationOptions: { noValidate: true } });
    const call = async (functionArn: string, payload: unknown): Promise<unknown> => {
      may('lambda:InvokeFunction', functionArn);
      // A distributed map starts its items under the same role.
      if (prepared.distributedMaps.size > 0) may('states:StartExecution', arn);
      return invoke(functionArn, payload);
    };
    const machine: Machine = { name, arn, run: (execution) => runMachine(runner, { prepared, execution, invoke: call }) };
    machines.set(arn, machine);
    for (const execution of executions.values())
      if (execution.status === 'RUNNING' && execution.machineArn === arn && !running.has(execution.arn)) run(machine, execution);
  };

  return {
    ...makeEngine(operations, needs),
    provision,
    /** Starts an unnamed execution, for services that start workflows themselves. */
    start: (machineArn: string, input: string): void => void start(machineArn, randomUUID(), input),
    stop: async (): Promise<void> => {
      stopped = true;
      const remaining = [...running.values()];
      for (const each of remaining) each.end();
      await Promise.all(remaining.map(({ ended }) => ended));
    },
  };
};

/** The permissions for logging and tracing. Step Functions rejects a workflow whose role lacks those for its logs. */
const observing = ({ LoggingConfiguration: logging, TracingConfiguration: tracing }: Json): readonly string[] => [
  ...(((logging as Json | undefined)?.Level ?? 'OFF') === 'OFF' ? [] : logDelivery),
  ...((tracing as Json | undefined)?.Enabled === true ? sampledTracing : []),
];

const logDelivery = [
  'logs:CreateLogDelivery',
  'logs:GetLogDelivery',
  'logs:UpdateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:DescribeResourcePolicies',
  'logs:DescribeLogGroups',
];
const sampledTracing = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSamplingRules', 'xray:GetSamplingTargets'];

const isJson = (value: string): boolean => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

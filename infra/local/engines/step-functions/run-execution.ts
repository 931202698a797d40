/** Runs one execution: tasks invoke Lambda functions, the end yields an outcome. */
import type { StateMachine } from 'aws-local-stepfunctions';
import { setLongTimer } from '../shared/long-timer.ts';
import type { ExecutionRecord, Outcome } from './execution-record.ts';
import { HistoryCounter, historyEventsMax } from './history-counter.ts';
import { lambdaInvoke, type PreparedStateMachine, type Task } from './state-machine.ts';

export interface Run {
  /** Never rejects. Undefined if the execution was ended without an outcome. */
  readonly ended: Promise<Outcome | undefined>;
  end(outcome?: Outcome): void;
}

type Invoke = (functionArn: string, payload: unknown) => Promise<unknown>;
type Input = Parameters<StateMachine['run']>[0];
type Handler = (input: Input) => Promise<Input>;

export const runMachine = (
  machine: StateMachine,
  {
    prepared,
    execution,
    invoke,
  }: { readonly prepared: PreparedStateMachine; readonly execution: ExecutionRecord; readonly invoke: Invoke },
): Run => {
  const { tasks, timeoutSeconds } = prepared;
  const { promise: ended, resolve } = Promise.withResolvers<Outcome | undefined>();
  const { promise: over, reject: callOff } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  let isOver = false;
  const handlers = Object.fromEntries(
    tasks.map((task) => [
      task.state,
      // An ended execution neither waits for its task nor starts another.
      (input: Input): Promise<Input> => (isOver ? over : Promise.race([runTask(task, input, invoke), over])),
    ]),
  );
  const { result, abort, eventLogs } = machine.run(JSON.parse(execution.input) as Input, {
    overrides: { taskResourceLocalHandlers: handlers satisfies Record<string, Handler> },
    context: contextOf(execution),
  });

  const end = (outcome?: Outcome): void => {
    if (isOver) return;
    isOver = true;
    callOff(new Ended());
    cancelTimeout();
    abort();
    resolve(outcome);
  };
  const timedOut: Outcome = { status: 'TIMED_OUT', error: 'States.Timeout' };
  const cancelTimeout =
    timeoutSeconds === undefined
      ? (): void => undefined
      : setLongTimer(execution.startedAtMs + timeoutSeconds * 1_000, () => end(timedOut));
  const counted = count(eventLogs, new HistoryCounter(prepared), () => end(historyFull));
  result.then(
    async (output) => {
      await counted;
      end({ status: 'SUCCEEDED', output: JSON.stringify(output) });
    },
    (error: Error) => end(failureOf(error)),
  );
  return { ended, end };
};

/** Neither Retry nor Catch may handle it. */
class Ended extends Error {
  readonly isRetryable = false;
  readonly isCatchable = false;
}

const runTask = async ({ resource }: Task, input: Input, invoke: Invoke): Promise<Input> => {
  try {
    if (resource !== lambdaInvoke) return (await invoke(resource, input)) as Input;
    const { FunctionName: functionName, Payload: payload = {} } = input as { FunctionName: string; Payload?: Input };
    return { StatusCode: 200, ExecutedVersion: '$LATEST', Payload: (await invoke(functionName, payload)) as Input };
  } catch (error) {
    throw taskError(error as Error);
  }
};

/** Errors of Lambda itself and their names in Step Functions. */
const platformErrors: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'Lambda.ResourceNotFoundException',
  TooManyRequestsException: 'Lambda.TooManyRequestsException',
  ServiceException: 'Lambda.ServiceException',
  AccessDeniedException: 'Lambda.AWSLambdaException',
};

/** Step Functions reports an error's type, and the rest as JSON in the cause. */
const taskError = ({ name, message }: Error): Error => {
  const known = platformErrors[name];
  const error = new Error(known ? message : JSON.stringify({ errorType: name, errorMessage: message }));
  error.name = known ?? name;
  return error;
};

const failureOf = (failure: Error): Outcome => {
  const { name, message } = failure.cause instanceof Error ? failure.cause : failure;
  return { status: 'FAILED', error: name, cause: message };
};

const contextOf = ({ arn, machineArn, name, input, startedAtMs }: ExecutionRecord) => ({
  Execution: { Id: arn, Name: name, Input: JSON.parse(input) as Input, StartTime: new Date(startedAtMs).toISOString() },
  StateMachine: { Id: machineArn, Name: machineArn.slice(machineArn.lastIndexOf(':') + 1) },
});

const historyFull: Outcome = {
  status: 'FAILED',
  error: 'States.Runtime',
  cause: `The execution reached the maximum number of history events (${historyEventsMax}).`,
};

/** Reads the whole log, which the interpreter buffers. A full history ends the execution, also that of an item of a map. */
const count = async (
  events: AsyncIterable<Parameters<HistoryCounter['add']>[0]>,
  counter: HistoryCounter,
  onFull: () => void,
): Promise<void> => {
  for await (const event of events) if (counter.add(event)) onFull();
};

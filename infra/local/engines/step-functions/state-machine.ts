/** Prepares a workflow of the template: collects its tasks and scales its delays. */
import type { StateMachineDefinition } from 'aws-local-stepfunctions';
import type { Json } from '../../base/aws-service.ts';

export interface Task {
  readonly state: string;
  /** The function, or the integration whose input names one. */
  readonly resource: string;
}

export interface PreparedStateMachine {
  readonly definition: StateMachineDefinition;
  readonly tasks: readonly Task[];
  readonly timeoutSeconds: number | undefined;
  /** The states of the items of distributed maps, with the name of their map. */
  readonly distributedMaps: ReadonlyMap<string, string>;
}

export const lambdaInvoke = 'arn:aws:states:::lambda:invoke';

/**
 * Divides waits and retry intervals by `scale`. Timeouts stay: they bound work that takes real time.
 * Waits that come from the input (SecondsPath, Timestamp, TimestampPath) stay as well.
 */
export const prepareStateMachine = (definition: Json, scale: number): PreparedStateMachine => {
  const tasks: Task[] = [];
  const distributedMaps = new Map<string, string>();
  const machine = (part: Json): Json => ({
    ...part,
    States: Object.fromEntries(
      Object.entries((part.States ?? {}) as Json).map(([name, state]) => [name, ready(name, state as Json)]),
    ),
  });
  const ready = (name: string, state: Json): Json => {
    const { Type: type, Resource: resource, Iterator: iterator, ItemProcessor: processor, Branches: branches } = state;
    const isDistributed = ((processor as Json | undefined)?.ProcessorConfig as Json | undefined)?.Mode === 'DISTRIBUTED';
    if (isDistributed) for (const item of Object.keys((processor as Json).States as Json)) distributedMaps.set(item, name);
    if (type === 'Task') tasks.push({ state: name, resource: runnable(name, resource) });
    return {
      ...state,
      ...(type === 'Wait' && typeof state.Seconds === 'number' && { Seconds: timerSeconds(state.Seconds / scale) }),
      ...(Array.isArray(state.Retry) && { Retry: state.Retry.map((retrier: Json) => faster(retrier, scale)) }),
      // Tasks without a timeout are unlimited; the interpreter would end them after a minute.
      ...(type === 'Task' && state.TimeoutSecondsPath === undefined && { TimeoutSeconds: timerSeconds(state.TimeoutSeconds) }),
      ...(iterator !== undefined && { Iterator: machine(iterator as Json) }),
      ...(processor !== undefined && {
        ItemProcessor: isDistributed ? anonymous(machine(processor as Json)) : machine(processor as Json),
      }),
      ...(Array.isArray(branches) && { Branches: branches.map((branch: Json) => machine(branch)) }),
    };
  };
  const { TimeoutSeconds: timeoutSeconds, ...rest } = machine(definition);
  return {
    definition: rest as unknown as StateMachineDefinition,
    tasks,
    timeoutSeconds: typeof timeoutSeconds === 'number' ? timeoutSeconds : undefined,
    distributedMaps,
  };
};

/** An item of a distributed map is an execution of its own: the map learns that it failed, not why. */
const anonymous = (part: Json): Json => ({
  ...part,
  States: Object.fromEntries(
    Object.entries(part.States as Json).map(([name, state]) => [name, (state as Json).Type === 'Fail' ? itemFailed : state]),
  ),
});

const itemFailed = {
  Type: 'Fail',
  Error: 'States.ExceedToleratedFailureThreshold',
  Cause: 'The specified tolerated failure threshold was exceeded',
};

/** The interpreter's timers support 24.8 days. */
const timerSeconds = (seconds: unknown): number =>
  Math.min(typeof seconds === 'number' ? seconds : Number.POSITIVE_INFINITY, 2_147_483);

const faster = (retrier: Json, scale: number): Json => ({
  ...retrier,
  IntervalSeconds: Number(retrier.IntervalSeconds ?? 1) / scale,
  ...(retrier.MaxDelaySeconds !== undefined && { MaxDelaySeconds: Number(retrier.MaxDelaySeconds) / scale }),
});

const runnable = (state: string, resource: unknown): string => {
  const arn = String(resource);
  if (arn === lambdaInvoke || arn.startsWith('arn:aws:lambda:')) return arn;
  throw new Error(`the state "${state}" uses ${arn}; the local stage supports Lambda tasks only`);
};

/** The middy stack of every Lambda handler: log context, an early timeout, and one log line for a failed run. */
import middy, { type MiddyfiedHandler, type PluginExecutionMode } from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import type { Context } from 'aws-lambda';
import { idsIn } from '../../contract/ids.ts';
import { log } from './log.ts';
import { type Ids, withLogContext } from './log-context.ts';
import { FunctionTimeoutError, withRunSignal } from './run-signal.ts';

/** A run ends this long before the function's timeout, which leaves time to log and to respond. */
export const timeoutEarlyMs = 500;

/** Tests replace it. */
export const lambdaProcess = { exit: (code: number): void => process.exit(code) };

export interface RunOptions {
  /** Aborted at the early timeout. Nothing may be committed after it. */
  readonly signal: AbortSignal;
}

/** A middy stack that tests can also call without a context. */
export type LambdaHandler<E, R> = MiddyfiedHandler<E, R> & ((event?: E, context?: Context) => Promise<R>);

type Work<E, R> = (event: E, context: Context, options: RunOptions) => Promise<R>;

/**
 * The handler of a workflow step or a schedule. A run that times out ends its process, as Lambda's own timeout would, so that it cannot
 * continue when the container is reused. Step Functions and EventBridge retry it.
 */
export const lambdaHandler = <E, R>(work: Work<E, R>): LambdaHandler<E, R> =>
  lambdaStack<E, R>(work, { onTimeout: () => lambdaProcess.exit(1) });

interface StackOptions<E> {
  /** The ids on every log line of a run. */
  readonly idsOf?: (event: E, context: Context) => Ids;
  /** Called after a timeout was logged. */
  readonly onTimeout?: () => void;
}

/** The stack without `onTimeout`, for triggers that get a response at the timeout. `.before`, `.after` and `.onError` add to it. */
export const lambdaStack = <E, R>(work: Work<E, R>, { idsOf = defaultIds, onTimeout }: StackOptions<E>): LambdaHandler<E, R> => {
  const run: Work<E, R> = (event, context, options) => withRunSignal(options.signal, () => work(event, context, options));
  return middy<E, R>(run as Parameters<typeof middy<E, R>>[0], {
    timeoutEarlyInMillis: timeoutEarlyMs,
    timeoutEarlyResponse: () => {
      throw new FunctionTimeoutError();
    },
    executionMode: inLogContext(idsOf as (event: unknown, context: Context) => Ids),
  }).onError(({ error }) => {
    const isTimeout = error instanceof FunctionTimeoutError;
    // Lambda logs an uncaught error without our ids.
    log.error(isTimeout ? 'run timed out' : 'run failed', error ?? new Error('unknown'));
    if (isTimeout) onTimeout?.();
  }) as LambdaHandler<E, R>;
};

/** Lambda's id of the run, which does not exist in tests, and the ids in the event. */
const defaultIds = (event: unknown, context: Context): Ids => ({
  requestId: context?.awsRequestId ?? 'none',
  ...idsIn(event),
});

type Run = ((event: unknown, context: Context) => Promise<unknown>) & { handler(work: unknown): Run };

/**
 * Runs a request inside the log context. Middleware cannot do this: its hooks return before the handler starts, and entering the
 * context there would leak the ids of one run into the next.
 */
const inLogContext = (idsOf: (event: unknown, context: Context) => Ids): PluginExecutionMode => {
  const mode = (...parts: readonly unknown[]): Run => {
    const run = (executionModeStandard as unknown as (...parts: readonly unknown[]) => Run)(...parts);
    const inContext = Object.assign(
      (event: unknown, context: Context) => withLogContext(idsOf(event, context), () => run(event, context)),
      {
        handler: (work: unknown): Run => {
          run.handler(work);
          return inContext;
        },
      },
    );
    return inContext;
  };
  return mode as unknown as PluginExecutionMode;
};

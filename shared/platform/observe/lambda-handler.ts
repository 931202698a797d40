/** The middy stack around every Lambda entry: log context, an early timeout, and one log line for a run that fails. */
import middy, { type MiddyfiedHandler, type PluginExecutionMode } from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import type { Context } from 'aws-lambda';
import { idsIn } from '../../contract/id.ts';
import { type Ids, withIds } from '../ids.ts';
import { log } from '../log.ts';

/** Thrown shortly before Lambda would end the run without a word. Middleware turns it into the answer that fits the trigger. */
export class FunctionTimeoutError extends Error {
  constructor() {
    super('the function ran out of time');
    this.name = 'FunctionTimeoutError';
  }
}

/** Left of the function's time when a run is ended early: enough to log, to answer, and for a busy CPU. */
export const timeoutEarlyMs = 500;

export interface RunOptions {
  /** Aborted at the early timeout: nothing may be committed after it. */
  readonly signal: AbortSignal;
}

/** A middy stack that can also be called the way a test does, without a context. */
export type LambdaHandler<E, R> = MiddyfiedHandler<E, R> & ((event?: E, context?: Context) => Promise<R>);

type Work<E, R> = (event: E, context: Context, options: RunOptions) => Promise<R>;

/** The handler; `.use`, `.before`, `.after` and `.onError` add middleware outside of it and inside the log context. */
export const lambdaHandler = <E, R>(
  work: Work<E, R>,
  idsOf: (event: E, context: Context) => Ids = defaultIds,
): LambdaHandler<E, R> =>
  middy<E, R>(work as Parameters<typeof middy<E, R>>[0], {
    timeoutEarlyInMillis: timeoutEarlyMs,
    timeoutEarlyResponse: () => {
      throw new FunctionTimeoutError();
    },
    executionMode: inLogContext(idsOf as (event: unknown, context: Context) => Ids),
  }).onError(logFailure) as LambdaHandler<E, R>;

/** Lambda's own id of the run, which a handler called by a test does not have, and the ids of what it was given. */
const defaultIds = (event: unknown, context: Context): Ids => ({ requestId: context?.awsRequestId ?? 'none', ...idsIn(event) });

/** Lambda logs an uncaught error without our ids, so it is logged here first. */
const logFailure = ({ error }: { readonly error: Error | null | undefined }): void => {
  log.error(error instanceof FunctionTimeoutError ? 'the run timed out' : 'the run failed', error ?? new Error('unknown'));
};

type Run = ((event: unknown, context: Context) => Promise<unknown>) & { handler(work: unknown): Run };

/**
 * Runs a request inside the log context. Middleware cannot do this: its hooks return before the handler starts, and entering the
 * context there would leak the ids of one run into the next.
 */
const inLogContext = (idsOf: (event: unknown, context: Context) => Ids): PluginExecutionMode => {
  const mode = (...parts: readonly unknown[]): Run => {
    const run = (executionModeStandard as unknown as (...parts: readonly unknown[]) => Run)(...parts);
    const inContext = Object.assign(
      (event: unknown, context: Context) => withIds(idsOf(event, context), () => run(event, context)),
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

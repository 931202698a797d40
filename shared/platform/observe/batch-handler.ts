import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { type LambdaHandler, lambdaProcess, lambdaStack } from './lambda-handler.ts';
import { log } from './log.ts';
import { FunctionTimeoutError } from './run-signal.ts';

/** Records that Lambda delivers again; all others are acknowledged. */
export interface BatchAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

interface BatchEvent {
  readonly Records: readonly object[];
}

interface Batch<E> {
  readonly event: E;
  readonly finished: Set<string>;
}

/**
 * The handler of a queue or a stream. `work` adds the identifier of each finished record to `finished`. The others are delivered
 * again, also after a timeout, so that one slow record does not repeat its whole batch.
 */
export const batchHandler = <E extends BatchEvent>(
  identifierOf: (record: E['Records'][number]) => string,
  work: (event: E, finished: Set<string>) => Promise<void>,
): LambdaHandler<E, BatchAnswer> => {
  const responseOf = ({ event, finished }: Batch<E>): BatchAnswer => {
    const unfinished = event.Records.map(identifierOf).filter((identifier) => !finished.has(identifier));
    return { batchItemFailures: unfinished.map((itemIdentifier) => ({ itemIdentifier })) };
  };
  const timedOut = new Set<Batch<E>>();
  return lambdaStack<Batch<E>, BatchAnswer>(async (batch) => {
    try {
      await work(batch.event, batch.finished);
    } finally {
      timedOut.delete(batch);
    }
    return responseOf(batch);
  }, {})
    .before((request) => {
      // Lambda has thawed the container, and the timed-out run has resumed. It must not work beside this one.
      if (timedOut.size > 0) {
        log.error('process exits: a timed-out batch is still running');
        lambdaProcess.exit(1);
      }
      request.event = { event: request.event as unknown as E, finished: new Set() };
    })
    .onError(({ error, event }) => {
      if (!(error instanceof FunctionTimeoutError)) return undefined;
      timedOut.add(event);
      const { batchItemFailures } = responseOf(event);
      log.error(logLines.batchTimedOut, { unfinished: batchItemFailures.length, of: event.event.Records.length });
      return { batchItemFailures };
    }) as unknown as LambdaHandler<E, BatchAnswer>;
};

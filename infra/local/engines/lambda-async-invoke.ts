/**
 * Asynchronous invocation of Lambda: the caller does not wait. A failed run is retried after one and two minutes, as its
 * EventInvokeConfig says, and then sent to the failure destination.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Permit, Resource } from '../base/types.ts';
import { retryThrottled } from '../lambda/retry-throttled.ts';
import type { QueueMessage } from './fauxqs/fauxqs-engine.ts';

interface AsyncInvokeOptions {
  readonly invoke: (functionArn: string, payload: unknown) => Promise<unknown>;
  readonly send: (message: QueueMessage) => void;
  readonly delayScale: number;
  readonly permit: Permit;
  /** The role of a function: its permissions apply to the failure destination. */
  readonly roleOf?: ((functionName: string) => string | undefined) | undefined;
}

interface Config {
  readonly retries: number;
  readonly onFailure: string | undefined;
}

const configByDefault: Config = { retries: 2, onFailure: undefined };
const firstPauseMs = 60_000;
/** Errors of Lambda itself, before a function sees the event. */
const notTaken = new Set(['ResourceNotFoundException', 'RequestTooLargeException']);

/** Lambda keeps a throttled event for six hours. */
const eventAgeMaxMs = 6 * 3_600_000;

export const openLambdaAsyncInvoke = ({ invoke: invokeOnce, send, delayScale, permit, roleOf }: AsyncInvokeOptions) => {
  const configs = new Map<string, Config>();
  const stopping = new AbortController();
  const invoke = (functionArn: string, payload: unknown): Promise<unknown> =>
    retryThrottled({ forMs: eventAgeMaxMs / delayScale, delayScale, signal: stopping.signal }, () =>
      invokeOnce(functionArn, payload),
    );

  const again = async (functionArn: string, payload: unknown, first: Error): Promise<void> => {
    const { retries, onFailure } = configs.get(nameOf(functionArn)) ?? configByDefault;
    let failure = first;
    for (let attempt = 1; attempt <= retries; attempt++) {
      await pause((firstPauseMs * 2 ** (attempt - 1)) / delayScale, undefined, { signal: stopping.signal });
      try {
        await invoke(functionArn, payload);
        return;
      } catch (error) {
        failure = error as Error;
      }
    }
    if (!onFailure) return;
    const role = roleOf?.(nameOf(functionArn));
    const actor = { service: 'lambda.amazonaws.com', sourceArn: functionArn };
    if (role) permit(role, actor, { action: 'sqs:SendMessage', resources: [onFailure] });
    send({
      queueArn: onFailure,
      body: JSON.stringify(givenUp(functionArn, { requestPayload: payload, error: failure, invokes: retries + 1 })),
    });
  };

  return {
    /** Resolves when Lambda has accepted the event; rejects if it cannot. */
    run: async (functionArn: string, payload: unknown): Promise<void> => {
      try {
        await invoke(functionArn, payload);
      } catch (error) {
        if (notTaken.has((error as Error).name) || stopping.signal.aborted) throw error;
        // Pending retries are dropped when the stage stops.
        void again(functionArn, payload, error as Error).catch(() => undefined);
      }
    },
    provision: ({ properties }: Resource): void => {
      const { OnFailure: onFailure } = (properties.DestinationConfig ?? {}) as { OnFailure?: { Destination?: string } };
      configs.set(nameOf(String(properties.FunctionName)), {
        retries: Number(properties.MaximumRetryAttempts ?? configByDefault.retries),
        onFailure: onFailure?.Destination,
      });
    },
    stop: () => stopping.abort(),
  };
};

/** Accepts a name or an ARN, with or without qualifier. */
const nameOf = (functionArn: string): string => /(?:^|:function:)([^:]+)(?::[^:]*)?$/.exec(functionArn)?.[1] ?? functionArn;

/** The record that Lambda sends to a failure destination. */
const givenUp = (
  functionArn: string,
  { requestPayload, error, invokes }: { readonly requestPayload: unknown; readonly error: Error; readonly invokes: number },
) => ({
  version: '1.0',
  timestamp: new Date().toISOString(),
  requestContext: {
    requestId: randomUUID(),
    functionArn: `${functionArn}:$LATEST`,
    condition: 'RetriesExhausted',
    approximateInvokeCount: invokes,
  },
  requestPayload,
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  responsePayload: { errorMessage: error.message, errorType: error.name },
});

/**
 * A client that follows the README: it repeats a call without a response, with the same Idempotency-Key, until it gets one. So the outcome
 * of every call is known, even if the stage was killed meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { call, type Result, type RowOptions } from '../harness/stage/client.ts';
import type { Meter } from './meter.ts';

export interface Asked<D> extends Result<D> {
  /** Whether an earlier response was lost, so that the call may have been executed before. */
  readonly isRepeated: boolean;
}

type DataOf<E extends Endpoint> = Awaited<ReturnType<typeof call<E>>>['body']['data'];
type Identity = () => Promise<{ readonly token: string; readonly org: string }>;

export interface Client {
  /** Calls an endpoint and expects one of these statuses. */
  ask<E extends Endpoint>(
    endpoint: E,
    options: Omit<RowOptions, 'token' | 'org'>,
    ...statuses: readonly number[]
  ): Promise<Asked<DataOf<E>>>;
}

const retryDelayMs = 100;
/** A 5xx response is retried this often. */
const failuresMax = 5;

export const makeClient = (meter: Meter, identity: Identity): Client => ({
  ask: async (endpoint, options, ...statuses) => {
    const key = endpoint.idempotent ? { 'idempotency-key': randomUUID() } : {};
    let isRepeated = false;
    for (let failures = 0; ; ) {
      const by = await retryUntilAvailable(identity);
      const sinceMs = performance.now();
      const answer = await call(endpoint, { ...options, ...by, headers: key, isOnce: true }).catch(() => undefined);
      const ms = performance.now() - sinceMs;
      if (answer === undefined || isStarting(answer)) {
        meter.note(endpoint.id, 'unavailable', ms);
        isRepeated = true;
        await pause(retryDelayMs);
      } else if (answer.status === 429 || answer.status === 503) {
        meter.note(endpoint.id, answer.status === 429 ? 'rateLimited' : 'busy', ms);
        // A call that timed out may still be executed.
        isRepeated ||= answer.status === 503;
        await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
      } else if (answer.status >= 500) {
        meter.note(endpoint.id, 'failed', ms);
        meter.reportUnexpected(`${endpoint.id} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
        isRepeated = true;
        if (++failures === failuresMax) throw new Error(`${endpoint.id} keeps answering ${answer.status}`);
        await pause(retryDelayMs * 2 ** failures);
      } else {
        const isExpected = statuses.includes(answer.status);
        meter.note(endpoint.id, isExpected ? 'answered' : 'refused', ms);
        if (!isExpected) meter.reportUnexpected(`${endpoint.id} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
        return { ...answer, isRepeated };
      }
    }
  },
});

/** A starting stage answers 503 before the service runs; every response of the service has a request id. */
const isStarting = ({ status, headers }: Result<unknown>): boolean => status === 503 && !headers.has('x-request-id');

/** Retries work that is not part of the load, such as writing documents or signing in, until the stage is available. */
export const retryUntilAvailable = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 600) throw error;
      await pause(retryDelayMs);
    }
  }
};

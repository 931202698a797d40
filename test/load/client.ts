/**
 * A client as the README asks for one: what was not answered it asks again, with the same Idempotency-Key, until somebody answers.
 * So every call that was begun is known to have been accepted or refused, also where the stage died under it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { call, type Result, type RowOptions } from '../harness/stage/client.ts';
import type { Meter } from './meter.ts';

export interface Asked<D> extends Result<D> {
  /** Whether an answer was lost before this one: what was asked for may have been done before. */
  readonly isRepeated: boolean;
}

type DataOf<E extends Endpoint> = Awaited<ReturnType<typeof call<E>>>['body']['data'];
type Identity = () => Promise<{ readonly token: string; readonly org: string }>;

export interface Client {
  /** The answer, which must have one of these statuses. */
  ask<E extends Endpoint>(
    endpoint: E,
    options: Omit<RowOptions, 'token' | 'org'>,
    ...statuses: readonly number[]
  ): Promise<Asked<DataOf<E>>>;
}

const awayMs = 100;
/** A server's 5xx is tried again a few times; what stays one has failed. */
const failuresMax = 5;

export const makeClient = (meter: Meter, identity: Identity): Client => ({
  ask: async (endpoint, options, ...statuses) => {
    const key = endpoint.idempotent ? { 'idempotency-key': randomUUID() } : {};
    let isRepeated = false;
    for (let failures = 0; ; ) {
      const by = await untilThere(identity);
      const sinceMs = performance.now();
      const answer = await call(endpoint, { ...options, ...by, headers: key }).catch(() => undefined);
      const ms = performance.now() - sinceMs;
      if (answer === undefined || isStarting(answer)) {
        meter.note(endpoint.id, 'away', ms);
        isRepeated = true;
        await pause(awayMs);
      } else if (answer.status === 429 || answer.status === 503) {
        meter.note(endpoint.id, answer.status === 429 ? 'held' : 'busy', ms);
        // What was not done in time may be done all the same.
        isRepeated ||= answer.status === 503;
        await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
      } else if (answer.status >= 500) {
        meter.note(endpoint.id, 'failed', ms);
        meter.surprise(`${endpoint.id} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
        isRepeated = true;
        if (++failures === failuresMax) throw new Error(`${endpoint.id} does not stop to answer ${answer.status}`);
        await pause(awayMs * 2 ** failures);
      } else {
        const isExpected = statuses.includes(answer.status);
        meter.note(endpoint.id, isExpected ? 'answered' : 'refused', ms);
        if (!isExpected) meter.surprise(`${endpoint.id} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
        return { ...answer, isRepeated };
      }
    }
  },
});

/** A stage that is coming up answers 503 on its port before anything stands behind it; every answer of the service has its id. */
const isStarting = ({ status, headers }: Result<unknown>): boolean => status === 503 && !headers.has('x-request-id');

/** Does what belongs to the scene and not to the load (documents written, someone signed in) as soon as the stage is there for it. */
export const untilThere = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 600) throw error;
      await pause(awayMs);
    }
  }
};

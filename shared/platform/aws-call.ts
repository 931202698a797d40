/**
 * The one way to a service of AWS: signed, over connections that stay open, and tried again where that may help. The SDK does
 * the same in twenty times the code, which every container would have to load; test/shared/platform holds this against it.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsClock, isSkewed } from './aws-clock.ts';
import { type AwsService, endpointOf, ownRegion } from './aws-endpoint.ts';
import { AwsError } from './aws-error.ts';
import { ownKeys } from './credentials.ts';
import { type Answer, exchange } from './exchange.ts';
import { chance } from './id.ts';
import { isOutage } from './outage.ts';
import { patience } from './patience.ts';
import { type AwsKeys, type Query, sentQuery, signedHeaders } from './signature.ts';

export interface AwsCall {
  readonly service: AwsService;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Each segment encoded once. */
  readonly path: string;
  readonly query?: Query;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AwsOptions {
  readonly attempts?: number;
  readonly signal?: AbortSignal;
  /** The function's own, unless given. */
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly keys?: () => Promise<AwsKeys>;
}

/** The longest answer is a page of the table: 16 MB of items, and what JSON adds. */
const answerMaxBytes = 64 << 20;
const agentOptions = { keepAlive: true, maxSockets: 50 };
const agents = { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent(agentOptions) };
const clock = new AwsClock();

/** The network comes in through here, so that a test can answer in its place. */
export const wire = { exchange };

/**
 * The answer of a call that succeeded. What it was refused for is an AwsError, read by `refusalOf`; else it is Node's own.
 * A refusal has a cause where an earlier try may have been done and only its answer was lost: that failure.
 */
export const awsCall = async (
  call: AwsCall,
  refusalOf: (answer: Answer) => AwsError,
  { attempts = patience.attempts, ...options }: AwsOptions = {},
): Promise<Answer> => {
  let lost: Error | undefined;
  for (let tries = 1; ; tries++) {
    const failure = await once(call, refusalOf, options);
    if (!(failure instanceof Error)) {
      budget = Math.min(budgetMax, budget + (tries === 1 ? 1 : retryCost));
      return failure;
    }
    options.signal?.throwIfAborted();
    const mayHelp = failure instanceof Skewed || isOutage(failure);
    if (!mayHelp && lost) failure.cause = lost;
    if (!mayHelp || tries >= attempts || budget < retryCost) throw failure instanceof Skewed ? failure.cause : failure;
    if (!isRefused(failure)) lost = failure;
    budget -= retryCost;
    await pause(chance() * delayMs(failure) * 2 ** (tries - 1));
  }
};

/** While everything fails, trying again only adds to it: what may be tried again is earned by what succeeds. */
const budgetMax = 500;
const retryCost = 5;
let budget = budgetMax;

/** A service that is asked too much is left alone for longer than one that did not answer. */
const delayMs = (failure: Error): number => (failure instanceof AwsError && failure.status < 500 ? 500 : 100);

/** Whether it is certain that nothing was done. */
const isRefused = (failure: Error): boolean => failure instanceof Skewed || (failure instanceof AwsError && failure.status < 500);

class Skewed extends Error {
  declare readonly cause: AwsError;
}

const once = async (
  call: AwsCall,
  refusalOf: (answer: Answer) => AwsError,
  { signal, region = ownRegion(), endpoint, keys = ownKeys }: Omit<AwsOptions, 'attempts'>,
): Promise<Answer | Error> => {
  const url = endpoint === undefined ? endpointOf(call.service, region) : new URL(endpoint);
  const { method, path, query = {}, body } = call;
  const signed = signedHeaders({ ...call, host: url.host }, { service: call.service, region }, await keys(), clock.now());
  const limit = AbortSignal.timeout(patience.requestMs);
  try {
    const answer = await wire.exchange({
      ...{ method, url, body, path: `${path}${sentQuery(query)}` },
      headers: { ...signed, ...unsigned() },
      ...{ agent: agents[url.protocol === 'http:' ? 'http:' : 'https:'], connectMs: patience.connectMs },
      ...{ signal: signal ? AbortSignal.any([signal, limit]) : limit },
      ...{ maxBytes: answerMaxBytes, refusalMaxBytes: answerMaxBytes },
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const refusal = refusalOf(answer);
    return isSkewed(refusal.name) && clock.learn(answer.headers.date) ? new Skewed('', { cause: refusal }) : refusal;
  } catch (error) {
    if (limit.aborted) return Object.assign(new Error(`${call.service} did not answer in time`), { name: 'TimeoutError' });
    return error as Error;
  }
};

/** What a proxy on the way may change. The trace ties what we ask of others to the request that made us ask. */
const unsigned = (): Record<string, string> => {
  const trace = process.env._X_AMZN_TRACE_ID;
  return { 'user-agent': 'backup-management-service', ...(trace && { 'x-amzn-trace-id': trace }) };
};

/**
 * Runs a row of the contract. Each step's result is the next one's input, so none can be left out or reordered:
 * size → authenticate → count → authorize → parse → validate → recall → count what reaches out → run → commit → respond.
 */
import * as z from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Clock, clock, type Key, log } from '../platform/index.ts';
import type { Authorized } from './authorize.ts';
import type { Answer, Call, Handler, Outcome } from './call.ts';
import { paginate, readPage } from './cursor.ts';
import { identify } from './identify.ts';
import { countAddress, countOutside, type Rate, refuseExcess } from './rate-limit.ts';
import { framed } from './refuse.ts';
import { type Incoming, readEvent, readJson, readQuery, refuseLargeBody } from './request.ts';
import { asApiError, errorResponse, fileResponse, jsonResponse, type Response, redirectResponse } from './respond.ts';
import { type Decision, replay, settle } from './settle.ts';
import { validate } from './validate.ts';

type Run = (call: unknown) => Promise<Outcome>;

/** A mistyped parameter must not pass for one that was left out. */
const noQuery = z.strictObject({});

export const handle = <E extends Endpoint>(
  endpoint: E,
  run: (call: Call<E>) => Promise<Answer<E>>,
  time: Clock = clock,
): Handler => {
  const runAny = run as unknown as Run;
  return async (event) => {
    const now = time.now();
    const incoming = readEvent(event);
    const { requestId } = incoming.origin;
    log.resetKeys();
    log.appendKeys({ requestId, operation: endpoint.id });
    let rate: Rate | undefined;
    const counted = (made: Rate): void => {
      // The count that refuses the call is the one to be told of.
      if (!rate || made.used > made.limit) rate = made;
    };
    const response = await answer(endpoint, runAny, incoming, now, counted).catch((error: unknown) => {
      const known = asApiError(error);
      if (known.status >= 500) log.error('the call failed', (known.cause ?? known) as Error);
      return errorResponse(known, requestId, incoming.headers.accept);
    });
    log.info('answered', { status: response.statusCode });
    return framed(response, rate ?? countAddress(incoming.origin.ip, now), requestId);
  };
};

const answer = async (
  endpoint: Endpoint,
  run: Run,
  incoming: Incoming,
  now: Date,
  counted: (rate: Rate) => void,
): Promise<Response> => {
  refuseLargeBody(incoming);
  const { key, authorized, seen } = await identify(endpoint, incoming, now, counted);
  try {
    return await proceed(endpoint, run, incoming, now, counted, authorized, key);
  } finally {
    await seen;
  }
};

const proceed = async (
  endpoint: Endpoint,
  run: Run,
  incoming: Incoming,
  now: Date,
  counted: (rate: Rate) => void,
  authorized: Authorized | undefined,
  key: Key | undefined,
): Promise<Response> => {
  const scope = authorized?.participant?.tenant.organizationId ?? authorized?.person?.userId ?? 'public';
  const query = readQuery(incoming.rawQuery);
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const isPaged = endpoint.list !== undefined || endpoint.paged === true;
  const page = isPaged ? await readPage(query, scope, endpoint.id) : undefined;
  const parsedQuery = validate(endpoint.query ?? noQuery, isPaged ? filters : query, 'query');
  const body = endpoint.body ? validate(endpoint.body, readJson(incoming, endpoint.bodyOptional ?? false), 'body') : undefined;

  const earlier = await replay(authorized?.also, body, now);
  if (earlier) return earlier;
  if (authorized?.gone) throw authorized.gone;
  const outside = await countOutside(endpoint, scope, now);
  if (outside) {
    counted(outside);
    refuseExcess(outside);
  }

  const call = {
    params: incoming.params,
    query: parsedQuery,
    body,
    page,
    now,
    origin: incoming.origin,
    incoming,
    ...(authorized && { user: authorized.person, actor: authorized.actor, ...authorized.participant }),
  };
  const decide = async (): Promise<Decision> => {
    const outcome = await run(call);
    const { cookies, change, actor = authorized?.actor } = outcome;
    return { response: await render(endpoint, outcome, scope), cookies, change, actor };
  };
  const { id, audit = id } = endpoint;
  return settle(decide, { operation: id, auditAction: audit, key, body, origin: incoming.origin, now });
};

/** The answer in its envelope. `data` goes through its schema, which drops whatever the interface does not name. */
const render = async (endpoint: Endpoint, outcome: Outcome, scope: string): Promise<Response> => {
  if (outcome.location !== undefined) return redirectResponse(outcome.location);
  if (outcome.file) return fileResponse(outcome.file);
  const status = outcome.status ?? endpoint.status ?? 200;
  if (endpoint.list) {
    const data = endpoint.list.array().parse(outcome.items);
    return jsonResponse(
      status,
      JSON.stringify({ success: true, data, pagination: await paginate(outcome.next, scope, endpoint.id) }),
    );
  }
  if (endpoint.data) {
    const data = endpoint.data.parse(outcome.data);
    const pagination = endpoint.paged && (await paginate(outcome.next, scope, endpoint.id));
    return jsonResponse(status, JSON.stringify({ success: true, data, pagination }));
  }
  return jsonResponse(status, JSON.stringify({ success: true, message: outcome.message }));
};

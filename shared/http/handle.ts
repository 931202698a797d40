/**
 * Runs an endpoint of the contract. Each step's result is the next one's input, so none can be omitted or reordered:
 * size → authenticate → count → authorize → parse → validate → replay → count outbound calls → run → commit → respond.
 */
import type { Endpoint } from '../contract/endpoint.ts';
import { idsIn } from '../contract/ids.ts';
import { noSuchOrganization } from '../organization/index.ts';
import { addLogContext, type Clock, clock, type Key } from '../platform/index.ts';
import { admitCaller } from './admit-caller.ts';
import type { Authorized } from './authorize.ts';
import { commitDecision, type Decision, replayStoredResponse } from './commit-decision.ts';
import { paginate, readPage } from './cursor.ts';
import type { Answer, Call, Handler, Outcome } from './handler-types.ts';
import { readJson, readQuery, refuseLargeBody } from './parse-request.ts';
import { assertWithinLimit, countOutboundCall } from './rate-limit.ts';
import { type CallInProgress, noQuery, withEnvelope } from './request-envelope.ts';
import { fileResponse, jsonResponse, type Response, redirectResponse } from './responses.ts';
import { validate } from './validate.ts';
import { warmUp } from './warm-up.ts';

type Run = (call: unknown) => Promise<Outcome>;

export const handle = <E extends Endpoint>(
  endpoint: E,
  run: (call: Call<E>) => Promise<Answer<E>>,
  time: Clock = clock,
): Handler => {
  if (endpoint.capabilities.some((use) => use.startsWith('table:'))) warmUp();
  const runAny = run as unknown as Run;
  return withEnvelope(endpoint.id, (call) => respond(endpoint, runAny, call), time);
};

const respond = async (endpoint: Endpoint, run: Run, call: CallInProgress): Promise<Response> => {
  refuseLargeBody(call.incoming);
  const { key, authorized, seen } = await admitCaller(endpoint, call);
  try {
    return await runCall({ endpoint, run, authorized, key, ...call });
  } finally {
    await seen;
  }
};

interface AdmittedCall extends CallInProgress {
  readonly endpoint: Endpoint;
  readonly run: Run;
  readonly authorized: Authorized | undefined;
  /** Of the stored response, if the call has an Idempotency-Key. */
  readonly key: Key | undefined;
}

const runCall = async (admitted: AdmittedCall): Promise<Response> => {
  const { endpoint, run, authorized, key, incoming, now, reportRate } = admitted;
  const scope = authorized?.participant?.tenant.organizationId ?? authorized?.person?.userId ?? 'public';
  const query = readQuery(incoming.rawQuery);
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const isPaged = endpoint.list !== undefined || endpoint.paged === true;
  const page = isPaged ? await readPage(query, scope, endpoint.id) : undefined;
  const parsedQuery = validate(endpoint.query ?? noQuery, isPaged ? filters : query, 'query');
  const body = endpoint.body ? validate(endpoint.body, readJson(incoming, endpoint.bodyOptional ?? false), 'body') : undefined;

  addLogContext(idsIn(body));

  const earlier = await replayStoredResponse(authorized?.storedResponse, body, now);
  if (earlier) return earlier;
  if (authorized?.deletedOrganizationId) throw noSuchOrganization();
  const outbound = await countOutboundCall(endpoint, scope, now);
  if (outbound) {
    reportRate(outbound);
    assertWithinLimit(outbound);
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
    // Logs the ids of created resources.
    if (change) addLogContext(idsIn(outcome.data));
    return { response: await render(endpoint, outcome, scope), cookies, change, actor };
  };
  const { id, audit = id } = endpoint;
  return commitDecision(decide, { operation: id, auditAction: audit, key, body, origin: incoming.origin, now });
};

/** Renders the response. `data` is parsed by its schema, which drops fields that the interface does not name. */
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

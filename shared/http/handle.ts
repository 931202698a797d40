/**
 * Runs an endpoint of the contract. Each step's result is the next one's input, so none can be omitted or reordered:
 * size → authenticate → count → authorize → parse → validate → replay → count outbound calls → run → commit → respond.
 */
import * as z from 'zod/mini';
import type { ProjectReach } from '../contract/access.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, invalidBesides, throwInvalid } from '../contract/errors.ts';
import { idsIn } from '../contract/ids.ts';
import { noSuchOrganization } from '../organization/index.ts';
import { addLogContext, type Clock, clock, type Key } from '../platform/index.ts';
import { admitCaller } from './admit-caller.ts';
import type { Authorized } from './authorize.ts';
import { commitDecision, type Decision, replayStoredResponse } from './commit-decision.ts';
import { paginate, readPage } from './cursor.ts';
import type { Call, Handler, HandlerAnswer, Outcome } from './handler-types.ts';
import { limitInput, type ProjectLimit, runWithinProjects } from './limit-to-projects.ts';
import { type Incoming, readJson, readQuery, refuseLargeBody } from './parse-request.ts';
import { assertWithinLimit, countOutboundCall } from './rate-limit.ts';
import { type CallInProgress, noQuery, withEnvelope } from './request-envelope.ts';
import { fileResponse, jsonResponse, type Response, redirectResponse } from './responses.ts';
import { answerUnrouted, isOtherMethod } from './unrouted/answer-unrouted.ts';
import { acceptedFields, validateAll } from './validate.ts';
import { warmUp } from './warm-up.ts';

type Run = (call: unknown) => Promise<Outcome>;

export const handle = <E extends Endpoint>(
  endpoint: E,
  run: (call: Call<E>) => Promise<HandlerAnswer<E>>,
  { check = () => undefined, time = clock }: Options<E> = {},
): Handler => {
  if (endpoint.capabilities.some((use) => use.startsWith('table:'))) warmUp();
  const runAny = run as unknown as Run;
  const checkAny = check as (body: unknown) => unknown;
  return withEnvelope(endpoint, (call) => respond({ endpoint, run: runAny, check: checkAny }, call), time);
};

interface Options<E extends Endpoint> {
  /**
   * Checks of the body beyond its schema that make no calls. The handler makes them, too; here they complete the problems of a body
   * that its schema rejects, and get the fields that it accepts.
   */
  readonly check?: (body: { readonly [F in keyof Call<E>['body']]?: Call<E>['body'][F] | undefined }) => unknown;
  readonly time?: Clock;
}

interface HandledEndpoint {
  readonly endpoint: Endpoint;
  readonly run: Run;
  readonly check: (body: unknown) => unknown;
}

const respond = async (handled: HandledEndpoint, call: CallInProgress): Promise<Response> => {
  if (isOtherMethod(handled.endpoint, call)) return answerUnrouted(call);
  refuseLargeBody(call.incoming);
  const { key, authorized, seen } = await admitCaller(handled.endpoint, call);
  try {
    return await runCall({ ...handled, authorized, key, ...call });
  } finally {
    await seen;
  }
};

interface AdmittedCall extends CallInProgress, HandledEndpoint {
  readonly authorized: Authorized | undefined;
  /** Of the stored response, if the call has an Idempotency-Key. */
  readonly key: Key | undefined;
}

const runCall = async (admitted: AdmittedCall): Promise<Response> => {
  const { endpoint, run, authorized, key, incoming, now, reportRate } = admitted;
  const scope = authorized?.participant?.tenant.organizationId ?? authorized?.person?.userId ?? 'public';
  const { page, query, body } = await readInput(admitted, scope);

  addLogContext(idsIn(body));

  const limit = projectLimitOf(endpoint, authorized);
  const given = { params: incoming.params, query, body };
  const input = limit ? await limitInput(limit.reach, given, limit) : given;
  // A key that was limited to other projects since its first call gets the answer of an unknown id, not the stored one.
  const isRepeatable = input === given;
  const earlier = isRepeatable ? await replayStoredResponse(authorized?.storedResponse, body, now) : undefined;
  if (earlier) return earlier;
  if (authorized?.deletedOrganizationId) throw noSuchOrganization();
  const outbound = await countOutboundCall(endpoint, scope, now);
  if (outbound) {
    reportRate(outbound);
    assertWithinLimit(outbound);
  }

  const call = {
    ...input,
    page,
    now,
    origin: incoming.origin,
    incoming,
    ...(authorized && { user: authorized.person, actor: authorized.actor, ...authorized.participant }),
  };
  const decide = async (): Promise<Decision> => {
    const outcome = await (limit?.reach === 'listed' ? runWithinProjects(run, { endpoint, call, limit }) : run(call));
    const { cookies, change, actor = authorized?.actor } = outcome;
    // Logs the ids of created resources.
    if (change) addLogContext(idsIn(outcome.data));
    return { response: await render(endpoint, outcome, { scope, params: incoming.params }), cookies, change, actor };
  };
  const { id, audit } = endpoint;
  const repeated = isRepeatable ? key : undefined;
  return commitDecision(decide, { operation: id, auditAction: audit, key: repeated, body, origin: incoming.origin, now });
};

/** Undefined unless the caller is an API key that is limited to projects. */
const projectLimitOf = (
  { access }: Endpoint,
  authorized: Authorized | undefined,
): (ProjectLimit & { readonly reach: ProjectReach }) | undefined => {
  const { tenant, projectIds } = authorized?.participant ?? {};
  return tenant && projectIds && typeof access === 'object' && access.scope !== 'people-only'
    ? { tenant, projectIds, reach: access.projects }
    : undefined;
};

/** Throws one error with all problems of the page, the query and the body. */
const readInput = async ({ endpoint, check, incoming }: AdmittedCall, scope: string) => {
  const query = readQuery(incoming.rawQuery);
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const isPaged = endpoint.list !== undefined || endpoint.paged === true;
  const page = isPaged ? await readPage(query, scope, endpoint.id).catch(asInvalid) : undefined;
  const json = endpoint.body && readJson(incoming, endpoint.bodyOptional ?? false);
  try {
    const [parsedQuery, body] = validateAll(
      { schema: endpoint.query ?? noQuery, input: isPaged ? filters : query, whole: 'query' },
      { schema: endpoint.body ?? z.undefined(), input: json, whole: 'body' },
    );
    if (page instanceof ApiError) throw page;
    return { page, query: parsedQuery, body };
  } catch (error) {
    const rejected = asInvalid(error);
    const ofPage = page instanceof ApiError && page !== rejected ? page : undefined;
    throwInvalid([ofPage, rejected, invalidBesides(rejected, () => check(acceptedFields(endpoint.body, json)))]);
    throw error;
  }
};

const asInvalid = (error: unknown): ApiError => {
  if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return error;
  throw error;
};

/** Renders the response. `data` is parsed by its schema, which drops fields that the interface does not name. */
const render = async (
  endpoint: Endpoint,
  outcome: Outcome,
  { scope, params }: { readonly scope: string; readonly params: Incoming['params'] },
): Promise<Response> => {
  if (outcome.location !== undefined) return redirectResponse(outcome.location);
  if (outcome.file) return fileResponse(outcome.file);
  const status = outcome.status ?? endpoint.status ?? 200;
  if (endpoint.list) {
    const data = z.array(endpoint.list).parse(outcome.items);
    return jsonResponse(
      status,
      JSON.stringify({ success: true, data, pagination: await paginate(outcome.next, scope, endpoint.id) }),
    );
  }
  if (endpoint.data) {
    const data = endpoint.data.parse(outcome.data);
    const pagination = endpoint.paged && (await paginate(outcome.next, scope, endpoint.id));
    const headers = locationHeader(endpoint, status, { ...params, ...(data as object) });
    return jsonResponse(status, JSON.stringify({ success: true, data, pagination }), headers);
  }
  return jsonResponse(status, JSON.stringify({ success: true, message: outcome.message }));
};

const locationHeader = (
  { location }: Endpoint,
  status: number,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> => {
  if (location === undefined || (status !== 201 && status !== 202)) return {};
  return { location: location.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name]))) };
};

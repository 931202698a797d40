/**
 * Runs a row of the contract. Each step's result is the next one's input, so none can be left out or reordered:
 * size → authenticate → count → authorize → parse → validate → recall → run → commit → respond.
 */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import { type Actor, auditEntry, type Origin } from '../audit/index.ts';
import type { Endpoint, Params } from '../contract/endpoint.ts';
import { organizationKey } from '../organization/index.ts';
import { bestEffort, type Change, type Clock, clock, commit, get, iso, log, note, type Tenant } from '../platform/index.ts';
import { authenticate, rateIdentity } from './authenticate.ts';
import { type Authorized, authorize, type Participant, type Person } from './authorize.ts';
import { type Page, paginate, readPage } from './cursor.ts';
import { AnsweredMeanwhile, answerKey, keepAnswer, recall, type StoredAnswer } from './idempotency.ts';
import { countActor, countAddress, type Rate, rateHeaders, refuseExcess } from './rate-limit.ts';
import { type Incoming, readEvent, readJson, readQuery, refuseLargeBody } from './request.ts';
import { asApiError, errorResponse, type File, fileResponse, jsonResponse, type Response, redirectResponse } from './respond.ts';
import { validate } from './validate.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type CallerOf<A> = A extends 'public'
  ? unknown
  : A extends 'user'
    ? { readonly user: Person }
    : Participant & { readonly actor: Actor };

/** What a handler is given: everything about the call, checked. */
export type Call<E extends Endpoint> = {
  readonly params: Params<E['path']>;
  readonly query: Parsed<E['query']>;
  readonly body: Parsed<E['body']>;
  readonly page: E['list'] extends z.ZodType ? Page : undefined;
  readonly now: Date;
  readonly origin: Origin;
  readonly incoming: Incoming;
} & CallerOf<E['access']>;

type Payload<E extends Endpoint> = E['reply'] extends 'redirect'
  ? { readonly location: string }
  : E['reply'] extends 'file'
    ? { readonly file: File }
    : E['list'] extends z.ZodType
      ? { readonly items: readonly z.input<E['list']>[]; readonly next: string | undefined }
      : E['data'] extends z.ZodType
        ? { readonly data: z.input<E['data']> }
        : { readonly message: string };

/** What a handler decides: the answer, and the change that must be committed before it is given. */
export type Answer<E extends Endpoint> = Payload<E> & {
  readonly cookies?: readonly string[];
  readonly status?: number;
} & (E['audit'] extends string ? { readonly change: Change } : { readonly change?: Change }) &
  // Where nobody had to say who they are, the handler says who it turned out to be.
  (E['access'] extends 'public' ? (E['audit'] extends string ? { readonly actor: Actor } : unknown) : unknown);

export type Handler = (event: APIGatewayProxyEventV2) => Promise<Response>;

interface Loose {
  readonly location?: string;
  readonly file?: File;
  readonly items?: readonly unknown[];
  readonly next?: string;
  readonly data?: unknown;
  readonly message?: string;
  readonly cookies?: readonly string[];
  readonly status?: number;
  readonly change?: Change;
  readonly actor?: Actor;
}

export const handle = <E extends Endpoint>(
  endpoint: E,
  run: (call: Call<E>) => Promise<Answer<E>>,
  time: Clock = clock,
): Handler => {
  const runLoosely = run as unknown as (call: unknown) => Promise<Loose>;
  return async (event) => {
    const now = time.now();
    const incoming = readEvent(event);
    const { requestId } = incoming.origin;
    log.resetKeys();
    log.appendKeys({ requestId, operation: endpoint.id });
    let rate: Rate | undefined;
    const counted = (made: Rate): void => {
      rate = made;
    };
    const response = await answer(endpoint, runLoosely, incoming, now, counted).catch((error: unknown) => {
      const known = asApiError(error);
      if (known.status >= 500) log.error('the call failed', (known.cause ?? known) as Error);
      return errorResponse(known, requestId, incoming.headers.accept);
    });
    rate ??= countAddress(incoming.origin.ip, now);
    log.info('answered', { status: response.statusCode });
    return { ...response, headers: { ...response.headers, ...rateHeaders(rate), 'x-request-id': requestId } };
  };
};

const answer = async (
  endpoint: Endpoint,
  run: (call: unknown) => Promise<Loose>,
  incoming: Incoming,
  now: Date,
  counted: (rate: Rate) => void,
): Promise<Response> => {
  refuseLargeBody(incoming);
  const { key, authorized } = await identify(endpoint, incoming, now, counted);
  const scope = authorized?.participant?.tenant.organizationId ?? authorized?.person?.userId ?? 'public';

  const query = readQuery(incoming.rawQuery);
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const page = endpoint.list ? await readPage(query, scope, endpoint.id) : undefined;
  const parsedQuery = endpoint.query ? validate(endpoint.query, endpoint.list ? filters : query, 'query') : undefined;
  const body = endpoint.body ? validate(endpoint.body, readJson(incoming, endpoint.bodyOptional ?? false), 'body') : undefined;

  const earlier = await recall(authorized?.also, body, now);
  if (earlier) return replayed(earlier);

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
  const outcome = await run(call);
  const response = await render(endpoint, outcome, scope);
  if (outcome.change) {
    const actor = outcome.actor ?? authorized?.actor;
    const writes = [...outcome.change.writes];
    for (const entry of outcome.change.audit) {
      if (!actor) throw new Error(`${endpoint.id} changed something on nobody's behalf`);
      writes.push(auditEntry(endpoint.audit ?? endpoint.id, entry, actor, incoming.origin, now));
    }
    if (key) writes.push(await keepAnswer(key, body, { status: response.statusCode ?? 200, body: response.body ?? '' }, now));
    try {
      await commit(writes);
    } catch (error) {
      if (!(error instanceof AnsweredMeanwhile) || !key) throw error;
      const meanwhile = await recall(await get(key), body, now);
      if (!meanwhile) throw error;
      return replayed(meanwhile);
    }
  }
  return { ...response, ...(outcome.cookies && { cookies: [...outcome.cookies] }) };
};

/** Who calls, whether they may, and how often they have: one round trip, beside the count. */
const identify = async (
  endpoint: Endpoint,
  incoming: Incoming,
  now: Date,
  counted: (rate: Rate) => void,
): Promise<{ key?: ReturnType<typeof answerKey>; authorized?: Authorized }> => {
  const { access, requestsPerMinute } = endpoint;
  if (access === 'public') {
    const rate = countAddress(incoming.origin.ip, now);
    counted(rate);
    refuseExcess(rate);
    return {};
  }
  const credentials = await authenticate(incoming);
  const identity = rateIdentity(credentials);
  const header = incoming.headers['x-organization-id'];
  const key =
    endpoint.idempotent &&
    answerKey(incoming.headers['idempotency-key'], identity, header, `${endpoint.method} ${incoming.path}`);
  const scope = access === 'user' ? 'none' : (header ?? 'none').slice(0, 64);
  const [rate, verdict] = await Promise.all([
    countActor(identity, scope, requestsPerMinute === undefined ? undefined : { id: endpoint.id, limit: requestsPerMinute }, now),
    authorize(access, credentials, header, key || undefined, now).then(
      (authorized) => ({ authorized }),
      (error: unknown) => ({ error }),
    ),
  ]);
  counted(rate);
  refuseExcess(rate);
  if ('error' in verdict) throw verdict.error;
  const { participant, actor } = verdict.authorized;
  // The first call of each minute notes when the actor was last seen: at most one write a minute, and no read to decide it.
  if (participant && rate.used === 1) await bestEffort('note who was seen', noteSeen(participant.tenant, actor, now));
  return { authorized: verdict.authorized, ...(key && { key }) };
};

const noteSeen = (tenant: Tenant, actor: Actor, now: Date): Promise<void> =>
  note(organizationKey.seen(tenant, actor.id), 'at', iso(now));

const replayed = ({ status, body }: StoredAnswer): Response => jsonResponse(status, body, { 'idempotent-replayed': 'true' });

/** The answer in its envelope. `data` goes through its schema, which drops whatever the interface does not name. */
const render = async (endpoint: Endpoint, outcome: Loose, scope: string): Promise<Response> => {
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
  if (endpoint.data) return jsonResponse(status, JSON.stringify({ success: true, data: endpoint.data.parse(outcome.data) }));
  return jsonResponse(status, JSON.stringify({ success: true, message: outcome.message }));
};

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Context } from 'aws-lambda';
import { afterAll, beforeEach, test } from 'vitest';
import * as z from 'zod/mini';
import { group } from '../../../shared/contract/endpoint.ts';
import { ApiError, checkAll, invalid } from '../../../shared/contract/errors.ts';
import { operationOf } from '../../../shared/contract/openapi/operation.ts';
import { handle, type Response } from '../../../shared/http/index.ts';
import { newKeyToken } from '../../../shared/organization/index.ts';
import { create, fingerprint, newId, StaleReadError, timeoutEarlyMs } from '../../../shared/platform/index.ts';
import { eventOf, type Request } from '../../harness/aws/api-event.ts';
import { cancelled, Fault, type Input, type Script, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
afterAll(aws.stop);
process.env.REQUESTS_PER_MINUTE = '1000';

const access = { role: 'admin', scope: 'organization:write', projects: 'organization' } as const;
const things = group('things', '/things', {
  make: {
    route: 'POST',
    access,
    summary: '',
    body: z.strictObject({ name: z.string() }),
    data: z.object({ id: z.string() }),
    status: 201,
    location: '/things/{id}',
    audit: 'webhook.created',
    idempotent: true,
    capabilities: [],
  },
  list: { route: 'GET', access, summary: '', list: z.object({ id: z.string() }), capabilities: [] },
  open: { route: 'GET /open', access: 'public', summary: '', data: z.object({ id: z.string() }), capabilities: [] },
});

const [org, account] = [newId('organization'), newId('serviceAccount')];
const apiKey = newKeyToken(account);
let table: InMemoryTable;
let script: Script;
beforeEach(() => {
  table = new InMemoryTable();
  table.put({ pk: `ORG#${org}`, sk: 'META', id: org });
  table.put({
    pk: `APIKEY#${account}`,
    sk: 'APIKEY',
    accountId: account,
    organizationId: org,
    email: 'k@b.c',
    permissions: ['organization:write'],
    fingerprint: fingerprint(apiKey),
  });
  script = { ...table.script, GetSecretValue: () => ({ SecretString: 's'.repeat(64) }) };
  aws.play(script);
});

const signedIn = { authorization: `Bearer ${apiKey}`, 'x-organization-id': org };
const post = (body: object, headers: Record<string, string> = {}): Request => ({
  method: 'POST',
  path: '/things',
  headers: { ...signedIn, 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

let runs = 0;
const make = handle(things.make, async ({ body }) => {
  runs += 1;
  const id = `${body.name}-${runs}`;
  const writes = [create({ pk: `ORG#${org}`, sk: `THING#${body.name}` }, () => new ApiError('SLUG_TAKEN', 'taken'))];
  return { data: { id, hidden: 'x' }, change: { writes, audit: [{ scope: org, resource: { type: 'thing', id } }] } };
});
const bodyOf = <T = unknown>({ body }: Response) => JSON.parse(body ?? '') as T;
const written = () =>
  aws.sent('TransactWriteItems').map(({ TransactItems }) => TransactItems as { Put: { Item: Record<string, { S: string }> } }[]);

test('handle: the change and its audit entry are one transaction, and the response has only fields of the schema', async () => {
  const response = await make(eventOf(post({ name: 'a' }, { 'user-agent': 'test' })));
  equal(response.statusCode, 201);
  deepEqual(bodyOf(response), { success: true, data: { id: `a-${runs}` } });
  const [transaction, ...others] = written();
  equal(others.length, 0);
  const [thing, entry] = transaction!.map(({ Put }) => Put.Item);
  equal(thing!.sk!.S, 'THING#a');
  equal(entry!.pk!.S, `AUDIT#${org}`);
  equal(entry!.action!.S, 'webhook.created');
  ok(JSON.stringify(entry).includes(response.headers['x-request-id']!));
});

test('handle: a call takes three round trips; the last-seen time is written concurrently', async () => {
  await make(eventOf(post({ name: 'a' })));
  deepEqual(aws.calls.map(({ action }) => action).sort(), ['BatchGetItem', 'TransactWriteItems', 'UpdateItem', 'UpdateItem']);
});

test('handle: a failed write of the last-seen time does not fail the call', async () => {
  const isNote = (input: Input) => JSON.stringify(input.Key).includes('SEEN#');
  aws.play({
    ...script,
    UpdateItem: (input) => (isNote(input) ? new Fault('AccessDeniedException') : script.UpdateItem!(input)),
  });
  equal((await make(eventOf(post({ name: 'a' })))).statusCode, 201);
});

test('handle: every response has its request id and the rate limit of the caller', async () => {
  for (const request of [post({ name: 'a' }), post({ nmae: 'a' }), { headers: {} }, { ...post({}), headers: signedIn }]) {
    const { headers } = await make(eventOf(request));
    ok(headers['x-request-id']);
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) ok(/^\d+$/.test(headers[name] ?? ''), name);
  }
});

test('idempotency: the same key and body get the first response, and nothing is done twice', async () => {
  const before = runs;
  const first = await make(eventOf(post({ name: 'a' }, { 'idempotency-key': 'k1' })));
  const again = await make(eventOf(post({ name: 'a' }, { 'idempotency-key': 'k1' })));
  equal(runs, before + 1);
  equal(again.statusCode, 201);
  equal(again.body, first.body);
  equal(first.headers['idempotent-replayed'], undefined);
  equal(again.headers['idempotent-replayed'], 'true');
  equal(written().length, 1);
});

test('handle: a created resource has a Location, also in a replayed response', async () => {
  const request = post({ name: 'a b' }, { 'idempotency-key': 'location' });
  const first = await make(eventOf(request));
  equal(first.headers.location, `/things/a%20b-${runs}`);
  const replayed = await make(eventOf(request));
  deepEqual([replayed.headers['idempotent-replayed'], replayed.headers.location], ['true', first.headers.location]);
});

test('idempotency: the same key with another body is refused', async () => {
  await make(eventOf(post({ name: 'a' }, { 'idempotency-key': 'k1' })));
  const other = await make(eventOf(post({ name: 'b' }, { 'idempotency-key': 'k1' })));
  equal(other.statusCode, 422);
  equal(written().length, 1);
});

test('idempotency: the stored response is encrypted, because it may contain a secret that is shown once', async () => {
  const { body } = await make(eventOf(post({ name: 'secretname' }, { 'idempotency-key': 'k1' })));
  const kept = [...table.items.values()].find(({ pk }) => pk!.S!.startsWith('ANSWER#'))!;
  ok(!JSON.stringify(kept).includes(body!) && !JSON.stringify(kept).includes('secretname'));
});

for (const key of ['', 'x'.repeat(256), 'tab\tkey', 'ümlaut'])
  test(`idempotency: the key ${JSON.stringify(key.slice(0, 20))} is refused`, async () => {
    const response = await make(eventOf(post({ name: 'a' }, { 'idempotency-key': key })));
    equal(response.statusCode, 400);
    equal(bodyOf<{ error: { details: { field: string } } }>(response).error.details.field, 'Idempotency-Key');
  });

// Both calls find no stored response. The second then fails, because the first has created the resource: it must get the first's response.
test('idempotency: a call whose duplicate commits first gets the response of the duplicate', async () => {
  const request = post({ name: 'a' }, { 'idempotency-key': 'k1' });
  const first = await make(eventOf(request));
  let looks = 0;
  aws.play({
    ...script,
    BatchGetItem: (input) => (looks++ === 0 ? withoutAnswers(script.BatchGetItem!(input) as Found) : script.BatchGetItem!(input)),
    TransactWriteItems: () => cancelled('ConditionalCheckFailed', 'None', 'ConditionalCheckFailed'),
  });
  const second = await make(eventOf(request));
  equal(second.body, first.body);
  equal(second.headers['idempotent-replayed'], 'true');
});
type Found = { Responses: { Table: { pk: { S: string } }[] } };
const withoutAnswers = ({ Responses }: Found) => ({
  Responses: { Table: Responses.Table.filter(({ pk }) => !pk.S.startsWith('ANSWER#')) },
});

test('handle: a response that does not match the schema is a 500, and nothing is committed', async () => {
  const wrong = handle(things.make, async () => ({
    data: { id: 7 as unknown as string },
    change: { writes: [create({ pk: 'X', sk: 'X' })], audit: [] },
  }));
  const response = await wrong(eventOf(post({ name: 'a' })));
  equal(response.statusCode, 500);
  equal(written().length, 0);
});

test('handle: an unexpected error is a 500 without details', async () => {
  const broken = handle(things.open, async () => {
    throw new TypeError('hunter2');
  });
  const response = await broken(eventOf({}));
  equal(response.statusCode, 500);
  ok(!response.body?.includes('hunter2'));
});

test('handle: an unavailable table is a 503 in the envelope', async () => {
  aws.play({ ...script, BatchGetItem: () => new Fault('InternalServerError', 500) });
  const response = await make(eventOf(post({ name: 'a' })));
  equal(response.statusCode, 503);
  equal(bodyOf<{ error: { code: string } }>(response).error.code, 'SERVICE_UNAVAILABLE');
});

test('handle: a handler with stale reads runs again, up to four times, then the call is a CONFLICT', async () => {
  let tries = 0;
  const contended = (until: number) =>
    handle(things.make, async () => {
      tries += 1;
      if (tries < until) throw new StaleReadError();
      return { data: { id: 'x' }, change: { writes: [], audit: [] } };
    });
  equal((await contended(3)(eventOf(post({ name: 'a' })))).statusCode, 201);
  tries = 0;
  equal((await contended(100)(eventOf(post({ name: 'a' })))).statusCode, 409);
  equal(tries, 4);
});

test('handle: a list has its items and the cursor of the next page', async () => {
  const list = handle(things.list, async ({ page }) => ({ items: [{ id: `${page.limit}` }], next: page.after ?? 'P#1' }));
  const first = bodyOf<{ pagination: { nextCursor: string } }>(await list(eventOf({ headers: signedIn, query: 'limit=7' })));
  deepEqual({ ...first, pagination: undefined }, { success: true, data: [{ id: '7' }], pagination: undefined });
  const second = await list(eventOf({ headers: signedIn, query: `cursor=${first.pagination.nextCursor}` }));
  equal(second.statusCode, 200);
});

test('handle: one error has the problems of the page and the query', async () => {
  const list = handle(things.list, async () => ({ items: [], next: undefined }));
  const response = await list(eventOf({ headers: signedIn, query: 'limit=0&bogus=1' }));
  const { error } = bodyOf<{ error: { details: { field: string; errors: { field: string }[] } } }>(response);
  equal(response.statusCode, 400);
  equal(error.details.field, 'limit');
  deepEqual(
    error.details.errors.map(({ field }) => field),
    ['limit', 'bogus'],
  );
});

test('handle: checks beyond the schema complete the problems of a body that the schema rejects', async () => {
  const seen: unknown[] = [];
  const run = async () => ({ data: { id: 'x' }, change: { writes: [], audit: [] } });
  const checked = handle(things.make, run, {
    check: (body) => {
      seen.push(body);
      if (body.name === 'taboo') throw invalid('name', 'is taboo');
    },
  });
  const fieldsOf = async (body: object) =>
    bodyOf<{ error: { details: { errors: { field: string }[] } } }>(await checked(eventOf(post(body)))).error.details.errors.map(
      ({ field }) => field,
    );
  deepEqual(await fieldsOf({ name: 'taboo', bogus: 1 }), ['bogus', 'name']);
  deepEqual(await fieldsOf({ name: 5, bogus: 1 }), ['bogus', 'name']);
  deepEqual(seen, [{ name: 'taboo' }, {}]);
});

test('handle: a field that the schema rejects is not called missing by a check that did not see it', async () => {
  const run = async () => ({ data: { id: 'x' }, change: { writes: [], audit: [] } });
  const checked = handle(things.make, run, {
    check: ({ name }) =>
      checkAll(
        () => {
          if (name === undefined) throw invalid('name', 'is required here');
        },
        () => {
          throw invalid('bogus.inner', 'is never right');
        },
        () => {
          throw invalid('other', 'is missing');
        },
      ),
  });
  const problemsOf = async (body: object) => {
    const response = await checked(eventOf(post(body)));
    const { details } = bodyOf<{ error: { details: { errors: { field: string; reason: string }[] } } }>(response).error;
    return details.errors.map(({ field, reason }) => `${field} ${reason}`);
  };
  const [first, ...more] = await problemsOf({ name: 5, bogus: 1 });
  equal(first, 'bogus is not a known field');
  match(more[0]!, /^name expected string/);
  deepEqual(more.slice(1), ['other is missing']);
});

test('rate limit: a caller without a valid key is counted by address, whatever key it tries next', async () => {
  process.env.REQUESTS_PER_MINUTE = '5';
  const statuses: (number | undefined)[] = [];
  for (let n = 0; n < 8; n++) {
    const headers = { authorization: `Bearer ${newKeyToken(newId('serviceAccount'))}`, 'x-organization-id': org };
    statuses.push((await make(eventOf({ ...post({ name: 'a' }), headers, ip: '198.51.100.9' }))).statusCode);
  }
  process.env.REQUESTS_PER_MINUTE = '1000';
  deepEqual([...new Set(statuses)], [401, 429]);
  equal(statuses.at(-1), 429);
});

test('rate limit: outbound calls are limited per organization; a call that is refused before it runs is not counted', async () => {
  const row = { ...things.make, outboundShare: 2 / 1_000 };
  let reached = 0;
  const run = async () => {
    reached += 1;
    return { data: { id: 'x' }, change: { writes: [], audit: [{ scope: org, resource: { type: 'thing', id: 'x' } }] } };
  };
  // One minute, whenever this runs.
  const reach = handle(row, run, { time: { now: () => new Date('2030-01-01T00:00:10.000Z') } });
  for (let n = 0; n < 5; n++) equal((await reach(eventOf(post({})))).statusCode, 400);
  const statuses: unknown[] = [];
  for (let n = 0; n < 3; n++) statuses.push((await reach(eventOf(post({ name: 'a' })))).statusCode);
  deepEqual([statuses, reached], [[201, 201, 429], 2]);
  const { headers = {} } = await reach(eventOf(post({ name: 'a' })));
  deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['2', '0']);
  ok(Number(headers['retry-after']) >= 1);
});

const contextWith = (workMs: number): Context => {
  const deadlineMs = Date.now() + workMs + timeoutEarlyMs;
  return { getRemainingTimeInMillis: () => deadlineMs - Date.now() } as Context;
};

test('handle: a call that times out is a 503 in the envelope, with its request id, and commits nothing later', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let decided: Promise<unknown> | undefined;
  const slow = handle(things.make, async ({ body }) => {
    decided = released.then(() => undefined);
    await decided;
    return {
      data: { id: body.name },
      change: {
        writes: [create({ pk: `ORG#${org}`, sk: 'THING#late' })],
        audit: [{ scope: org, resource: { type: 'thing', id: 'late' } }],
      },
    };
  });
  const event = eventOf(post({ name: 'late' }));
  const response = await slow(event, contextWith(50));
  const { success, error } = bodyOf<{ success: boolean; error: { code: string; requestId: string } }>(response);
  deepEqual(
    {
      status: response.statusCode,
      success,
      code: error.code,
      requestId: error.requestId,
      retryAfter: response.headers['retry-after'],
    },
    { status: 503, success: false, code: 'SERVICE_UNAVAILABLE', requestId: event.requestContext.requestId, retryAfter: '5' },
  );
  equal(response.headers['x-request-id'], event.requestContext.requestId);
  release();
  await decided;
  await new Promise((done) => setTimeout(done, 50));
  ok(![...table.items.keys()].some((name) => name.includes('THING#late')));
});

test('handle: header names are case-insensitive', async () => {
  const event = eventOf(post({ name: 'cased' }));
  event.headers = Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name.toUpperCase(), value]));
  equal((await make(event)).statusCode, 201);
});

test('handle: an endpoint that will go says since when, until when and what to use, also with an error', async () => {
  const deprecated = { since: '2026-12-31', sunset: '2027-06-30', use: 'GET /api/v1/backups' } as const;
  const { old } = group('things', '/things', {
    old: {
      route: 'GET /old',
      access: 'public',
      summary: 'Old',
      data: z.object({ id: z.string() }),
      deprecated,
      capabilities: [],
    },
  });
  const refuse = handle(old, () => Promise.reject(new ApiError('CONFLICT', 'No')));
  const answer = handle(old, async () => ({ data: { id: '1' } }));
  for (const [handler, status] of [
    [answer, 200],
    [refuse, 409],
  ] as const) {
    const { statusCode, headers } = await handler(eventOf({ method: 'GET', path: '/things/old' }));
    deepEqual(
      [statusCode, headers.deprecation, headers.sunset, headers.link],
      [
        status,
        '@1798675200',
        'Wed, 30 Jun 2027 00:00:00 GMT',
        '</docs/versions>; rel="deprecation"; type="text/html", </api/v1/backups>; rel="successor-version"',
      ],
    );
  }
  const operation = operationOf(old, 'Things');
  deepEqual([operation.deprecated, operation['x-sunset']], [true, '2027-06-30']);
  match(operation.description, /^Deprecated since 2026-12-31, and gone after 2027-06-30: use GET \/api\/v1\/backups instead\./);
});

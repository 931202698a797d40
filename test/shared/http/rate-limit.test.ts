import { deepEqual, equal, throws } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { assertWithinLimit, countActor, countAddress, countOutboundCall, rateHeaders } from '../../../shared/http/rate-limit.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
afterAll(aws.stop);
process.env.REQUESTS_PER_MINUTE = '3';
beforeEach(() => aws.play(new InMemoryTable().script));

const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds));

test('countActor: the count is per actor, organization and minute', async () => {
  const used = async (actor: string, scope: string, seconds: number) => (await countActor({ actor, scope }, at(seconds))).used;
  deepEqual([await used('a', 'org_1', 0), await used('a', 'org_1', 59), await used('a', 'org_1', 60)], [1, 2, 1]);
  equal(await used('a', 'org_2', 0), 1);
  equal(await used('b', 'org_1', 0), 1);
});

test('countActor: an endpoint with its own limit is counted separately', async () => {
  const own = { id: 'invites.resend', limit: 2 };
  await countActor({ actor: 'a', scope: 'org_1' }, at(0));
  deepEqual(await countActor({ actor: 'a', scope: 'org_1', own }, at(10)), { limit: 2, used: 1, resetSeconds: 50 });
});

test('countOutboundCall: outbound calls have a share of the limit, for the whole organization', async () => {
  const endpoint = endpoints.find(({ id }) => id === 'storageDestinations.test') as Endpoint;
  const [limits, used]: [unknown[], unknown[]] = [[], []];
  for (const service of [3_000, 6_000, 3]) {
    process.env.REQUESTS_PER_MINUTE = String(service);
    const rate = await countOutboundCall(endpoint, 'org_1', at(0));
    limits.push(rate?.limit);
    used.push(rate?.used);
  }
  deepEqual(
    [limits, used],
    [
      [300, 600, 1],
      [1, 2, 3],
    ],
  );
  equal((await countOutboundCall(endpoint, 'org_2', at(0)))?.used, 1);
  const free = endpoints.find(({ id }) => id === 'backups.get') as Endpoint;
  equal(await countOutboundCall(free, 'org_1', at(0)), undefined);
});

test('contract: every endpoint that accesses buckets or databases has an outbound share', () => {
  const reaches = (endpoint: Endpoint): boolean =>
    endpoint.capabilities.some((use) => use === 'destination:use' || use === 'source:read');
  deepEqual(
    (endpoints as readonly Endpoint[]).filter((endpoint) => reaches(endpoint) && endpoint.outboundShare === undefined),
    [],
  );
});

test('contract: every endpoint that sends webhooks has an outbound share', () => {
  const limited = (endpoints as readonly Endpoint[])
    .filter(({ outboundShare }) => outboundShare !== undefined)
    .map(({ id }) => id);
  deepEqual(
    limited.filter((id) => id.startsWith('webhooks.')),
    ['webhooks.test', 'webhooks.retry', 'webhooks.replay'],
  );
});

test('assertWithinLimit: the call that reaches the limit passes, the next one is refused with Retry-After', () => {
  assertWithinLimit({ limit: 3, used: 3, resetSeconds: 12 });
  throws(() => assertWithinLimit({ limit: 3, used: 4, resetSeconds: 12 }), {
    code: 'RATE_LIMITED',
    headers: { 'retry-after': '12' },
  });
});

test('rateHeaders: the remaining count is never negative', () => {
  deepEqual(rateHeaders({ limit: 3, used: 9, resetSeconds: 1 }), {
    'ratelimit-limit': '3',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
  });
});

test('countAddress: the count is per address and minute', () => {
  equal(countAddress('1.1.1.1', at(120)).used, 1);
  equal(countAddress('1.1.1.1', at(121)).used, 2);
  equal(countAddress('2.2.2.2', at(121)).used, 1);
  equal(countAddress('1.1.1.1', at(180)).used, 1);
});

test('countAddress: memory is bounded, and an address that keeps calling stays counted', () => {
  const busy = '9.9.9.9';
  for (let n = 0; n < 25_000; n++) {
    countAddress(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, at(240));
    if (n % 1_000 === 0) countAddress(busy, at(240));
  }
  equal(countAddress(busy, at(240)).used, 26);
  equal(countAddress('10.0.0.1', at(240)).used, 1);
});

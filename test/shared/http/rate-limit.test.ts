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

test('an actor is counted for one organization and one minute', async () => {
  const used = async (actor: string, scope: string, seconds: number) => (await countActor({ actor, scope }, at(seconds))).used;
  deepEqual([await used('a', 'org_1', 0), await used('a', 'org_1', 59), await used('a', 'org_1', 60)], [1, 2, 1]);
  equal(await used('a', 'org_2', 0), 1);
  equal(await used('b', 'org_1', 0), 1);
});

test('an endpoint with a limit of its own is counted apart', async () => {
  const own = { id: 'invites.resend', limit: 2 };
  await countActor({ actor: 'a', scope: 'org_1' }, at(0));
  deepEqual(await countActor({ actor: 'a', scope: 'org_1', own }, at(10)), { limit: 2, used: 1, resetSeconds: 50 });
});

test('calls that wait for others have a share of the limit, which grows with it, for all of an organization together', async () => {
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

test('whatever reaches a bucket or a database while its caller waits has a limit of its own', () => {
  const reaches = (endpoint: Endpoint): boolean =>
    endpoint.capabilities.some((use) => use === 'destination:use' || use === 'source:read');
  deepEqual(
    (endpoints as readonly Endpoint[]).filter((endpoint) => reaches(endpoint) && endpoint.outboundShare === undefined),
    [],
  );
});

test('whatever has the service send to others has a limit of its own', () => {
  const limited = (endpoints as readonly Endpoint[])
    .filter(({ outboundShare }) => outboundShare !== undefined)
    .map(({ id }) => id);
  deepEqual(
    limited.filter((id) => id.startsWith('webhooks.')),
    ['webhooks.test', 'webhooks.retry', 'webhooks.replay'],
  );
});

test('the limit itself is let through, the next one is told when to come back', () => {
  assertWithinLimit({ limit: 3, used: 3, resetSeconds: 12 });
  throws(() => assertWithinLimit({ limit: 3, used: 4, resetSeconds: 12 }), {
    code: 'RATE_LIMITED',
    headers: { 'retry-after': '12' },
  });
});

test('headers never promise a negative remainder', () => {
  deepEqual(rateHeaders({ limit: 3, used: 9, resetSeconds: 1 }), {
    'ratelimit-limit': '3',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
  });
});

test('unknown callers are counted by address and by minute', () => {
  equal(countAddress('1.1.1.1', at(120)).used, 1);
  equal(countAddress('1.1.1.1', at(121)).used, 2);
  equal(countAddress('2.2.2.2', at(121)).used, 1);
  equal(countAddress('1.1.1.1', at(180)).used, 1);
});

test('addresses without end take bounded memory, and one that keeps calling stays counted', () => {
  const busy = '9.9.9.9';
  for (let n = 0; n < 25_000; n++) {
    countAddress(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, at(240));
    if (n % 1_000 === 0) countAddress(busy, at(240));
  }
  equal(countAddress(busy, at(240)).used, 26);
  equal(countAddress('10.0.0.1', at(240)).used, 1);
});

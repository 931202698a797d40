/** What must be so after a load, whatever died in it: each law with how many cases it was held against and which broke it. */
import { setTimeout as pause } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { backups } from '../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../shared/contract/endpoints/organizations.ts';
import { restores } from '../../shared/contract/endpoints/restores.ts';
import { pageMax } from '../../shared/contract/limits.ts';
import { eventPrefix } from '../../shared/event/index.ts';
import { stageVariable } from '../harness/stage/client.ts';
import { documentClient } from '../harness/stage/table.ts';
import { crafts } from './paperwork.ts';
import type { Tenant } from './tenant.ts';

export interface Verdict {
  readonly law: string;
  readonly cases: number;
  readonly broken: readonly string[];
}

type Case = readonly [law: string, cases: number, broken: readonly string[]];

/** Nothing is written any more when this is asked. */
export const judge = async (tenants: readonly Tenant[]): Promise<readonly Verdict[]> => {
  const found = (await Promise.all(tenants.map(judgeTenant))).flat();
  return [...Map.groupBy(found, ([law]) => law)].map(([law, all]) => ({
    law,
    cases: all.reduce((sum, [, cases]) => sum + cases, 0),
    broken: all.flatMap(([, , broken]) => broken),
  }));
};

const judgeTenant = async (tenant: Tenant): Promise<readonly Case[]> => {
  const { ledger, hearing } = tenant;
  const committed = await eventsOf(tenant);
  const { promises } = ledger;
  return [
    await accepted(tenant),
    ...(await jobs(tenant)),
    [
      'an accepted change is told to the webhook at least once',
      promises.size,
      [...promises].filter((each) => !hearing.told.has(each)),
    ],
    ['an event in the table was delivered', committed.length, committed.filter((id) => !hearing.events.has(id))],
    ['a delivery is signed right and of its own organization', hearing.count.came, hearing.forged],
  ];
};

const accepted = async (tenant: Tenant): Promise<Case> => {
  const { ledger, client } = tenant;
  const { name } = (await client.ask(organizations.current, {}, 200)).body.data;
  const broken: string[] = [];
  let cases = 0;
  const compare = (what: string, wanted: ReadonlyMap<string, string>, there: ReadonlyMap<string, unknown>): void => {
    cases += wanted.size;
    for (const [id, named] of wanted) {
      if (!there.has(id)) broken.push(`${what} ${id} is lost`);
      else if (there.get(id) !== named) broken.push(`${what} ${id} is named ${there.get(id)} instead of ${named}`);
    }
    for (const id of there.keys())
      if (!wanted.has(id)) broken.push(`${what} ${id} is there, which nobody made or which was removed`);
  };
  const named = ledger.there('organization');
  if (named.size > 0) compare('organization', named, new Map([[tenant.organization.id, name]]));
  for (const { kind, list, named } of crafts) {
    if (ledger.ever(kind).size === 0) continue;
    const items = await allOf<Record<string, string>>(tenant, list);
    compare(kind, ledger.there(kind), new Map(items.map((item) => [item.id ?? '', item[named]])));
  }
  return ['an accepted write is there, as it was last written, and nothing else is', cases, broken];
};

const jobs = async (tenant: Tenant): Promise<readonly Case[]> => {
  const { ledger } = tenant;
  const made = await allOf<{ id: string; status: string; trigger: string }>(tenant, backups.list);
  const restored =
    ledger.ever('restore').size > 0 ? await allOf<{ restoreJobId: string; status: string }>(tenant, restores.list) : [];
  const asked = [...ledger.ever('backup'), ...ledger.ever('restore')];
  const jobsThere = [
    ...made.filter(({ trigger }) => trigger === 'manual').map(({ id, status }) => ({ id, status })),
    ...restored.map(({ restoreJobId: id, status }) => ({ id, status })),
  ];
  const ids = new Set(jobsThere.map(({ id }) => id));
  const safeties = made.filter(({ trigger }) => trigger === 'safety').length;
  return [
    [
      'a backup or restore that was started is there and has ended',
      asked.length,
      [
        ...asked.filter((id) => !ids.has(id)).map((id) => `${id} is lost`),
        ...jobsThere
          .filter(({ status }) => /pending|running|progress/.test(status))
          .map(({ id, status }) => `${id} is ${status}`),
      ],
    ],
    [
      'one call makes one job, however often it is repeated',
      jobsThere.length,
      [
        ...[...ids].filter((id) => !asked.includes(id)).map((id) => `${id} was started by nobody`),
        ...(safeties > restored.length ? [`${safeties} safety backups of ${restored.length} restores`] : []),
      ],
    ],
  ];
};

/** Waits until every event that was committed is delivered; not for ever where nothing more comes. */
export const settle = async (tenants: readonly Tenant[], patienceMs: number): Promise<void> => {
  let leftBefore = Number.POSITIVE_INFINITY;
  for (let sinceMs = performance.now(); performance.now() - sinceMs < patienceMs; await pause(500)) {
    let left = 0;
    for (const tenant of tenants) left += (await eventsOf(tenant)).filter((id) => !tenant.hearing.events.has(id)).length;
    if (left === 0) return;
    if (left < leftBefore) sinceMs = performance.now();
    leftBefore = left;
  }
};

/** The ids of all events of an organization since its webhook was there. */
const eventsOf = async ({ organization }: Tenant): Promise<readonly string[]> => {
  const found: string[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await documentClient().send(
      new QueryCommand({
        TableName: stageVariable('STAGE_TABLE'),
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :events)',
        ExpressionAttributeValues: { ':pk': `ORG#${organization.id}`, ':events': eventPrefix },
        ProjectionExpression: 'id, #type',
        ExpressionAttributeNames: { '#type': 'type' },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    found.push(...Items.filter(({ type }) => type !== 'organization.created').map(({ id }) => String(id)));
    from = LastEvaluatedKey;
  } while (from);
  return found;
};

const allOf = async <T>({ client }: Tenant, list: Endpoint): Promise<readonly T[]> => {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { limit: String(pageMax), ...(cursor !== null && { cursor }) };
    const { body }: Awaited<ReturnType<typeof client.ask>> = await client.ask(list, { query }, 200);
    found.push(...(body.data as readonly T[]));
    cursor = body.pagination.nextCursor;
  } while (cursor !== null);
  return found;
};

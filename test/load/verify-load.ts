/** Checks the guarantees after a load: for each, the number of cases and the violations. */
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
import type { Tenant } from './tenant.ts';
import { resources } from './user-traffic.ts';

export interface GuaranteeResult {
  readonly guarantee: string;
  readonly cases: number;
  readonly broken: readonly string[];
}

/** Call only after all writes have ended. */
export const verifyLoad = async (tenants: readonly Tenant[]): Promise<readonly GuaranteeResult[]> => {
  const found = (await Promise.all(tenants.map(verifyTenant))).flat();
  return [...Map.groupBy(found, ({ guarantee }) => guarantee)].map(([guarantee, all]) => ({
    guarantee,
    cases: all.reduce((sum, { cases }) => sum + cases, 0),
    broken: all.flatMap(({ broken }) => broken),
  }));
};

const verifyTenant = async (tenant: Tenant): Promise<readonly GuaranteeResult[]> => {
  const { ledger, received } = tenant;
  const committed = await eventsOf(tenant);
  const { expectedEvents } = ledger;
  return [
    await accepted(tenant),
    ...(await jobs(tenant)),
    {
      guarantee: 'an accepted change is delivered to the webhook at least once',
      cases: expectedEvents.size,
      broken: [...expectedEvents].filter((each) => !received.subjects.has(each)),
    },
    {
      guarantee: 'every event in the table was delivered',
      cases: committed.length,
      broken: committed.filter((id) => !received.events.has(id)),
    },
    {
      guarantee: 'every delivery has a valid signature and belongs to its organization',
      cases: received.count.all,
      broken: received.forged,
    },
  ];
};

const accepted = async (tenant: Tenant): Promise<GuaranteeResult> => {
  const { ledger, client } = tenant;
  const { name } = (await client.ask(organizations.current, {}, 200)).body.data;
  const broken: string[] = [];
  let cases = 0;
  const compare = (what: string, wanted: ReadonlyMap<string, string>, found: ReadonlyMap<string, unknown>): void => {
    cases += wanted.size;
    for (const [id, named] of wanted) {
      if (!found.has(id)) broken.push(`${what} ${id} is lost`);
      else if (found.get(id) !== named) broken.push(`${what} ${id} is named ${found.get(id)} instead of ${named}`);
    }
    for (const id of found.keys()) if (!wanted.has(id)) broken.push(`${what} ${id} exists but was never created or was removed`);
  };
  const named = ledger.existing('organization');
  if (named.size > 0) compare('organization', named, new Map([[tenant.organization.id, name]]));
  for (const { kind, list, named } of resources) {
    if (ledger.ever(kind).size === 0) continue;
    const items = await allOf<Record<string, string>>(tenant, list);
    compare(kind, ledger.existing(kind), new Map(items.map((item) => [item.id ?? '', item[named]])));
  }
  return { guarantee: 'accepted writes have their last state, and nothing else exists', cases, broken };
};

const jobs = async (tenant: Tenant): Promise<readonly GuaranteeResult[]> => {
  const { ledger } = tenant;
  const made = await allOf<{ id: string; status: string; trigger: string }>(tenant, backups.list);
  const restored =
    ledger.ever('restore').size > 0 ? await allOf<{ restoreJobId: string; status: string }>(tenant, restores.list) : [];
  const asked = [...ledger.ever('backup'), ...ledger.ever('restore')];
  const existing = [
    ...made.filter(({ trigger }) => trigger === 'manual').map(({ id, status }) => ({ id, status })),
    ...restored.map(({ restoreJobId: id, status }) => ({ id, status })),
  ];
  const ids = new Set(existing.map(({ id }) => id));
  const safeties = made.filter(({ trigger }) => trigger === 'safety').length;
  return [
    {
      guarantee: 'every started backup or restore exists and has ended',
      cases: asked.length,
      broken: [
        ...asked.filter((id) => !ids.has(id)).map((id) => `${id} is lost`),
        ...existing.filter(({ status }) => /pending|running|progress/.test(status)).map(({ id, status }) => `${id} is ${status}`),
      ],
    },
    {
      guarantee: 'a repeated call starts one job',
      cases: existing.length,
      broken: [
        ...[...ids].filter((id) => !asked.includes(id)).map((id) => `${id} was not started by a call`),
        ...(safeties > restored.length ? [`${safeties} safety backups of ${restored.length} restores`] : []),
      ],
    },
  ];
};

/** Waits until every committed event is delivered, or none arrives for `timeoutMs`. */
export const waitForDeliveries = async (tenants: readonly Tenant[], timeoutMs: number): Promise<void> => {
  let remainingBefore = Number.POSITIVE_INFINITY;
  for (let sinceMs = performance.now(); performance.now() - sinceMs < timeoutMs; await pause(500)) {
    let remaining = 0;
    for (const tenant of tenants) remaining += (await eventsOf(tenant)).filter((id) => !tenant.received.events.has(id)).length;
    if (remaining === 0) return;
    if (remaining < remainingBefore) sinceMs = performance.now();
    remainingBefore = remaining;
  }
};

/** Ids of all events of an organization since its webhook was created. */
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

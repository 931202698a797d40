/** Ids sort by time, so a time range is a range of sort keys. The other filters are applied by the table. */
import { invalid } from '../contract/errors.ts';
import { idBounds, type Range, type Tenant } from '../platform/index.ts';
import { auditPartition, entryPrefix } from './record.ts';

export interface Filter {
  /** A date or a date-time, inclusive; a bare date means midnight UTC. */
  readonly from?: string | undefined;
  /** A date or a date-time, inclusive; a bare date means its whole day, UTC. */
  readonly to?: string | undefined;
  readonly action?: string | undefined;
  readonly actorId?: string | undefined;
  readonly resourceType?: string | undefined;
}

export const rangeOf = (tenant: Tenant, { from, to, action, actorId, resourceType }: Filter): Range => {
  const { start, end } = spanOf({ from, to });
  const bounds = idBounds('audit', start, end);
  const wanted = Object.entries({ action, 'actor.id': actorId, 'resource.type': resourceType });
  return {
    pk: auditPartition(tenant.organizationId),
    prefix: entryPrefix,
    from: `${entryPrefix}${bounds.first}`,
    to: `${entryPrefix}${bounds.last}`,
    newestFirst: true,
    where: Object.fromEntries(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
};

/** The first and last moment of the range. */
export const spanOf = ({ from, to }: Pick<Filter, 'from' | 'to'>): { start: Date; end: Date } => {
  const start = new Date(from ?? 0);
  const end = endOf(to);
  if (start > end) throw invalid('from', 'must not be after to');
  return { start, end };
};

const dayMs = 24 * 3_600 * 1_000;
/** The last moment a Date can hold. */
const endOfTime = new Date(8.64e15);

const endOf = (to: string | undefined): Date => {
  if (to === undefined) return endOfTime;
  const isBareDate = to.length === 'YYYY-MM-DD'.length;
  return new Date(new Date(to).getTime() + (isBareDate ? dayMs - 1 : 0));
};

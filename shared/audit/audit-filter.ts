/** Ids sort by time, so a time range is a range of sort keys. The table applies the other filters, except the search for text. */
import { actionName, actorName, groupName, ownOrganization, titleOfProject } from '../contract/audit-names.ts';
import { invalid } from '../contract/errors.ts';
import { idBounds, type Range, type Tenant } from '../platform/index.ts';
import { type AuditLogEntry, auditPartition, entryPrefix } from './record.ts';

export interface Filter {
  /** One entry. */
  readonly id?: string | undefined;
  /** A date or a date-time, inclusive; a bare date means midnight UTC. */
  readonly from?: string | undefined;
  /** A date or a date-time, inclusive; a bare date means its whole day, UTC. */
  readonly to?: string | undefined;
  readonly action?: string | undefined;
  readonly actorId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Words that must all occur, in any case. */
  readonly search?: string | undefined;
  /** Names of resources and people by their ids, which the search finds, too. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

export const rangeOf = (tenant: Tenant, { id, from, to, action, actorId, resourceType, resourceId }: Filter): Range => {
  const { start, end } = spanOf({ from, to });
  const bounds = idBounds('audit', start, end);
  const wanted = Object.entries({ action, 'actor.id': actorId, 'resource.type': resourceType, 'resource.id': resourceId });
  return {
    pk: auditPartition(tenant.organizationId),
    prefix: entryPrefix,
    from: `${entryPrefix}${id ?? bounds.first}`,
    to: `${entryPrefix}${id ?? bounds.last}`,
    newestFirst: true,
    where: Object.fromEntries(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
};

/** Whether every word of the search occurs in the entry, as it is stored or as the console shows it. */
export const matchesSearch = (entry: AuditLogEntry, { search = '', names }: Pick<Filter, 'search' | 'names'>): boolean => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { action, actor, resource, context, details } = entry;
  const stored = textsIn([actor, resource, context, details]);
  const shown = stored.flatMap((text) => names?.get(text) ?? []);
  const searched = [action, ...wordsOf(entry), ...stored, ...shown].join('\n').toLowerCase();
  return words.every((word) => searched.includes(word));
};

const wordsOf = ({ action, actor, resource: { type } }: AuditLogEntry): readonly string[] => [
  actionName(action),
  actorName(actor),
  groupName(type),
  titleOfProject(type, '') ?? (type === 'organization' ? ownOrganization : ''),
];

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return value === null || value === undefined ? [] : [String(value)];
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

/** Reads incidents, newest first: ids sort by the time of the first failure. */
import type { AlertKind } from '../../contract/models/alert-enums.ts';
import { epochSeconds, getAll, query, type Tenant, walk } from '../../platform/index.ts';
import { alertKey, type IncidentRecord, incidentPrefix, type OpenIncident, openPrefix } from './record.ts';

interface IncidentFilter {
  readonly status?: IncidentRecord['status'] | undefined;
  readonly kind?: AlertKind | undefined;
  readonly projectId?: string | undefined;
}

interface IncidentPage {
  readonly incidents: readonly IncidentRecord[];
  readonly next: string | undefined;
}

interface PageRequest {
  readonly limit: number;
  readonly after: string | undefined;
}

/** Reads per call, each up to 1 MB, which is about a thousand incidents. */
const readsMax = 3;

/**
 * One page. `next` is undefined only at the end of the list. With a filter a page may be short or even empty and still have a `next`,
 * because one call reads a limited number of items.
 */
export const listIncidents = async (
  tenant: Tenant,
  { filter, page, now }: { readonly filter: IncidentFilter; readonly page: PageRequest; readonly now: Date },
): Promise<IncidentPage> => {
  if (filter.status === 'open') return listOpen(tenant, filter, page);
  const { status } = filter;
  const range = {
    pk: alertKey.incident(tenant, '').pk,
    prefix: incidentPrefix,
    newestFirst: true,
    ...(status && { where: { status } }),
  };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const found: IncidentRecord[] = [];
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query<IncidentRecord>({ ...range, after, ...(!isFiltered && { limit: page.limit + 1 }) });
    found.push(...read.items.filter((one) => matches(one, filter) && (one.ttl === undefined || one.ttl > epochSeconds(now))));
    if (found.length > page.limit) return { incidents: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { incidents: found, next: undefined };
    after = read.next;
  }
  return { incidents: found, next: after };
};

const matches = ({ kind, project }: IncidentRecord, filter: IncidentFilter): boolean =>
  (filter.kind === undefined || filter.kind === kind) && (filter.projectId === undefined || filter.projectId === project?.id);

/** Open incidents are found by their own items, however old they are. There are at most a few for each project. */
const listOpen = async (tenant: Tenant, filter: IncidentFilter, { limit, after }: PageRequest): Promise<IncidentPage> => {
  const open = (await openIncidents(tenant))
    .filter((one) => matches(one, filter))
    .sort((a, b) => (a.sk < b.sk ? 1 : -1))
    .filter(({ sk }) => after === undefined || sk < after);
  return { incidents: open.slice(0, limit), next: open.length > limit ? open[limit - 1]?.sk : undefined };
};

export const openIncidents = async (tenant: Tenant): Promise<readonly IncidentRecord[]> => {
  const range = { pk: alertKey.incident(tenant, '').pk, prefix: openPrefix };
  const locks = await Array.fromAsync(walk<OpenIncident>(range));
  const found = await getAll(locks.map(({ incidentId }) => alertKey.incident(tenant, incidentId)));
  return found.filter((incident) => incident !== undefined);
};

/** What the protection of a project was billed for reads, by day and kind. */
import { type ReadKind, readKinds } from '../contract/models/project-reads.ts';
import { after, epochSeconds, type Item, type Key, query, type Tenant, type Write } from '../platform/index.ts';

export type Reads = Partial<Readonly<Record<ReadKind, number>>>;
type ReadDayRecord = Item & Reads;

/** A page shows 30 days. */
const keptSeconds = 40 * 24 * 3_600;
const prefixOf = (projectId: string): string => `READS#${projectId}#`;

export const utcDate = (at: Date): string => at.toISOString().slice(0, 10);

const readDayKey = (tenant: Tenant, projectId: string, date: string): Key<ReadDayRecord> => ({
  pk: `ORG#${tenant.organizationId}`,
  sk: `${prefixOf(projectId)}${date}`,
});

/** Adds to today's counters, in the transaction that records what was read. None if nothing was. */
export const addReads = (
  tenant: Tenant,
  { projectId, reads, now }: { readonly projectId: string; readonly reads: Reads; readonly now: Date },
): readonly Write[] => {
  const added = readKinds.filter((kind) => (reads[kind] ?? 0) > 0);
  if (added.length === 0) return [];
  return [
    {
      update: readDayKey(tenant, projectId, utcDate(now)),
      expression: `ADD ${added.map((kind) => `#${kind} :${kind}`).join(', ')} SET #ttl = :ttl`,
      names: { '#ttl': 'ttl', ...Object.fromEntries(added.map((kind) => [`#${kind}`, kind])) },
      values: {
        ':ttl': epochSeconds(after(now, keptSeconds)),
        ...Object.fromEntries(added.map((kind) => [`:${kind}`, reads[kind]])),
      },
    },
  ];
};

export interface DayOfReads {
  /** UTC. */
  readonly date: string;
  readonly reads: Readonly<Record<ReadKind, number>>;
}

export const noReads: DayOfReads['reads'] = Object.fromEntries(readKinds.map((kind) => [kind, 0])) as DayOfReads['reads'];

export const totalReads = (reads: Reads): number => readKinds.reduce((sum, kind) => sum + (reads[kind] ?? 0), 0);

/** So many days up to today, the oldest first; days without reads have zeros. */
export const readDays = async (
  tenant: Tenant,
  { projectId, days, now }: { readonly projectId: string; readonly days: number; readonly now: Date },
): Promise<readonly DayOfReads[]> => {
  const prefix = prefixOf(projectId);
  const dates = Array.from({ length: days }, (_, n) => utcDate(after(now, (n - days + 1) * 24 * 3_600)));
  const { items } = await query<ReadDayRecord>({
    pk: `ORG#${tenant.organizationId}`,
    prefix,
    from: `${prefix}${dates[0]}`,
    to: `${prefix}${dates.at(-1)}`,
  });
  const found = new Map(items.map((item) => [item.sk.slice(prefix.length), item]));
  return dates.map((date) => {
    const item: Reads = found.get(date) ?? {};
    return { date, reads: Object.fromEntries(readKinds.map((kind) => [kind, item[kind] ?? 0])) as DayOfReads['reads'] };
  });
};

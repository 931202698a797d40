/** The timeline of an incident as its record keeps it, and what a change adds to it. */
import { StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { alertKey, type IncidentRecord, type StoredIncidentEntry } from './record.ts';

/** Beside the opening, the newest ones: an item of the table holds 400 KB. */
const entriesMax = 100;

/** Records of earlier versions have no timeline: they still know when they began and ended. */
export const storedTimeline = (incident: IncidentRecord): readonly StoredIncidentEntry[] => {
  const { timeline, openedAt, recoveredAt, failure, message } = incident;
  if (timeline) return timeline;
  return [
    { at: openedAt, type: 'opened', by: null, message: failure },
    ...(recoveredAt === null ? [] : [{ at: recoveredAt, type: 'recovered', by: null, message } as const]),
  ];
};

/** The attributes of an incident with further entries. */
export const addEntries = (
  incident: IncidentRecord,
  added: readonly StoredIncidentEntry[],
): { readonly timeline: readonly StoredIncidentEntry[]; readonly revision: number } => {
  const [opening, ...others] = [...storedTimeline(incident), ...added];
  return {
    timeline: [...(opening ? [opening] : []), ...others.slice(-entriesMax)],
    revision: (incident.revision ?? 0) + 1,
  };
};

type Attributes = { readonly [K in keyof IncidentRecord]?: IncidentRecord[K] | undefined };

/** Changes an open incident, provided that neither a failure nor a person has changed it since it was read. */
export const changeIncident = (
  tenant: Tenant,
  incident: IncidentRecord,
  { entries, ...attributes }: Attributes & { readonly entries: readonly StoredIncidentEntry[] },
): { readonly incident: IncidentRecord; readonly write: Write } => {
  const { id, count, revision } = incident;
  const changed = { ...attributes, ...(entries.length > 0 && addEntries(incident, entries)) };
  return {
    incident: { ...incident, ...changed } as IncidentRecord,
    write: set(alertKey.incident(tenant, id), changed, {
      expected: { status: 'open', count, revision },
      onConditionFailed: () => new StaleReadError(),
    }),
  };
};

export const isMuted = ({ status, mutedUntil }: Pick<IncidentRecord, 'status' | 'mutedUntil'>, now: string): boolean =>
  status === 'open' && mutedUntil !== undefined && mutedUntil > now;

import { incidentEvents } from '../../contract/event-data/incident-events.ts';
import { emit } from '../../event/index.ts';
import { type OrganizationRecord, organizationRef } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import { incidentData } from './alert-view.ts';
import type { IncidentRecord, StoredIncidentEntry } from './record.ts';

/** Entries that are events, too. Further failures and reminders are none: subscribers have the events of the failures themselves. */
const names = {
  opened: 'incident.opened',
  acknowledged: 'incident.acknowledged',
  assigned: 'incident.assigned',
  unassigned: 'incident.assigned',
  muted: 'incident.muted',
  unmuted: 'incident.muted',
  recovered: 'incident.recovered',
} as const;

interface IncidentChange {
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  /** As it is after the change. */
  readonly incident: IncidentRecord;
  readonly entries: readonly StoredIncidentEntry[];
  readonly now: Date;
}

/** The events of new entries of an incident's timeline. */
export const eventsOfEntries = (tenant: Tenant, { organization, incident, entries, now }: IncidentChange): readonly Write[] =>
  entries.flatMap(({ type, by }) => {
    const name = (names as Partial<Readonly<Record<StoredIncidentEntry['type'], (typeof names)[keyof typeof names]>>>)[type];
    if (!name) return [];
    const data = { organization: organizationRef(organization), incident: incidentData(incident, now), by };
    return [emit(tenant, { schemas: incidentEvents, name, data, now })];
  });

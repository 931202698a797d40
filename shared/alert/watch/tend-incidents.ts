/** Open incidents that are no longer as a person has set them: muted until a time that has passed, or assigned to a former member. */
import { enqueue } from '../../event/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { bestEffort, commit, getAll, iso, type Tenant } from '../../platform/index.ts';
import { eventsOfEntries } from '../model/events-of-entries.ts';
import { changeIncident, isMuted } from '../model/incident-timeline.ts';
import type { IncidentRecord, StoredIncidentEntry } from '../model/record.ts';

/** A conflict with a failure or a person is left to the next sweep. */
export const tendIncidents = async (
  tenant: Tenant,
  {
    organization,
    incidents,
    now,
  }: { readonly organization: OrganizationRecord; readonly incidents: readonly IncidentRecord[]; readonly now: Date },
): Promise<void> => {
  const members = await getAll(incidents.map(({ assignee }) => assignee && organizationKey.member(tenant, assignee.id)));
  for (const [n, incident] of incidents.entries()) {
    const due = decideTending(incident, { isMember: members[n] !== undefined, now });
    if (!due) continue;
    const { write, incident: changed } = changeIncident(tenant, incident, due);
    const events = eventsOfEntries(tenant, { organization, incident: changed, entries: due.entries, now });
    const notify =
      due.reminders === undefined ? [] : [enqueue(tenant, { kind: 'notify-incident', incidentId: incident.id }, now)];
    await bestEffort('tend an incident', commit([write, ...notify, ...events]));
  }
};

type Change = Parameters<typeof changeIncident>[2];

/** Undefined if everything is as it should be. When muting ends and the incident is still open, alerts are reminded. */
export const decideTending = (
  incident: IncidentRecord,
  { isMember, now }: { readonly isMember: boolean; readonly now: Date },
): Change | undefined => {
  const { assignee, mutedUntil, reminders } = incident;
  const at = iso(now);
  const isUnmuted = mutedUntil !== undefined && !isMuted(incident, at);
  const isLeft = assignee !== undefined && !isMember;
  if (!isUnmuted && !isLeft) return undefined;
  const entry = (type: StoredIncidentEntry['type'], message: string | null): StoredIncidentEntry => ({
    at,
    type,
    by: null,
    message,
  });
  return {
    ...(isUnmuted && { mutedUntil: undefined, remindedAt: at, reminders: reminders + 1 }),
    ...(isLeft && { assignee: undefined }),
    entries: [
      ...(isUnmuted ? [entry('unmuted', null), entry('reminded', null)] : []),
      ...(isLeft ? [entry('unassigned', `${assignee.email} has left the organization`)] : []),
    ],
  };
};

/** What people do with an open incident. Each change is in its timeline and in the audit log, and is an event. */
import { type Actor, auditNote } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { muteDaysMax } from '../../contract/limits.ts';
import { enqueue } from '../../event/index.ts';
import { type OrganizationRecord, readMember, toMemberEvent } from '../../organization/index.ts';
import { type AuditNote, after, type Change, iso, type Tenant } from '../../platform/index.ts';
import { eventsOfEntries } from '../model/events-of-entries.ts';
import { changeIncident, isMuted } from '../model/incident-timeline.ts';
import type { IncidentRecord, StoredIncidentEntry } from '../model/record.ts';

interface Changed {
  readonly incident: IncidentRecord;
  readonly change: Change;
}

interface IncidentContext {
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  readonly incident: IncidentRecord;
  readonly by: Actor;
  readonly now: Date;
}

/** A further acknowledgement replaces the one before, which stays in the timeline. */
export const acknowledgeIncident = (
  tenant: Tenant,
  { organization, incident, by, note, now }: IncidentContext & { readonly note: string | null },
): Changed => {
  assertOpen(incident);
  const at = iso(now);
  const entries = [{ at, type: 'acknowledged', by, message: note }] as const;
  const changed = changeIncident(tenant, incident, { acknowledgement: { by, at, note }, entries });
  return {
    incident: changed.incident,
    change: {
      writes: [changed.write, ...eventsOfEntries(tenant, { organization, incident: changed.incident, entries, now })],
      audit: [incidentNote(tenant, incident, { action: 'incident.acknowledged', details: { note } })],
    },
  };
};

interface IncidentInput {
  readonly assigneeId?: string | null | undefined;
  readonly mutedUntil?: string | null | undefined;
}

/** Changes the given fields. Setting what is already so writes nothing. */
export const updateIncident = async (
  tenant: Tenant,
  { organization, incident, input, by, now }: IncidentContext & { readonly input: IncidentInput },
): Promise<Changed> => {
  assertOpen(incident);
  const steps = [
    await assignment(tenant, { incident, userId: input.assigneeId, by }),
    muting(incident, input.mutedUntil, now),
  ].filter((step) => step !== undefined);
  if (steps.length === 0) return { incident, change: { writes: [], audit: [] } };
  const entries = steps.map(({ type, message }): StoredIncidentEntry => ({ at: iso(now), type, by, message }));
  const changed = changeIncident(tenant, incident, {
    ...Object.assign({}, ...steps.map(({ attributes }) => attributes)),
    entries,
  });
  // What was not sent while it was muted is sent now, if it is still missing.
  const isUnmuted = steps.some(({ type }) => type === 'unmuted');
  return {
    incident: changed.incident,
    change: {
      writes: [
        changed.write,
        ...(isUnmuted ? [enqueue(tenant, { kind: 'notify-incident', incidentId: incident.id }, now)] : []),
        ...eventsOfEntries(tenant, { organization, incident: changed.incident, entries, now }),
      ],
      audit: steps.map(({ type, details }) => incidentNote(tenant, incident, { action: `incident.${type}`, details })),
    },
  };
};

interface Step {
  readonly type: 'assigned' | 'unassigned' | 'muted' | 'unmuted';
  readonly attributes: Partial<Record<'assignee' | 'mutedUntil', unknown>>;
  readonly message: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

const assignment = async (
  tenant: Tenant,
  {
    incident: { assignee },
    userId,
    by,
  }: { readonly incident: IncidentRecord; readonly userId: string | null | undefined; readonly by: Actor },
): Promise<Step | undefined> => {
  if (userId === undefined || userId === (assignee?.id ?? null)) return undefined;
  if (userId === null)
    return {
      type: 'unassigned',
      attributes: { assignee: undefined },
      message: assignee?.email ?? null,
      details: { previousAssigneeId: assignee?.id },
    };
  const { target } = await readMember(tenant, userId, by.id);
  if (!target)
    throw new ApiError('MEMBER_NOT_FOUND', 'Member not found: an incident is assigned to a member of the organization');
  const { email, name } = toMemberEvent(target);
  return {
    type: 'assigned',
    attributes: { assignee: { id: userId, email, name } },
    message: email,
    details: { assigneeId: userId },
  };
};

const muting = (incident: IncidentRecord, until: string | null | undefined, now: Date): Step | undefined => {
  const current = isMuted(incident, iso(now)) ? incident.mutedUntil : undefined;
  if (until === undefined || (until === null && current === undefined)) return undefined;
  if (until === null) return { type: 'unmuted', attributes: { mutedUntil: undefined }, message: null, details: {} };
  const mutedUntil = iso(new Date(until));
  if (mutedUntil <= iso(now)) throw invalid('mutedUntil', 'must be in the future');
  if (mutedUntil > iso(after(now, muteDaysMax * 24 * 3_600)))
    throw invalid('mutedUntil', `must be at most ${muteDaysMax} days from now`);
  if (mutedUntil === current) return undefined;
  return { type: 'muted', attributes: { mutedUntil }, message: `until ${mutedUntil}`, details: { mutedUntil } };
};

const assertOpen = ({ status, recoveredAt }: IncidentRecord): void => {
  if (status !== 'open') throw new ApiError('CONFLICT', 'The incident is over', { status, recoveredAt });
};

const incidentNote = (
  tenant: Tenant,
  { id, kind, title, project }: IncidentRecord,
  { action, details }: { readonly action: AuditAction; readonly details: Readonly<Record<string, unknown>> },
): AuditNote => ({
  ...auditNote(tenant, { type: 'incident', id, details: { kind, title, projectId: project?.id ?? null, ...details } }),
  action,
});

import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { IncidentEntry, IncidentWithTimeline } from '../../contract/models/alert.ts';
import { epochSeconds, get, getAll, type Tenant } from '../../platform/index.ts';
import { messageIdsOf } from '../incident/message-ids-of.ts';
import { incidentData } from '../model/alert-view.ts';
import { alertsOf } from '../model/get-alert.ts';
import { storedTimeline } from '../model/incident-timeline.ts';
import { type AlertDeliveryRecord, type AlertRecord, alertKey, type IncidentRecord } from '../model/record.ts';

type Entry = z.input<typeof IncidentEntry>;

/** Throws INCIDENT_NOT_FOUND, also for a malformed id and for an incident of another organization. */
export const getIncident = async (tenant: Tenant, id: string, now: Date): Promise<IncidentRecord> => {
  const incident = isId('incident', id) ? await get(alertKey.incident(tenant, id)) : undefined;
  if (!incident || (incident.ttl !== undefined && incident.ttl <= epochSeconds(now)))
    throw new ApiError('INCIDENT_NOT_FOUND', 'Incident not found');
  return incident;
};

/**
 * An incident with its timeline, the oldest entry first. Alerts are of the whole organization: a caller that is limited to projects does
 * not see which of them sent something, nor the errors of their channels.
 */
export const incidentDetails = async (
  tenant: Tenant,
  incident: IncidentRecord,
  { now, showsAlerts = true }: { readonly now: Date; readonly showsAlerts?: boolean },
): Promise<z.input<typeof IncidentWithTimeline>> => {
  const messages = showsAlerts ? await messageEntries(tenant, incident) : [];
  const entries = [...storedTimeline(incident), ...messages];
  return { ...incidentData(incident, now), timeline: entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)) };
};

/** The newest reminders whose messages are looked up. */
const remindersMax = 10;

/** What alerts have sent about an incident, as far as the messages are still kept. Those of deleted alerts are not listed. */
const messageEntries = async (tenant: Tenant, incident: IncidentRecord): Promise<readonly Entry[]> => {
  const told = (await alertsOf(tenant)).filter(({ id }) => incident.alertIds.includes(id));
  const wanted = told.flatMap((alert) => idsToRead(incident, alert).map((id) => ({ alert, id })));
  const found = await getAll(wanted.map(({ alert, id }) => alertKey.delivery(tenant, alert.id, id)));
  return wanted.flatMap(({ alert }, n) => (found[n] ? [messageEntry(alert, found[n])] : []));
};

const idsToRead = (incident: IncidentRecord, alert: AlertRecord): readonly string[] => {
  const ids = messageIdsOf(incident, alert.id);
  const reminded = storedTimeline(incident).filter(({ type }) => type === 'reminded');
  const newest = reminded.slice(-remindersMax);
  return [
    ids.open,
    ...newest.map(({ at }, n) => ids.reminder(at, incident.reminders - newest.length + 1 + n)),
    ...(incident.status === 'recovered' ? [ids.recovered] : []),
  ];
};

const states = { open: 'Opening', reminder: 'Reminder', recovered: 'Recovery' } as const;
const outcomes: Readonly<Record<AlertDeliveryRecord['status'], string>> = {
  attempting: 'being sent',
  delivered: 'delivered',
  failed: 'not delivered',
};

const messageEntry = (
  { name, channel }: AlertRecord,
  { state, status, lastError, createdAt, lastAttemptAt }: AlertDeliveryRecord,
): Entry => {
  const what = state === 'open' || state === 'reminder' || state === 'recovered' ? states[state] : state;
  const error = status === 'failed' && lastError !== null ? `: ${lastError}` : '';
  return {
    at: lastAttemptAt ?? createdAt,
    type: 'message',
    by: null,
    message: `${what} ${outcomes[status]} by ${name} (${channel})${error}`,
  };
};

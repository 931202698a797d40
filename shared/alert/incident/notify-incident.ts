/** Creates the messages about an incident: one when it opens, one a day while it fails, one when it is over. */
import { organizationKey } from '../../organization/index.ts';
import { commit, getAll, isConflict, iso, log, retryOnConflict, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { ensureDefaultAlert } from '../model/default-alert.ts';
import { alertsOf } from '../model/get-alert.ts';
import { isMuted } from '../model/incident-timeline.ts';
import { matchesAlert } from '../model/matches-alert.ts';
import { type AlertRecord, alertKey, type IncidentRecord } from '../model/record.ts';
import { createMessage } from './create-message.ts';
import { messageIdsOf } from './message-ids-of.ts';
import { messageOfIncident } from './message-of-incident.ts';

interface Organization {
  readonly id: string;
  readonly name: string;
}

/** Further alerts that are told, beside those that match: `isDue` decides for incidents whose time depends on the alert. */
interface NotifyOptions {
  readonly isDue?: ((alert: AlertRecord) => boolean) | undefined;
}

/**
 * Idempotent: ids of messages follow from the incident, the alert and the state. Alerts are chosen once, when the incident opens; later
 * messages go to these. Nothing is sent for a deleted organization, nor about a muted incident while it is open.
 */
export const notifyIncident = (
  tenant: Tenant,
  {
    incidentId,
    now,
    options = {},
  }: { readonly incidentId: string; readonly now: Date; readonly options?: NotifyOptions | undefined },
): Promise<void> =>
  retryOnConflict({ attempts: 8, isRetryable }, async () => {
    const [organization, incident] = await getAll([organizationKey.organization(tenant), alertKey.incident(tenant, incidentId)]);
    if (!organization || organization.deletedAt || !incident)
      return log.info('incident not reported: it no longer exists', { incidentId });
    if (isMuted(incident, iso(now))) return log.info('incident not reported: it is muted', { incidentId });
    await ensureDefaultAlert(tenant, now);
    const alerts = await alertsOf(tenant);
    const added = alerts.filter((alert) => isAdded(incident, alert, options));
    for (const alert of added) await createIncidentMessage(tenant, { alert, incident, state: 'open', organization, now });
    const alertIds = [...incident.alertIds, ...added.map(({ id }) => id)];
    if (added.length > 0 || !incident.isTold) await markTold(tenant, incident, alertIds);
    const told = alerts.filter(({ id, enabled }) => enabled && alertIds.includes(id));
    for (const alert of told) await createLaterMessages(tenant, { alert, incident, organization, now });
  });

const isRetryable = (error: unknown): boolean => error instanceof StaleReadError || isConflict(error);

/** When protection has lapsed depends on the alert, so each is added when its own time has come. */
const isAdded = (incident: IncidentRecord, alert: AlertRecord, { isDue }: NotifyOptions): boolean => {
  if (incident.alertIds.includes(alert.id) || !matchesAlert(alert, incident)) return false;
  return incident.kind === 'protection_lapsed' ? (isDue?.(alert) ?? false) : incident.isTold !== true;
};

/** After the messages exist: a crash before creates them again, under the same ids. */
const markTold = (tenant: Tenant, { id, alertIds: before }: IncidentRecord, alertIds: readonly string[]): Promise<void> =>
  commit([
    set(
      alertKey.incident(tenant, id),
      { alertIds, isTold: true },
      { expected: { alertIds: before }, onConditionFailed: () => new StaleReadError() },
    ),
  ]);

const createLaterMessages = async (
  tenant: Tenant,
  {
    alert,
    incident,
    organization,
    now,
  }: { readonly alert: AlertRecord; readonly incident: IncidentRecord; readonly organization: Organization; readonly now: Date },
): Promise<void> => {
  if (incident.status === 'recovered')
    await createIncidentMessage(tenant, { alert, incident, state: 'recovered', organization, now });
  else if (incident.reminders > 0) await createIncidentMessage(tenant, { alert, incident, state: 'reminder', organization, now });
};

const createIncidentMessage = (
  tenant: Tenant,
  {
    alert,
    incident,
    state,
    organization,
    now,
  }: {
    readonly alert: AlertRecord;
    readonly incident: IncidentRecord;
    readonly state: 'open' | 'reminder' | 'recovered';
    readonly organization: Organization;
    readonly now: Date;
  },
): Promise<void> => {
  const { id: incidentId, kind, title, remindedAt } = incident;
  const ids = messageIdsOf(incident, alert.id);
  const id = state === 'reminder' ? ids.reminder(remindedAt, incident.reminders) : ids[state];
  const message = messageOfIncident(incident, state, organization);
  const follows = state === 'recovered' ? ids.open : undefined;
  return createMessage(tenant, { alert, message: { id, incidentId, kind, state, title, message, follows }, now });
};

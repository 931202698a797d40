/** The periodic look at one organization: silence, incidents that are over, messages that were held, and the weekly digest. */
import { auditExpiredUses, organizationKey } from '../../organization/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { applySignal } from '../incident/apply-signal.ts';
import { notifyIncident } from '../incident/notify-incident.ts';
import { ensureDefaultAlert } from '../model/default-alert.ts';
import { openIncidents } from '../model/list-incidents.ts';
import { findRecoveries } from './find-recoveries.ts';
import { findSilence, hasLapsed, unprotectedSince } from './find-silence.ts';
import { releaseHeld } from './release-held.ts';
import { sendDigests } from './send-digests.ts';
import { tendIncidents } from './tend-incidents.ts';
import { loadWatchedState, type WatchedState } from './watched-state.ts';

export const assessIncidents = async (tenant: Tenant, now: Date): Promise<void> => {
  const organization = await get(organizationKey.organization(tenant));
  if (!organization || organization.deletedAt) return;
  await ensureDefaultAlert(tenant, now);
  const state = await loadWatchedState(tenant, now);
  for (const signal of findRecoveries(state, now)) await applySignal(tenant, signal, now);
  for (const signal of findSilence(state, now)) await applySignal(tenant, signal, now);
  await tendIncidents(tenant, { organization, incidents: await openIncidents(tenant), now });
  await auditExpiredUses(tenant, state.apiKeys, now);
  await reportLapses(tenant, state, now);
  await releaseHeld(tenant, state.alerts, now);
  await sendDigests(tenant, { organization, state, now });
};

/** Each alert is told of a lapse when its own hours have passed. */
const reportLapses = async (tenant: Tenant, state: WatchedState, now: Date): Promise<void> => {
  for (const { id, kind, subject, alertIds } of await openIncidents(tenant)) {
    const project = state.projects.find((one) => one.id === subject.id);
    if (kind !== 'protection_lapsed' || !project || state.alerts.every((alert) => alertIds.includes(alert.id))) continue;
    const since = unprotectedSince(state, project);
    await notifyIncident(tenant, { incidentId: id, now, options: { isDue: (alert) => hasLapsed(alert, since, now) } });
  }
};

import { acknowledgeIncident, getIncident, incidentDetails, updateIncident } from '../../shared/alert/index.ts';
import { incidents } from '../../shared/contract/endpoints/incidents.ts';
import { handle } from '../../shared/http/index.ts';

export const get = handle(incidents.get, async ({ tenant, params, projectIds, now }) => {
  const incident = await getIncident(tenant, params.incidentId, now);
  return { data: await incidentDetails(tenant, incident, { now, showsAlerts: projectIds === undefined }) };
});

export const acknowledge = handle(incidents.acknowledge, async ({ tenant, organization, actor, params, body, now }) => {
  const found = await getIncident(tenant, params.incidentId, now);
  const { incident, change } = acknowledgeIncident(tenant, {
    organization,
    incident: found,
    by: actor,
    note: body.note ?? null,
    now,
  });
  return { data: await incidentDetails(tenant, incident, { now }), change };
});

export const update = handle(incidents.update, async ({ tenant, organization, actor, params, body, now }) => {
  const found = await getIncident(tenant, params.incidentId, now);
  const { incident, change } = await updateIncident(tenant, { organization, incident: found, input: body, by: actor, now });
  return { data: await incidentDetails(tenant, incident, { now }), change };
});

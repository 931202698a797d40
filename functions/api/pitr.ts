import { pitr as rows } from '../../shared/contract/endpoints/pitr.ts';
import { defaultDestination, readDestination } from '../../shared/destination/index.ts';
import { handle } from '../../shared/http/index.ts';
import {
  captureAnomaly,
  disablePitr,
  enablePitr,
  listDivergences,
  neverEnabled,
  noWindows,
  type PitrRecord,
  pitrData,
  readAuditView,
  readPitr,
  readWindows,
  updatePitr,
} from '../../shared/pitr/index.ts';
import type { Tenant } from '../../shared/platform/index.ts';
import { readProject } from '../../shared/project/index.ts';

const both = (tenant: Tenant, projectId: string) => Promise.all([readProject(tenant, projectId), readPitr(tenant, projectId)]);

const shown = async (tenant: Tenant, pitr: PitrRecord, now: Date) => ({
  ...pitrData(pitr, now),
  anomaly: await captureAnomaly(tenant, pitr),
  audit: await readAuditView(tenant, pitr),
});

export const enable = handle(rows.enable, async (call) => {
  const { tenant, organization, params, body, now } = call;
  const { storageDestinationId, ...input } = body;
  const [project, before] = await both(tenant, params.projectId);
  const destination =
    storageDestinationId === undefined
      ? await defaultDestination(tenant, organization, project)
      : await readDestination(tenant, storageDestinationId);
  const { pitr, change } = enablePitr(call, { context: { project, destination, before }, options: input, now });
  return { data: await shown(tenant, pitr, now), change };
});

export const get = handle(rows.get, async ({ tenant, params, now }) => {
  const [project, pitr] = await both(tenant, params.projectId);
  return { data: pitr ? await shown(tenant, pitr, now) : { ...neverEnabled(project.id), anomaly: null, audit: null } };
});

export const update = handle(rows.update, async (call) => {
  const [project, before] = await both(call.tenant, call.params.projectId);
  const { pitr, change } = updatePitr(call, { project, before, given: call.body, now: call.now });
  return { data: await shown(call.tenant, pitr, call.now), change };
});

export const disable = handle(rows.disable, async (call) => {
  const [project, before] = await both(call.tenant, call.params.projectId);
  const { pitr, change } = disablePitr(call, { project, before, now: call.now });
  return { data: await shown(call.tenant, pitr, call.now), change };
});

export const windows = handle(rows.windows, async ({ tenant, params, query, page, now }) => {
  const [, pitr] = await both(tenant, params.projectId);
  if (!pitr) return { data: noWindows, next: undefined };
  const collection = query.collection?.slice(query.collection.lastIndexOf('/') + 1);
  return readWindows(tenant, pitr, { collection, page, now });
});

export const divergences = handle(rows.divergences, async ({ tenant, params, page }) => {
  const project = await readProject(tenant, params.projectId);
  return listDivergences(tenant, project.id, page);
});

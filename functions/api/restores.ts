import { currentEncryption, readEncryption } from '../../shared/backup/index.ts';
import { restores } from '../../shared/contract/endpoints/restores.ts';
import { handle } from '../../shared/http/index.ts';
import {
  cancelRestore,
  historyOf,
  listRestores,
  planInCall,
  planMomentInCall,
  readRequest,
  readRestore,
  refuseMissing,
  refuseRestoreCrowd,
  refuseUnknown,
  restoreData,
  resumeRestore,
  startRestore,
  undoRestore,
} from '../../shared/restore/index.ts';

export const create = handle(restores.create, async (call) => {
  const { tenant, actor, body, now } = call;
  const { wish, moment, ...place } = await readRequest(tenant, body, now);
  if (moment) await refuseUnknown(tenant, moment);
  const { mergeMode, collections, documents, includeAuthUsers, safetyBackup, dryRun } = wish;
  const { backup, target } = place;
  const asked = {
    ...(moment && { pointInTime: moment.point.moment }),
    targetProjectId: target.id,
    mergeMode,
    collections: collections.slice(0, 100),
    documents: documents?.given.length,
  };
  if (dryRun) {
    const data = moment ? await planMomentInCall(call, { ...place, wish }, moment) : await planInCall(call, { ...place, wish });
    // A dry run reads the backup, so it is audited.
    const resource = { type: 'backup', id: moment?.plan.base.id ?? backup.id };
    const audit = [{ scope: tenant.organizationId, action: 'restore.planned', resource, details: asked }];
    if (data) return { data, status: 200, change: { writes: [], audit } };
  }
  await refuseRestoreCrowd(tenant);
  if (moment) await refuseMissing(tenant, moment);
  const encryption = currentEncryption(await readEncryption(tenant));
  const createdBy = { type: actor.type, id: actor.id };
  const point = moment?.point;
  const { restore, writes } = startRestore({ ...place, tenant, encryption, point }, { ...wish, createdBy }, now);
  const details = { backupId: backup.id, ...asked, includeAuthUsers, safetyBackup, dryRun };
  const audit = [{ scope: tenant.organizationId, resource: { type: 'restore', id: restore.id }, details }];
  return { data: restoreData(restore), change: { writes, audit } };
});

export const list = handle(restores.list, async ({ tenant, query, page }) => {
  const { restores: found, next } = await listRestores(tenant, query, page);
  return { items: found.map(historyOf), next };
});

export const get = handle(restores.get, async ({ tenant, params }) => ({
  data: restoreData(await readRestore(tenant, params.restoreJobId)),
}));

export const cancel = handle(restores.cancel, async (call) => {
  const { restore, change } = await cancelRestore(call, call.params.restoreJobId, call.now);
  return { data: restoreData(restore), change };
});

export const resume = handle(restores.resume, async ({ tenant, params, now }) => {
  const { restore, change } = await resumeRestore(tenant, await readRestore(tenant, params.restoreJobId), now);
  await refuseRestoreCrowd(tenant);
  return { data: restoreData(restore), change };
});

export const undo = handle(restores.undo, async ({ tenant, actor, params, now }) => {
  const other = await readRestore(tenant, params.restoreJobId);
  const encryption = currentEncryption(await readEncryption(tenant));
  const createdBy = { type: actor.type, id: actor.id };
  const { restore, change } = await undoRestore(tenant, other, { encryption, createdBy }, now);
  await refuseRestoreCrowd(tenant);
  return { data: restoreData(restore), change };
});

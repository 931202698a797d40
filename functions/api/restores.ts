import { restores } from '../../shared/contract/endpoints/restores.ts';
import { handle } from '../../shared/http/index.ts';
import { timelineOf } from '../../shared/job/index.ts';
import {
  assertRestoreCapacity,
  cancelRestore,
  getRestore,
  historyEntry,
  listRestores,
  restoreData,
  resumeRestore,
  undoRestore,
} from '../../shared/restore/index.ts';
import { currentEncryption, readEncryption } from '../../shared/stored-backup/index.ts';

export const list = handle(restores.list, async ({ tenant, query, page }) => {
  const { restores: found, next } = await listRestores(tenant, query, page);
  return { items: found.map(historyEntry), next };
});

export const get = handle(restores.get, async ({ tenant, params }) => ({
  data: restoreData(await getRestore(tenant, params.restoreJobId)),
}));

export const timeline = handle(restores.timeline, async ({ tenant, params }) => ({
  data: { entries: [...timelineOf(await getRestore(tenant, params.restoreJobId))] },
}));

export const cancel = handle(restores.cancel, async (call) => {
  const { restore, change } = await cancelRestore(call, call.params.restoreJobId, call.now);
  return { data: restoreData(restore), change };
});

export const resume = handle(restores.resume, async ({ tenant, params, now }) => {
  const { restore, change } = await resumeRestore(tenant, await getRestore(tenant, params.restoreJobId), now);
  await assertRestoreCapacity(tenant);
  return { data: restoreData(restore), change };
});

export const undo = handle(restores.undo, async ({ tenant, actor, params, body, now }) => {
  const other = await getRestore(tenant, params.restoreJobId);
  const encryption = currentEncryption(await readEncryption(tenant));
  const createdBy = actor;
  const { restore, change } = await undoRestore(tenant, { restore: other, caller: { ...body, encryption, createdBy }, now });
  await assertRestoreCapacity(tenant);
  return { data: restoreData(restore), change };
});

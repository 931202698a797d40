/** Restores go with the project they restored into: there they can be taken back. */
import { commit, create, get, iso, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix } from '../model/record.ts';
import { moveUndoWindow } from '../model/safety-backup.ts';
import { deleteWorkItems, checkEnded } from './clean-up-restore.ts';

export async function* restoresInto(tenant: Tenant, projectId: string): AsyncGenerator<RestoreRecord> {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix, where: { targetProjectId: projectId } };
  for await (const restore of walk<RestoreRecord>(range)) yield restore;
}

/** Only for one that has ended, and cannot begin again where its target is no longer. Twice is as good as once. */
export const moveRestore = async (from: Tenant, to: Tenant, restore: RestoreRecord, now: Date): Promise<void> => {
  const { id, pk, sk } = restore;
  await deleteWorkItems(from, restore);
  const note = await get(restoreKey.running(from, id));
  const carried = { ...note, ...restoreKey.running(to, id), organizationId: to.organizationId, dueAt: iso(now) };
  const { condition, names = {}, values = {} } = checkEnded(from, restore);
  const { undoUntil, writes } = await moveUndoWindow(to, restore);
  await commit([
    { remove: { pk, sk }, ...(condition && { condition }), names, values },
    create({ ...restore, ...restoreKey.restore(to, id), undoUntil, isCarried: true }),
    ...writes,
    // What it has left in a bucket is removed from there.
    ...(note ? [{ remove: restoreKey.running(from, id) }, { put: carried }] : []),
  ]);
};

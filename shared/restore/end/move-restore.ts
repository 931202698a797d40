/** Restores move with their target project, so that they can be undone there. */
import { commit, create, get, iso, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix } from '../model/record.ts';
import { moveUndoWindow } from '../model/undo-window.ts';
import { checkEnded, deleteRestoreWork } from './clean-up-restore.ts';

export const restoresInto = (tenant: Tenant, projectId: string): AsyncGenerator<RestoreRecord> =>
  walk<RestoreRecord>({
    pk: `ORG#${tenant.organizationId}`,
    prefix: restorePrefix,
    where: { targetProjectId: projectId },
  });

/** For a restore that has ended; it cannot be resumed afterwards. Idempotent. */
export const moveRestore = async (
  from: Tenant,
  { to, restore, now }: { readonly to: Tenant; readonly restore: RestoreRecord; readonly now: Date },
): Promise<void> => {
  const { id, pk, sk } = restore;
  await deleteRestoreWork(from, restore);
  const running = await get(restoreKey.running(from, id));
  const { condition, names, values } = checkEnded(from, restore);
  const { undoUntil, writes } = await moveUndoWindow(to, restore);
  await commit([
    { remove: { pk, sk }, condition, names, values },
    create({ ...restore, ...restoreKey.restore(to, id), undoUntil, isCarried: true }),
    ...writes,
    // The new organization's reaper deletes its objects.
    ...(running
      ? [
          { remove: restoreKey.running(from, id) },
          { put: { ...running, ...restoreKey.running(to, id), organizationId: to.organizationId, dueAt: iso(now) } },
        ]
      : []),
  ]);
};

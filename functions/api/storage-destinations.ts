import { storageDestinations } from '../../shared/contract/endpoints/storage-destinations.ts';
import {
  destinationData,
  destinationInUse,
  listDestinations,
  readDestination,
  removeDestination,
} from '../../shared/destination/index.ts';
import { exportUsing } from '../../shared/export/index.ts';
import { handle } from '../../shared/http/index.ts';
import { captureUsing } from '../../shared/pitr/index.ts';
import { scheduleUsing } from '../../shared/schedule/index.ts';
import { findErasing } from '../../shared/stored-backup/index.ts';

export const list = handle(storageDestinations.list, async ({ tenant, page }) => {
  const { destinations, next } = await listDestinations(tenant, page);
  return { items: destinations.map(destinationData), next };
});

export const get = handle(storageDestinations.get, async ({ tenant, params }) => ({
  data: destinationData(await readDestination(tenant, params.storageId)),
}));

export const remove = handle(storageDestinations.remove, async (call) => {
  const record = await readDestination(call.tenant, call.params.storageId);
  const [user, captured, erasing, exporting] = await Promise.all([
    scheduleUsing(call.tenant, record.id),
    captureUsing(call.tenant, record.id),
    findErasing(call.tenant, record.id),
    exportUsing(call.tenant, record.id),
  ]);
  if (user) throw destinationInUse(`The schedule ${user.name} stores its backups here`, { scheduleId: user.id });
  if (captured)
    throw destinationInUse(
      captured.isEnding
        ? 'Captured changes of a project are still being deleted from here'
        : 'Point-in-time recovery of a project stores its changes here',
      { projectId: captured.projectId },
    );
  if (erasing) throw destinationInUse('Objects of a deleted backup are still being deleted from here', { backupId: erasing });
  if (exporting)
    throw destinationInUse('An export is being written into it, or its files are kept for a resumption or being deleted', {
      exportId: exporting.id,
    });
  return {
    message: 'The storage destination was deleted. The bucket is unchanged',
    change: await removeDestination(call, record),
  };
});

import { restoreEvents } from '../../contract/event-data/restore-events.ts';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import { emit } from '../../event/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';
import { type RestoreParties, restoreEvent } from './restore-view.ts';

interface RestoreEvent {
  readonly name: 'restore.started' | 'restore.progress' | 'restore.completed' | 'restore.failed';
  readonly now: Date;
  readonly progress?: EventData<'restore.progress'>['progress'];
}

/** The event shows the restore as given. Nothing for a dry run: subscribers hear of restores only. */
export const emitRestoreEvent = (
  context: RestoreParties & { readonly tenant: Tenant },
  restore: RestoreRecord,
  { name, now, progress }: RestoreEvent,
): readonly Write[] => {
  if (restore.dryRun) return [];
  const data = { ...restoreEvent(restore, context), ...(progress && { progress }) };
  // The schema of restore.failed verifies that the restore has an error.
  return [emit(context.tenant, { schemas: restoreEvents, name, data: data as EventData<typeof name>, now })];
};

import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { emit } from '../../event/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { backupEvent } from './backup-view.ts';
import type { BackupRecord } from './record.ts';

interface LifecycleContext {
  readonly tenant: Tenant;
  readonly project: Pick<ProjectRecord, 'id' | 'name' | 'sourceProjectId'>;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
}

/**
 * backup.started and backup.completed of a backup whose record is created complete: imported, a safety backup, or a point in time.
 * The first is one millisecond earlier, so that the events are in order.
 */
export const lifecycleEvents = (
  { tenant, project, organization }: LifecycleContext,
  backup: BackupRecord,
  now: Date,
): readonly Write[] => {
  const started: BackupRecord = {
    ...backup,
    status: 'running',
    phase: 'preparing',
    documents: 0,
    documentCount: 0,
    collectionCounts: [],
    size: 0,
    originalSize: 0,
    completedAt: null,
  };
  return [
    emit(tenant, {
      schemas: backupEvents,
      name: 'backup.started',
      data: backupEvent(started, project, organization),
      now: new Date(now.getTime() - 1),
    }),
    emit(tenant, { schemas: backupEvents, name: 'backup.completed', data: backupEvent(backup, project, organization), now }),
  ];
};

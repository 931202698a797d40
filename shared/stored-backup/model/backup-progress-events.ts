import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { emit } from '../../event/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { backupEvent, type backupProgress } from './backup-view.ts';
import type { BackupRecord } from './record.ts';

/** What events contain besides the backup. */
export interface EventContext {
  readonly tenant: Tenant;
  readonly project: Pick<ProjectRecord, 'id' | 'name' | 'sourceProjectId'>;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
}

/** One backup.progress event per decile. Its document count is the one at which the decile was reached. */
export const backupProgressEvents = (
  context: EventContext,
  {
    backup,
    percents,
    totalDocuments,
    now,
  }: { readonly backup: BackupRecord; readonly percents: readonly number[]; readonly totalDocuments: number; readonly now: Date },
): readonly Write[] =>
  percents.map((percent) =>
    progressEvent(context, {
      backup,
      progress: { percent, documents: Math.ceil((totalDocuments * percent) / 100), totalDocuments },
      now,
    }),
  );

export const progressEvent = (
  { tenant, project, organization }: EventContext,
  {
    backup,
    progress,
    now,
  }: { readonly backup: BackupRecord; readonly progress: ReturnType<typeof backupProgress>; readonly now: Date },
): Write =>
  emit(tenant, {
    schemas: backupEvents,
    name: 'backup.progress',
    data: { ...backupEvent(backup, project, organization), progress },
    now,
  });

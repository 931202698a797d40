import { emit } from '../../event/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { backupEvent } from '../model/backup-view.ts';
import type { BackupRecord } from '../model/record.ts';

/** What events contain besides the backup. */
export interface EventContext {
  readonly tenant: Tenant;
  readonly project: Pick<ProjectRecord, 'id' | 'name' | 'sourceProjectId'>;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
}

/** One backup.progress event per decile. Its document count is the one at which the decile was reached. */
export const progressEvents = (
  { tenant, project, organization }: EventContext,
  backup: BackupRecord,
  percents: readonly number[],
  totalDocuments: number,
  now: Date,
): readonly Write[] =>
  percents.map((percent) =>
    emit(
      tenant,
      'backup.progress',
      {
        ...backupEvent(backup, project, organization),
        progress: { percent, documents: Math.ceil((totalDocuments * percent) / 100), totalDocuments },
      },
      now,
    ),
  );

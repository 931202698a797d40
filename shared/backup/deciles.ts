/** How far a backup has come, told to subscribers: one event for each tenth, never two. */
import { emit } from '../event/index.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import type { Tenant, Write } from '../platform/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import { backupEvent } from './data.ts';
import type { BackupRecord } from './record.ts';

/** Whom events are about, beside the backup. */
export interface Parties {
  readonly tenant: Tenant;
  readonly project: Pick<ProjectRecord, 'id' | 'name' | 'sourceProjectId'>;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
}

/** The tenths passed and not yet told of, up to 90: 100 belongs to the transaction that completes the backup. */
export const decilesPassed = (toldPercent: number, documents: number, totalDocuments: number | null): readonly number[] => {
  if (!totalDocuments) return [];
  return decilesUpTo(toldPercent, Math.min(90, Math.floor((documents * 10) / totalDocuments) * 10));
};

export const decilesUpTo = (toldPercent: number, percent: number): readonly number[] =>
  Array.from({ length: Math.max(0, (percent - toldPercent) / 10) }, (_, n) => toldPercent + (n + 1) * 10);

/** One event a tenth. Its number of documents is the one at which the tenth was reached, however many came at once. */
export const tellDeciles = (
  { tenant, project, organization }: Parties,
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

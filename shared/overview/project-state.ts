/** What is known about one project, before it is assessed. */

import type { DestinationRecord } from '../destination/index.ts';
import type { PitrRecord } from '../pitr/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import type { ScheduleRecord } from '../schedule/index.ts';
import { isInternalBackup } from '../stored-backup/index.ts';
import type { RecentBackup, RecentRestore } from './recent-jobs.ts';

export interface ProjectState {
  readonly project: ProjectRecord;
  /** Newest first, as far as they were read. */
  readonly backups: readonly RecentBackup[];
  readonly restores: readonly RecentRestore[];
  readonly schedules: readonly ScheduleRecord[];
  readonly pitr: PitrRecord | undefined;
  /** Destinations that its backups go to. */
  readonly destinations: readonly DestinationRecord[];
  readonly lastGood: RecentBackup | undefined;
  /** Ids of backups, of any project, whose last restore test proves that they restore. */
  readonly proven: ReadonlySet<string>;
}

/** A backup that holds all that was asked for, and that no verification found damaged. Saved documents of a restore do not count. */
export const isGood = (backup: RecentBackup): boolean =>
  backup.status === 'completed' && isOfProject(backup) && !isDamaged(backup);

export const isDamaged = ({ damagedDepth, verification }: RecentBackup): boolean =>
  damagedDepth !== undefined || verification?.status === 'failed';

/** A backup of the project itself, not one that a restore made or that was imported from another database. */
export const isOfProject = (backup: RecentBackup): boolean =>
  !isInternalBackup(backup) && backup.isPartial !== true && backup.isForeign !== true;

import type { backupSources } from '../../contract/job-enums.ts';
import type { DestinationRecord } from '../../destination/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';

export interface StartBackupOptions {
  readonly type: BackupRecord['type'];
  /** Of an incremental backup: its parent, as `resolveType` found it. */
  readonly parentBackupId?: string;
  readonly chainLength?: number;
  readonly fullBecause?: string;
  /** The backup a synthetic full is made from, instead of the source. */
  readonly synthesizedFrom?: Pick<BackupRecord, 'id' | 'builtUpon'>;
  readonly collections: readonly string[];
  readonly excludeCollections: readonly string[];
  readonly includeAuthUsers: boolean;
  /** Days it is kept after completion; kept forever if absent. */
  readonly retention?: number | undefined;
  /** Instead of days: the retention policy of its schedule. */
  readonly retentionPolicy?: BackupRecord['retentionPolicy'];
  readonly retentionTimezone?: string;
  readonly maxReads?: number | undefined;
  /** Default: `auto`. */
  readonly source?: (typeof backupSources)[number] | undefined;
  readonly trigger: BackupRecord['trigger'];
  readonly scheduleId?: string;
  readonly createdBy: BackupRecord['createdBy'];
  /** Counts the start, provided that no other job has started since capacity was read. Default: `countJobStart`. */
  readonly claim?: Write | undefined;
}

export interface StartBackupContext {
  readonly tenant: Tenant;
  readonly project: ProjectRecord;
  readonly destination: DestinationRecord;
  /** What wraps data keys now. Shown from the start and set again when the data key is created. */
  readonly encryption: BackupRecord['encryption'];
}

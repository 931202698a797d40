import type { DestinationRecord } from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { BackupRecord } from './record.ts';

export interface StartBackupOptions {
  readonly type: BackupRecord['type'];
  /** With an incremental one: what `resolveType` found. */
  readonly parentBackupId?: string;
  readonly chainLength?: number;
  /** Why it is full although an incremental one was wanted. */
  readonly fullBecause?: string;
  /** The backup whose contents it is to be made of, instead of the source. */
  readonly synthesizedFrom?: Pick<BackupRecord, 'id' | 'builtUpon'>;
  readonly collections: readonly string[];
  readonly excludeCollections: readonly string[];
  readonly includeAuthUsers: boolean;
  /** Days it is kept once it is completed; for ever if left out. */
  readonly retention?: number | undefined;
  /** In place of days: what its schedule keeps by. */
  readonly retentionPolicy?: BackupRecord['retentionPolicy'];
  readonly retentionTimezone?: string;
  /** The project's own limit counts where none is given. */
  readonly maxReads?: number | undefined;
  readonly trigger: BackupRecord['trigger'];
  readonly scheduleId?: string;
  readonly createdBy: BackupRecord['createdBy'];
}

export interface StartBackupContext {
  readonly tenant: Tenant;
  readonly project: ProjectRecord;
  readonly destination: DestinationRecord;
  /** What wraps keys now; the backup says so from its first day, and again when its key is made. */
  readonly encryption: BackupRecord['encryption'];
}

import type { BackupRecord, OpenArchive } from '../../backup/index.ts';
import type { ObjectStore } from '../../destination/index.ts';
import type { FirestoreDatabase } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';
import type { RestoreRecord, RestoreShardRecord } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import type { Scope } from '../scope/restore-scope.ts';
import type { PartialRestore } from './undo-matcher.ts';

/** One run of a worker that checks a shard. */
export interface CheckRun {
  readonly context: RestoreContext;
  readonly restore: RestoreRecord;
  readonly backup: BackupRecord;
  readonly open: OpenArchive;
  readonly target: FirestoreDatabase;
  /** The journal's folder; its errors are STORAGE_UPLOAD_ERROR. */
  readonly store: ObjectStore;
  /** Data key of the journal. */
  readonly dataKey: Buffer;
  readonly scope: Scope;
  /** Of an undo: see `RestoreRecord.leftBy`. */
  readonly partialRestore?: PartialRestore | undefined;
  readonly control: RunControl;
  readonly deps: RestoreDeps;
}

/** A shard, and the journal part that this run may store as long as no later part was handed out. */
export interface CheckClaim {
  readonly shard: RestoreShardRecord;
  readonly part: number;
}

/** How far a run got. */
export interface CheckedRange {
  readonly isChecked: boolean;
  /** The path up to which, itself included, everything is decided; undefined if nothing is. */
  readonly checkedTo?: string | undefined;
  readonly reads: number;
}

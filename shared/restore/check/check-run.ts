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
  /** The journal's folder; what it refuses is STORAGE_UPLOAD_ERROR. */
  readonly store: ObjectStore;
  /** The journal's. */
  readonly dataKey: Buffer;
  readonly scope: Scope;
  /** Of an undo: see `RestoreRecord.leftBy`. */
  readonly partialRestore?: PartialRestore | undefined;
  readonly control: RunControl;
  readonly deps: RestoreDeps;
}

/** A shard, and the number of the part of the journal that this run may store: as long as it is the last one given out. */
export interface CheckClaim {
  readonly shard: RestoreShardRecord;
  readonly part: number;
}

import type { ObjectStore } from '../../destination/index.ts';
import type { DocumentMasker } from '../../mask/index.ts';
import type { RestoreShardRecord } from '../model/record.ts';
import type { ShardRun } from '../run/shard-run.ts';
import type { RestoreScope } from '../scope/restore-scope.ts';
import type { PartialRestore } from './undo-matcher.ts';

export interface CheckRun extends ShardRun {
  /** The journal's folder; its errors are STORAGE_UPLOAD_ERROR. */
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  readonly scope: RestoreScope;
  /** Of a masked copy. */
  readonly masker?: DocumentMasker | undefined;
  /** Of an undo: see `RestoreRecord.leftBy`. */
  readonly partialRestore?: PartialRestore | undefined;
}

/** A shard, and the journal part that this run may store as long as no later part was handed out. */
export interface CheckClaim {
  readonly shard: RestoreShardRecord;
  readonly part: number;
}

export interface CheckedRange {
  readonly isChecked: boolean;
  /** The path up to which, itself included, everything is decided; undefined if nothing is. */
  readonly checkedTo?: string | undefined;
  readonly reads: number;
}

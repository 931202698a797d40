import type { RestoreRecord } from './record.ts';

export interface NamedDocuments {
  /** Paths below the database, unique, ascending in the order of names. */
  readonly paths: readonly string[];
  /** The documents as they were given, each with the paths it may refer to. */
  readonly given: readonly (readonly [given: string, paths: readonly string[]])[];
}

export interface StartRestoreOptions {
  readonly mergeMode: RestoreRecord['mergeMode'];
  /** A plan too large for one request is made by a job that writes nothing. */
  readonly dryRun: boolean;
  readonly collections: readonly string[];
  readonly documents?: NamedDocuments | undefined;
  readonly includeSubcollections: boolean;
  readonly includeAuthUsers: boolean;
  readonly safetyBackup: boolean;
  /** See `RestoreRecord.buildsOnly`. */
  readonly buildsOnly?: boolean;
  /** See `RestoreRecord.writesEqual`. */
  readonly writesEqual?: boolean;
  readonly maxWritesPerSecond?: number | undefined;
  /** See `RestoreRecord.allowedDeletes`. */
  readonly deleteDigest?: string | undefined;
  readonly transform?: RestoreRecord['transform'] | undefined;
  /** The restore that this one undoes. */
  readonly undoOf?: string;
  readonly leftBy?: RestoreRecord['leftBy'];
  readonly createdBy: RestoreRecord['createdBy'];
}

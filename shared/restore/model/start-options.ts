import type { RestoreRecord } from './record.ts';

/** Documents asked for by name. */
export interface NamedDocuments {
  /** Paths below the database, ascending in the order of names, each once. */
  readonly paths: readonly string[];
  /** As they were given, each with the paths it stands for. */
  readonly given: readonly (readonly [given: string, paths: readonly string[]])[];
}

export interface StartRestoreOptions {
  readonly mergeMode: RestoreRecord['mergeMode'];
  /** A plan too large for one call is made by a job that writes nothing. */
  readonly dryRun: boolean;
  readonly collections: readonly string[];
  readonly documents?: NamedDocuments | undefined;
  readonly includeSubcollections: boolean;
  readonly includeAuthUsers: boolean;
  readonly safetyBackup: boolean;
  readonly maxWritesPerSecond?: number | undefined;
  /** The restore that this one takes back. */
  readonly undoOf?: string;
  readonly leftBy?: RestoreRecord['leftBy'];
  readonly createdBy: RestoreRecord['createdBy'];
}

import { openStore } from '../destination/index.ts';
import { type Clock, clock, type Tenant } from '../platform/index.ts';
import { openSource, readAuthUsers, type readConfiguration, type refreshDatabaseInfo } from '../project/index.ts';
import { dataKeyOf, newDataKey, unlockKeyFile } from './encryption/data-key.ts';
import type { BackupRecord, PlannedBackup } from './model/record.ts';

/** The last state of a document that has changed since a base. */
export interface DocumentChange {
  readonly name: Buffer;
  /** The encoded document; undefined if it is deleted. */
  readonly content: Buffer | undefined;
  /** When it was changed, or was found deleted; in microseconds. */
  readonly at: number;
}

/** A moment whose state is known from a base backup and the changes captured since. */
export interface CapturedMoment {
  readonly base: PlannedBackup;
  readonly moment: string;
  /** When the oldest document of that moment, as built upon `origin`, was last read from the source: by then, or by an audit since. */
  readonly auditedSince: (origin: BackupRecord) => Promise<string | undefined>;
  /** An upper bound of the changes between: a document may have changed several times. */
  readonly changes: number;
  /** The last state of every document that has changed since the base, in name order. A change is valid until the next one is requested. */
  readonly readChanges: () => AsyncGenerator<DocumentChange, void, undefined>;
  /** When the first correction counts that an audit has added since the base: what was built at that time or later may lack it. */
  readonly correctedFrom?: string | undefined;
}

/** The captured changes of a project. `shared/pitr` has them; it stands above the backups that are built from them. */
export interface ChangeSource {
  /**
   * A proven moment at or after the start of the backup, which may have to be captured first. Otherwise why there is none; undefined if
   * the project is not captured.
   */
  readonly findMoment: (
    tenant: Tenant,
    run: { readonly backup: BackupRecord; readonly deps: BackupDeps; readonly signal: AbortSignal },
  ) => Promise<CapturedMoment | { readonly reason: string } | undefined>;
}

/** What the steps of a backup use besides the table. Injected, so that tests can add faults. */
export interface BackupDeps {
  readonly clock: Clock;
  readonly openSource: typeof openSource;
  readonly readAuthUsers: typeof readAuthUsers;
  readonly openStore: typeof openStore;
  readonly newDataKey: typeof newDataKey;
  readonly dataKeyOf: typeof dataKeyOf;
  readonly unlockKeyFile: typeof unlockKeyFile;
  /** Asks the Admin API about the database once a day. Without it nothing is asked. */
  readonly refreshDatabaseInfo?: typeof refreshDatabaseInfo;
  /** Captures what surrounds the documents. Without it a backup has none of it. */
  readonly readConfiguration?: typeof readConfiguration;
  /** Without it every backup reads its source. */
  readonly changes?: ChangeSource;
}

export const backupDeps: BackupDeps = { clock, openSource, readAuthUsers, openStore, newDataKey, dataKeyOf, unlockKeyFile };

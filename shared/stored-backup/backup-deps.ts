import { openStore } from '../destination/index.ts';
import type { NameRange } from '../firestore/index.ts';
import { type Clock, clock, type Tenant } from '../platform/index.ts';
import { openSource, readAuthUsers } from '../project/index.ts';
import { dataKeyOf, newDataKey, unlockKeyFile } from './encryption/data-key.ts';
import type { BackupRecord, PlannedBackup } from './model/record.ts';

/** The last state of a document that has changed since a base. */
export interface DocumentChange {
  readonly name: Buffer;
  /** The encoded document; undefined if it is deleted. */
  readonly content: Buffer | undefined;
}

/** A moment whose state is known from a base backup and the changes captured since. */
export interface CapturedMoment {
  readonly base: PlannedBackup;
  readonly moment: string;
  /** All documents at that moment. */
  readonly documents: number;
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
  /** The changes of a range from the base of the backup to its read time, in name order. */
  readonly readChanges: (
    tenant: Tenant,
    run: { readonly backup: PlannedBackup; readonly range: NameRange; readonly root: string; readonly deps: BackupDeps },
  ) => AsyncGenerator<DocumentChange, void, undefined>;
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
  /** Without it every backup reads its source. */
  readonly changes?: ChangeSource;
}

export const backupDeps: BackupDeps = { clock, openSource, readAuthUsers, openStore, newDataKey, dataKeyOf, unlockKeyFile };

import { openStore } from '../destination/index.ts';
import { type Clock, clock } from '../platform/index.ts';
import { openSource, readAuthUsers } from '../project/index.ts';
import { dataKeyOf, newDataKey, unlockKeyFile } from './encryption/data-key.ts';

/** What the steps of a backup use besides the table. Injected, so that tests can add faults. */
export interface BackupDeps {
  readonly clock: Clock;
  readonly openSource: typeof openSource;
  readonly readAuthUsers: typeof readAuthUsers;
  readonly openStore: typeof openStore;
  readonly newDataKey: typeof newDataKey;
  readonly dataKeyOf: typeof dataKeyOf;
  readonly unlockKeyFile: typeof unlockKeyFile;
}

export const backupDeps: BackupDeps = { clock, openSource, readAuthUsers, openStore, newDataKey, dataKeyOf, unlockKeyFile };

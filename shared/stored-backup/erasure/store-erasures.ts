/** Writes the erasure ledger into the folder of every backup, sealed with the backup's own key: whatever opens it, opens the ledger. */
import {
  ArchiveError,
  type ErasureLedger,
  erasuresFolder,
  erasuresName,
  erasuresVersion,
  openErasures,
  sealErasures,
} from '../../archive/index.ts';
import { type ObjectStore, type openStore, readDestination } from '../../destination/index.ts';
import { erasureKey, readLedger } from '../../erasure/index.ts';
import { enqueue } from '../../event/index.ts';
import {
  bestEffort,
  type Clock,
  commit,
  get,
  iso,
  log,
  StaleReadError,
  secureRandomBytes,
  type Tenant,
  update,
} from '../../platform/index.ts';
import { dataKeyOf } from '../encryption/data-key.ts';
import type { BackupRecord } from '../model/record.ts';
import { isLastingFailure } from './is-lasting-failure.ts';
import { completedBackups } from './kept-backups.ts';

interface StoreTask {
  readonly projectId: string;
  readonly walk?: string | undefined;
  readonly after?: string | undefined;
}

interface StoreOptions {
  readonly deadline: Date;
  readonly clock: Clock;
  readonly openStore: typeof openStore;
  readonly dataKeyOf?: typeof dataKeyOf;
}

/**
 * Idempotent. Rejects if a retry may help. A destination that refuses leaves the entries as `pending`; the next change of the ledger
 * and the next backup try again.
 */
export const storeErasures = async (tenant: Tenant, task: StoreTask, options: StoreOptions): Promise<void> => {
  const { projectId } = task;
  const { clock, deadline } = options;
  const ledger = await get(erasureKey.ledger(tenant, projectId));
  if (!ledger) return;
  const walk = `${ledger.version} ${ledger.round}`;
  // A newer walk has its own task.
  if (task.walk !== undefined && task.walk !== walk) return;
  let last = task.after;
  let areAllStored = true;
  for await (const backup of completedBackups(tenant, projectId, task.after)) {
    if (clock.now() >= deadline) {
      await commit([enqueue(tenant, { kind: 'store-erasures', projectId, walk, after: last }, clock.now())]);
      return;
    }
    areAllStored = (await tryStore(tenant, backup, options)) && areAllStored;
    last = backup.id;
  }
  if (!areAllStored) return;
  const expected = { version: ledger.version, round: ledger.round };
  const onConditionFailed = (): StaleReadError => new StaleReadError();
  await commit([
    update(erasureKey.ledger(tenant, projectId), { set: { storedVersion: ledger.version }, expected, onConditionFailed }),
  ]).catch((error: unknown) => {
    if (!(error instanceof StaleReadError)) throw error;
  });
};

/** False if the destination or the key refuses. */
const tryStore = async (tenant: Tenant, backup: BackupRecord, options: StoreOptions): Promise<boolean> => {
  try {
    const ledger = await ledgerOf(tenant, backup);
    if (!ledger) return true;
    const dataKey = await (options.dataKeyOf ?? dataKeyOf)(tenant, backup);
    const store = await options.openStore(tenant, await readDestination(tenant, backup.storageDestination.id), backup.path);
    try {
      await storeErasureCopy(store, backup, { ledger, dataKey, now: options.clock.now() });
    } finally {
      store.close();
    }
    return true;
  } catch (error) {
    if (!isLastingFailure(error)) throw error;
    log.warn('the erasure ledger was not stored beside a backup', { backupId: backup.id, reason: error.message });
    return false;
  }
};

/** The ledger of a backup: of its project, and of the project that it was made of. Undefined if neither has one. */
export const ledgerOf = async (
  tenant: Tenant,
  { projectId, archive }: Pick<BackupRecord, 'projectId' | 'archive'>,
): Promise<ErasureLedger | undefined> => {
  const ids = [...new Set([projectId, archive.project])];
  const ledgers = (await Promise.all(ids.map((id) => readLedger(tenant, id)))).filter((ledger) => ledger !== undefined);
  if (ledgers.length === 0) return undefined;
  return {
    version: ledgers.reduce((sum, { version }) => sum + version, 0),
    erasures: ledgers.flatMap(({ erasures }) => erasures),
  };
};

interface ErasureCopy {
  readonly ledger: ErasureLedger;
  readonly dataKey: Buffer;
  readonly now: Date;
}

/** Each version is an object of its own, because a lock may forbid to replace one; earlier ones are deleted where that is allowed. */
export const storeErasureCopy = async (
  store: ObjectStore,
  { archive, lockedUntil }: Pick<BackupRecord, 'archive' | 'lockedUntil'>,
  { ledger, dataKey, now }: ErasureCopy,
): Promise<void> => {
  const { version } = ledger;
  const { organization, project, backup } = archive;
  const identity = { organization, project, backup };
  const name = erasuresName(version);
  if (await holds(store, ledger, { identity, dataKey })) return;
  const bytes = sealErasures(ledger, { identity, dataKey, random: secureRandomBytes });
  await store.put(name, bytes, lockedUntil !== null && lockedUntil > iso(now) ? { lockedUntil: new Date(lockedUntil) } : {});
  const earlier: string[] = [];
  for await (const { name: other } of store.list(erasuresFolder))
    if ((erasuresVersion(other) ?? version) < version) earlier.push(other);
  if (earlier.length > 0) await bestEffort('delete earlier versions of an erasure ledger', store.remove(earlier));
};

/** Whether the bucket already has this version, genuine and complete. */
const holds = async (
  store: ObjectStore,
  { version, erasures }: ErasureLedger,
  key: { readonly identity: BackupRecord['archive']; readonly dataKey: Buffer },
): Promise<boolean> => {
  if (!(await store.head(erasuresName(version)))) return false;
  try {
    const stored = await openErasures(await store.get(erasuresName(version)), { ...key, version });
    return JSON.stringify(stored.erasures) === JSON.stringify(erasures);
  } catch (error) {
    if (error instanceof ArchiveError) return false;
    throw error;
  }
};

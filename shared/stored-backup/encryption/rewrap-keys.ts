/** Rewraps the data keys of an organization's backups, one after the other. The encrypted objects stay as they are. */
import { keyFileName } from '../../archive/index.ts';
import { type ObjectStore, openStore as openRealStore, readDestination, StorageError } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { JobFailure } from '../../job/index.ts';
import {
  bestEffort,
  type Clock,
  commit,
  get,
  log,
  StaleReadError,
  set,
  type Tenant,
  type Write,
  walk,
} from '../../platform/index.ts';
import { isInMove, notLeaving } from '../../project/index.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { findOtherOwner } from '../model/shared-archives.ts';
import { dataKeyOf, isSameKey, wrapWithCurrentKey } from './data-key.ts';
import { checkEncryptionUnchanged, type EncryptionRecord, encryptionKey, readEncryption } from './encryption-settings.ts';
import { acquireRewrapLock, type RewrapLock, releaseRewrapLock } from './rewrap-lock.ts';

interface RewrapTask {
  readonly walk: string;
  readonly after?: string | undefined;
}

interface RewrapDeps {
  readonly clock: Clock;
  readonly openStore: typeof openRealStore;
}

interface RewrapOptions extends Pick<RewrapDeps, 'clock'> {
  readonly taskId: string;
  /** When to stop and enqueue a task that continues. */
  readonly deadline: Date;
  /** When this run has ended at the latest, because its function times out. */
  readonly endsBy: Date;
  /** When the lock of this run expires if the run dies. */
  readonly until: Date;
  readonly openStore?: RewrapDeps['openStore'];
  /** Ids of keys that encrypt data of jobs that have no backup record yet. Called before the backups are read. */
  readonly findOtherKeyIds?: (tenant: Tenant, now: Date) => Promise<Iterable<string>>;
}

/**
 * Idempotent. A backup whose destination does not answer keeps its key, and the passphrase that opens it is kept, too: the next
 * rotation tries again. A task that comes while another one runs does nothing; the other one continues with the changed settings.
 */
export const rewrapKeys = async (tenant: Tenant, task: RewrapTask, options: RewrapOptions): Promise<void> => {
  if (!(await readEncryption(tenant))?.isWalking) return;
  const lock = await acquireRewrapLock(tenant, options, options.clock.now());
  if (!lock) return;
  try {
    let isDone = await rewrapAll(lock, task, options);
    while (!isDone) isDone = await rewrapAll(lock, { walk: task.walk }, options);
  } catch (error) {
    await bestEffort('release the lock of a rewrap', giveUp(lock, task, options.clock.now()));
    throw error;
  }
};

/** The task of changed settings may have come and gone during this run, so it is enqueued again. */
const giveUp = async (lock: RewrapLock, task: RewrapTask, now: Date): Promise<void> => {
  const settings = await readEncryption(lock.tenant);
  const isChanged = settings?.isWalking && settings.version !== task.walk;
  const again = isChanged ? [enqueue(lock.tenant, { kind: 'rewrap-keys', walk: settings.version }, now)] : [];
  await commit([...again, releaseRewrapLock(lock)]);
};

/** False if the settings changed or a backup was imported meanwhile: then all keys must be rewrapped again. */
const rewrapAll = async (
  lock: RewrapLock,
  task: RewrapTask,
  { deadline, clock, openStore = openRealStore, findOtherKeyIds = async () => [] }: RewrapOptions,
): Promise<boolean> => {
  const { tenant } = lock;
  const settings = await readEncryption(tenant);
  // The organization was purged, and the lock with it.
  if (!settings) return true;
  if (!settings.isWalking) return isCurrent([checkEncryptionUnchanged(tenant, settings), releaseRewrapLock(lock)]);
  const { version, imports } = settings;
  let last = version === task.walk ? task.after : undefined;
  for await (const backup of backupsOf(tenant, last)) {
    if (clock.now() >= deadline) {
      const next = { kind: 'rewrap-keys', walk: version, ...(last !== undefined && { after: last }) } as const;
      await commit([enqueue(tenant, next, clock.now()), releaseRewrapLock(lock)]);
      return true;
    }
    if (!(await rewrapWithRetry(tenant, { settings, found: backup, deps: { clock, openStore } }))) return false;
    last = backup.id;
  }
  const previous = await neededPassphrases(tenant, settings, await findOtherKeyIds(tenant, clock.now()));
  const options = { expected: { version, imports }, onConditionFailed: () => new StaleReadError() };
  return isCurrent([set(encryptionKey(tenant), { isWalking: false, previous }, options), releaseRewrapLock(lock)]);
};

/** False if the transaction fails because the settings have changed. */
const isCurrent = async (writes: readonly Write[]): Promise<boolean> => {
  try {
    await commit(writes);
    return true;
  } catch (error) {
    if (error instanceof StaleReadError) return false;
    throw error;
  }
};

const backupsOf = (tenant: Tenant, after?: string): AsyncIterable<BackupRecord> =>
  walk<BackupRecord>({
    pk: `ORG#${tenant.organizationId}`,
    prefix: backupPrefix,
    ...(after !== undefined && { after: `${backupPrefix}${after}` }),
  });

/** Whether the backup has a key, and objects that it opens. */
const isOpenable = ({ keyFile, status }: Pick<BackupRecord, 'keyFile' | 'status'>): boolean =>
  keyFile !== undefined && (status === 'completed' || status === 'running');

const attemptsMax = 3;

/** False if the settings changed meanwhile. */
const rewrapWithRetry = async (
  tenant: Tenant,
  { settings, found, deps }: { readonly settings: EncryptionRecord; readonly found: BackupRecord; readonly deps: RewrapDeps },
): Promise<boolean> => {
  let backup: BackupRecord | undefined = found;
  // A backup that moves between organizations keeps its key until it has arrived.
  for (let attempt = 0; backup && isOpenable(backup) && !isInMove(backup) && attempt < attemptsMax; attempt++) {
    try {
      await rewrap(tenant, { settings, backup, deps });
      return true;
    } catch (error) {
      if (!(error instanceof StaleReadError) && !(error instanceof JobFailure) && !(error instanceof StorageError)) throw error;
      log.warn('the key of a backup was not rewrapped', { backupId: found.id, reason: error.message });
      if (!(error instanceof StaleReadError)) return true;
    }
    if ((await readEncryption(tenant))?.version !== settings.version) return false;
    backup = await get(backupKey.backup(tenant, found.id));
  }
  return true;
};

const rewrap = async (
  tenant: Tenant,
  {
    settings,
    backup,
    deps: { clock, openStore },
  }: { readonly settings: EncryptionRecord; readonly backup: BackupRecord; readonly deps: RewrapDeps },
): Promise<void> => {
  const { id, archive, status, keyFile: previous, storageDestination, path, bucketKeyIds } = backup;
  const { keyFile, encryption } = await wrapWithCurrentKey(tenant, {
    chosen: settings,
    archive,
    dataKey: await dataKeyOf(tenant, backup),
  });
  const withNew = keyIdsWith(backup, encryption);
  const store = await openStore(tenant, await readDestination(tenant, storageDestination.id), path);
  const change = (attributes: Readonly<Record<string, unknown>>, knownKeyIds: BackupRecord['bucketKeyIds']) => {
    const expected = { status, keyFile: previous, bucketKeyIds: knownKeyIds, ...notLeaving };
    const options = { expected, onConditionFailed: () => new StaleReadError() };
    return commit([checkEncryptionUnchanged(tenant, settings), set(backupKey.backup(tenant, id), attributes, options)]);
  };
  try {
    // A bucket that does not answer gets no key.
    const replaced = await store.head(keyFileName);
    if (withNew !== bucketKeyIds) await change({ bucketKeyIds: withNew }, bucketKeyIds);
    // The bucket first: its key must open with what the record shows.
    await putKey(store, { backup, keyFile, replaced, clock });
    await change({ keyFile, encryption, bucketKeyIds: undefined }, withNew);
    // The prepare step may have stored the key it had read before; from now on it reads the new one.
    if (status === 'running' && !isSameKey(keyFile, await store.get(keyFileName)))
      await putKey(store, { backup, keyFile, replaced, clock });
  } catch (error) {
    if (error instanceof StaleReadError) await restoreKey(tenant, { store, found: backup, clock });
    // A locked object of GCS cannot be replaced. An attempt whose response was lost may have replaced it before.
    const isRefused = error instanceof StorageError && error.code === 'denied';
    if (isRefused && previous && isSameKey(previous, await store.get(keyFileName))) await change({ bucketKeyIds }, withNew);
    throw error;
  } finally {
    store.close();
  }
};

/** Adds the id of a new key that is about to be stored in the bucket. KMS opens its keys anyway. */
const keyIdsWith = (
  { encryption, bucketKeyIds }: BackupRecord,
  { mode, keyId }: BackupRecord['encryption'],
): BackupRecord['bucketKeyIds'] =>
  mode === 'kms' || keyId === encryption.keyId || bucketKeyIds?.includes(keyId) ? bucketKeyIds : [...(bucketKeyIds ?? []), keyId];

/** The backup or its key changed concurrently: makes the key in the bucket match the records. */
const restoreKey = async (
  tenant: Tenant,
  { store, found, clock }: { readonly store: ObjectStore; readonly found: BackupRecord; readonly clock: Clock },
): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, found.id));
  const put = async (record: BackupRecord, keyFile: Uint8Array): Promise<void> =>
    putKey(store, {
      backup: record,
      keyFile,
      replaced: record.lockedUntil === null ? undefined : await store.head(keyFileName),
      clock,
    });
  if (backup?.keyFile && isOpenable(backup)) return put(backup, backup.keyFile);
  const otherOwner = await findOtherOwner(tenant, found);
  if (backup && !otherOwner) return store.remove([keyFileName]);
  // The owner of the objects, in this organization or another, can open one of these keys.
  const { record = found } = otherOwner ?? {};
  if (record.keyFile) await put(record, record.keyFile);
};

/** The new key of a locked backup is locked as long as the one it replaces, which later backups may need. */
const putKey = async (
  store: ObjectStore,
  {
    backup: { lockedUntil },
    keyFile,
    replaced,
    clock,
  }: {
    readonly backup: BackupRecord;
    readonly keyFile: Uint8Array;
    readonly replaced: Awaited<ReturnType<ObjectStore['head']>>;
    readonly clock: Clock;
  },
): Promise<void> => {
  const until = lockedUntil === null ? 0 : Math.max(Date.parse(lockedUntil), replaced?.lockedUntil?.getTime() ?? 0);
  await store.put(keyFileName, keyFile, until > clock.now().getTime() ? { lockedUntil: new Date(until) } : {});
};

/** The previous passphrases that the key of a backup may be wrapped with, in its record or in its bucket. */
const neededPassphrases = async (
  tenant: Tenant,
  { previous }: EncryptionRecord,
  otherKeyIds: Iterable<string>,
): Promise<EncryptionRecord['previous']> => {
  const needed = new Set(otherKeyIds);
  for await (const { encryption, bucketKeyIds = [], ...backup } of backupsOf(tenant))
    if (isOpenable(backup)) for (const keyId of [encryption.keyId, ...bucketKeyIds]) needed.add(keyId);
  return Object.fromEntries(Object.entries(previous).filter(([keyId]) => needed.has(keyId)));
};

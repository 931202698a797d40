/** Wraps the data keys of an organization's backups anew, one after the other. Nothing that they seal is touched. */

import { keyFileName } from '../../archive/index.ts';
import { type ObjectStore, openStore, readDestination, StorageError } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { JobFailure } from '../../job/index.ts';
import { type Clock, commit, get, iso, log, StaleReadError, set, type Tenant, walk } from '../../platform/index.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { findOtherOwner } from '../model/shared-archives.ts';
import { dataKeyOf, isSameKey, wrapWithCurrentKey } from './data-key.ts';
import { checkEncryptionUnchanged, type EncryptionRecord, encryptionKey, readEncryption } from './encryption-settings.ts';

export interface RewrapTask {
  readonly walk: string;
  /** The last backup that was looked at. */
  readonly after?: string | undefined;
}

/** What else is wrapped: the names of the keys that open what is to become a backup. Asked for before the backups are looked at. */
export type FindOtherKeyIds = (tenant: Tenant, now: Date) => Promise<Iterable<string>>;

/**
 * Goes on until the time given, then asks for another task. Every part may run again. A backup that cannot be had now keeps
 * the key it has, and what opens it is kept, too: the next rotation tries again.
 */
export const rewrapKeys = async (
  tenant: Tenant,
  task: RewrapTask,
  until: Date,
  time: Clock,
  open: typeof openStore = openStore,
  alsoWrapped: FindOtherKeyIds = async () => [],
): Promise<void> => {
  const chosen = await readEncryption(tenant);
  if (chosen?.version !== task.walk || !chosen.isWalking) return;
  let last = task.after;
  for await (const backup of backupsOf(tenant, task.after)) {
    if (time.now() >= until) {
      await commit([enqueue(tenant, { kind: 'rewrap-keys', ...task, after: last }, time.now())]);
      return;
    }
    if (!(await rewrapped(tenant, chosen, backup, { time, open }))) return;
    last = backup.id;
  }
  await finish(tenant, chosen, await alsoWrapped(tenant, time.now()));
};

interface RewrapDeps {
  readonly time: Clock;
  readonly open: typeof openStore;
}

const backupsOf = (tenant: Tenant, after?: string): AsyncIterable<BackupRecord> =>
  walk<BackupRecord>({
    pk: `ORG#${tenant.organizationId}`,
    prefix: backupPrefix,
    ...(after !== undefined && { after: `${backupPrefix}${after}` }),
  });

/** Those that have a key and objects that it opens. */
const isOpenable = ({ keyFile, status }: BackupRecord): boolean =>
  keyFile !== undefined && (status === 'completed' || status === 'running');

/** What is on its way to or from another organization stays as it is until it is there. */
const stays = ({ arriving, leaving }: BackupRecord): boolean => arriving === undefined && leaving === undefined;

/** A backup that ends or is wrapped by another delivery of the same task is looked at again. */
const triesMax = 3;

/** False if another choice was made meanwhile: its own walk has begun. */
const rewrapped = async (tenant: Tenant, chosen: EncryptionRecord, found: BackupRecord, deps: RewrapDeps): Promise<boolean> => {
  let backup: BackupRecord | undefined = found;
  for (let tries = 0; backup && isOpenable(backup) && stays(backup) && tries < triesMax; tries++) {
    try {
      await rewrap(tenant, chosen, backup, deps);
      return true;
    } catch (error) {
      if (!(error instanceof StaleReadError) && !(error instanceof JobFailure) && !(error instanceof StorageError)) throw error;
      log.warn('the key of a backup was not wrapped anew', { backupId: found.id, reason: error.message });
      if (!(error instanceof StaleReadError)) return true;
    }
    if ((await readEncryption(tenant))?.version !== chosen.version) return false;
    backup = await fresh(tenant, found);
  }
  return true;
};

const fresh = async (tenant: Tenant, { id }: BackupRecord): Promise<BackupRecord | undefined> =>
  await get(backupKey.backup(tenant, id));

const rewrap = async (
  tenant: Tenant,
  chosen: EncryptionRecord,
  backup: BackupRecord,
  { time, open }: RewrapDeps,
): Promise<void> => {
  const { id, archive, status, keyFile: was, storageDestination, path } = backup;
  const { keyFile, encryption } = await wrapWithCurrentKey(tenant, chosen, archive, await dataKeyOf(tenant, backup));
  const store = await open(tenant, await readDestination(tenant, storageDestination.id), path);
  try {
    // The bucket first: whoever reads it without us needs no more than what the record promises.
    await putKey(store, backup, keyFile, time);
    const expected = { status, keyFile: was, leaving: undefined };
    await commit([
      checkEncryptionUnchanged(tenant, chosen),
      set(backupKey.backup(tenant, id), { keyFile, encryption }, { expected, onConditionFailed: () => new StaleReadError() }),
    ]);
    // The step that begins it may have stored the key it had read before; after this it reads the new one.
    if (status === 'running' && !isSameKey(keyFile, await store.get(keyFileName))) await putKey(store, backup, keyFile, time);
  } catch (error) {
    if (error instanceof StaleReadError) await putBack(tenant, store, backup, time);
    throw error;
  } finally {
    store.close();
  }
};

/** Someone else has changed the backup or its key: what lies in the bucket is made what the records say. */
const putBack = async (tenant: Tenant, store: ObjectStore, found: BackupRecord, time: Clock): Promise<void> => {
  const backup = await fresh(tenant, found);
  if (backup?.keyFile && isOpenable(backup)) return putKey(store, backup, backup.keyFile, time);
  const sharer = await findOtherOwner(tenant, found);
  if (backup && !sharer) return store.remove([keyFileName]);
  // Whoever has the objects now, here or in another organization, can open one of these.
  const { record = found } = sharer ?? {};
  if (record.keyFile) await putKey(store, record, record.keyFile, time);
};

const putKey = (store: ObjectStore, { lockedUntil }: BackupRecord, keyFile: Uint8Array, time: Clock): Promise<void> => {
  const isLocked = lockedUntil !== null && lockedUntil > iso(time.now());
  return store.put(keyFileName, keyFile, isLocked ? { lockedUntil: new Date(lockedUntil) } : {});
};

/** Passphrases that nothing is wrapped by any more are forgotten. */
const finish = async (tenant: Tenant, chosen: EncryptionRecord, wrapped: Iterable<string>): Promise<void> => {
  const needed = new Set(wrapped);
  for await (const backup of backupsOf(tenant)) if (isOpenable(backup)) needed.add(backup.encryption.keyId);
  const previous = Object.fromEntries(Object.entries(chosen.previous).filter(([keyId]) => needed.has(keyId)));
  const expected = { version: chosen.version };
  await commit([
    set(encryptionKey(tenant), { isWalking: false, previous }, { expected, onConditionFailed: () => new StaleReadError() }),
  ]).catch((error: unknown) => {
    if (!(error instanceof StaleReadError)) throw error;
  });
};

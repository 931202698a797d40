/**
 * The third step: proves that all of the journal is stored, writes its manifest, reads it back, and only then lets the target be
 * written to. From that moment on the journal is a backup, if contents were saved.
 */
import { keyFileName } from '../../archive/index.ts';
import { type ArchiveNotes, type BackupRecord, proveObjects, removeOrphans, storeManifest } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { ObjectStore } from '../../destination/index.ts';
import { UploadError } from '../../job/index.ts';
import { bestEffort, get, isConflict, type Tenant, walk } from '../../platform/index.ts';
import { sumPlans } from '../check/check-progress.ts';
import { throwAsUploadError, destinationDeleted, journalBackup, openJournalStore } from '../model/journal.ts';
import { touchedCount } from '../model/reconcile-counts.ts';
import { type JournalPartRecord, type RestoreRecord, type RestoreShardRecord, restoreKey, workPartition } from '../model/record.ts';
import { readShards } from '../model/reopen-shards.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { loadRunning } from '../model/running-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { commitSeal, type Sealed } from './seal-transaction.ts';

/**
 * Whether there is anything to write. May run again at any point: everything it stores is made of the workers' notes alone, so a
 * second run stores the same.
 */
export const sealJournal = async (
  tenant: Tenant,
  restoreJobId: string,
  engine: RestoreDeps,
  attempt?: number,
): Promise<{ writes: boolean }> => {
  const { restore, organization } = await loadRunning(tenant, restoreJobId, attempt);
  const notes = await readNotes(tenant, restore);
  const writes = notes.touched > 0 && !restore.dryRun;
  // An earlier attempt, or the run before whose answer was lost.
  if (restore.sealedAt !== undefined) return { writes };
  const parties = await loadRestoreContext(tenant, restore, organization);
  const sealed = writes ? await store(tenant, restore, notes, parties.target, engine) : undefined;
  try {
    await commitSeal(parties, restore, { plan: notes.plan, writes, sealed }, engine.clock.now());
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') throw destinationDeleted(error);
    const now = await get(restoreKey.restore(tenant, restoreJobId));
    if (!isConflict(error) || now?.sealedAt === undefined || now.attempt !== restore.attempt) throw error;
  }
  return { writes };
};

interface JournalNotes extends ArchiveNotes {
  /** Of the documents. */
  readonly plan: ReturnType<typeof sumPlans>;
  /** Documents and users. */
  readonly touched: number;
}

/** Throws unless every shard is checked and the journal has exactly what the plan touches. */
const readNotes = async (tenant: Tenant, restore: RestoreRecord): Promise<JournalNotes> => {
  const { id, shards: count, journal, dryRun, sealedAt } = restore;
  const shards = (await readShards(tenant, id)).filter(({ number }) => number < (count ?? 0));
  const parts: JournalPartRecord[] = [];
  // Attempts that were given up have left theirs.
  for await (const part of walk<JournalPartRecord>({ pk: workPartition(tenant, id), prefix: 'PART#' }))
    if (part.index.backup === journal.backupId) parts.push(part);
  if (shards.length !== count) throw new Error(`there are ${shards.length} of ${count} shards`);
  if (sealedAt === undefined && !dryRun) for (const shard of shards) proveShard(shard, parts);
  const plan = sumPlans(shards.filter(({ range }) => range !== undefined).map((shard) => shard.plan));
  const touched = touchedCount(sumPlans(shards.map((shard) => shard.plan)));
  // Nobody has counted what was saved but us.
  return { shards: shards.map((shard) => ({ ...shard, countVerified: false })), parts, plan, touched };
};

const proveShard = ({ number, isChecked, plan }: RestoreShardRecord, parts: readonly JournalPartRecord[]): void => {
  if (!isChecked) throw new Error(`shard ${number} is not checked`);
  const records = parts.filter((part) => part.number === number).reduce((sum, part) => sum + part.records, 0);
  if (records !== touchedCount(plan)) throw new Error(`of shard ${number} the journal has ${records} of ${touchedCount(plan)} records`);
};

const store = async (
  tenant: Tenant,
  restore: RestoreRecord,
  notes: JournalNotes,
  target: Parameters<typeof storeManifest>[2],
  engine: RestoreDeps,
): Promise<Sealed> => {
  const backup = journalBackup(tenant, restore);
  const folder = await openJournalStore(tenant, restore, engine);
  try {
    // A journal of names only is nobody's backup: it needs no key beside it.
    if (restore.safetyBackup) await storeKey(folder, backup);
    await proveObjects(folder, notes);
    const { contents, size, manifestDigest } = await storeManifest(
      folder,
      backup,
      target,
      notes,
      await engine.dataKeyOf(tenant, backup),
    );
    await bestEffort('remove what given-up workers left', removeOrphans(folder, backup, notes));
    return { backup, contents, size, manifestDigest };
  } catch (error) {
    return throwAsUploadError(error);
  } finally {
    folder.close();
  }
};

/** Without its key in the bucket nobody but us could read the safety backup. */
const storeKey = async (folder: ObjectStore, { keyFile }: BackupRecord): Promise<void> => {
  if (!keyFile) throw new Error('a journal without a key');
  await folder.put(keyFileName, keyFile);
  if (Buffer.compare(await folder.get(keyFileName), keyFile) !== 0)
    throw new UploadError('invalid', 'The destination gives another key than was stored.');
};

/**
 * The third step: verifies that the whole journal is stored, writes its manifest, reads it back, and only then allows writes to
 * the target. From then on a journal with contents is a backup.
 */
import { keyFileName } from '../../archive/index.ts';
import { type ArchiveParts, assertObjectsStored, type BackupRecord, deleteOrphans, writeManifest } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { ObjectStore } from '../../destination/index.ts';
import { UploadError } from '../../job/index.ts';
import { bestEffort, get, isConflict, type Tenant, walk } from '../../platform/index.ts';
import { sumPlans } from '../check/check-progress.ts';
import { destinationDeleted, journalBackup, openJournalStore, throwAsUploadError } from '../model/journal.ts';
import {
  type JournalPartRecord,
  type RestoreRecord,
  type RestoreShardRecord,
  restoreKey,
  workPartition,
} from '../model/record.ts';
import { readShards } from '../model/reopen-shards.ts';
import { loadRestoreContext, type RestoreContext } from '../model/restore-context.ts';
import { loadRunning, type RestoreAttempt } from '../model/running-restore.ts';
import { touchedCount } from '../model/shard-totals.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { commitSeal, type Sealed } from './commit-seal.ts';

/** Returns whether there is anything to write. Idempotent: a repeated run stores the same objects, made from the shards alone. */
export const sealJournal = async (step: RestoreAttempt, deps: RestoreDeps): Promise<{ writes: boolean }> => {
  const { tenant, restoreJobId } = step;
  const { restore, organization } = await loadRunning(step);
  const notes = await readNotes(tenant, restore);
  const writes = notes.touched > 0 && !restore.dryRun;
  // Sealed by an earlier attempt, or by a run whose response was lost.
  if (restore.sealedAt !== undefined) return { writes };
  const context = await loadRestoreContext(tenant, restore, organization);
  const sealed = writes ? await store(context, restore, notes, deps) : undefined;
  try {
    await commitSeal(context, restore, { plan: notes.plan, writes, sealed }, deps.clock.now());
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') throw destinationDeleted(error);
    const current = await get(restoreKey.restore(tenant, restoreJobId));
    if (!isConflict(error) || current?.sealedAt === undefined || current.attempt !== restore.attempt) throw error;
  }
  return { writes };
};

interface JournalNotes extends ArchiveParts {
  readonly plan: ReturnType<typeof sumPlans>;
  readonly touched: number;
}

/** Throws unless every shard is checked and the journal contains exactly what the plan touches. */
const readNotes = async (tenant: Tenant, restore: RestoreRecord): Promise<JournalNotes> => {
  const { id, shards: count, journal, dryRun, sealedAt } = restore;
  const shards = (await readShards(tenant, id)).filter(({ number }) => number < (count ?? 0));
  const parts: JournalPartRecord[] = [];
  // Skips parts of abandoned attempts.
  for await (const part of walk<JournalPartRecord>({ pk: workPartition(tenant, id), prefix: 'PART#' }))
    if (part.index.backup === journal.backupId) parts.push(part);
  if (shards.length !== count) throw new Error(`expected ${count} shard items, found ${shards.length}`);
  if (sealedAt === undefined && !dryRun) for (const shard of shards) proveShard(shard, parts);
  const plan = sumPlans(shards.filter(({ range }) => range !== undefined).map((shard) => shard.plan));
  const touched = touchedCount(sumPlans(shards.map((shard) => shard.plan)));
  // The target did not count the saved documents.
  return { shards: shards.map((shard) => ({ ...shard, countVerified: false })), parts, plan, touched };
};

const proveShard = ({ number, isChecked, plan }: RestoreShardRecord, parts: readonly JournalPartRecord[]): void => {
  if (!isChecked) throw new Error(`shard ${number} is not checked`);
  const records = parts.filter((part) => part.number === number).reduce((sum, part) => sum + part.records, 0);
  if (records !== touchedCount(plan))
    throw new Error(`shard ${number}: expected ${touchedCount(plan)} journal records, found ${records}`);
};

const store = async (
  { tenant, target }: RestoreContext,
  restore: RestoreRecord,
  notes: JournalNotes,
  deps: RestoreDeps,
): Promise<Sealed> => {
  const backup = journalBackup(tenant, restore);
  const folder = await openJournalStore(tenant, restore, deps);
  try {
    // A journal of names only is no backup and needs no key file.
    if (restore.safetyBackup) await storeKey(folder, backup);
    await assertObjectsStored(folder, notes);
    const { contents, size, manifestDigest } = await writeManifest(
      folder,
      backup,
      target,
      notes,
      await deps.dataKeyOf(tenant, backup),
    );
    await bestEffort('delete orphaned objects', deleteOrphans(folder, backup, notes));
    return { backup, contents, size, manifestDigest };
  } catch (error) {
    return throwAsUploadError(error);
  } finally {
    folder.close();
  }
};

/** The key file in the bucket makes the safety backup readable without the service. */
const storeKey = async (folder: ObjectStore, { keyFile }: BackupRecord): Promise<void> => {
  if (!keyFile) throw new Error('the journal has no key');
  await folder.put(keyFileName, keyFile);
  if (Buffer.compare(await folder.get(keyFileName), keyFile) !== 0)
    throw new UploadError('invalid', 'The destination returned another key than was stored.');
};

/**
 * The third step: verifies that the whole journal is stored, writes its manifest, reads it back, and only then allows writes to
 * the target. From then on a journal with contents is a backup.
 */
import { keyFileName } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { undoSeconds } from '../../contract/limits.ts';
import { type ObjectStore, readBack, readDestination } from '../../destination/index.ts';
import { JobFailure, throwAsUploadError, workPartition } from '../../job/index.ts';
import { sumTransforms, type TransformCounts, unmatchedReason, unmatchedRules } from '../../mask/index.ts';
import { after, bestEffort, get, isConflict, iso, type Tenant, walk } from '../../platform/index.ts';
import {
  type ArchiveParts,
  assertObjectsStored,
  type BackupRecord,
  ChainLocks,
  deleteOrphans,
  extendKeyLocks,
  writeManifest,
} from '../../stored-backup/index.ts';
import { destinationDeleted, journalBackup, openJournalStore } from '../model/journal.ts';
import {
  type JournalPartRecord,
  type PlannedDeletions,
  type RestoreRecord,
  type RestoreShardRecord,
  restoreKey,
} from '../model/record.ts';
import { readShards } from '../model/reopen-shards.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import type { RestoreAttempt } from '../model/running-restore.ts';
import { touchedCount } from '../model/shard-totals.ts';
import { isEmptyPlan, sumPlans } from '../plan/check-progress.ts';
import { noDeletions, sumDeletions } from '../plan/deletions.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { type RestoreStepRun, withRestoreStep } from '../run/with-restore-step.ts';
import { shownRules } from '../transform/transform-view.ts';
import { commitSeal, type Sealed } from './commit-seal.ts';

/** Returns whether there is anything to write. Idempotent: a repeated run stores the same objects, made from the shards alone. */
export const sealJournal = (step: RestoreAttempt, deps: RestoreDeps): Promise<{ writes: boolean }> =>
  withRestoreStep(step, deps, (run) => seal(step, run));

const seal = async (
  { tenant, restoreJobId }: RestoreAttempt,
  { context, restore, deps }: RestoreStepRun,
): Promise<{ writes: boolean }> => {
  const notes = await readNotes(tenant, restore);
  const writes = notes.touched > 0 && !restore.dryRun;
  // Sealed by an earlier attempt, or by a run whose response was lost.
  if (restore.sealedAt !== undefined) return { writes };
  const { nothingFound } = restore;
  if (nothingFound && isEmptyPlan(notes.plan))
    throw new JobFailure(nothingFound.code, nothingFound.message, nothingFound.details);
  assertAllowedDeletes(restore, notes);
  assertRulesMatched(restore, notes);
  const sealed = writes ? await store(context, { restore, notes, deps }) : undefined;
  try {
    await commitSeal(context, { restore, seal: { ...notes, writes, sealed }, now: deps.clock.now() });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') throw destinationDeleted(error);
    const current = await get(restoreKey.restore(tenant, restoreJobId));
    if (!isConflict(error) || current?.sealedAt === undefined || current.attempt !== restore.attempt) throw error;
  }
  return { writes };
};

interface JournalNotes extends ArchiveParts, PlannedDeletions {
  readonly shards: readonly (ArchiveParts['shards'][number] & { readonly parts: number })[];
  readonly plan: ReturnType<typeof sumPlans>;
  readonly touched: number;
  readonly erasedInCheck: number;
  /** Of a masked copy. */
  readonly transformed: TransformCounts | undefined;
}

/** Nothing was written yet: data that a rule was to mask may have another name. */
const assertRulesMatched = ({ transform }: RestoreRecord, { transformed }: JournalNotes): void => {
  if (!transform || !transformed || transform.allowUnmatched) return;
  const unmatched = unmatchedRules(transform.rules, transformed);
  if (unmatched.length > 0)
    throw new JobFailure('TRANSFORM_INVALID', `options.transform: ${unmatchedReason(unmatched)}. Nothing was written`, {
      unmatchedRules: shownRules(unmatched.map(({ rule }) => rule)),
    });
};

/** Nothing was written yet: a document that the plan did not show is not deleted. */
const assertAllowedDeletes = (
  { allowedDeletes, dryRun }: RestoreRecord,
  { plan, deleteDigest, deletions }: JournalNotes,
): void => {
  if (dryRun || allowedDeletes === undefined || allowedDeletes === deleteDigest) return;
  throw new JobFailure(
    'PLAN_CHANGED',
    'The target has changed since the plan was made: other documents would be deleted than it showed. Nothing was written; plan the restore again',
    { delete: plan.delete, deletions },
  );
};

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
  const planned = sumDeletions(shards.map((shard) => ({ ...noDeletions, ...shard })));
  const transformed =
    restore.transform &&
    sumTransforms(
      shards.map((shard) => shard.transformed),
      restore.transform.rules.length,
    );
  const erasedInCheck = shards.reduce((sum, shard) => sum + (shard.erasedInCheck ?? 0), 0);
  return {
    ...planned,
    shards: shards.map((shard) => ({ ...shard, countVerified: false })),
    parts,
    plan,
    touched,
    erasedInCheck,
    transformed,
  };
};

const proveShard = ({ number, isChecked, plan }: RestoreShardRecord, parts: readonly JournalPartRecord[]): void => {
  if (!isChecked) throw new Error(`shard ${number} is not checked`);
  const records = parts.filter((part) => part.number === number).reduce((sum, part) => sum + part.records, 0);
  if (records !== touchedCount(plan))
    throw new Error(`shard ${number}: expected ${touchedCount(plan)} journal records, found ${records}`);
};

const store = async (
  { tenant, target }: RestoreContext,
  { restore, notes, deps }: { readonly restore: RestoreRecord; readonly notes: JournalNotes; readonly deps: RestoreDeps },
): Promise<Sealed> => {
  const folder = await openJournalStore(tenant, restore, deps);
  try {
    const backup = { ...journalBackup(tenant, restore), lockedUntil: await safetyLockEnd(tenant, restore) };
    const locks = new ChainLocks(backup.lockedUntil);
    // A journal of names only is no backup and needs no key file.
    if (restore.safetyBackup) await storeKey(folder, backup);
    await assertObjectsStored(folder, notes, locks);
    const dataKey = await deps.dataKeyOf(tenant, backup);
    const { contents, size, manifestDigest } = await writeManifest(folder, { backup, project: target, parts: notes, dataKey });
    await bestEffort('delete orphaned objects', deleteOrphans(folder, backup, notes));
    if (backup.lockedUntil !== null)
      await extendKeyLocks(folder, { backup, completion: { needs: [], manifestDigest }, parent: undefined, locks });
    return { backup, contents, size, manifestDigest, locks: locks.result };
  } catch (error) {
    return throwAsUploadError(error);
  } finally {
    folder.close();
  }
};

/**
 * A safety backup is locked when it is sealed, so that an aborted restore leaves no locked objects: for as long as its destination
 * locks backups, but not longer than it is needed, which is the time to undo the restore and a day for the restore itself.
 */
const safetyLockEnd = async (tenant: Tenant, restore: RestoreRecord): Promise<string | null> => {
  const { journal, safetyBackup, since, startedAt, createdAt } = restore;
  const { objectLock } = safetyBackup ? await readDestination(tenant, journal.storageDestination.id) : { objectLock: null };
  if (!objectLock) return null;
  const seconds = Math.min(objectLock.days * daySeconds, undoSeconds + daySeconds);
  return iso(after(new Date(since ?? startedAt ?? createdAt), seconds));
};
const daySeconds = 24 * 3_600;

/** The key file in the bucket makes the safety backup readable without the service. */
const storeKey = async (folder: ObjectStore, { keyFile }: BackupRecord): Promise<void> => {
  if (!keyFile) throw new Error('the journal has no key');
  await folder.put(keyFileName, keyFile);
  await readBack(folder, keyFileName, keyFile);
};

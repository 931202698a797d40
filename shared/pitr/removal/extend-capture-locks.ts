/**
 * Keeps the locks of captures ahead of the window they serve. A moment needs its base, with everything that the base refers to, and
 * all batches from there on. So while captures build on a base, the locks of both are extended, once a day.
 */

import { storedObjects } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type ExpectedObject, objectWithHash, readDestination } from '../../destination/index.ts';
import { after, type Clock, commit, get, iso, mapConcurrent, set, type Tenant } from '../../platform/index.ts';
import {
  type ArchiveDeps,
  type ArchiveSource,
  backupKey,
  ChainLocks,
  extendGenuine,
  keyWith,
  manifestWith,
  openArchive,
} from '../../stored-backup/index.ts';
import { BatchFolders, batchObjectOf } from '../batch/batch-folders.ts';
import { heardAheadMicros, listBatchesAfter } from '../batch/list-batches.ts';
import { captureLockEnd, lockMarginDays } from '../model/capture-lock.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type Base, type BatchRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import { daysKept } from '../settings/capture-retention.ts';
import { lockIncompleteEntry } from '../view/pitr-events.ts';

interface LockRun {
  readonly tenant: Tenant;
  readonly pitr: PitrRecord;
  readonly deps: ArchiveDeps;
  readonly clock: Clock;
  /** Where to stop; another task continues. Objects that are locked long enough cost one request each. */
  readonly until: Date;
}

const concurrency = 16;
const daySeconds = 24 * 3_600;

/** False if the time ran out first. */
export const extendCaptureLocks = async (run: LockRun): Promise<boolean> => {
  if (run.pitr.bases.length === 0 || !(await hasObjectLock(run))) return true;
  const folders = new BatchFolders(run.tenant, run.deps);
  try {
    return await extendBases(run, folders);
  } finally {
    folders.close();
  }
};

const extendBases = async (run: LockRun, folders: BatchFolders): Promise<boolean> => {
  const { tenant, pitr, clock } = run;
  const days = daysKept(pitr, clock.now());
  for (const [n, base] of pitr.bases.entries()) {
    const next = pitr.bases[n + 1];
    const lastMs = next ? microsOf(next.readTime) / 1_000 : lastMoment(pitr, clock.now());
    // A day before the margin is used up, so that a task that comes late is in time.
    const least = after(new Date(lastMs), (days + lockMarginDays - 1) * daySeconds);
    const known = pitr.lockedBases?.[base.backupId];
    if (known !== undefined && known >= iso(least)) continue;
    const end = captureLockEnd(new Date(lastMs), days);
    const locks = new ChainLocks(iso(end));
    if (!(await extendBase(run, base, locks)) || !(await extendBatches(run, { folders, locks }, { base, next }))) return false;
    await recordLocks(tenant, { pitr, base, outcome: { end, reason: locks.result.reason, now: clock.now() } });
  }
  return true;
};

const lastMoment = ({ status, capturedTo }: PitrRecord, now: Date): number =>
  status === 'disabled' && capturedTo !== null ? microsOf(capturedTo) / 1_000 : now.getTime();

const hasObjectLock = async ({ tenant, pitr }: LockRun): Promise<boolean> => {
  try {
    return (await readDestination(tenant, pitr.storageDestination.id)).objectLock !== null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') return false;
    throw error;
  }
};

/** Everything that the base refers to, from its manifest. */
const extendBase = async ({ tenant, deps, clock, until }: LockRun, { backupId }: Base, locks: ChainLocks): Promise<boolean> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (backup?.status !== 'completed') return true;
  const open = await openArchive(tenant, { backup, deps });
  try {
    const { archive, needs = [], manifestDigest } = backup;
    let isInTime = true;
    const extend = async (archiveId: string, expected: (source: ArchiveSource) => ExpectedObject): Promise<void> => {
      isInTime &&= clock.now() < until;
      if (!isInTime) return;
      const source = await open.sourceOf(archiveId);
      await extendGenuine(source.store, expected(source), locks);
    };
    await mapConcurrent(storedObjects(open.archive.manifest), concurrency, (entry) =>
      extend(entry.backup, () => objectWithHash(entry)),
    );
    await extend(archive.backup, () => manifestWith(manifestDigest));
    for (const id of [archive.backup, ...needs]) await extend(id, ({ keyFile }) => keyWith(keyFile));
    return isInTime;
  } finally {
    open.close();
  }
};

/** Batches that begin after the next base serve only moments that build on that one. */
const extendBatches = async (
  { tenant, pitr, clock, until }: LockRun,
  { folders, locks }: { readonly folders: BatchFolders; readonly locks: ChainLocks },
  { base, next }: { readonly base: Base; readonly next: Base | undefined },
): Promise<boolean> => {
  const first = momentOf(microsOf(base.readTime) - heardAheadMicros);
  const last = next ? microsOf(next.readTime) + heardAheadMicros : Number.POSITIVE_INFINITY;
  let page: BatchRecord[] = [];
  for await (const batch of listBatchesAfter(tenant, pitr.projectId, first)) {
    if (microsOf(batch.from) > last) break;
    page.push(batch);
    if (page.length < concurrency) continue;
    if (clock.now() >= until) return false;
    await extendPage(folders, page, locks);
    page = [];
  }
  await extendPage(folders, page, locks);
  return true;
};

const extendPage = (folders: BatchFolders, page: readonly BatchRecord[], locks: ChainLocks): Promise<unknown> =>
  mapConcurrent(page, concurrency, async (batch) => extendGenuine(await folders.storeOf(batch), batchObjectOf(batch), locks));

interface LockOutcome {
  readonly end: Date;
  readonly reason: string | undefined;
  readonly now: Date;
}

/** A refusal is audited once, shown as the problem of the captures, and tried again by the next task. */
const recordLocks = async (
  tenant: Tenant,
  {
    pitr,
    base,
    outcome: { end, reason, now },
  }: { readonly pitr: PitrRecord; readonly base: Base; readonly outcome: LockOutcome },
): Promise<void> => {
  const kept = Object.entries(pitr.lockedBases ?? {}).filter(([id]) => pitr.bases.some(({ backupId }) => backupId === id));
  const lockedBases = { ...Object.fromEntries(kept), ...(reason === undefined && { [base.backupId]: iso(end) }) };
  await commit([
    set(pitrKey.pitr(tenant, pitr.projectId), { lockedBases, lockProblem: reason }),
    ...(reason !== undefined && reason !== pitr.lockProblem
      ? [lockIncompleteEntry(tenant, { projectId: pitr.projectId, details: { reason }, now })]
      : []),
  ]);
  Object.assign(pitr, { lockedBases, lockProblem: reason });
};

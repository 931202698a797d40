/** Expires captures that no restore window reaches: deletes their batches and releases their bases. */

import type { openStore } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import {
  after,
  type Clock,
  check,
  commit,
  getAll,
  iso,
  query,
  StaleReadError,
  set,
  type Tenant,
  type Write,
  walk,
} from '../../platform/index.ts';
import {
  type BackupDeps,
  backupDeps,
  backupKey,
  heldMoment,
  markRetentionDue,
  removedDataErasureTasks,
} from '../../stored-backup/index.ts';
import { deleteBatch } from '../batch/delete-batch.ts';
import { heardAheadMicros } from '../batch/list-batches.ts';
import { readPitr } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey, type UploadRecord, uploadPrefix } from '../model/record.ts';
import { daysKept } from '../settings/capture-retention.ts';
import { deleteUnusedLists } from '../timeline/gap-lists.ts';
import { objectsKeptEntry } from '../view/pitr-events.ts';
import { decideFinalExpiry, deleteCaptures, isProjectGone } from './delete-project-captures.ts';
import { extendCaptureLocks } from './extend-capture-locks.ts';

/** Captures are kept a day longer than they are offered, for restores that have just started. */
const graceSeconds = 24 * 3_600;
/** No cycle takes this long: an older upload without a batch is orphaned. */
const uploadSeconds = 3_600;

/** The longest span of a batch: after a longer interruption captures begin again. */
const cycleMaxMicros = 3_600 * 1_000_000;
/** Bases released at once, in one transaction with the record. */
const freedMax = 90;

/** What to keep; undefined if nothing changes. */
export const decideCaptureExpiry = (
  pitr: PitrRecord,
  {
    now,
    isGone = false,
    heldMs = Number.POSITIVE_INFINITY,
  }: { readonly now: Date; readonly isGone?: boolean; readonly heldMs?: number | undefined },
): Kept | undefined => {
  if (isGone) return decideFinalExpiry(pitr, freedMax);
  const { bases, gaps, status, capturedTo, keptFrom } = pitr;
  // Until a person acknowledges an anomaly, the moments before it stay restorable.
  const horizonMs = after(now, -daysKept(pitr, now) * 24 * 3_600 - graceSeconds).getTime();
  const horizon = Math.min(horizonMs, heldMs) * 1_000;
  const isOver = status === 'disabled' && capturedTo !== null && microsOf(capturedTo) <= horizon;
  if (isOver && bases.length <= freedMax) return bases.length === 0 ? undefined : { keptFrom: capturedTo, bases: [], gaps: [] };
  const last = bases.findLastIndex(({ readTime }) => microsOf(readTime) <= horizon);
  const first = Math.min(last, freedMax + 1);
  const from = bases[first]?.readTime;
  if (from === undefined || (keptFrom !== null && microsOf(from) <= microsOf(keptFrom))) return undefined;
  // Batches captured before the base was in use may hold later changes, and are encrypted with the key of an earlier base.
  const needed = bases.findLastIndex(({ since }) => microsOf(since) <= microsOf(from) - heardAheadMicros - cycleMaxMicros);
  return {
    keptFrom: from,
    bases: bases.slice(Math.max(0, Math.min(needed, first - 1))),
    gaps: gaps.filter(({ to }) => to === null || microsOf(to) > microsOf(from)),
  };
};

interface ExpiryOptions {
  readonly until: Date;
  readonly clock: Clock;
  readonly openStore: typeof openStore;
  /** Opens the keys of bases, whose locks are extended. */
  readonly dataKeyOf?: BackupDeps['dataKeyOf'];
}

type Kept = Pick<PitrRecord, 'keptFrom' | 'bases' | 'gaps'>;

/**
 * Updates the record first, then deletes: nothing is offered that may be deleted. At the deadline it enqueues another task. Of a
 * deleted project nothing is kept.
 */
export const expireCaptures = async (tenant: Tenant, projectId: string, options: ExpiryOptions): Promise<void> => {
  const pitr = await readPitr(tenant, projectId);
  if (!pitr) return;
  const isGone = await isProjectGone(tenant, projectId);
  const now = options.clock.now();
  const heldMs = isGone ? undefined : await heldMoment(tenant, projectId);
  const kept = decideCaptureExpiry(pitr, { now, isGone, heldMs });
  // If a cycle ended meanwhile, the record has changed: decide again.
  if (kept && !(await keepOnly(tenant, { pitr, kept, now }))) return continueLater(tenant, projectId, now);
  const rest = { ...pitr, ...kept };
  const run = { ...options, tenant, pitr: rest, reported: new Set([pitr.objectsKeptIn]) };
  const isDone =
    (isGone || (await extendCaptureLocks({ ...run, deps: { ...backupDeps, ...options } }))) &&
    (await expireBatches(run, isGone ? Number.POSITIVE_INFINITY : unneededUpTo(rest))) &&
    (await deleteOrphans(run)) &&
    decideCaptureExpiry(rest, { now, isGone, heldMs }) === undefined;
  if (!isDone) return continueLater(tenant, projectId, now);
  await commit(await removedDataErasureTasks(tenant, { projectId }, now));
  await deleteUnusedLists(tenant, rest, { now, isProjectGone: isGone });
  if (isGone) return deleteCaptures(tenant, { pitr, retrySeconds: uploadSeconds, now });
  if (pitr.status === 'disabled' && rest.bases.length === 0)
    await commit([check(pitrKey.pitr(tenant, projectId), { turn: pitr.turn }), { remove: pitrKey.capturing(tenant, projectId) }]);
};

const continueLater = (tenant: Tenant, projectId: string, now: Date): Promise<void> =>
  commit([enqueue(tenant, { kind: 'expire-captures', projectId }, now)]);

/** In the same transaction released bases become ordinary backups, and retention becomes due. False if the record has changed. */
const keepOnly = async (
  tenant: Tenant,
  { pitr, kept, now }: { readonly pitr: PitrRecord; readonly kept: Kept; readonly now: Date },
): Promise<boolean> => {
  const { turn, keptFrom, projectId } = pitr;
  const held = new Set(kept.bases.map(({ backupId }) => backupId));
  const freed = [...new Set(pitr.bases.map(({ backupId }) => backupId))].filter((id) => !held.has(id));
  const keys = freed.map((id) => backupKey.backup(tenant, id));
  const backups = await getAll(keys);
  const onConditionFailed = (): StaleReadError => new StaleReadError();
  try {
    await commit([
      set(pitrKey.pitr(tenant, projectId), { ...kept }, { expected: { turn, keptFrom }, onConditionFailed }),
      ...keys.filter((_, n) => backups[n]).map((key) => set(key, { pitrBase: undefined }, { onConditionFailed })),
      ...(freed.length > 0 ? [markRetentionDue(tenant, now)] : []),
    ]);
    return true;
  } catch (error) {
    if (error instanceof StaleReadError) return false;
    throw error;
  }
};

/** Batches that end up to here are not needed, in microseconds. Batches before a base that may hold later changes stay. */
const unneededUpTo = ({ keptFrom, bases }: Pick<PitrRecord, 'keptFrom' | 'bases'>): number | undefined =>
  keptFrom === null ? undefined : microsOf(keptFrom) - (bases.length > 0 ? heardAheadMicros : 0);

interface ExpiryRun extends ExpiryOptions {
  readonly tenant: Tenant;
  readonly pitr: PitrRecord;
  /** Destinations for which it was audited that objects could not be deleted. */
  readonly reported: Set<string | undefined>;
}

const expireBatches = async (run: ExpiryRun, last: number | undefined): Promise<boolean> => {
  const { tenant, pitr, until, clock } = run;
  if (last === undefined) return true;
  const { pk } = pitrKey.tokens(tenant, pitr.projectId);
  const range = { pk, prefix: batchPrefix, ...(Number.isFinite(last) && { to: `${batchPrefix}${momentOf(last + 1)}` }) };
  for await (const batch of walk<BatchRecord>(range)) {
    if (microsOf(batch.to) > last) return true;
    if (clock.now() >= until) return false;
    await deleteStored(run, batch);
  }
  return true;
};

/** Deletes uploads of cycles that crashed or could not commit. */
const deleteOrphans = async (run: ExpiryRun): Promise<boolean> => {
  const { tenant, pitr, until, clock } = run;
  const { pk } = pitrKey.tokens(tenant, pitr.projectId);
  const { items } = await query<UploadRecord>({ pk, prefix: uploadPrefix, limit: 100 });
  const oldest = iso(after(clock.now(), -uploadSeconds));
  for (const upload of items) {
    if (upload.since > oldest) continue;
    if (clock.now() >= until) return false;
    await deleteStored(run, upload);
  }
  return true;
};

/** Deletes the object before its item: without the item an object would not be found again. */
const deleteStored = async (
  { tenant, pitr, clock, openStore: open, reported }: ExpiryRun,
  stored: BatchRecord | UploadRecord,
): Promise<void> => {
  const { pk, sk, storageDestinationId } = stored;
  const reason = await deleteBatch(tenant, stored, open);
  const writes: Write[] = [{ remove: { pk, sk } }];
  if (reason !== undefined && !reported.has(storageDestinationId))
    writes.push(
      set(pitrKey.pitr(tenant, pitr.projectId), { objectsKeptIn: storageDestinationId }),
      objectsKeptEntry(tenant, { projectId: pitr.projectId, details: { storageDestinationId, reason }, now: clock.now() }),
    );
  await commit(writes);
  if (reason !== undefined) reported.add(storageDestinationId);
};

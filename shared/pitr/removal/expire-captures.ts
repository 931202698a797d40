/** Removes what no window reaches back to any more: batches, and the bases that nothing is added to. */
import { backupKey, retentionNote } from '../../backup/index.ts';
import { openStore } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import {
  after,
  type Clock,
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
import { deleteBatch } from '../batch/delete-batch.ts';
import { heardAheadMicros } from '../batch/list-batches.ts';
import { readPitr } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey, type UploadRecord, uploadPrefix } from '../model/record.ts';
import { daysKept } from '../settings/capture-retention.ts';
import { objectsKeptEntry } from '../view/pitr-events.ts';
import { decideFinalExpiry, endCaptures, isProjectGone } from './delete-project-captures.ts';

/** What is being restored was offered a moment ago: it is kept for a day longer than it is offered. */
const graceSeconds = 24 * 3_600;
/** No turn takes so long: what was stored before and belongs to no batch never will. */
const uploadSeconds = 3_600;

/** What a batch spans at most: captures that are away for longer begin anew. */
const turnMaxMicros = 3_600 * 1_000_000;
/** Bases that go at once: they are freed in one transaction with the record that needs them no more. */
const freedMax = 90;

/** What is kept from now on; undefined if nothing of it changes. */
export const decideExpiry = (pitr: PitrRecord, now: Date, isGone = false): Kept | undefined => {
  if (isGone) return decideFinalExpiry(pitr, freedMax);
  const { bases, gaps, status, capturedTo, keptFrom } = pitr;
  const horizon = after(now, -daysKept(pitr, now) * 24 * 3_600 - graceSeconds).getTime() * 1_000;
  const isOver = status === 'disabled' && capturedTo !== null && microsOf(capturedTo) <= horizon;
  if (isOver && bases.length <= freedMax) return bases.length === 0 ? undefined : { keptFrom: capturedTo, bases: [], gaps: [] };
  const last = bases.findLastIndex(({ readTime }) => microsOf(readTime) <= horizon);
  const first = Math.min(last, freedMax + 1);
  const from = bases[first]?.readTime;
  if (from === undefined || (keptFrom !== null && microsOf(from) <= microsOf(keptFrom))) return undefined;
  // Batches of before it was taken, which show later moments than it does, are sealed under the key of one that was there before.
  const needed = bases.findLastIndex(({ since }) => microsOf(since) <= microsOf(from) - heardAheadMicros - turnMaxMicros);
  return {
    keptFrom: from,
    bases: bases.slice(Math.max(0, Math.min(needed, first - 1))),
    gaps: gaps.filter(({ to }) => to === null || microsOf(to) > microsOf(from)),
  };
};

type Kept = Pick<PitrRecord, 'keptFrom' | 'bases' | 'gaps'>;

/**
 * Says first what is kept, then removes: nothing is offered any more that may be gone. Goes on in another task if its time is over.
 * Of a project that is gone nothing is kept.
 */
export const expireCaptures = async (
  tenant: Tenant,
  projectId: string,
  until: Date,
  clock: Clock,
  open: typeof openStore = openStore,
): Promise<void> => {
  const pitr = await readPitr(tenant, projectId);
  if (!pitr) return;
  const isGone = await isProjectGone(tenant, projectId);
  const now = clock.now();
  const kept = decideExpiry(pitr, now, isGone);
  // A turn that ended at this moment has changed the record: it is looked at anew.
  if (kept && !(await keepOnly(tenant, pitr, kept, now))) return again(tenant, projectId, now);
  const left = { ...pitr, ...kept };
  const forgetting = { tenant, pitr: left, until, clock, open, told: new Set([pitr.objectsKeptIn]) };
  const isDone =
    (await forgetBatches(forgetting, isGone ? Number.POSITIVE_INFINITY : unneededUpTo(left))) &&
    (await removeLeftovers(forgetting)) &&
    decideExpiry(left, now, isGone) === undefined;
  if (!isDone) return again(tenant, projectId, now);
  if (isGone) return endCaptures(tenant, pitr, uploadSeconds, now);
  if (pitr.status === 'disabled' && left.bases.length === 0)
    await commit([
      {
        check: pitrKey.pitr(tenant, projectId),
        condition: '#turn = :turn',
        names: { '#turn': 'turn' },
        values: { ':turn': pitr.turn },
      },
      { remove: pitrKey.capturing(tenant, projectId) },
    ]);
};

const again = (tenant: Tenant, projectId: string, now: Date): Promise<void> =>
  commit([enqueue(tenant, { kind: 'forget-captures', projectId }, now)]);

/** With it, what is a base no longer becomes a backup like any other, and retention looks at it again. False if it was overtaken. */
const keepOnly = async (tenant: Tenant, pitr: PitrRecord, kept: Kept, now: Date): Promise<boolean> => {
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
      ...(freed.length > 0 ? [retentionNote(tenant, now)] : []),
    ]);
    return true;
  } catch (error) {
    if (error instanceof StaleReadError) return false;
    throw error;
  }
};

/** Up to where batches end that nothing needs, in microseconds: with a base, those before it that may tell of later moments stay. */
const unneededUpTo = ({ keptFrom, bases }: Pick<PitrRecord, 'keptFrom' | 'bases'>): number | undefined =>
  keptFrom === null ? undefined : microsOf(keptFrom) - (bases.length > 0 ? heardAheadMicros : 0);

interface Forgetting {
  readonly tenant: Tenant;
  readonly pitr: PitrRecord;
  readonly until: Date;
  readonly clock: Clock;
  readonly open: typeof openStore;
  /** The destinations of which was told that objects stay there. */
  readonly told: Set<string | undefined>;
}

const forgetBatches = async (forgetting: Forgetting, last: number | undefined): Promise<boolean> => {
  const { tenant, pitr, until, clock } = forgetting;
  if (last === undefined) return true;
  const { pk } = pitrKey.tokens(tenant, pitr.projectId);
  const range = { pk, prefix: batchPrefix, ...(Number.isFinite(last) && { to: `${batchPrefix}${momentOf(last + 1)}` }) };
  for await (const batch of walk<BatchRecord>(range)) {
    if (microsOf(batch.to) > last) return true;
    if (clock.now() >= until) return false;
    await forget(forgetting, batch);
  }
  return true;
};

/** What was stored by a turn that died, or came too late. */
const removeLeftovers = async (forgetting: Forgetting): Promise<boolean> => {
  const { tenant, pitr, until, clock } = forgetting;
  const { items } = await query({ pk: pitrKey.tokens(tenant, pitr.projectId).pk, prefix: uploadPrefix, limit: 100 });
  const oldest = iso(after(clock.now(), -uploadSeconds));
  for (const upload of items as readonly UploadRecord[]) {
    if (upload.since > oldest) continue;
    if (clock.now() >= until) return false;
    await forget(forgetting, upload);
  }
  return true;
};

/** The object goes before what leads to it, or stays for good. */
const forget = async (forgetting: Forgetting, stored: BatchRecord | UploadRecord): Promise<void> => {
  const { tenant, pitr, clock, open, told } = forgetting;
  const { pk, sk, storageDestinationId } = stored;
  const reason = await deleteBatch(tenant, stored, open);
  const writes: Write[] = [{ remove: { pk, sk } }];
  if (reason !== undefined && !told.has(storageDestinationId))
    writes.push(
      set(pitrKey.pitr(tenant, pitr.projectId), { objectsKeptIn: storageDestinationId }),
      objectsKeptEntry(tenant, pitr.projectId, { storageDestinationId, reason }, clock.now()),
    );
  await commit(writes);
  if (reason !== undefined) told.add(storageDestinationId);
};

/** Removes what no window reaches back to any more: batches, and the bases that nothing is added to. */
import { backupKey, retentionNote } from '../backup/index.ts';
import { openStore, readDestination } from '../destination/index.ts';
import { enqueue } from '../event/index.ts';
import { after, type Clock, changeOne, commit, iso, log, query, set, type Tenant, walk } from '../platform/index.ts';
import { heardAheadMicros } from './batch.ts';
import { chunkName } from './batch-writer.ts';
import { microsOf, momentOf } from './moment.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey, type UploadRecord, uploadPrefix } from './record.ts';
import { readPitr } from './scene.ts';

/** What is being restored was offered a moment ago: it is kept for a day longer than it is offered. */
const graceSeconds = 24 * 3_600;
/** No turn takes so long: what was stored before and belongs to no batch never will. */
const uploadSeconds = 3_600;

/** What is kept from now on; undefined if nothing of it changes. */
export const decideForgetting = (pitr: PitrRecord, now: Date): Pick<PitrRecord, 'keptFrom' | 'bases' | 'gaps'> | undefined => {
  const { bases, gaps, status, capturedTo, keptFrom } = pitr;
  const horizon = after(now, -pitr.retentionDays * 24 * 3_600 - graceSeconds).getTime() * 1_000;
  if (status === 'disabled' && capturedTo !== null && microsOf(capturedTo) <= horizon)
    return bases.length === 0 ? undefined : { keptFrom: capturedTo, bases: [], gaps: [] };
  const first = bases.findLastIndex(({ readTime }) => microsOf(readTime) <= horizon);
  const from = bases[first]?.readTime;
  if (from === undefined || (keptFrom !== null && microsOf(from) <= microsOf(keptFrom))) return undefined;
  return {
    keptFrom: from,
    // Batches of before it was taken, which show later moments than it does, are sealed under the key of the one before.
    bases: bases.slice(Math.max(0, first - 1)),
    gaps: gaps.filter(({ to }) => to === null || microsOf(to) > microsOf(from)),
  };
};

/** Says first what is kept, then removes: nothing is offered any more that may be gone. Goes on in another task if its time is over. */
export const forgetCaptures = async (
  tenant: Tenant,
  projectId: string,
  until: Date,
  clock: Clock,
  open: typeof openStore = openStore,
): Promise<void> => {
  const pitr = await readPitr(tenant, projectId);
  if (!pitr) return;
  const now = clock.now();
  const kept = decideForgetting(pitr, now);
  if (kept) {
    const where = { turn: pitr.turn, keptFrom: pitr.keptFrom };
    // A turn that ended at this moment has changed the record: the next day comes.
    if (!(await changeOne(set(pitrKey.pitr(tenant, projectId), kept, { where })))) return again(tenant, projectId, now);
  }
  const isDone =
    (await freeBases(tenant, pitr, kept?.bases ?? pitr.bases, now)) &&
    (await forgetBatches(tenant, projectId, uselessTo(kept ?? pitr), until, clock, open)) &&
    (await removeLeftovers(tenant, projectId, until, clock, open));
  if (!isDone) return again(tenant, projectId, now);
  if (pitr.status === 'disabled' && (kept ?? pitr).bases.length === 0)
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

/** A base that is one no longer is like any other backup; retention looks at it again. */
const freeBases = async (tenant: Tenant, { bases }: PitrRecord, kept: PitrRecord['bases'], now: Date): Promise<boolean> => {
  const held = new Set(kept.map(({ backupId }) => backupId));
  const freed = bases.filter(({ backupId }) => !held.has(backupId));
  for (const { backupId } of freed) await changeOne(set(backupKey.backup(tenant, backupId), { pitrBase: undefined }));
  if (freed.length > 0) await commit([retentionNote(tenant, now)]);
  return true;
};

/** Up to where batches end that nothing needs, in microseconds: with a base, those before it that may tell of later moments stay. */
const uselessTo = ({ keptFrom, bases }: Pick<PitrRecord, 'keptFrom' | 'bases'>): number | undefined =>
  keptFrom === null ? undefined : microsOf(keptFrom) - (bases.length > 0 ? heardAheadMicros : 0);

/** The object goes before what leads to it. */
const forgetBatches = async (
  tenant: Tenant,
  projectId: string,
  last: number | undefined,
  until: Date,
  clock: Clock,
  open: typeof openStore,
): Promise<boolean> => {
  if (last === undefined) return true;
  const { pk } = pitrKey.tokens(tenant, projectId);
  const range = { pk, prefix: batchPrefix, to: `${batchPrefix}${momentOf(last + 1)}` };
  for await (const batch of walk(range) as AsyncIterable<BatchRecord>) {
    if (microsOf(batch.to) > last) return true;
    if (clock.now() >= until) return false;
    await removeObject(tenant, batch, open);
    await commit([{ remove: { pk, sk: batch.sk } }]);
  }
  return true;
};

/** What was stored by a turn that died, or came too late. */
const removeLeftovers = async (
  tenant: Tenant,
  projectId: string,
  until: Date,
  clock: Clock,
  open: typeof openStore,
): Promise<boolean> => {
  const { pk } = pitrKey.tokens(tenant, projectId);
  const { items } = await query({ pk, prefix: uploadPrefix, limit: 100 });
  const oldest = iso(after(clock.now(), -uploadSeconds));
  for (const upload of items as readonly UploadRecord[]) {
    if (upload.since > oldest) continue;
    if (clock.now() >= until) return false;
    await removeObject(tenant, upload, open);
    await commit([{ remove: { pk, sk: upload.sk } }]);
  }
  return true;
};

export const removeObject = async (
  tenant: Tenant,
  { path, storageDestinationId }: Pick<BatchRecord, 'path' | 'storageDestinationId'>,
  open: typeof openStore,
): Promise<void> => {
  const store = await open(tenant, await readDestination(tenant, storageDestinationId), path);
  try {
    await store.remove([chunkName]);
    await store.abandon('');
  } finally {
    store.close();
  }
  log.info('a batch of changes was removed', { path });
};

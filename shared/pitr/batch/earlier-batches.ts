/**
 * Changes of collections that were found after their first documents. Each is stored with the batch of its time, so that a restore of
 * an earlier moment reads it; where nothing else changed, as a batch of its own.
 */
import { check, commit, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import type { BackupDeps, BackupRecord } from '../../stored-backup/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import type { ChangeBatchWriter, EarlierWriters } from './change-batch-writer.ts';
import { insertBatches } from './insert-batches.ts';
import { listBatchesAfter } from './list-batches.ts';
import { batchOpener, type OpenBatch } from './open-batch.ts';

/** A stretch of time, without its start, whose changes are in one batch, or that has none. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly whole: BatchRecord | undefined;
  batch: OpenBatch | undefined;
}

interface EarlierOptions {
  /** In microseconds. */
  readonly since: number;
  readonly keyBackup: BackupRecord;
  readonly deps: BackupDeps;
  readonly signal: AbortSignal;
}

/** Collections that a batch names at most; an id may have 1,500 bytes. */
const collectionsMax = 100;
/** Each may need a batch of its own. */
const stretchesMax = 500;
/** Batches in one transaction, each with up to three writes. */
const batchesPerCommit = 25;

/** Undefined if it cannot be told at which seconds the batches since then are exact, or they are too many. */
export const openEarlierBatches = async (
  cycle: CycleContext,
  { since, ...options }: EarlierOptions,
): Promise<EarlierWriters | undefined> => {
  const { tenant, pitr } = cycle;
  const end = microsOf(pitr.capturedTo ?? '');
  const stored: BatchRecord[] = [];
  for await (const one of listBatchesAfter(tenant, pitr.projectId, momentOf(since))) {
    stored.push(one);
    if (stored.length > stretchesMax) return undefined;
  }
  const isBridged = pitr.gaps.some(
    (gap) => gap.isBridged && microsOf(gap.from) < end && (gap.to === null || microsOf(gap.to) > since),
  );
  if (isBridged || stored.some(({ isProven }) => !isProven)) return undefined;
  const stretches: Stretch[] = [];
  let from = since;
  const add = (to: number, whole: BatchRecord | undefined): void => {
    if (to > from) stretches.push({ from, to, whole, batch: undefined });
    from = Math.max(from, to);
  };
  for (const whole of stored.filter(({ partOf }) => partOf === undefined)) {
    add(microsOf(whole.from), undefined);
    add(microsOf(whole.to), whole);
  }
  add(end, undefined);
  return new EarlierBatches(cycle, { stored, stretches, open: await batchOpener(cycle, options) });
};

interface FoundBatches {
  readonly stored: readonly BatchRecord[];
  readonly stretches: readonly Stretch[];
  readonly open: () => OpenBatch;
}

class EarlierBatches implements EarlierWriters {
  readonly #tenant: Tenant;
  readonly #pitr: PitrRecord;
  readonly #stretches: readonly Stretch[];
  readonly #open: () => OpenBatch;
  #stored: readonly BatchRecord[];

  constructor({ tenant, pitr }: CycleContext, { stored, stretches, open }: FoundBatches) {
    this.#tenant = tenant;
    this.#pitr = pitr;
    this.#stored = stored;
    this.#stretches = stretches;
    this.#open = open;
  }

  get ends(): readonly number[] {
    return this.#stretches.map(({ to }) => to);
  }

  writerAt(at: number): ChangeBatchWriter | undefined {
    const stretch = this.#stretches.find(({ to }) => at <= to);
    if (stretch) stretch.batch ??= this.#open();
    return stretch?.batch?.writer;
  }

  async drain(): Promise<void> {
    for (const { batch } of this.#stretches) await batch?.writer.drain();
  }

  /** Inserts them into the chain before the cycle ends: what they tell is true whether it ends or not. */
  async store(collectionIds: readonly string[]): Promise<string | undefined> {
    const added: BatchRecord[] = [];
    for (const stretch of this.#stretches) added.push(...(await this.#finish(stretch, collectionIds)));
    const { projectId, turn, status, keptFrom } = this.#pitr;
    const key = pitrKey.pitr(this.#tenant, projectId);
    let { lastBatch } = this.#pitr;
    for (let n = 0; n < added.length; n += batchesPerCommit) {
      const some = added.slice(n, n + batchesPerCommit);
      const inserted = insertBatches(this.#tenant, { ...this.#pitr, lastBatch }, { stored: this.#stored, added: some });
      const expected = { turn, status, keptFrom, lastBatch };
      const onConditionFailed = () => new StaleReadError();
      await commit([
        ...inserted.writes,
        inserted.lastBatch === undefined
          ? check(key, expected, onConditionFailed)
          : set(key, { lastBatch: inserted.lastBatch }, { expected, onConditionFailed }),
      ]);
      this.#stored = inserted.chain;
      lastBatch = inserted.lastBatch ?? lastBatch;
    }
    return lastBatch;
  }

  async close(): Promise<void> {
    for (const { batch } of this.#stretches) await batch?.writer.close();
  }

  async #finish({ from, to, whole, batch }: Stretch, collectionIds: readonly string[]): Promise<readonly BatchRecord[]> {
    const chunk = await batch?.writer.finish();
    if (!batch || !chunk) return [];
    const end = whole?.to ?? momentOf(to);
    return [
      {
        ...pitrKey.batch(this.#tenant, this.#pitr.projectId, { to: end, id: batch.id }),
        id: batch.id,
        partOf: whole?.id,
        previous: null,
        from: whole?.from ?? momentOf(from),
        to: end,
        isProven: true,
        path: batch.path,
        storageDestinationId: this.#pitr.storageDestination.id,
        keyBackupId: batch.keyBackup.id,
        chunk,
        changes: batch.writer.changes,
        reads: 0,
        collections: JSON.stringify(collectionIds.slice(0, collectionsMax)),
      },
    ];
  }
}

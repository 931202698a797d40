/** Writes what the journal names of a range: as the backup has it or, where the backup has nothing, by deleting it. */
import { ArchiveError } from '../archive/index.ts';
import { BatchWriter, referenceRewrite, SourceError, type WriteMode } from '../firestore/index.ts';
import { type Halt, JobFailure, Pulse, stillGoing } from '../job/index.ts';
import { get, iso } from '../platform/index.ts';
import { findAlong, type Match, matchesOf } from './finder.ts';
import { LookFirst } from './look-first.ts';
import { type RestoreRecord, restoreKey } from './record.ts';
import { type Progress, reportWrites, type WriteClaim, type WriteRun } from './write-run.ts';
import { sliceMax, WriteSlice } from './write-slice.ts';

/** Of a worker's time after it was to hand over (functions/restore/write.ts keeps 60 s): so long it waits for what was given. */
const settleMs = 40_000;
/** A target that takes nothing for so long is given up. */
const stalledMsMax = 6 * 3_600_000;

/** True if the range is done; false if another run is to go on. */
export const writeDocuments = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { halt, engine, parties, restore } = run;
  const end = new WritersEnd(halt);
  const writing = new DocumentWriting(run, claim, end.signal);
  const look = async () => stillGoing((await get(restoreKey.restore(parties.tenant, restore.id))) as RestoreRecord | undefined);
  const pulse = new Pulse({ look, total: 0, halt, clock: engine.clock, untold: () => 0, tell: async () => undefined });
  try {
    return await writing.all();
  } catch (error) {
    await end.now(writing.writer);
    const meaning = halt.meaning(error);
    if (meaning !== undefined && !isQuota(meaning)) throw meaning;
    await writing.stall();
    return false;
  } finally {
    await pulse.stop();
    end.close();
  }
};

const isQuota = (error: unknown): boolean => error instanceof SourceError && error.code === 'WRITE_QUOTA_EXCEEDED';

/** Ends a writer at once when the restore was stopped, and a while after its worker's time to hand over. */
class WritersEnd {
  readonly #end = new AbortController();
  readonly #halt: Halt;
  #timer: NodeJS.Timeout | undefined;
  readonly signal = this.#end.signal;

  constructor(halt: Halt) {
    this.#halt = halt;
    halt.storing.addEventListener('abort', this.#stop);
    halt.reading.addEventListener('abort', this.#pause);
    if (halt.reading.aborted) this.#pause();
  }

  readonly #stop = (): void => this.#end.abort();
  readonly #pause = (): void => {
    this.#timer ??= setTimeout(this.#stop, this.#halt.storing.aborted ? 0 : settleMs);
  };

  /** Resolves when nothing is sent any more. */
  async now(writer: BatchWriter): Promise<void> {
    this.#end.abort();
    await writer.flush().catch(() => undefined);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#halt.storing.removeEventListener('abort', this.#stop);
    this.#halt.reading.removeEventListener('abort', this.#pause);
  }
}

type PutMode = Exclude<WriteMode, 'delete'>;
const nothing = { written: 0, deleted: 0, raced: 0, failed: 0 };

class DocumentWriting {
  readonly writer: BatchWriter;
  readonly #run: WriteRun;
  readonly #claim: WriteClaim;
  readonly #mode: PutMode;
  readonly #rewrite: (document: Uint8Array) => Buffer;
  readonly #slice: WriteSlice;
  readonly #begunAt: Date;
  /** Set while an earlier run may have written what comes. */
  #first: LookFirst | undefined;
  /** How many more names are looked at before they are written. */
  #lookLeft: number;
  /** The last name given. */
  #at: Buffer | undefined;
  #told = { ...nothing, failures: 0, reads: 0 };
  #reports = 0;

  constructor(run: WriteRun, claim: WriteClaim, signal: AbortSignal) {
    const { restore, open, target, engine, pace } = run;
    const { shard, isRepeat } = claim;
    this.#run = run;
    this.#claim = claim;
    this.#mode = restore.mergeMode === 'rollback' ? 'overwrite' : restore.mergeMode;
    this.#rewrite = referenceRewrite(open.archive.manifest.source, target.database);
    this.#slice = new WriteSlice(engine.clock, restore.maxWritesPerSecond);
    this.#begunAt = engine.clock.now();
    this.writer = new BatchWriter(target, { signal, pace, since: restore.since, isRepeat });
    // What is only ever created is not written again anyway: the writer finds out whose a document is that is there.
    this.#lookLeft = this.#mode === 'skip_existing' || !isRepeat ? 0 : shard.isReopened ? Number.POSITIVE_INFINITY : sliceMax;
    if (this.#lookLeft > 0) this.#first = new LookFirst(target, this.#mode, signal);
  }

  async all(): Promise<boolean> {
    const { journal, open, halt } = this.#run;
    const { range, writtenTo } = this.#claim.shard;
    const search = {
      journal: journal.archive,
      backup: open.archive,
      range: JSON.parse(range ?? '{}'),
      after: writtenTo === undefined ? undefined : JSON.parse(writtenTo),
    };
    for await (const stretch of findAlong(search)) {
      for (const match of matchesOf(stretch, search)) {
        const waiting = this.#take(match);
        if (waiting) await waiting;
        this.#at = match.path;
        if (this.#slice.give()) await this.#checkpoint();
        halt.check();
        if (halt.isPaused) {
          await this.#checkpoint({ isClean: true });
          return false;
        }
      }
    }
    await this.#checkpoint({ isClean: true, isWritten: true });
    await this.writer.end();
    return true;
  }

  /** Nothing more was taken in this run's time. */
  async stall(): Promise<void> {
    const { engine } = this.#run;
    const { given, open } = this.writer.tally;
    const isMoving = this.#reports > 0 || given > open;
    const stalledSince = isMoving ? undefined : (this.#claim.shard.stalledSince ?? iso(this.#begunAt));
    if (stalledSince && engine.clock.now().getTime() - Date.parse(stalledSince) >= stalledMsMax)
      throw new JobFailure('WRITE_QUOTA_EXCEEDED', 'The target has taken no more writes for 6 hours: its quota is used up');
    await reportWrites(this.#run, this.#claim, { ...nothing, failures: [], stalledSince });
  }

  #take({ path, leaf, slot }: Match): Promise<void> | undefined {
    const document = leaf ? this.#document(path, leaf.content(slot)) : undefined;
    if (leaf && !document) return undefined;
    if (!leaf) this.#refuseDelete();
    if (!this.#first || this.#lookLeft-- <= 0) return this.#give(path.toString(), document);
    return this.#first.add(path.toString(), document) ? this.#giveLookedAt() : undefined;
  }

  /** The document as it will be in the target; undefined if it cannot be, which is then counted. */
  #document(path: Buffer, content: Buffer): Buffer | undefined {
    try {
      return this.#rewrite(content);
    } catch (error) {
      this.#fail(path.toString(), error);
      return undefined;
    }
  }

  #give(path: string, document: Buffer | undefined): Promise<void> | undefined {
    if (!document) return this.writer.delete(path);
    try {
      return this.writer.put(document, this.#mode);
    } catch (error) {
      this.#fail(path, error);
      return undefined;
    }
  }

  /** What is wrong with one document is told of it. */
  #fail(path: string, error: unknown): void {
    if (!(error instanceof ArchiveError || error instanceof TypeError)) throw error;
    this.writer.tally.given += 1;
    this.writer.tally.fail(path, 'INVALID_ARGUMENT', 'What the backup holds under this name is no document of the database.');
  }

  /** Whatever a journal says, only a restore that is to delete deletes. */
  #refuseDelete(): void {
    const { mergeMode, undoOf } = this.#run.restore;
    if (mergeMode !== 'rollback' && undoOf === null)
      throw new JobFailure('INTERNAL_ERROR', 'The plan names a document that the backup does not have');
  }

  async #giveLookedAt(): Promise<void> {
    for (const { path, document } of (await this.#first?.different()) ?? []) {
      const waiting = this.#give(path, document);
      if (waiting) await waiting;
    }
  }

  async #checkpoint(more: Partial<Progress> = {}): Promise<void> {
    await this.#giveLookedAt();
    await this.writer.flush();
    const { tally } = this.writer;
    const told = this.#told;
    const sums = {
      written: tally.written - tally.deleted + (this.#first?.written ?? 0),
      deleted: tally.deleted + (this.#first?.deleted ?? 0),
      raced: tally.skipped,
      failed: tally.failed,
    };
    const reads = this.#first?.reads ?? 0;
    await reportWrites(this.#run, this.#claim, {
      written: sums.written - told.written,
      deleted: sums.deleted - told.deleted,
      raced: sums.raced - told.raced,
      failed: sums.failed - told.failed,
      failures: tally.failures.slice(told.failures),
      reads: reads - told.reads,
      ...(this.#at && { writtenTo: this.#at.toString() }),
      ...more,
    });
    this.#told = { ...sums, failures: tally.failures.length, reads };
    this.#reports += 1;
    this.#slice.begin();
  }
}

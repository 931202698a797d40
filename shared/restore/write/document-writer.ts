import { ArchiveError, type Leaf } from '../../archive/index.ts';
import { BatchWriter, type Condition, referenceRewrite, type WriteMode } from '../../firestore/index.ts';
import { JobFailure } from '../../job/index.ts';
import { iso } from '../../platform/index.ts';
import { type JoinedDocument, joinJournalWithBackup, joinedDocuments } from '../read/journal-join.ts';
import { AlreadyWrittenFilter } from './already-written-filter.ts';
import { checkpointMax, CheckpointSize } from './checkpoint-size.ts';
import type { AcknowledgedWrites } from './late-writes.ts';
import { TrackedWriter } from './tracked-writer.ts';
import { type WriteProgress, reportWrites, type WriteClaim, type WriteRun } from './write-progress.ts';

/** A target that takes nothing for so long is given up. */
const stalledMsMax = 6 * 3_600_000;

type PutMode = Exclude<WriteMode, 'delete'>;
type Named = { readonly path: Buffer | string };
const nothingFound = { written: 0, deleted: 0, reads: 0 };
const nothing = { written: 0, deleted: 0, raced: 0, failed: 0 };

/** Two writers take turns: while it is waited for what became of all that one was given, the other is given more. */
export class DocumentWriter {
  readonly writers: readonly BatchWriter[];
  #lane: TrackedWriter;
  #resting: TrackedWriter;
  /** The checkpoint under way. */
  #telling: Promise<void> = Promise.resolve();
  readonly #run: WriteRun;
  readonly #claim: WriteClaim;
  readonly #mode: PutMode;
  readonly #rewrite: (document: Uint8Array) => Buffer;
  readonly #slice: CheckpointSize;
  readonly #begunAt: Date;
  /** Set while an earlier run may have written what comes. */
  #first: AlreadyWrittenFilter | undefined;
  /** How many more names are looked at before they are written. */
  #lookLeft: number;
  /** The last one given. */
  #at: JoinedDocument | undefined;
  /** What was told of what needed no write. */
  #toldFirst = nothingFound;
  #reports = 0;
  #reported: AcknowledgedWrites = { written: 0, deleted: 0 };

  constructor(run: WriteRun, claim: WriteClaim, signal: AbortSignal) {
    const { restore, open, target, deps: engine, rateLimiter: pace } = run;
    const { shard, isRepeat } = claim;
    this.#run = run;
    this.#claim = claim;
    this.#mode = restore.mergeMode === 'rollback' ? 'overwrite' : restore.mergeMode;
    this.#rewrite = referenceRewrite(open.archive.manifest.source, target.database);
    this.#slice = new CheckpointSize(deps.clock, restore.maxWritesPerSecond);
    this.#begunAt = deps.clock.now();
    const lane = () => new TrackedWriter(new BatchWriter(target, { signal, pace, isRepeat }));
    [this.#lane, this.#resting] = [lane(), lane()];
    this.writers = [this.#lane.writer, this.#resting.writer];
    // What is only ever created is not written again anyway: the writer finds out whose a document is that is there.
    this.#lookLeft = this.#mode === 'skip_existing' || !isRepeat ? 0 : shard.isReopened ? Number.POSITIVE_INFINITY : 2 * checkpointMax;
    if (this.#lookLeft > 0) this.#first = new AlreadyWrittenFilter(target, this.#mode, signal);
  }

  async all(): Promise<boolean> {
    const { journal, open, control: halt } = this.#run;
    const { range, writtenTo } = this.#claim.shard;
    const search = {
      journal: journal.archive,
      backup: open.archive,
      range: JSON.parse(range ?? '{}'),
      after: writtenTo === undefined ? undefined : JSON.parse(writtenTo),
    };
    for await (const stretch of joinJournalWithBackup(search)) {
      for (const match of joinedDocuments(stretch, search)) {
        const waiting = this.#take(match);
        if (waiting) await waiting;
        this.#at = match;
        if (this.#slice.give()) await this.#checkpoint();
        control.check();
        if (control.isYielding) {
          await this.#checkpoint({ isClean: true });
          await this.#telling;
          return false;
        }
      }
    }
    await this.#checkpoint({ isClean: true, isWritten: true });
    await this.#telling;
    for (const writer of this.writers) await writer.end();
    return true;
  }

  /** Resolves when nothing is being told any more. */
  async isTold(): Promise<void> {
    await this.#telling.catch(() => undefined);
  }

  /** What the target has acknowledged, and no report tells of. */
  get untold(): AcknowledgedWrites {
    const sum = (of: (tally: BatchWriter['tally']) => number): number =>
      this.writers.reduce((all, { tally }) => all + of(tally), 0);
    return {
      written: sum(({ written, deleted }) => written - deleted) - this.#reported.written,
      deleted: sum(({ deleted }) => deleted) - this.#reported.deleted,
    };
  }

  /** Nothing more was taken in this run's time. */
  async stall(): Promise<void> {
    const { deps: engine } = this.#run;
    const isMoving = this.#reports > 0 || this.writers.some(({ tally: { given, open } }) => given > open);
    const stalledSince = isMoving ? undefined : (this.#claim.shard.stalledSince ?? iso(this.#begunAt));
    if (stalledSince && deps.clock.now().getTime() - Date.parse(stalledSince) >= stalledMsMax)
      throw new JobFailure('WRITE_QUOTA_EXCEEDED', 'The target has taken no more writes for 6 hours: its quota is used up');
    await reportWrites(this.#run, this.#claim, { ...nothing, failures: [], stalledSince });
  }

  #take(match: JoinedDocument): Promise<void> | undefined {
    const { leaf, was } = match;
    const document = leaf ? this.#document(match, leaf) : undefined;
    if (leaf && !document) return undefined;
    if (!leaf) this.#refuseDelete();
    // Who wants nothing saved has what is there replaced as it is; what is saved is replaced only as it was saved.
    const condition = was ? (this.#run.restore.safetyBackup ? was : undefined) : 'absent';
    if (!this.#first || this.#lookLeft-- <= 0) return this.#give(match, document, condition);
    return this.#first.add({ path: match.path.toString(), document, condition }) ? this.#giveLookedAt() : undefined;
  }

  /** The document as it will be in the target; undefined if it cannot be, which is then counted. */
  #document(match: JoinedDocument, leaf: Leaf): Buffer | undefined {
    const content = leaf.untimed(match.slot);
    try {
      return this.#rewrite(content);
    } catch (error) {
      this.#fail(match, error);
      return undefined;
    }
  }

  #give(of: Named, document: Buffer | undefined, condition: Condition | undefined): Promise<void> | undefined {
    if (!document) return this.#lane.writer.delete(of.path.toString(), condition);
    try {
      return this.#lane.writer.put(document, this.#mode, condition);
    } catch (error) {
      this.#fail(of, error);
      return undefined;
    }
  }

  /** What is wrong with one document is told of it. */
  #fail({ path }: Named, error: unknown): void {
    if (!(error instanceof ArchiveError || error instanceof TypeError)) throw error;
    const { tally } = this.#lane.writer;
    tally.given += 1;
    tally.fail(path.toString(), 'INVALID_ARGUMENT', 'What the backup holds under this name is no document of the database.');
  }

  /** Whatever a journal says, only a restore that is to delete deletes. */
  #refuseDelete(): void {
    const { mergeMode, undoOf } = this.#run.restore;
    if (mergeMode !== 'rollback' && undoOf === null)
      throw new JobFailure('INTERNAL_ERROR', 'The plan names a document that the backup does not have');
  }

  async #giveLookedAt(): Promise<void> {
    for (const wanted of (await this.#first?.different()) ?? []) {
      const waiting = this.#give(wanted, wanted.document, wanted.condition);
      if (waiting) await waiting;
    }
  }

  /** Resolves when more may be given; what was given before is told of while it is. */
  async #checkpoint(ending: Partial<WriteProgress> = {}): Promise<void> {
    await this.#giveLookedAt();
    await this.#telling;
    const lane = this.#lane;
    const first = this.#first?.done() ?? nothingFound;
    const before = this.#toldFirst;
    this.#toldFirst = first;
    const more = {
      ...ending,
      ...(this.#at && { writtenTo: this.#at.path.toString() }),
      reads: first.reads - before.reads,
    };
    const found = { written: first.written - before.written, deleted: first.deleted - before.deleted };
    this.#telling = this.#tell(lane, found, more, this.#slice.next());
    // Whoever waits for it next hears of it.
    this.#telling.catch(() => undefined);
    [this.#lane, this.#resting] = [this.#resting, lane];
  }

  async #tell(
    lane: TrackedWriter,
    found: { readonly written: number; readonly deleted: number },
    more: Partial<WriteProgress>,
    isKnown: () => void,
  ): Promise<void> {
    const { written, deleted, ...outcome } = await lane.outcome();
    await reportWrites(this.#run, this.#claim, {
      ...outcome,
      written: written + found.written,
      deleted: deleted + found.deleted,
      ...more,
    });
    this.#reports += 1;
    this.#reported = { written: this.#reported.written + written, deleted: this.#reported.deleted + deleted };
    isKnown();
  }
}

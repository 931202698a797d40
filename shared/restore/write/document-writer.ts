import { ArchiveError, type Leaf } from '../../archive/index.ts';
import { BatchWriter, type Condition, type WriteMode } from '../../firestore/index.ts';
import { JobFailure } from '../../job/index.ts';
import { iso } from '../../platform/index.ts';
import type { WriteCounts } from '../model/record.ts';
import { stalledSecondsMax } from '../model/restore-patience.ts';
import { noWrites, subtractCounts } from '../model/shard-totals.ts';
import { type JoinedDocument, joinedDocuments, joinJournalWithBackup } from '../read/join-journal-with-backup.ts';
import { documentForm } from '../transform/document-form.ts';
import { AlreadyWrittenFilter } from './already-written-filter.ts';
import { CheckpointSize, checkpointMax } from './checkpoint-size.ts';
import type { AcknowledgedWrites } from './record-writes-after-end.ts';
import { reportWrites, type WriteClaim, type WriteProgress, type WriteRun } from './write-progress.ts';

type PutMode = Exclude<WriteMode, 'delete'>;
type Named = { readonly path: Buffer | string };
const noneFound = { written: 0, deleted: 0, reads: 0 };

/** Writes with two alternating writers: while one waits for the outcome of its writes, the other accepts more. */
export class DocumentWriter {
  readonly writers: readonly BatchWriter[];
  #active: TrackedWriter;
  #waiting: TrackedWriter;
  /** The checkpoint in progress. */
  #checkpointing: Promise<void> = Promise.resolve();
  readonly #run: WriteRun;
  readonly #claim: WriteClaim;
  readonly #mode: PutMode;
  readonly #formOf: ReturnType<typeof documentForm>;
  readonly #checkpointSize: CheckpointSize;
  readonly #startedAt: Date;
  /** Set while an earlier run may have written the next documents. */
  #filter: AlreadyWrittenFilter | undefined;
  /** How many more documents are read before they are written. */
  #toFilter: number;
  /** The last document handled. */
  #last: JoinedDocument | undefined;
  /** The filter's counts as of the last report. */
  #reportedFilter = noneFound;
  /** Documents erased since the plan was made, that no report has. */
  #erased = 0;
  #reports = 0;
  #reported: AcknowledgedWrites = { written: 0, deleted: 0 };

  constructor(run: WriteRun, claim: WriteClaim, signal: AbortSignal) {
    const { restore, open, target, deps, rateLimiter, masker } = run;
    const { shard, isRepeat } = claim;
    this.#run = run;
    this.#claim = claim;
    this.#mode = restore.mergeMode === 'rollback' ? 'overwrite' : restore.mergeMode;
    this.#formOf = documentForm({ from: open.archive.manifest.source, to: target.database, masker });
    this.#checkpointSize = new CheckpointSize(deps.clock, restore.maxWritesPerSecond);
    this.#startedAt = deps.clock.now();
    const tracked = () => new TrackedWriter(new BatchWriter(target, { signal, rateLimiter, isRepeat }));
    [this.#active, this.#waiting] = [tracked(), tracked()];
    this.writers = [this.#active.writer, this.#waiting.writer];
    // Creates need no filter: the writer itself finds out who created an existing document. One that was equal before proves no write.
    const mayFilter = isRepeat && this.#mode !== 'skip_existing' && !restore.writesEqual;
    this.#toFilter = mayFilter ? (shard.isReopened ? Number.POSITIVE_INFINITY : 2 * checkpointMax) : 0;
    if (this.#toFilter > 0) this.#filter = new AlreadyWrittenFilter(target, this.#mode, signal);
  }

  async all(): Promise<boolean> {
    const { journal, open, control } = this.#run;
    const { range, writtenTo } = this.#claim.shard;
    const search = {
      journal: journal.archive,
      backup: open.archive,
      range: JSON.parse(range ?? '{}'),
      after: writtenTo === undefined ? undefined : JSON.parse(writtenTo),
    };
    for await (const run of joinJournalWithBackup(search)) {
      for (const match of joinedDocuments(run, search)) {
        // A document that the backup shows is a new one of an erased name.
        if (match.isErased || (!match.leaf && open.erasures?.hidesPath(match.path))) this.#erased += 1;
        else {
          const waiting = this.#take(match);
          if (waiting) await waiting;
        }
        this.#last = match;
        if (this.#checkpointSize.add()) await this.#checkpoint();
        control.check();
        if (control.isYielding) {
          await this.#checkpoint({ isClean: true });
          await this.#checkpointing;
          return false;
        }
      }
    }
    await this.#checkpoint({ isClean: true, isWritten: true });
    await this.#checkpointing;
    for (const writer of this.writers) await writer.end();
    return true;
  }

  /** Resolves when no checkpoint is in progress. */
  async settled(): Promise<void> {
    await this.#checkpointing.catch(() => undefined);
  }

  /** Acknowledged writes that are in no report. */
  get unreported(): AcknowledgedWrites {
    const sum = (of: (tally: BatchWriter['tally']) => number): number =>
      this.writers.reduce((all, { tally }) => all + of(tally), 0);
    return {
      written: sum(({ written, deleted }) => written - deleted) - this.#reported.written,
      deleted: sum(({ deleted }) => deleted) - this.#reported.deleted,
    };
  }

  /** Records that the target accepted no more writes in this run. */
  async recordStall(): Promise<void> {
    const { deps } = this.#run;
    const isMoving = this.#reports > 0 || this.writers.some(({ tally: { given, open } }) => given > open);
    const stalledSince = isMoving ? undefined : (this.#claim.shard.stalledSince ?? iso(this.#startedAt));
    if (stalledSince && deps.clock.now().getTime() - Date.parse(stalledSince) >= stalledSecondsMax * 1_000)
      throw new JobFailure('WRITE_QUOTA_EXCEEDED', 'The target has accepted no writes for 6 hours: its quota is exhausted');
    await reportWrites(this.#run, this.#claim, { ...noWrites, failures: [], stalledSince });
  }

  #take(match: JoinedDocument): Promise<void> | undefined {
    const { leaf, was } = match;
    const document = leaf ? this.#document(match, leaf) : undefined;
    if (leaf && !document) return undefined;
    if (!leaf) this.#assertDeletes();
    // A saved document is replaced only if it is still as it was saved; without a safety backup, in any state.
    const condition = was ? (this.#run.restore.safetyBackup ? was : undefined) : 'absent';
    if (!this.#filter || this.#toFilter-- <= 0) return this.#give(match, document, condition);
    return this.#filter.add({ path: match.path.toString(), document, condition }) ? this.#giveFiltered() : undefined;
  }

  /** The document as written to the target; undefined if it is invalid, which is counted as failed. */
  #document(match: JoinedDocument, leaf: Leaf): Buffer | undefined {
    const content = leaf.contentWithoutTimes(match.slot);
    try {
      return this.#formOf(content, match);
    } catch (error) {
      this.#fail(match, error);
      return undefined;
    }
  }

  #give(of: Named, document: Buffer | undefined, condition: Condition | undefined): Promise<void> | undefined {
    if (!document) return this.#active.writer.delete(of.path.toString(), condition);
    try {
      return this.#active.writer.put(document, this.#mode, condition);
    } catch (error) {
      this.#fail(of, error);
      return undefined;
    }
  }

  /** Counts an invalid document as failed. */
  #fail({ path }: Named, error: unknown): void {
    if (!(error instanceof ArchiveError || error instanceof TypeError)) throw error;
    const { tally } = this.#active.writer;
    tally.given += 1;
    tally.fail(path.toString(), 'INVALID_ARGUMENT', 'The backup has no valid document under this name.');
  }

  /** Whatever the journal says, only a rollback deletes. */
  #assertDeletes(): void {
    const { mergeMode, undoOf } = this.#run.restore;
    if (mergeMode !== 'rollback' && undoOf === null)
      throw new JobFailure('INTERNAL_ERROR', 'The plan names a document that the backup does not have');
  }

  async #giveFiltered(): Promise<void> {
    for (const wanted of (await this.#filter?.different()) ?? []) {
      const waiting = this.#give(wanted, wanted.document, wanted.condition);
      if (waiting) await waiting;
    }
  }

  /** Resolves when more may be written; the writes so far are reported in the background. */
  async #checkpoint(ending: Partial<WriteProgress> = {}): Promise<void> {
    await this.#giveFiltered();
    await this.#checkpointing;
    const writer = this.#active;
    const filtered = this.#filter?.done() ?? noneFound;
    const before = this.#reportedFilter;
    this.#reportedFilter = filtered;
    const progress = {
      ...ending,
      erased: this.#erased,
      ...(this.#last && { writtenTo: this.#last.path.toString() }),
      reads: filtered.reads - before.reads,
    };
    this.#erased = 0;
    const found = { written: filtered.written - before.written, deleted: filtered.deleted - before.deleted };
    this.#checkpointing = this.#report(writer, { found, progress, onKnown: this.#checkpointSize.next() });
    // The rejection is handled by the next checkpoint.
    this.#checkpointing.catch(() => undefined);
    [this.#active, this.#waiting] = [this.#waiting, writer];
  }

  async #report(writer: TrackedWriter, { found, progress, onKnown }: Checkpoint): Promise<void> {
    const { written, deleted, ...outcome } = await writer.outcome();
    await reportWrites(this.#run, this.#claim, {
      ...outcome,
      written: written + found.written,
      deleted: deleted + found.deleted,
      ...progress,
    });
    this.#reports += 1;
    this.#reported = { written: this.#reported.written + written, deleted: this.#reported.deleted + deleted };
    onKnown();
  }
}

interface Checkpoint {
  readonly found: { readonly written: number; readonly deleted: number };
  readonly progress: Partial<WriteProgress>;
  readonly onKnown: () => void;
}

/** A writer whose outcome is reported per checkpoint. */
class TrackedWriter {
  readonly writer: BatchWriter;
  #reported = noWrites;
  #failures = 0;

  constructor(writer: BatchWriter) {
    this.writer = writer;
  }

  /** Waits for all pending writes; returns what changed since the last call. */
  async outcome(): Promise<WriteCounts & Pick<WriteProgress, 'failures'>> {
    await this.writer.flush();
    const { written, deleted, skipped, failed, failures } = this.writer.tally;
    const counts = { written: written - deleted, deleted, raced: skipped, failed, erased: 0 };
    const outcome = { ...subtractCounts(counts, this.#reported), failures: failures.slice(this.#failures) };
    this.#reported = counts;
    this.#failures = failures.length;
    return outcome;
  }
}

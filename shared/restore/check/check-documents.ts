/** Plans the documents of a range, and stores each that will be touched as it is now: one walk, kept in one transaction. */
import { type PartWriter, withPart } from '../../backup/index.ts';
import { asTarget, compareNames, countBytes, type NameRange, probeSource, SourceError } from '../../firestore/index.ts';
import { Heartbeat, type RunControl } from '../../job/index.ts';
import { asUpload, journalBackup } from '../model/journal.ts';
import type { PlanCounts } from '../model/record.ts';
import { lookAt } from '../model/running-restore.ts';
import { collectionIdOf, knowsOf } from '../scope/restore-scope.ts';
import { noPlan, reportCheck } from './check-progress.ts';
import type { CheckClaim, CheckRun } from './check-run.ts';
import { isTouching } from './document-action.ts';
import { type DocumentDecision, DocumentWalk } from './document-walk.ts';

/**
 * A part ends here even if its range goes on: a failure costs no more than this to read again, and what is written down of a
 * part (its pages, its collections) stays well below the 400 KB of an item.
 */
const partBytesMax = 1 << 30;
const collectionBytesMax = 64 << 10;
/** Handed on to the store at least so often. */
const drainBytes = 1 << 20;
/** The service gives a query 60 s; what is kept back of a worker's time (functions/restore/check.ts) is more. */
const countMs = 60_000;
/** Looking at the target's clock is billed as one. */
const probeReads = 1;

/** True if the range is done. */
export const checkDocuments = (run: CheckRun, claim: CheckClaim): Promise<boolean> => {
  const { parties, restore, engine, halt, dataKey, store } = run;
  return withPart({ backup: journalBackup(parties.tenant, restore), dataKey, store, halt }, claim, async (part) => {
    const pulse = new Heartbeat({
      checkRunning: () => lookAt(parties.tenant, restore),
      total: 0,
      control: halt,
      clock: engine.clock,
      unreported: () => 0,
      report: async () => undefined,
    });
    const saving = new Saving(run, part);
    const walked = await walk(run, claim, saving).finally(() => pulse.stop());
    const stored = await part.finish().catch(asUpload);
    halt.check();
    const { plan, records, collections, originalSize, saved } = saving;
    const contents = stored && { ...stored, originalSize, collections: JSON.stringify([...saved]) };
    await reportCheck(run, claim, { ...walked, plan, records, collections, part: contents });
    return walked.isChecked;
  });
};

interface Walked {
  readonly isChecked: boolean;
  readonly checkedTo: string | undefined;
  readonly reads: number;
}

const walk = async (run: CheckRun, { shard }: CheckClaim, saving: Saving): Promise<Walked> => {
  const { restore, backup, open, target, scope, halt } = run;
  const range = JSON.parse(shard.range ?? '{}') as NameRange;
  const from = shard.checkedTo === undefined ? undefined : (JSON.parse(shard.checkedTo) as string);
  let walking: DocumentWalk | undefined;
  let isChecked = false;
  try {
    // Each run looks at the target as it is then: it remembers an hour, and a restore may take longer.
    const { readTime } = await probeSource(target, halt.reading);
    walking = new DocumentWalk({
      archive: open.archive,
      target,
      scope,
      // The next name is not to be had from a name; the last one is passed over.
      bound: from === undefined ? range : { ...range, from },
      mode: restore.mergeMode,
      isUndo: restore.undoOf !== null,
      knows: knowsOf(backup, open.archive),
      unclean: run.unclean,
      readTime,
      signal: halt.reading,
      isOver: () => halt.isYielding,
      isFull: () => saving.isFull,
    });
    isChecked = await walking.run((decision) => {
      if (from !== undefined && decision.name.toString() === from) return;
      return saving.visit(decision);
    });
  } catch (error) {
    const meaning = halt.explain(error);
    if (meaning !== undefined) throw asTarget(meaning);
  }
  halt.check();
  await prove(walking, halt);
  const reads = probeReads + (walking?.reads ?? 0);
  return { isChecked, checkedTo: later(saving.last, walking?.reached), reads };
};

/** Before anything is kept of a walk, whether it came to its end or not. A count that is late is asked for again with all of it. */
const prove = async (walking: DocumentWalk | undefined, halt: RunControl): Promise<void> => {
  try {
    await walking?.prove(AbortSignal.any([halt.storing, AbortSignal.timeout(countMs)]));
  } catch (error) {
    halt.check();
    const isLate = error instanceof SourceError && error.code === 'CANCELLED';
    throw isLate ? new SourceError('INTERNAL_ERROR', late, { isTransient: true }) : asTarget(error);
  }
};
const late = 'The target did not count its documents in time.';

const later = (a: string | undefined, b: string | undefined): string | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  return compareNames(a, b) < 0 ? b : a;
};

/** What of a plan is in the target as the backup has it, in the end. */
const isRestoring = { create: true, overwrite: true, delete: false, skip: false, unchanged: true } as const;

/** The plan of a part, and the part of the journal that goes with it. */
class Saving {
  readonly plan: { -readonly [Action in keyof PlanCounts]: number } = { ...noPlan };
  records = 0;
  /** The path of the last document that was decided. */
  last: string | undefined;
  /** Collection ids of documents that are restored. */
  readonly collections = new Set<string>();
  /** Of documents that are saved: how many by collection id, and their bytes. */
  readonly saved = new Map<string, number>();
  originalSize = 0;
  readonly #part: PartWriter;
  readonly #root: string;
  readonly #isPlanOnly: boolean;
  readonly #keepsContents: boolean;
  #bytes = 0;
  #undrainedBytes = 0;
  #collectionBytes = 0;

  constructor({ restore, target }: CheckRun, part: PartWriter) {
    this.#part = part;
    this.#root = `${target.root}/`;
    this.#isPlanOnly = restore.dryRun;
    this.#keepsContents = restore.safetyBackup;
  }

  get isFull(): boolean {
    return this.#bytes >= partBytesMax || this.#collectionBytes >= collectionBytesMax;
  }

  visit({ name, action, live, isOfBackup }: DocumentDecision): Promise<void> | undefined {
    const path = name.toString();
    this.plan[action] += 1;
    if (isOfBackup) this.records += 1;
    this.last = path;
    const collection = collectionIdOf(path);
    if (isRestoring[action]) this.#note(this.collections, collection);
    if (!isTouching[action] || this.#isPlanOnly) return undefined;
    this.#save(path, collection, live);
    if (this.#undrainedBytes < drainBytes) return undefined;
    this.#undrainedBytes = 0;
    return this.#part.drain();
  }

  #save(path: string, collection: string, live: Uint8Array | undefined): void {
    const name = Buffer.from(this.#root + path);
    const bytes = live && this.#keepsContents ? live.length : name.length;
    if (live && this.#keepsContents) {
      this.#part.document(live);
      this.originalSize += live.length;
      this.#note(this.saved, collection);
      this.saved.set(collection, (this.saved.get(collection) ?? 0) + 1);
    } else this.#part.tombstone(name, live);
    this.#bytes += bytes;
    this.#undrainedBytes += bytes;
  }

  #note(ids: Set<string> | Map<string, number>, id: string): void {
    if (ids.has(id)) return;
    this.#collectionBytes += countBytes(id);
    if (ids instanceof Set) ids.add(id);
    else ids.set(id, 0);
  }
}

import type { Archive } from '../../archive/index.ts';
import { ArchiveCursor, LiveLookupCursor, LiveScanCursor, orderOf, type TargetCursor } from '../../backup/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { type FirestoreDatabase, intersection, type NameRange } from '../../firestore/index.ts';
import type { Scope } from '../scope/restore-scope.ts';
import { type Action, DocumentActionPolicy, isTouching } from './document-action.ts';
import { CompletenessCheck } from './prove-absence.ts';
import { type PartialRestore, UndoMatcher } from './undo-matcher.ts';

export interface WalkOptions {
  readonly archive: Archive;
  readonly target: FirestoreDatabase;
  readonly scope: Scope;
  /** Only what lies in it is walked. */
  readonly bound: NameRange;
  readonly mode: MergeMode;
  /** Tombstones of the archive are then documents that are to be deleted. */
  readonly isUndo: boolean;
  /** Of which documents the archive can say that they were not there (`knowsOf`); others that it lacks are left alone, and not counted. */
  readonly knowsAbsence?: ((path: string) => boolean) | undefined;
  /** Of an undo: where it is not known what the other restore wrote, only what is as that was to leave it is taken back. */
  readonly partialRestore?: PartialRestore | undefined;
  readonly readTime: string;
  readonly signal: AbortSignal;
  /** Asked now and then: whether it has taken long enough. */
  readonly isOver?: (() => boolean) | undefined;
  /** Asked before each document: whether no more of them are taken. */
  readonly isFull?: (() => boolean) | undefined;
}

/** What is to be done with one document; all of it is valid during the visit only, because the memory is used again. */
export interface DocumentDecision {
  /** The path below the database. */
  readonly name: Buffer;
  readonly action: Action;
  /** The target's encoded document, of `overwrite` and `delete`. */
  readonly live: Uint8Array | undefined;
  readonly isOfBackup: boolean;
}

export type VisitDocument = (decision: DocumentDecision) => Promise<void> | undefined;

/** Documents looked at between two looks at the clock. */
const lookEvery = 64;
/** Of the target's documents that a restore is not about, so many are read, and twice as many as it is about; then names are asked for. */
const foreignMax = 2_000;
const foreignShare = 2;
/** The target is read in order and mostly for good, so more than a little may come at once. */
const batchBytes = 256 << 10;

/**
 * The backup and the target side by side in the order of names: each document that the restore is about is decided once. The
 * contents of everything that is to be written were opened, and so proven, when it is visited. Nothing of it is to be kept before
 * `prove`.
 */
export class DocumentWalk {
  /** A path up to which, itself included, everything is decided; if `isOver` ended it early, nothing is beyond. */
  reached: string | undefined;
  readonly #options: WalkOptions;
  readonly #judge: DocumentActionPolicy;
  readonly #deletes: boolean;
  #readsBefore = 0;
  #live: TargetCursor | undefined;
  /** What was read of the target's ranges, if anything was. */
  #scanned: LiveScanCursor | undefined;
  readonly #proof: CompletenessCheck;
  readonly #left: UndoMatcher | undefined;
  /** One serves for all documents. */
  readonly #decision: Mutable<DocumentDecision> = { name: nothing, action: 'skip', live: undefined, isOfBackup: false };
  #decided = 0;
  #foreign = 0;

  constructor(options: WalkOptions) {
    const { archive, target, mode, isUndo, partialRestore: unclean, bound, readTime } = options;
    const to = target.database;
    this.#options = options;
    this.#judge = new DocumentActionPolicy({ mode, from: archive.manifest.source, to });
    this.#deletes = mode === 'rollback' && !isUndo;
    this.#proof = new CompletenessCheck(target, readTime, this.#deletes);
    this.#left = partialRestore && new UndoMatcher({ ...partialRestore, saved: archive, bound, to });
  }

  /** What the target has billed so far. */
  get reads(): number {
    return this.#readsBefore + (this.#live?.reads ?? 0) + this.#proof.reads;
  }

  /**
   * Throws a transient COUNT_MISMATCH if the target has more than it has sent, so that something was taken for absent that is
   * there. Whoever keeps what was decided calls it before, also if the walk was ended early.
   */
  async prove(signal: AbortSignal): Promise<void> {
    if (this.#scanned) await this.#proof.run(this.#scanned, signal);
  }

  /** Waits for a visit that takes time. False if `isOver` or `isFull` ended it early. */
  async run(visit: VisitDocument): Promise<boolean> {
    const { scope, bound } = this.#options;
    let ranges = intersection(scope.ranges, [bound]);
    let { look } = scope;
    for (;;) {
      const next = await this.#walk(ranges, look, visit);
      if (next === undefined) return true;
      if (next === 'later') return false;
      ranges = intersection(ranges, [{ from: next }]);
      look = 'lookup';
    }
  }

  async #walk(ranges: readonly NameRange[], look: Scope['look'], visit: VisitDocument): Promise<string | undefined> {
    const { archive, target, isUndo: withTombstones, readTime, signal, scope } = this.#options;
    const options = { readTime, signal, batchBytes, withTombstones, wants: scope.wants };
    const lookups = look === 'lookup' ? new LiveLookupCursor(target, archive, options) : undefined;
    const archived = new ArchiveCursor(archive, ranges, { withBodies: true, withTombstones }, lookups?.through);
    let live: TargetCursor | undefined;
    try {
      await archived.load();
      // A target that nothing is compared with, and nothing deleted in, is not asked; nor for what comes before the first name.
      if (!archived.name && !this.#deletes) return undefined;
      const rest = archived.name && !this.#deletes ? intersection(ranges, [{ from: archived.name.toString() }]) : ranges;
      this.#readsBefore += this.#live?.reads ?? 0;
      live = lookups ?? this.#scan(new LiveScanCursor(target, rest, options));
      this.#live = live;
      await live.load();
      return await this.#merge(archived, live, { visit, look });
    } finally {
      await Promise.all([archived.close(), live?.close(), this.#left?.close()]);
    }
  }

  #scan(live: LiveScanCursor): LiveScanCursor {
    this.#scanned = live;
    return live;
  }

  /** The path from which on to ask for names, `later` if it took long enough, undefined if all is done. */
  async #merge(
    archived: ArchiveCursor,
    live: TargetCursor,
    { visit, look }: { visit: VisitDocument; look: Scope['look'] },
  ): Promise<string | undefined> {
    const { isOver, isFull, scope, knowsAbsence: knows } = this.#options;
    const { wants } = scope;
    for (let n = 1; archived.name || (live.name && this.#deletes); n++) {
      const order = orderOf(archived, live);
      const name = (order > 0 ? live.name : archived.name) ?? nothing;
      if (isFull?.() || (n % lookEvery === 0 && isOver?.())) return 'later';
      const isLeft = order > 0 && (!this.#deletes || (knowsAbsence && !knowsAbsence(name.toString())));
      if (isLeft || (wants && !wants(name.toString()))) {
        if (order >= 0) this.#foreign += 1;
        if (this.#isForeign(look) && archived.name) return archived.name.toString();
      } else {
        const judged = this.#decide(order, archived, live);
        let action = typeof judged === 'string' ? judged : await judged;
        if (this.#left && isTouching[action]) {
          const found = order === 0 ? live.document() : undefined;
          if (!(await this.#left.isAsRestored(name, found, archived.isTombstone))) action = 'skip';
        }
        const pending = visit(this.#made(name, action, order, live));
        if (pending) await pending;
        if (action === 'create' && look === 'scan' && this.#proof.addAbsent(name.toString())) await this.prove(this.#options.signal);
      }
      if (n % lookEvery === lookEvery - 1) this.reached = name.toString();
      if (order <= 0 && !archived.step()) await archived.load();
      if (order >= 0 && !live.step()) await live.load();
    }
    return undefined;
  }

  /** Whether most of what the target sends is of no concern. */
  #isForeign(look: Scope['look']): boolean {
    return look === 'scan' && !this.#deletes && this.#foreign > foreignMax + foreignShare * this.#decided;
  }

  #decide(order: number, archived: ArchiveCursor, live: TargetCursor): Action | Promise<Action> {
    if (order > 0) return 'delete';
    if (order < 0 && archived.isTombstone) return 'unchanged';
    const known = order < 0 ? undefined : this.#judge.decideWithoutContents(archived, live);
    if (known) return known;
    const decide = (): Action => (order < 0 ? 'create' : this.#judge.decideByContents(archived, live));
    return archived.want() ? decide() : archived.open().then(decide);
  }

  #made(name: Buffer, action: Action, order: number, live: TargetCursor): DocumentDecision {
    const decision = this.#decision;
    decision.name = name;
    decision.action = action;
    decision.isOfBackup = order <= 0;
    decision.live = action === 'overwrite' || action === 'delete' ? live.document() : undefined;
    this.#decided += 1;
    return decision;
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const nothing = Buffer.alloc(0);

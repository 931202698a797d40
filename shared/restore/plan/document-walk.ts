import { type Archive, compareNames } from '../../archive/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { type FirestoreDatabase, intersection, type NameRange } from '../../firestore/index.ts';
import type { DocumentMasker, MaskedDocument } from '../../mask/index.ts';
import { ArchiveCursor, LiveLookupCursor, LiveScanCursor, mergeJoin, type TargetCursor } from '../../stored-backup/index.ts';
import type { RestoreScope } from '../scope/restore-scope.ts';
import { CompletenessCheck } from './completeness-check.ts';
import { type Action, DocumentActionPolicy, isTouching } from './document-action-policy.ts';
import { type PartialRestore, UndoMatcher } from './undo-matcher.ts';

export interface DocumentWalkOptions {
  readonly archive: Archive;
  readonly target: FirestoreDatabase;
  readonly scope: RestoreScope;
  /** The walk covers the scope within this bound. */
  readonly bound: NameRange;
  readonly mode: MergeMode;
  /** Of a masked copy. */
  readonly masker?: DocumentMasker | undefined;
  /** Overwrites documents that are equal already. */
  readonly writesEqual?: boolean | undefined;
  /** Tombstones of the archive then mean documents to delete. */
  readonly isUndo: boolean;
  /** See `absenceKnowledge`. Other documents that the archive lacks are left alone and not counted. */
  readonly knowsAbsence?: ((path: string) => boolean) | undefined;
  /** Undo of an incomplete restore: only documents that are as that one would have left them are undone. */
  readonly partialRestore?: PartialRestore | undefined;
  readonly readTime: string;
  readonly signal: AbortSignal;
  /** Checked now and then: whether the time is up. */
  readonly isOver?: (() => boolean) | undefined;
  /** Paths that an erasure hides are neither written nor deleted, whether the backup has them or not. */
  readonly hidesPath?: ((path: Uint8Array) => boolean) | undefined;
  /** Called for each document of the backup, in scope, that an erasure hides. */
  readonly onErased?: ((name: Buffer) => void) | undefined;
  /** Checked before each document: whether the part is full. */
  readonly isFull?: (() => boolean) | undefined;
}

/** The decision about one document. Valid only during the visit, because its memory is reused. */
export interface DocumentDecision {
  /** The path below the database. */
  readonly name: Buffer;
  readonly action: Action;
  /** The target's encoded document, for `overwrite` and `delete`. */
  readonly live: Uint8Array | undefined;
  readonly isOfBackup: boolean;
  /** Of a masked copy: what its rules change in the document of the backup. */
  readonly masked: MaskedDocument | undefined;
}

type VisitDocument = (decision: DocumentDecision) => Promise<void> | undefined;

/** The document that a walk is at. */
interface VisitedDocument {
  readonly order: number;
  readonly name: Buffer;
  readonly archived: ArchiveCursor;
  readonly live: TargetCursor;
  readonly visit: VisitDocument;
  readonly look: RestoreScope['look'];
}

/** Documents between two checks of the clock. */
const lookEvery = 64;
/** Scanning switches to lookups after this many out-of-scope documents plus twice as many as are in scope. */
const outOfScopeMax = 2_000;
const outOfScopeShare = 2;
/** The target is read in order and mostly completely, so batches are large. */
const batchBytes = 256 << 10;

/**
 * Merge join of backup and target in the order of names; each document in scope is decided once. Before a visit, the contents of a
 * document to write were opened, and so verified. Store nothing of the result before `prove`.
 */
export class DocumentWalk {
  /** A path up to which, itself included, everything is decided; if `isOver` ended the walk, nothing beyond it is. */
  reached: string | undefined;
  readonly #options: DocumentWalkOptions;
  readonly #policy: DocumentActionPolicy;
  readonly #deletes: boolean;
  #readsBefore = 0;
  #live: TargetCursor | undefined;
  /** The scan of the target's ranges, if there was one. */
  #scanned: LiveScanCursor | undefined;
  readonly #completeness: CompletenessCheck;
  readonly #undoMatcher: UndoMatcher | undefined;
  /** Reused for all documents. */
  readonly #decision: Mutable<DocumentDecision> = {
    name: nothing,
    action: 'skip',
    live: undefined,
    isOfBackup: false,
    masked: undefined,
  };
  #decided = 0;
  #outOfScope = 0;

  constructor(options: DocumentWalkOptions) {
    const { archive, target, mode, masker, writesEqual, isUndo, partialRestore, bound, readTime } = options;
    const to = target.database;
    this.#options = options;
    this.#policy = new DocumentActionPolicy({ mode, from: archive.manifest.source, to, masker, writesEqual });
    this.#deletes = mode === 'rollback' && !isUndo;
    this.#completeness = new CompletenessCheck(target, readTime, this.#deletes);
    this.#undoMatcher = partialRestore && new UndoMatcher({ ...partialRestore, saved: archive, bound, to });
  }

  get reads(): number {
    return this.#readsBefore + (this.#live?.reads ?? 0) + this.#completeness.reads;
  }

  /** Throws a transient COUNT_MISMATCH if the target did not send every document. Call it before storing decisions, even partial ones. */
  async prove(signal: AbortSignal): Promise<void> {
    if (this.#scanned) await this.#completeness.run(this.#scanned, signal);
  }

  /** False if `isOver` or `isFull` ended the walk early. Waits for visits that return a promise. */
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

  async #walk(ranges: readonly NameRange[], look: RestoreScope['look'], visit: VisitDocument): Promise<string | undefined> {
    const { archive, target, isUndo: withTombstones, readTime, signal, scope } = this.#options;
    const options = { readTime, signal, batchBytes, withTombstones, wants: scope.wants };
    const lookups = look === 'lookup' ? new LiveLookupCursor(target, archive, options) : undefined;
    const archived = new ArchiveCursor(archive, ranges, {
      withBodies: true,
      withTombstones,
      withErased: true,
      through: lookups?.through,
    });
    let live: TargetCursor | undefined;
    try {
      await archived.load();
      // Without deletes, the target is read only from the backup's first name on, and not at all without one.
      if (!archived.name && !this.#deletes) return undefined;
      const rest = archived.name && !this.#deletes ? intersection(ranges, [{ from: archived.name.toString() }]) : ranges;
      this.#readsBefore += this.#live?.reads ?? 0;
      live = lookups ?? this.#scan(new LiveScanCursor(target, rest, options));
      this.#live = live;
      await live.load();
      return await this.#merge(archived, live, { visit, look });
    } finally {
      await Promise.all([archived.close(), live?.close(), this.#undoMatcher?.close()]);
    }
  }

  #scan(live: LiveScanCursor): LiveScanCursor {
    this.#scanned = live;
    return live;
  }

  /** The path from which to continue with lookups, `later` if ended early, undefined if complete. */
  async #merge(
    archived: ArchiveCursor,
    live: TargetCursor,
    { visit, look }: { visit: VisitDocument; look: RestoreScope['look'] },
  ): Promise<string | undefined> {
    const { isOver, isFull, scope, knowsAbsence, hidesPath, onErased } = this.#options;
    const { wants } = scope;
    let next: string | undefined;
    const pass = (order: number, name: Buffer): boolean | Promise<boolean> => {
      const isUntouched =
        order > 0 && (!this.#deletes || (knowsAbsence && !knowsAbsence(name.toString())) || hidesPath?.(name) === true);
      if (isUntouched || (wants && !wants(name.toString()))) {
        if (order >= 0) this.#outOfScope += 1;
        if (this.#shouldLookUp(look) && archived.name) next = archived.name.toString();
        return next === undefined;
      }
      if (order > 0 || !archived.isErased) return this.#visit({ order, name, archived, live, visit, look });
      onErased?.(name);
      return true;
    };
    await mergeJoin({ left: archived, right: live, compare: compareNames }, (order, name, n) => {
      if (!archived.name && !this.#deletes) return false;
      if (isFull?.() || (n % lookEvery === 0 && isOver?.())) {
        next = 'later';
        return false;
      }
      return n % lookEvery === lookEvery - 1 ? this.#reach(name.toString(), pass(order, name)) : pass(order, name);
    });
    return next;
  }

  async #reach(path: string, passing: boolean | Promise<boolean>): Promise<boolean> {
    const goesOn = await passing;
    if (goesOn) this.reached = path;
    return goesOn;
  }

  /** Decides about a document and hands the decision out. Waits only if it must. */
  #visit(of: VisitedDocument): boolean | Promise<boolean> {
    const decided = this.#decide(of.order, of.archived, of.live);
    if (typeof decided !== 'string' || (this.#undoMatcher && isTouching[decided])) return this.#visitLater(of, decided);
    return this.#handOut(of, decided);
  }

  async #visitLater(of: VisitedDocument, decided: Action | Promise<Action>): Promise<boolean> {
    const { order, name, archived, live } = of;
    let action = await decided;
    if (this.#undoMatcher && isTouching[action]) {
      const found = order === 0 ? live.document() : undefined;
      if (!(await this.#undoMatcher.isAsRestored(name, found, archived.isTombstone))) action = 'skip';
    }
    return this.#handOut(of, action);
  }

  #handOut(of: VisitedDocument, action: Action): boolean | Promise<boolean> {
    const { name, visit, look } = of;
    const mayLack = action === 'create' && look === 'scan';
    const prove = (): boolean | Promise<boolean> =>
      mayLack && this.#completeness.addAbsent(path) ? this.prove(this.#options.signal).then(() => true) : true;
    const path = mayLack ? name.toString() : '';
    const pending = visit(this.#decisionFor(of, action));
    return pending ? pending.then(prove) : prove();
  }

  /** Whether most of what the target sends is out of scope. */
  #shouldLookUp(look: RestoreScope['look']): boolean {
    return look === 'scan' && !this.#deletes && this.#outOfScope > outOfScopeMax + outOfScopeShare * this.#decided;
  }

  #decide(order: number, archived: ArchiveCursor, live: TargetCursor): Action | Promise<Action> {
    if (order > 0) return 'delete';
    if (order < 0 && archived.isTombstone) return 'unchanged';
    const known = order < 0 ? undefined : this.#policy.decideWithoutContents(archived, live);
    if (known) return known;
    const decide = (): Action => this.#policy.decideByContents(archived, order < 0 ? undefined : live);
    return archived.requestBody() ? decide() : archived.open().then(decide);
  }

  #decisionFor({ name, order, live }: VisitedDocument, action: Action): DocumentDecision {
    const decision = this.#decision;
    decision.name = name;
    decision.action = action;
    decision.isOfBackup = order <= 0;
    decision.masked = order <= 0 ? this.#options.masker?.last : undefined;
    decision.live = action === 'overwrite' || action === 'delete' ? live.document() : undefined;
    this.#decided += 1;
    return decision;
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const nothing = Buffer.alloc(0);

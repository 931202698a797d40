import type { ArchiveCursor, TargetCursor } from '../../backup/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { mergesToSame, referenceRewrite, sameFields } from '../../firestore/index.ts';

/** What a restore does to a document. */
export type Action = 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged';

/** Whether something is then written. */
export const isTouching = { create: true, overwrite: true, delete: true, skip: false, unchanged: false } as const;

export interface PolicyOptions {
  readonly mode: MergeMode;
  /** The databases, `projects/p/databases/d`: of the backup and of the target. */
  readonly from: string;
  readonly to: string;
}

/**
 * Decides about documents that both the backup and the target have. What would be written is compared with what is there:
 * references into the backed-up database count as those into the target that they become.
 */
export class DocumentActionPolicy {
  readonly #mode: MergeMode;
  readonly #isSameDatabase: boolean;
  readonly #rewrite: (document: Uint8Array) => Buffer;

  constructor({ mode, from, to }: PolicyOptions) {
    this.#mode = mode;
    this.#isSameDatabase = from === to;
    this.#rewrite = referenceRewrite(from, to);
  }

  /** What is known without the contents of the backup's document; undefined if they must be looked at. */
  decideWithoutContents(archived: ArchiveCursor, live: TargetCursor): Action | undefined {
    if (archived.isTombstone) return 'delete';
    if (this.#mode === 'skip_existing') return 'skip';
    return this.#isSameDatabase && isSameTime(archived, live) ? 'unchanged' : undefined;
  }

  /** The contents of the backup's document must be open. */
  decideByContents(archived: ArchiveCursor, live: TargetCursor): Action {
    const wanted = this.#rewrite(archived.document());
    const isSame = this.#mode === 'merge' ? mergesToSame(wanted, live.document()) : sameFields(wanted, live.document());
    return isSame ? 'unchanged' : 'overwrite';
  }
}

/** A database writes a document once at a time at most: the same time is the same write. A time that is missing says nothing. */
const isSameTime = (a: ArchiveCursor, b: TargetCursor): boolean =>
  a.seconds === b.seconds && a.nanos === b.nanos && a.seconds !== 0;

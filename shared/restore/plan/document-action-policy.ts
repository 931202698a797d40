import type { MergeMode } from '../../contract/models/restore.ts';
import { isMergeNoop, sameFields } from '../../firestore/index.ts';
import type { DocumentMasker } from '../../mask/index.ts';
import type { ArchiveCursor, TargetCursor } from '../../stored-backup/index.ts';
import { documentForm } from '../transform/document-form.ts';

export type Action = 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged';

/** Actions that write to the target. */
export const isTouching = { create: true, overwrite: true, delete: true, skip: false, unchanged: false } as const;

interface PolicyOptions {
  readonly mode: MergeMode;
  /** Databases of the backup and of the target, `projects/p/databases/d`. */
  readonly from: string;
  readonly to: string;
  /** Of a masked copy. */
  readonly masker?: DocumentMasker | undefined;
  /** Overwrites documents that are equal already. */
  readonly writesEqual?: boolean | undefined;
}

/**
 * Decides the action for documents that both the backup and the target have, by comparing what would be written with the live
 * document: masked, with references into the backed-up database rewritten to the target.
 */
export class DocumentActionPolicy {
  readonly #mode: MergeMode;
  readonly #isSameDatabase: boolean;
  readonly #isMasked: boolean;
  readonly #writesEqual: boolean;
  readonly #formOf: ReturnType<typeof documentForm>;

  constructor({ mode, from, to, masker, writesEqual = false }: PolicyOptions) {
    this.#mode = mode;
    this.#writesEqual = writesEqual;
    this.#isSameDatabase = from === to;
    this.#isMasked = masker !== undefined;
    this.#formOf = documentForm({ from, to, masker });
  }

  /** Undefined if the decision needs the contents of the backup's document. */
  decideWithoutContents(archived: ArchiveCursor, live: TargetCursor): Action | undefined {
    if (archived.isTombstone) return 'delete';
    // The rules are counted for every document of the backup.
    if (this.#isMasked) return undefined;
    if (this.#mode === 'skip_existing') return 'skip';
    return this.#isSameDatabase && !this.#writesEqual && isSameTime(archived, live) ? 'unchanged' : undefined;
  }

  /** Requires that the contents of the backup's document are open. */
  decideByContents(archived: ArchiveCursor, live: TargetCursor | undefined): Action {
    if (!live && !this.#isMasked) return 'create';
    const wanted = this.#formOf(archived.document(), { path: archived.name ?? '' });
    if (!live) return 'create';
    if (this.#mode === 'skip_existing') return 'skip';
    if (this.#writesEqual) return 'overwrite';
    const isSame = this.#mode === 'merge' ? isMergeNoop(wanted, live.document()) : sameFields(wanted, live.document());
    return isSame ? 'unchanged' : 'overwrite';
  }
}

/** A document is written at most once per timestamp, so equal times mean the same write. A missing time proves nothing. */
const isSameTime = (a: ArchiveCursor, b: TargetCursor): boolean =>
  a.seconds === b.seconds && a.nanos === b.nanos && a.seconds !== 0;

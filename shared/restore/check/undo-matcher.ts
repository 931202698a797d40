import { type Archive, compareNames } from '../../archive/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { mergesToSame, type NameRange, referenceRewrite, sameFields } from '../../firestore/index.ts';
import { type JoinedDocument, joinJournalWithBackup, joinedDocuments, type JoinInput } from '../read/journal-join.ts';

/** A restore that is taken back and did not do all it planned: the backup that it wrote from, and how it wrote. */
export interface PartialRestore {
  readonly archive: Archive;
  readonly mode: MergeMode;
}

export interface UndoMatcherOptions extends PartialRestore {
  /** What the restore has saved. */
  readonly saved: Archive;
  readonly bound: NameRange;
  /** The target, `projects/p/databases/d`. */
  readonly to: string;
}

/** Tells what a restore has left from what others have made since: only the former is taken back. */
export class UndoMatcher {
  readonly #mode: MergeMode;
  readonly #rewrite: (document: Uint8Array) => Buffer;
  readonly #matches: AsyncGenerator<JoinedDocument, void, undefined>;
  #match: JoinedDocument | undefined;

  constructor({ archive, mode, saved, bound, to }: UndoMatcherOptions) {
    this.#mode = mode;
    this.#rewrite = referenceRewrite(archive.manifest.source, to);
    this.#matches = allOf({ journal: saved, backup: archive, range: bound });
  }

  /**
   * Whether the document is in the target as the restore was to leave it. Names ascend, and each is one that was saved;
   * `wasAbsent` says that the restore was to create it.
   */
  async isAsRestored(name: Buffer, live: Uint8Array | undefined, wasAbsent: boolean): Promise<boolean> {
    let match = this.#match;
    while (!match || compareNames(match.path, name) < 0) {
      const next = await this.#matches.next();
      if (next.done) throw new Error('the restore has not saved this document');
      match = next.value;
    }
    this.#match = match;
    if (!match.path.equals(name)) throw new Error('the restore has not saved this document');
    // What the backup does not have was to be deleted.
    if (!match.leaf || !live) return !match.leaf && !live;
    const wanted = this.#rewrite(match.leaf.content(match.slot));
    return this.#mode === 'merge' && !wasAbsent ? mergesToSame(wanted, live) : sameFields(wanted, live);
  }

  async close(): Promise<void> {
    await this.#matches.return();
  }
}

async function* allOf(search: JoinInput): AsyncGenerator<JoinedDocument, void, undefined> {
  for await (const stretch of joinJournalWithBackup(search)) yield* joinedDocuments(stretch, search);
}

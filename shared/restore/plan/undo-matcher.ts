import { type Archive, compareNames } from '../../archive/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { isMergeNoop, type NameRange, sameFields } from '../../firestore/index.ts';
import type { DocumentMasker } from '../../mask/index.ts';
import { type JoinedDocument, type JoinInput, joinedDocuments, joinJournalWithBackup } from '../read/join-journal-with-backup.ts';
import { documentForm } from '../transform/document-form.ts';

/** An incomplete restore that is undone: the backup it wrote from, its mode and how it masked documents. */
export interface PartialRestore {
  readonly archive: Archive;
  readonly mode: MergeMode;
  readonly masker?: DocumentMasker | undefined;
}

interface UndoMatcherOptions extends PartialRestore {
  readonly saved: Archive;
  readonly bound: NameRange;
  /** The target, `projects/p/databases/d`. */
  readonly to: string;
}

/** Tells documents that a restore wrote from those changed by others since: only the former are undone. */
export class UndoMatcher {
  readonly #mode: MergeMode;
  readonly #formOf: ReturnType<typeof documentForm>;
  readonly #matches: AsyncGenerator<JoinedDocument, void, undefined>;
  #match: JoinedDocument | undefined;

  constructor({ archive, mode, masker, saved, bound, to }: UndoMatcherOptions) {
    this.#mode = mode;
    this.#formOf = documentForm({ from: archive.manifest.source, to, masker });
    this.#matches = allOf({ journal: saved, backup: archive, range: bound });
  }

  /**
   * Whether the target has the document as the restore would have left it. Names must ascend and be in the journal; `wasAbsent`:
   * the restore would have created it.
   */
  async isAsRestored(name: Buffer, live: Uint8Array | undefined, wasAbsent: boolean): Promise<boolean> {
    let match = this.#match;
    while (!match || compareNames(match.path, name) < 0) {
      const next = await this.#matches.next();
      if (next.done) throw new Error('the journal does not contain this document');
      match = next.value;
    }
    this.#match = match;
    if (!match.path.equals(name)) throw new Error('the journal does not contain this document');
    // The restore deletes what the backup lacks.
    if (!match.leaf || !live) return !match.leaf && !live;
    const wanted = this.#formOf(match.leaf.content(match.slot), match);
    return this.#mode === 'merge' && !wasAbsent ? isMergeNoop(wanted, live) : sameFields(wanted, live);
  }

  async close(): Promise<void> {
    await this.#matches.return();
  }
}

async function* allOf(search: JoinInput): AsyncGenerator<JoinedDocument, void, undefined> {
  for await (const run of joinJournalWithBackup(search)) yield* joinedDocuments(run, search);
}

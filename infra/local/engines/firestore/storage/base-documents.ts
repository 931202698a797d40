import { Pending } from '../base/pending.ts';
import type { PathKey, StoredDocument } from '../base/types.ts';

export interface ScanOptions {
  readonly backwards?: boolean | undefined;
  /** Only documents whose keys have this many segments are wanted; others may be left out. */
  readonly segments?: number | undefined;
}

/** Documents that lie below those of a database and never change, such as those of a backup. A commit copies what it changes. */
export interface BaseDocuments {
  get(key: PathKey): Promise<StoredDocument | undefined>;
  /** The documents with from ≤ key < to in key order, or reversed. */
  scan(from: PathKey, to: PathKey, options: ScanOptions): AsyncIterable<readonly StoredDocument[]>;
}

/** The documents of a scan, with a pending value before each batch. */
export function* pendingScan(
  base: BaseDocuments,
  { from, to, ...options }: ScanOptions & { readonly from: PathKey; readonly to: PathKey },
): Generator<StoredDocument | Pending, void, undefined> {
  const batches = base.scan(from, to, options)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const pending = new Pending(batches.next());
      yield pending;
      const next = pending.take();
      if (next.done) return;
      yield* next.value;
    }
  } finally {
    batches.return?.().catch(() => undefined);
  }
}

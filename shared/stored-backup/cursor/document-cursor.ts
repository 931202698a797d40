import { compareNames } from '../../archive/index.ts';

/** Visits documents in name order. `step` moves within the loaded documents, without I/O; when it returns false, call `load`. */
export interface DocumentCursor {
  /** Path of the current document below the database; undefined at the end. Valid until the next step. */
  readonly name: Buffer | undefined;
  readonly seconds: number;
  readonly nanos: number;
  /** The current record says that no document of this name existed. */
  readonly isTombstone?: boolean;
  /** An erasure hides the current document. */
  readonly isErased?: boolean;
  step(): boolean;
  load(): Promise<void>;
  /** The encoded current document. */
  content(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Cursor over the live database, whose documents always come with their bodies. */
export interface TargetCursor extends DocumentCursor {
  readonly reads: number;
  /** The encoded current document; valid until the next step. */
  document(): Uint8Array;
}

/** Which cursor comes next: negative for the first, zero for both. A cursor at its end sorts last. */
export const compareCursors = (a: DocumentCursor, b: DocumentCursor): number => {
  if (!a.name || !b.name) return a.name ? -1 : 1;
  return compareNames(a.name, b.name);
};

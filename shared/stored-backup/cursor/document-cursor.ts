import type { JoinSide } from './merge-join.ts';

/** Visits documents in name order. Names are paths below the database. */
export interface DocumentCursor extends JoinSide<Buffer> {
  readonly seconds: number;
  readonly nanos: number;
  /** The current record says that no document of this name existed. */
  readonly isTombstone?: boolean;
  /** An erasure hides the current document. */
  readonly isErased?: boolean;
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

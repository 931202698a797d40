/** Two states of a database, walked side by side in the order of names. */
import { compareNames } from '../../archive/index.ts';

/** One document after the other. `step` moves within what is held and costs nothing; when it is used up, `load` gets more. */
export interface DocumentCursor {
  /** The path of the document here, below the database; undefined at the end. Valid until the next step. */
  readonly name: Buffer | undefined;
  /** When it was last written. */
  readonly seconds: number;
  readonly nanos: number;
  /** That there was no document of this name. */
  readonly isTombstone?: boolean;
  step(): boolean;
  load(): Promise<void>;
  /** The encoded document here. */
  content(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The database itself: its documents come with all they hold. */
export interface TargetCursor extends DocumentCursor {
  /** What it was billed as so far. */
  readonly reads: number;
  /** The encoded document here; valid until the next step. */
  document(): Uint8Array;
}

/** Which of two sides is to be looked at next: negative for the first, zero for both. A side at its end comes after every name. */
export const compareCursors = (a: DocumentCursor, b: DocumentCursor): number => {
  if (!a.name || !b.name) return a.name ? -1 : 1;
  return compareNames(a.name, b.name);
};

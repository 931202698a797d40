import type { Micros, PathKey } from '../base/types.ts';

/** One document's new fields in one commit, or its end. Changes of one time are one commit. */
export interface Change {
  readonly time: Micros;
  readonly key: PathKey;
  readonly path: string;
  readonly fields: Uint8Array | undefined;
  /** The document's newest version, as `find` gave it. */
  readonly newest: number;
}

import type { Micros, PathKey } from '../base/types.ts';

/** A document's new fields in a commit, or its deletion. Changes with the same time are one commit. */
export interface Change {
  readonly time: Micros;
  readonly key: PathKey;
  readonly path: string;
  readonly fields: Uint8Array | undefined;
  /** The document's newest version, from `find`. */
  readonly newest: number;
}

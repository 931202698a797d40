import type { Archive } from '../archive/index.ts';
import type { MergeMode } from '../contract/restore.ts';
import type { NameRange, Source } from '../firestore/index.ts';
import type { Action } from './judge.ts';
import type { Scope } from './scope.ts';

export interface WalkOptions {
  readonly archive: Archive;
  readonly target: Source;
  readonly scope: Scope;
  /** Only what lies in it is walked. */
  readonly bound: NameRange;
  readonly mode: MergeMode;
  /** Tombstones of the archive are then documents that are to be deleted. */
  readonly isUndo: boolean;
  readonly readTime: string;
  readonly signal: AbortSignal;
  /** Asked now and then: whether it has taken long enough. */
  readonly isOver?: () => boolean;
}

/** What is to be done with one document; all of it is valid during the visit only, because the memory is used again. */
export interface Decision {
  /** The path below the database. */
  readonly name: Buffer;
  readonly action: Action;
  /** The target's encoded document, of `overwrite` and `delete`. */
  readonly live: Uint8Array | undefined;
  readonly isOfBackup: boolean;
}

/** The backup and the target side by side in the order of names; each document that the restore is about is decided once. */
export class Walk {
  /** What the target has billed so far. */
  reads = 0;
  /** The path up to which, itself included, everything is decided; undefined before the first. */
  reached: string | undefined;
  readonly #options: WalkOptions;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** False if `isOver` ended it early: everything up to `reached` was visited, and nothing beyond. */
  async run(_visit: (decision: Decision) => Promise<void> | undefined): Promise<boolean> {
    throw new Error(`not yet: ${this.#options.mode}`);
  }
}

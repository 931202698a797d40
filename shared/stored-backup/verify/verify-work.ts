import * as z from 'zod/mini';
import type { Clock, Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import type { BackupRecord } from '../model/record.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import type { LockCheck } from './lock-check.ts';
import type { VerificationProgress } from './verification-progress.ts';

export const Position = z.object({
  /** When the verification was requested; a later one replaces it. */
  startedAt: z.string(),
  seed: z.string(),
  /** Objects checked so far. `leaves`: sampled leaves or, of a full check, index pages whose inherited records were checked. */
  objects: z.int(),
  leaves: z.int(),
  /** The locks of the objects checked so far; absent if they are not read. */
  locks: z.optional(z.object({ earliest: z.optional(z.string()), short: z.int(), unknown: z.int() })),
  tally: z.object({ documents: z.int(), tombstones: z.int(), users: z.int() }),
});
export type Position = z.output<typeof Position>;

export interface VerifyWork {
  readonly depth: NonNullable<BackupRecord['verification']>['depth'];
  readonly tenant: Tenant;
  readonly deps: BackupDeps;
  readonly open: OpenArchive;
  readonly at: Position;
  readonly progress: VerificationProgress;
  readonly deadline: Date;
  readonly clock: Clock;
  /** Checked besides the objects of the manifest: manifest and key, and the keys of its dependencies. */
  readonly extra: number;
  /** Undefined if the destination has no object lock. */
  readonly locks: LockCheck | undefined;
}

/** The manifest and the key. */
export const extraCheckedObjects = 2;

import * as z from 'zod';
import type { Clock, Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import type { VerificationProgress } from './verification-progress.ts';

export const Position = z.object({
  /** When the verification was requested; a later one replaces it. */
  startedAt: z.string(),
  seed: z.string(),
  /** Objects checked so far. `leaves`: sampled leaves or, of a full check, index pages whose inherited records were checked. */
  objects: z.int(),
  leaves: z.int(),
  tally: z.object({ documents: z.int(), tombstones: z.int(), users: z.int() }),
});
export type Position = z.output<typeof Position>;

export interface VerifyWork {
  readonly tenant: Tenant;
  readonly deps: BackupDeps;
  readonly open: OpenArchive;
  readonly at: Position;
  readonly progress: VerificationProgress;
  readonly deadline: Date;
  readonly clock: Clock;
}

/** The manifest and the key are checked besides the objects that the manifest lists. */
export const extraCheckedObjects = 2;

import * as z from 'zod';
import type { Clock, Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import type { VerificationProgress } from './verification-progress.ts';

export const Position = z.object({
  /** When the verification was asked for: a later one takes its place. */
  startedAt: z.string(),
  /** What the sample is drawn by. */
  seed: z.string(),
  /** Objects that were looked at; leaves of a sample, or in full pages of the index whose kept records were. */
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

/** Beside what the manifest lists, the manifest itself and the key were looked at. */
export const extraCheckedObjects = 2;

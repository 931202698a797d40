/** What point-in-time recovery of a project is, to whoever looks at it. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Cost } from './backup.ts';

/** Starting: it waits for a base backup. Active: changes are captured. */
export const pitrStatuses = ['disabled', 'starting', 'active'] as const;
/**
 * Second: the source is listened to all the time, so that every whole second is known. Interval: what is there at the end of each
 * interval, and a restore goes to the last of these moments.
 */
export const pitrPrecisions = ['second', 'interval'] as const;

export const Pitr = z.object({
  projectId: z.string(),
  enabled: z.boolean(),
  status: z.enum(pitrStatuses),
  retentionDays: z.int(),
  captureIntervalSeconds: z.int(),
  precision: z.enum(pitrPrecisions),
  storageDestinationId: z.string().nullable(),
  enabledAt: Moment.nullable(),
  baseBackupId: z.string().nullable(),
  earliestRestorableAt: Moment.nullable(),
  latestRestorableAt: Moment.nullable(),
  lastCapture: z.object({ at: Moment, changes: z.int(), cost: Cost }).nullable(),
  changesCaptured: z.int(),
  problem: z.string().nullable(),
  cost: z.object(Cost.shape),
});

/** A batch of changes that can be restored from now on. */
export const CapturedChanges = z.object({
  count: z.int(),
  fromTimestamp: Moment,
  toTimestamp: Moment,
  collections: z.array(z.string()),
});

/** The first 100 that are known. */
const some = {
  collections: z.array(z.string()).optional(),
};

/** A stretch of time that nothing can be restored to, and why. */
export const PitrGap = z.object({
  from: Moment,
  to: Moment.nullable(),
  reason: z.string(),
  ...some,
});

/** What can be restored, never optimistic. */
export const PitrWindows = z.object({
  windows: z.array(
    z.object({
      from: Moment,
      to: Moment,
      precision: z.enum(pitrPrecisions).optional(),
      ...some,
    }),
  ),
  gaps: z.array(PitrGap),
  sampled: z.array(z.object({ from: Moment, to: Moment })),
});

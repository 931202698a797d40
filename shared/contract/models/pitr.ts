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
  baseBackupId: z.string().nullable().describe('The newest backup that changes are added to'),
  earliestRestorableAt: Moment.nullable(),
  latestRestorableAt: Moment.nullable(),
  lastCapture: z
    .object({ at: Moment, changes: z.int(), cost: Cost })
    .nullable()
    .describe('The last interval: how many changes it brought, and what the source billed for it'),
  changesCaptured: z.int(),
  problem: z
    .string()
    .nullable()
    .describe('What keeps it from capturing now, once it has failed three times in a row; null when it is fine'),
  cost: Cost.describe('What the source billed for all captures, without base backups'),
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
  collections: z
    .array(z.string())
    .describe(
      'Collections by their ids, wherever they lie; left out where it holds for all. Of a window: those that are known to be whole, because something is missing of others, or it was not counted yet whether there are others below documents; includeSubcollections: false restores what lies right in them. Of a gap: empty if the ids are not known',
    )
    .optional(),
};

/** A stretch of time that nothing can be restored to, and why. */
export const PitrGap = z.object({
  from: Moment,
  to: Moment.nullable().describe('Null while it lasts'),
  reason: z.string(),
  ...some,
});

/** What can be restored, never optimistic. */
export const PitrWindows = z.object({
  windows: z
    .array(
      z.object({
        from: Moment,
        to: Moment,
        precision: z
          .enum(pitrPrecisions)
          .describe(
            'Interval where more changed than could be looked up for every second: a restore goes to the last moment before that is known, and says which. Left out where it is as was asked for',
          )
          .optional(),
        ...some,
      }),
    )
    .describe('Whole seconds, of each of which everything is known, unless precision, collections or sampled say otherwise'),
  gaps: z.array(PitrGap),
  sampled: z
    .array(z.object({ from: Moment, to: Moment }))
    .describe(
      'Stretches of the windows in which nobody listened to the source all the time (at the beginning, after an outage, before a new collection was found): every second of them is known, but for documents that were created and deleted again within the stretch',
    ),
});

/** Point-in-time recovery in API responses. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { Anomaly } from './backup.ts';
import { Cost } from './job.ts';

/** starting: waits for a base backup. active: changes are captured. */
const pitrStatuses = ['disabled', 'starting', 'active'] as const;
/**
 * second: continuous capture, every whole second can be restored. interval: one capture per interval, and a restore uses the last
 * capture before the requested time.
 */
export const pitrPrecisions = ['second', 'interval'] as const;

/** The rolling audit: what was read again and compared with what was captured. */
export const PitrAudit = z.object({
  auditedSince: z.nullable(Moment),
  lastAt: z.nullable(Moment),
  dueAt: z.nullable(Moment),
  documents: z.int(),
  differences: z.int(),
  cost: Cost,
  problem: z.nullable(z.string()),
});

/** Events have it without the finding, which has an event of its own, and without the audit. */
export const Pitr = z.object({
  projectId: z.string(),
  enabled: z.boolean(),
  status: z.enum(pitrStatuses),
  retentionDays: z.int(),
  captureIntervalSeconds: z.int(),
  precision: z.enum(pitrPrecisions),
  auditDays: z.int(),
  storageDestinationId: z.nullable(z.string()),
  enabledAt: z.nullable(Moment),
  baseBackupId: z.nullable(z.string()),
  earliestRestorableAt: z.nullable(Moment),
  latestRestorableAt: z.nullable(Moment),
  lastCapture: z.nullable(z.object({ at: Moment, changes: z.int(), cost: Cost })),
  changesCaptured: z.int(),
  problem: z.nullable(z.string()),
  anomaly: z.nullable(Anomaly),
  audit: z.nullable(PitrAudit),
  cost: z.object(Cost.shape),
});

/** A stored batch of changes. */
export const CapturedChanges = z.object({
  count: z.int(),
  fromTimestamp: Moment,
  toTimestamp: Moment,
  collections: z.array(z.string()),
});

/** The first of the collections, and how many there are; null if that is unknown. */
const some = {
  collections: z.optional(z.array(z.string())),
  collectionCount: z.optional(z.nullable(z.int())),
};

const Version = z.nullable(z.object({ updateTime: Moment, sha256: z.string() }));

/** A document that differed from what was captured of it, with both versions; null where there is none. */
const versions = { path: z.string(), captured: Version, source: Version };

export const PitrDivergence = z.object({ id: z.string(), ...versions, from: Moment, to: Moment });

/** Documents that the audit found to differ. */
export const DivergenceReport = z.object({
  fromTimestamp: Moment,
  toTimestamp: Moment,
  documentCount: z.int(),
  collections: z.array(z.string()),
  documents: z.array(z.object(versions)),
});

/** A time range that cannot be restored. */
export const PitrGap = z.object({ from: Moment, to: z.nullable(Moment), reason: z.string(), ...some });

/** A time in which captured documents may differ from the source. */
export const DivergedPeriod = z.object({
  from: Moment,
  to: Moment,
  documentCount: z.int(),
  collections: z.array(z.string()),
  collectionCount: z.int(),
});

/** Restorable time ranges; never overstated. */
export const PitrWindows = z.object({
  windows: z.array(
    z.object({
      from: Moment,
      to: Moment,
      complete: z.boolean(),
      precision: z.optional(z.enum(pitrPrecisions)),
      ...some,
    }),
  ),
  gaps: z.array(PitrGap),
  sampled: z.array(z.object({ from: Moment, to: Moment })),
  diverged: z.array(z.object(DivergedPeriod.shape)),
  collections: z.object({ count: z.int(), ids: z.array(z.string()) }),
  undetectedUpToSeconds: z.nullable(z.int()),
});

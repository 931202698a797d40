/** What point-in-time recovery of a project is, to whoever looks at it. */
import * as z from 'zod';
import { Moment } from './fields.ts';

export const Pitr = z.object({
  enabled: z.boolean(),
  retentionDays: z.int(),
  captureIntervalSeconds: z.int(),
  enabledAt: Moment.nullable(),
});

/** A batch of changes that can be restored from now on. */
export const CapturedChanges = z.object({
  count: z.int(),
  fromTimestamp: Moment,
  toTimestamp: Moment,
  collections: z.array(z.string()),
});

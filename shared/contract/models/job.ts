/** What backups and restores have in common. */
import * as z from 'zod/mini';
import { jobErrors } from '../errors.ts';
import { Moment, ShownName } from '../fields.ts';

export const Progress = z.object({ percent: z.int(), documents: z.int(), totalDocuments: z.nullable(z.int()) });

const waitReasons = ['quota', 'database', 'storage'] as const;
/** What a job that makes no progress waits for. */
export const WaitingFor = z.object({
  reason: z.enum(waitReasons),
  since: Moment,
  attempts: z.int(),
  problem: z.nullable(z.string()),
  givesUpAt: z.nullable(Moment),
});

export const timelineKinds = [
  'created',
  'started',
  'phase',
  'waiting',
  'attempt_failed',
  'continued',
  'finding',
  'ended',
] as const;
/** What happened to a job, and when. */
export const TimelineEntry = z.object({
  at: Moment,
  kind: z.enum(timelineKinds),
  phase: z.optional(z.string()),
  reason: z.optional(z.enum(waitReasons)),
  status: z.optional(z.string()),
  message: z.nullable(z.string()),
});
export const Timeline = z.object({ entries: z.array(TimelineEntry) });

export const JobError = z.object({
  code: z.enum(jobErrors),
  message: z.string(),
  details: z._default(z.record(z.string(), z.unknown()), {}),
});

/** Collections that are not proven complete at a moment. `count` is null, and `complete` false, if the names are not all known. */
export const Lacking = z.object({
  collections: z.array(z.string()),
  count: z.nullable(z.int()),
  complete: z.boolean(),
  reason: z.string(),
  sampled: z.optional(z.object({ from: Moment, to: Moment })),
});

/** A job that has not ended, or was cancelled because its organization is deleted. */
export const UnfinishedJob = z.object({
  kind: z.enum(['backup', 'restore', 'restore test', 'export']),
  id: z.string(),
  projectId: z.string(),
  status: z.string(),
  cancelling: z.boolean(),
  documentsWritten: z.int(),
});

export const Cost = z.object({ reads: z.int(), estimatedUsd: z.number() });

export const actorTypes = ['user', 'service_account', 'api_key', 'system'] as const;

/** Who started a job or made something. An API key has a name instead of an address. */
export const Creator = z.object({
  type: z.enum(actorTypes),
  id: z.string(),
  email: z.nullable(z.string()),
  name: z.optional(ShownName),
});

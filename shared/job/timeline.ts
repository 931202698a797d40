/** What happened to a job, on its record: so it moves and is deleted with the job. */
import type * as z from 'zod/mini';
import type { TimelineEntry } from '../contract/models/job.ts';
import { iso } from '../platform/index.ts';
import type { Reason } from './running-job.ts';

export type JobEvent = z.output<typeof TimelineEntry>;

/** A record holds this many entries; a job that has more shows its end beside them. */
const entriesMax = 100;

/** The record of a job, as far as its timeline needs it. */
interface TimedJob {
  readonly status: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly error: Reason | null;
  readonly timeline?: readonly JobEvent[];
}

/** The part of an update that adds an entry. `job` is the record as just read. */
export const timelineAppend = (
  { timeline = [] }: Pick<TimedJob, 'timeline'>,
  entry: JobEvent,
): { readonly append?: { readonly timeline: readonly JobEvent[] } } =>
  timeline.length < entriesMax ? { append: { timeline: [entry] } } : {};

export const phaseEntry = (phase: string, now: Date): JobEvent => ({ at: iso(now), kind: 'phase', phase, message: null });

/** The whole timeline, the oldest entry first. Jobs from before timelines were recorded have its ends only. */
export const timelineOf = (job: TimedJob): readonly JobEvent[] => {
  const { status, createdAt, startedAt, completedAt, error, timeline = [] } = job;
  return [
    { at: createdAt, kind: 'created', message: null },
    ...(startedAt ? [{ at: startedAt, kind: 'started', message: null } as const] : []),
    ...timeline.filter((entry, n) => entry.kind !== 'phase' || entry.phase !== lastPhase(timeline, n)),
    ...(completedAt
      ? [{ at: completedAt, kind: 'ended', status, message: status === 'failed' ? (error?.message ?? null) : null } as const]
      : []),
  ];
};

/** A repeated step enters its phase again. */
const lastPhase = (timeline: readonly JobEvent[], before: number): string | undefined =>
  timeline.slice(0, before).findLast(({ kind }) => kind === 'phase')?.phase;

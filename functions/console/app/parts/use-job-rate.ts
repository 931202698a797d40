import { useRef } from 'react';

export interface RateSample {
  /** Milliseconds. */
  readonly at: number;
  readonly documents: number;
}

export interface JobRate {
  readonly perSecond: number;
  /** Undefined while the total is not known. */
  readonly remainingMs: number | undefined;
}

/** The rate is that of the last half minute: long enough to be calm, short enough to follow. */
const windowMs = 30_000;
const spanMinMs = 1_000;

/**
 * The rate that the samples show; before they span a second, that of the whole job if its start is known. Undefined while there is
 * nothing to tell.
 */
export const jobRate = (samples: readonly RateSample[], total: number | null, startedAt?: string | null): JobRate | undefined => {
  const last = samples.at(-1);
  if (!last) return undefined;
  const first = samples.find(({ at }) => last.at - at <= windowMs) ?? last;
  const start = { at: startedAt ? Date.parse(startedAt) : last.at, documents: 0 };
  const from = [first, start].find(({ at, documents }) => last.at - at >= spanMinMs && last.documents > documents);
  if (!from) return undefined;
  const perSecond = ((last.documents - from.documents) / (last.at - from.at)) * 1_000;
  return { perSecond, remainingMs: total === null ? undefined : ((total - last.documents) / perSecond) * 1_000 };
};

interface Progress {
  /** Another job begins anew. */
  readonly jobId: string;
  readonly documents: number;
  readonly totalDocuments: number | null;
  /** When the state was read, in milliseconds. */
  readonly seenAt: number;
  /** False in phases that copy nothing. */
  readonly isActive: boolean;
  readonly startedAt?: string | null;
}

/** The rate of a running job, from the states that this page saw. */
export const useJobRate = ({ jobId, documents, totalDocuments, seenAt, isActive, startedAt }: Progress): JobRate | undefined => {
  const seen = useRef<{ readonly jobId: string; readonly samples: readonly RateSample[] }>({ jobId, samples: [] });
  const before = seen.current.jobId === jobId ? seen.current.samples : [];
  if (isActive && before.at(-1)?.at !== seenAt) {
    const samples = [...before, { at: seenAt, documents }].filter(({ at }) => seenAt - at <= windowMs);
    seen.current = { jobId, samples };
  }
  return isActive ? jobRate(seen.current.samples, totalDocuments, startedAt) : undefined;
};

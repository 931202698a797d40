import type * as z from 'zod/mini';
import type { WaitingFor } from '../contract/models/job.ts';
import { StorageError } from '../destination/index.ts';
import { SourceError } from '../firestore/index.ts';

/** What a job that makes no progress waits for. */
export type Wait = Readonly<z.output<typeof WaitingFor>>;

/** The record of a job as it is once the job makes progress. */
export const withoutWait = <J extends { readonly waitingFor?: Wait }>({ waitingFor: _, ...record }: J): J => record as J;

/** What a job waits for whose step failed with this transient error; undefined if that is neither database nor bucket. */
export const waitReason = (error: unknown): Wait['reason'] | undefined => {
  if (error instanceof StorageError) return 'storage';
  if (!(error instanceof SourceError)) return undefined;
  return error.isExhausted ? 'quota' : 'database';
};

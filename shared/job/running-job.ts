import type * as z from 'zod/mini';
import type { JobError } from '../contract/models/job.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import { check, type Item, type Key, type Update, update, type Write } from '../platform/index.ts';
import { JobFailure } from './job-failure.ts';

export type Reason = z.input<typeof JobError>;

/** The state in the record of every job. */
export interface JobRecord extends Item {
  readonly id: string;
  readonly status: string;
  /** A permanent failure, set by the first step that detects one. It becomes the `error` when the job ends. */
  readonly failure?: Reason;
  /** The last transient error of a step: the likely reason if all retries fail. */
  readonly trouble?: Reason;
}

/** The job was cancelled, has failed or was given up. A worker that still runs discards its results. */
export class JobEndedError extends Error {
  constructor(status: string) {
    super(`the job is ${status}`);
    this.name = 'NotRunning';
  }
}

/** Throws JobEndedError unless the job, as just read, is running. */
export const assertRunning = <J extends JobRecord>(job: J | undefined): J => {
  if (!job) throw new JobEndedError('gone');
  if (job.status !== 'running') throw new JobEndedError(job.status);
  if (job.failure) throw new JobEndedError('about to fail');
  return job;
};

/** Throws a JobFailure if the organization was deleted. */
export const assertOrganizationActive = (organization: OrganizationRecord | undefined): OrganizationRecord => {
  if (organization && organization.deletedAt === undefined) return organization;
  throw new JobFailure('CANCELLED', 'The organization was deleted');
};

export type Advance = Pick<Update, 'set' | 'add' | 'append' | 'expected'>;

const running = { status: 'running', failure: undefined };

/** Writes to the record of a running job. The condition fails once the job has failed, was cancelled or has ended. */
export const updateRunningJob = (key: Key, { expected, ...change }: Advance): Write =>
  update(key, { ...change, expected: { ...running, ...expected } });

/** Checks that a job still runs, without changing it. */
export const checkRunningJob = (key: Key, expected: Advance['expected'] = {}): Write => check(key, { ...running, ...expected });

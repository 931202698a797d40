/** A job under way, and the one condition under which anything is written for it. */
import type * as z from 'zod';
import type { JobError } from '../contract/models/backup.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import { check, type Item, type Key, type Update, update, type Write } from '../platform/index.ts';
import { JobFailure } from './job-failure.ts';

export type Reason = z.output<typeof JobError>;

/** What the record of every job says of how it stands. */
export interface JobRecord extends Item {
  readonly id: string;
  readonly status: string;
  /** Why it cannot go on, told by the first step that found out; it becomes the `error` when the job ends. */
  readonly failure?: Reason;
  /** What a step stumbled over last and tried again: the likely reason, if all tries fail. */
  readonly trouble?: Reason;
}

/** The job has ended by other hands: it was cancelled, failed or given up. Whoever still works for it keeps nothing. */
export class JobEndedError extends Error {
  constructor(status: string) {
    super(`the job is ${status}`);
    this.name = 'NotRunning';
  }
}

/** Throws NotRunning unless the job, as it was just read, goes on. */
export const assertRunning = <J extends JobRecord>(job: J | undefined): J => {
  if (!job) throw new JobEndedError('gone');
  if (job.status !== 'running') throw new JobEndedError(job.status);
  if (job.failure) throw new JobEndedError('about to fail');
  return job;
};

/** A job of an organization that is deleted ends. */
export const assertOrganizationActive = (organization: OrganizationRecord | undefined): OrganizationRecord => {
  if (organization && organization.deletedAt === undefined) return organization;
  throw new JobFailure('CANCELLED', 'The organization was deleted');
};

export type Advance = Pick<Update, 'set' | 'add' | 'expected'>;

const running = { status: 'running', failure: undefined };

/** Writes to the record of a running job. The condition fails once the job has failed, was cancelled or has ended. */
export const updateRunningJob = (key: Key, { set, add, expected }: Advance): Write =>
  update(key, { set, add, expected: { ...running, ...expected } });

/** Checks that a job still runs, without changing it. */
export const checkRunningJob = (key: Key, expected: Advance['expected'] = {}): Write => check(key, { ...running, ...expected });

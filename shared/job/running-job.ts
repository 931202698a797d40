/** A job under way, and the one condition under which anything is written for it. */
import type * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import type { JobError } from '../contract/models/backup.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import type { Item, Key, Write } from '../platform/index.ts';
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

export interface Advance {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  /** Attributes that must still be as they were read. */
  readonly expected?: Readonly<Record<string, unknown>>;
}

/** Writes to the record of a running job. The condition fails once it has failed, was cancelled or has ended. */
export const updateRunningJob = (key: Key, { set = {}, add = {}, expected = {} }: Advance): Write => {
  const [sets, adds, wheres] = [Object.entries(set), Object.entries(add), Object.entries(expected)];
  const part = (word: string, list: readonly string[]): string => (list.length > 0 ? `${word} ${list.join(', ')} ` : '');
  const conditions = wheres.map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :was_${name}`,
  );
  return {
    update: key,
    expression: (
      part(
        'SET',
        sets.map(([name]) => `#${name} = :${name}`),
      ) +
      part(
        'ADD',
        adds.map(([name]) => `#${name} :${name}`),
      )
    ).trim(),
    condition: ['#status = :is_running', 'attribute_not_exists(#failure)', ...conditions].join(' AND '),
    names: {
      '#status': 'status',
      '#failure': 'failure',
      ...Object.fromEntries([...sets, ...adds, ...wheres].map(([name]) => [`#${name}`, name])),
    },
    values: {
      ':is_running': 'running',
      ...Object.fromEntries([...sets, ...adds].map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(wheres.filter(([, value]) => value !== undefined).map(([name, value]) => [`:was_${name}`, value])),
    },
  };
};

/** That it still runs, without changing it. */
export const checkRunningJob = (key: Key, expected: Advance['expected'] = {}): Write => {
  const { condition = '', names = {}, values = {} } = updateRunningJob(key, { expected });
  return { check: key, condition, names, values };
};

/** A condition failed, or others kept writing the same items: what was read is to be read again. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT';

/** The load: user traffic and jobs on every project of all organizations at once, until it is stopped. */

import { type JobCount, newJobCount, runJobs } from './jobs.ts';
import type { Tenant } from './tenant.ts';
import { runUserTraffic, type TrafficOptions } from './user-traffic.ts';

export interface Load {
  readonly jobs: JobCount;
  /** Starts nothing new; resolves when all calls have a response and all jobs have ended. */
  stop(): Promise<void>;
}

export interface LoadedTenants extends TrafficOptions {
  /** Per organization. */
  readonly people: number;
  /** Whether backups are restored, too. */
  readonly restores: boolean;
}

export const startLoad = (tenants: readonly Tenant[], { people, restores, ...traffic }: LoadedTenants): Load => {
  const jobs = newJobCount();
  let isStopped = false;
  const isOver = (): boolean => isStopped;
  // A failure is reported; the other users continue.
  const reporting = (tenant: Tenant, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => tenant.meter.reportUnexpected(`a user or job gave up: ${error}`));
  const ended = Promise.all(
    tenants.flatMap((tenant) => [
      ...Array.from({ length: people }, (_, person) => reporting(tenant, runUserTraffic(tenant, { person, traffic, isOver }))),
      ...tenant.sources.map((source) => reporting(tenant, runJobs(tenant, source, { count: jobs, restores, isOver }))),
    ]),
  );
  return {
    jobs,
    stop: async () => {
      isStopped = true;
      await ended;
    },
  };
};

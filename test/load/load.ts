/** The load itself: people at their paperwork and jobs on every project, all organizations beside each other, until it is stopped. */

import { type JobCount, newJobCount, workOn } from './jobs.ts';
import { doPaperwork, type Habits } from './paperwork.ts';
import type { Tenant } from './tenant.ts';

export interface Load {
  readonly jobs: JobCount;
  /** Nothing new is begun; resolves when what was begun is answered and every job has ended. */
  stop(): Promise<void>;
}

export interface LoadedTenants extends Habits {
  /** In each organization. */
  readonly people: number;
  /** Whether backups are restored, too. */
  readonly restores: boolean;
}

export const startLoad = (tenants: readonly Tenant[], { people, restores, ...habits }: LoadedTenants): Load => {
  const jobs = newJobCount();
  let isStopped = false;
  const isOver = (): boolean => isStopped;
  // One who cannot go on is told of; the others go on.
  const told = (tenant: Tenant, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => tenant.meter.surprise(`someone gave up: ${error}`));
  const ended = Promise.all(
    tenants.flatMap((tenant) => [
      ...Array.from({ length: people }, (_, person) => told(tenant, doPaperwork(tenant, person, habits, isOver))),
      ...tenant.sources.map((source) => told(tenant, workOn(tenant, source, { count: jobs, restores, isOver }))),
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

/** The load itself: people at their paperwork and jobs on every project, all organizations beside each other, until it is stopped. */

import { type JobCount, newJobCount, workOn } from './jobs.ts';
import { doPaperwork, type Habits } from './paperwork.ts';
import type { Tenant } from './tenant.ts';

export interface Load {
  readonly jobs: JobCount;
  /** Nothing new is begun; resolves when what was begun is answered and every job has ended. */
  stop(): Promise<void>;
}

export interface Crowd extends Habits {
  /** In each organization. */
  readonly people: number;
  /** Whether backups are restored, too. */
  readonly restores: boolean;
}

export const startLoad = (tenants: readonly Tenant[], { people, restores, ...habits }: Crowd): Load => {
  const jobs = newJobCount();
  let isStopped = false;
  const isOver = (): boolean => isStopped;
  const working = tenants.flatMap((tenant) => [
    ...Array.from({ length: people }, (_, person) => doPaperwork(tenant, person, habits, isOver)),
    ...tenant.sources.map((source) => workOn(tenant, source, { count: jobs, restores, isOver })),
  ]);
  const ended = Promise.all(working);
  // Told when it is stopped; until then others go on.
  ended.catch(() => undefined);
  return {
    jobs,
    stop: async () => {
      isStopped = true;
      await ended;
    },
  };
};

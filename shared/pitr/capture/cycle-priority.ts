import type { Priority } from '../../event/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { loadCycleContext } from '../model/cycle-context.ts';
import type { ContinuousTask } from './continuous-capture.ts';

/**
 * A worker that listens enqueues a message for every cycle, in case it crashes: nearly all of them arrive after their cycle and do
 * nothing. A handover is urgent while the worker to take over from still runs.
 */
export const cyclePriority = async (tenant: Tenant, { projectId, turn, isHandover }: ContinuousTask): Promise<Priority> => {
  const due = (await loadCycleContext(tenant, projectId))?.pitr.turn;
  if (due === turn) return isHandover ? 'urgent' : 'usual';
  return isHandover && due === turn + 1 ? 'usual' : 'drop';
};

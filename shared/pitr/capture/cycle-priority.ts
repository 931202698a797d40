import type { Priority } from '../../event/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { loadCycleContext } from '../model/cycle-context.ts';
import { isContinuous } from './capture-mode.ts';
import type { ContinuousTask } from './continuous-capture.ts';
import { hasStopped } from './handover.ts';

/**
 * A worker that listens enqueues a message for every cycle, in case it crashes: nearly all of them arrive after their cycle and do
 * nothing. A cycle without listening takes seconds, and a handover must begin while the worker to take over from still runs.
 */
export const cyclePriority = async (tenant: Tenant, task: ContinuousTask): Promise<Priority> => {
  const { projectId, turn, isHandover } = task;
  const cycle = await loadCycleContext(tenant, projectId);
  if (cycle?.pitr.turn === turn) return isHandover || !isContinuous(cycle) ? 'urgent' : 'usual';
  return isHandover && cycle && hasStopped(task, cycle.pitr) ? 'usual' : 'drop';
};

import { ok } from 'node:assert/strict';
import { enqueue } from '../../../shared/event/index.ts';
import type { Task } from '../../../shared/event/tasks.ts';
import { unsafeTenant } from '../../../shared/platform/index.ts';
import { putItem } from './table.ts';

/** Lets the stage do a task now that is due later, such as a periodic look. */
export const startTask = async (organizationId: string, task: Task): Promise<void> => {
  const write = enqueue(unsafeTenant(organizationId, 'record'), task, new Date());
  ok('put' in write);
  await putItem(write.put);
};

/** The hardware limit alone: two such processes at once show the machine's limit for two workers. */

import type { Task } from '../bench-processes.ts';
import { CoreLimit } from '../core-limit.ts';
import { serve } from './serve-tasks.ts';

const pieces = 400;
let limit: CoreLimit | undefined;

serve(async (task: Task) => {
  limit ??= await CoreLimit.read(task);
  limit.reset();
  const started = performance.now();
  for (let i = 0; i < pieces; i++) limit.step();
  return { documents: 0, bytes: limit.bytes, stored: 0, workSeconds: (performance.now() - started) / 1_000 };
});

/** The limit of the core by itself: how much two such processes do at once is the machine's own limit for two workers. */
import { Limit } from './limit.ts';
import { serve } from './serve.ts';
import type { Task } from './task.ts';

const pieces = 400;
let limit: Limit | undefined;

serve(async (task: Task) => {
  limit ??= await Limit.read(task);
  limit.reset();
  const started = performance.now();
  for (let i = 0; i < pieces; i++) limit.step();
  return { documents: 0, bytes: limit.bytes, stored: 0, workSeconds: (performance.now() - started) / 1_000 };
});

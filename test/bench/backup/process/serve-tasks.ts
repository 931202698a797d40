import type { Outcome, Task, Took } from '../bench-processes.ts';

/** Runs a task for every message to this process, and replies with its measurements. */
export const serve = (run: (task: Task) => Promise<Outcome>): void => {
  process.on('message', async (task: Task) => {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const outcome = await run(task);
    const seconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    const peakMib = process.resourceUsage().maxRSS / 1024;
    process.send?.({ ...outcome, seconds, cpuSeconds: (user + system) / 1e6, peakMib } satisfies Took);
  });
  process.on('disconnect', () => process.exit());
};

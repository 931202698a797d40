/** Child process: applies the retention of an organization once. */
import { log, unsafeTenant } from '../../../shared/platform/index.ts';
import { applyRetention } from '../../../shared/retention/index.ts';

const run = async (): Promise<void> => {
  log.setLogLevel('SILENT');
  const beganMs = performance.now();
  await applyRetention(unsafeTenant('org_bench', 'record'), {
    until: new Date(Date.now() + 3_600_000),
    time: { now: () => new Date() },
  });
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.send?.({
    seconds: (performance.now() - beganMs) / 1_000,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMib: maxRSS / 1_024,
  });
  process.disconnect?.();
};

void run();

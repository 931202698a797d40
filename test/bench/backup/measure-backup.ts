/** Cost of a backup: speed, memory, requests and dollars, compared with the limits of the machine and with other tools. */
import { join } from 'node:path';
import { BenchDatabases } from './bench-databases.ts';
import { measureCost } from './measure-cost.ts';
import { measureMemory } from './measure-memory.ts';
import { measurePeers } from './measure-peers.ts';
import { measureSpeed } from './measure-speed.ts';
import { measureTwoWorkers } from './measure-two-workers.ts';

export const measureBackup = async (dir: string): Promise<boolean> => {
  const bench = await BenchDatabases.open(join(dir, 'backup'));
  try {
    const met: boolean[] = [];
    for (const measure of [measureSpeed, measurePeers, measureMemory, measureCost, measureTwoWorkers])
      met.push(await measure(bench));
    return met.every(Boolean);
  } finally {
    bench.end();
  }
};

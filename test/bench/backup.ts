/** What a backup costs: speed, memory, requests and dollars, beside the limits of the machine and the tools of others, in one run. */
import { join } from 'node:path';
import { measureCost } from './backup/cost.ts';
import { measureMemory } from './backup/memory.ts';
import { measurePeers } from './backup/peers.ts';
import { measureSpeed } from './backup/speed.ts';
import { Stand } from './backup/stand.ts';
import { measureTwoWorkers } from './backup/two-workers.ts';

export const measureBackup = async (dir: string): Promise<boolean> => {
  const stand = await Stand.open(join(dir, 'backup'));
  try {
    const met: boolean[] = [];
    for (const measure of [measureSpeed, measurePeers, measureMemory, measureCost, measureTwoWorkers])
      met.push(await measure(stand));
    return met.every(Boolean);
  } finally {
    stand.end();
  }
};

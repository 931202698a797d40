/** A process that makes a backup of so many documents, or one that restores it as often as it is told: only its own memory counts. */
import { join } from 'node:path';
import { DirectoryStore } from '../../harness/store/directory-store.ts';
import { type MadeBackup, makeArchive } from './made.ts';
import { folder, type Restored, RestoreStand } from './workflow.ts';

export interface Order {
  readonly url: string;
  readonly project: string;
  /** Only the document in the middle. */
  readonly isOne?: boolean;
}

export interface Took extends Restored {
  readonly seconds: number;
  /** Of the backup. */
  readonly size: number;
  readonly peakMiB: number;
}

const [role, dir = '', what = ''] = process.argv.slice(2);
if (role === 'make') process.send?.(await makeArchive(new DirectoryStore(join(dir, folder)), Number(what)));
else {
  const stand = new RestoreStand(dir, JSON.parse(what) as MadeBackup);
  process.on('message', async ({ url, project, isOne }: Order) => {
    const started = performance.now();
    const restored = await stand.restore({ url, project, ...(isOne && { documents: [stand.backup.middle] }) });
    const seconds = (performance.now() - started) / 1_000;
    const peakMiB = process.resourceUsage().maxRSS / 1024;
    process.send?.({ ...restored, seconds, size: stand.backup.size, peakMiB } satisfies Took);
  });
}
process.on('disconnect', () => process.exit());

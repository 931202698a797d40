/** Child process: makes a backup of `count` documents, or restores one whenever it is asked to. */
import { join } from 'node:path';
import { DirectoryStore } from '../../harness/store/directory-store.ts';
import { type MadeBackup, makeArchive } from './ready-backup.ts';
import { folder, RestoreBench, type Restored } from './run-restore.ts';

export interface Order {
  readonly url: string;
  readonly project: string;
  /** Only the middle document. */
  readonly isOne?: boolean;
}

export interface Took extends Restored {
  readonly seconds: number;
  /** Bytes read from the backup. */
  readonly size: number;
  readonly peakMiB: number;
}

const [role, dir = '', what = ''] = process.argv.slice(2);
if (role === 'make') process.send?.(await makeArchive(new DirectoryStore(join(dir, folder)), Number(what)));
else {
  const bench = new RestoreBench(dir, JSON.parse(what) as MadeBackup);
  process.on('message', async ({ url, project, isOne }: Order) => {
    const started = performance.now();
    const restored = await bench.restore({ url, project, ...(isOne && { documents: [bench.backup.middle] }) });
    const seconds = (performance.now() - started) / 1_000;
    const peakMiB = process.resourceUsage().maxRSS / 1024;
    process.send?.({ ...restored, seconds, size: bench.backup.size, peakMiB } satisfies Took);
  });
}
process.on('disconnect', () => process.exit());

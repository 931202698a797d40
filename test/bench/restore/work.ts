/** A process that makes a backup of so many documents and restores it as often as it is told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Restored, RestoreStand } from './workflow.ts';

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

const dir = mkdtempSync(join(tmpdir(), 'bench-restore-'));
const stand = await RestoreStand.of(dir, Number(process.argv[2]));
process.on('message', async ({ url, project, isOne }: Order) => {
  const started = performance.now();
  const restored = await stand.restore({ url, project, ...(isOne && { documents: [stand.backup.middle] }) });
  const seconds = (performance.now() - started) / 1_000;
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  process.send?.({ ...restored, seconds, size: stand.backup.size, peakMiB } satisfies Took);
});
process.on('disconnect', () => {
  rmSync(dir, { recursive: true });
  process.exit();
});
process.send?.('ready');

/**
 * `npm run bench`: cost of requests, cold starts, backups, restores and webhooks, compared with the SDK, the hardware and other tools in the
 * same run. Ratios count, not milliseconds. Arguments select parts: `npm run bench -- backup archive`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureArchive } from './archive/measure-archive.ts';
import { measureBackup } from './backup/measure-backup.ts';
import { measureCapture } from './capture/measure-capture.ts';
import { measureChanges } from './changes/measure-changes.ts';
import { measureReads } from './changes/measure-reads.ts';
import { measureConsole } from './console/measure-console.ts';
import { measureWriter } from './firestore/measure-writer.ts';
import { measureHandlers } from './handlers/measure-handlers.ts';
import { measureIncremental } from './incremental/measure-incremental.ts';
import { measureMount } from './mount/measure-mount.ts';
import { measureRestore } from './restore/measure-restore.ts';
import { measureRetention } from './retention/measure-retention.ts';
import { measureStartUp } from './start-up/measure-start-up.ts';
import { measureWebhooks } from './webhook/measure-webhooks.ts';

const parts = {
  start: measureStartUp,
  handlers: measureHandlers,
  archive: measureArchive,
  backup: measureBackup,
  writer: measureWriter,
  restore: measureRestore,
  webhook: measureWebhooks,
  incremental: measureIncremental,
  changes: measureChanges,
  reads: measureReads,
  retention: measureRetention,
  mount: measureMount,
  capture: measureCapture,
  console: measureConsole,
};
// Official clients would look for Google's metadata server.
process.env.METADATA_SERVER_DETECTION = 'none';
const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`unknown part ${unknown}; the parts are ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
const dir = mkdtempSync(join(tmpdir(), 'bench-'));
mkdirSync(join(dir, 'backup'));
console.log(`Node ${process.version} on ${availableParallelism()} × ${cpus()[0]?.model}`);
// Functions wait by timers that do not keep a process alive.
const alive = setInterval(() => undefined, 1_000);
const met: boolean[] = [];
for (const [name, measure] of Object.entries(parts))
  if (chosen.length === 0 || chosen.includes(name)) met.push(await measure(dir));
clearInterval(alive);
rmSync(dir, { recursive: true });
console.log(met.every(Boolean) ? '\nAll required goals are met.' : '\nA required goal is MISSED.');
process.exit(met.every(Boolean) ? 0 : 1);

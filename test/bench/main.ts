/**
 * `npm run bench`: what requests, starts, backups, restores and webhooks cost, beside what the SDK, the core and the tools of others cost, in one
 * run. Ratios count, not milliseconds. Words choose parts: `npm run bench -- backup archive`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureArchive } from './archive.ts';
import { measureBackup } from './backup.ts';
import { measureCapture } from './capture.ts';
import { measureHandlers } from './handler-time.ts';
import { measureIncremental } from './incremental.ts';
import { measureRestore } from './restore.ts';
import { measureRetention } from './retention.ts';
import { measureStartUp } from './start-up.ts';
import { measureWebhooks } from './webhook.ts';
import { measureWriter } from './writer.ts';

const parts = {
  start: measureStartUp,
  handlers: measureHandlers,
  archive: measureArchive,
  backup: measureBackup,
  writer: measureWriter,
  restore: measureRestore,
  webhook: measureWebhooks,
  incremental: measureIncremental,
  retention: measureRetention,
  capture: measureCapture,
};
const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}; there are ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
const dir = mkdtempSync(join(tmpdir(), 'bench-'));
mkdirSync(join(dir, 'backup'));
console.log(`Node ${process.version} on ${availableParallelism()} × ${cpus()[0]?.model}`);
const met: boolean[] = [];
for (const [name, measure] of Object.entries(parts))
  if (chosen.length === 0 || chosen.includes(name)) met.push(await measure(dir));
rmSync(dir, { recursive: true });
console.log(met.every(Boolean) ? '\nEvery goal that must be met is met.' : '\nA goal is MISSED.');
process.exit(met.every(Boolean) ? 0 : 1);

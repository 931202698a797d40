/** `npm run bench`: what a request and a start cost, beside what the SDK alone costs, in one run. Ratios count, not milliseconds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureArchive } from './archive.ts';
import { measureHandlers } from './handler-time.ts';
import { measureStartUp } from './start-up.ts';

const dir = mkdtempSync(join(tmpdir(), 'bench-'));
console.log(`Node ${process.version} on ${availableParallelism()} × ${cpus()[0]?.model}`);
const met = [await measureStartUp(dir), await measureHandlers(dir), await measureArchive(dir)];
rmSync(dir, { recursive: true });
console.log(met.every(Boolean) ? '\nEvery goal is met.' : '\nA goal is MISSED.');
process.exit(met.every(Boolean) ? 0 : 1);

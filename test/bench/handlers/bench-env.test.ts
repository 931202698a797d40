import { deepEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { endpoints } from '../../../shared/contract/index.ts';
import { createBenchEnv, isCovered } from './bench-env.ts';
import { loadHandlers } from './measure-handlers.ts';

test('bench: a call of each covered endpoint succeeds', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const scene = await createBenchEnv((await loadHandlers(dir)).handlerFor);
  const failures: string[] = [];
  for (const endpoint of endpoints.filter(isCovered)) {
    scene.set(endpoint);
    await scene.call(endpoint).catch((error: Error) => failures.push(error.message));
  }
  deepEqual(failures, []);
});

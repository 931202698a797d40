/** bms backup diff --exit-code: 1 says that something differs, and nothing else. */
import { deepEqual, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { openScriptedService, runProgram } from '../../../harness/env/scripted-service.ts';
import { type Stops, stopAll, tempDir } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

test('bms backup diff --exit-code: a refusal ends with 128, a difference with 1', async () => {
  const counts = { added: 0, changed: 1, removed: 0, unchanged: 2 };
  const service = await openScriptedService(stops, () => ({
    data: { counts, complete: true, changes: [{ path: 'users/ada', change: 'changed' }] },
  }));
  const env = { XDG_CONFIG_HOME: tempDir(stops), BMS_URL: service.url, BMS_API_KEY: 'key' };
  const backupId = `bkp_${'0'.repeat(26)}`;
  const codes = async () => {
    const runs = [
      await runProgram(['backup', 'diff', backupId], env),
      await runProgram(['backup', 'diff', backupId, '--exit-code'], env),
    ];
    return runs.map(({ code }) => code);
  };
  deepEqual(await codes(), [0, 1]);
  for (const status of [409, 422]) {
    service.answer = () => ({ status, error: { code: 'CONFLICT', message: 'The backup is damaged' } });
    deepEqual(await codes(), [1, 128]);
  }
  match((await runProgram(['backup', 'diff', backupId, '--exit-code'], env)).err, /The backup is damaged/);
  service.answer = () => undefined;
  deepEqual(await codes(), [4, 4]);
});

/** A key that a customer brought along, as the alarm of the keys hears of it: not at all. */
import { deepEqual, rejects } from 'node:assert/strict';
import { afterAll, test, vi } from 'vitest';
import { encodeKeyFile, parseKeyFile } from '../../../../shared/archive/index.ts';
import { inspectFolder } from '../../../../shared/backup/import/inspect-folder.ts';
import { logLines } from '../../../../shared/contract/runtime/alarm-log-lines.ts';
import { MemoryStore } from '../../../../shared/destination/index.ts';
import { log, newId } from '../../../../shared/platform/index.ts';
import { newDataKey } from '../../../../shared/stored-backup/encryption/data-key.ts';
import { unlockKeyFile } from '../../../../shared/stored-backup/index.ts';
import { backupOf, tenant } from '../../../harness/builders/sample-backup.ts';
import { startKeys } from '../../../harness/env/kms-env.ts';

const { stop } = await startKeys();
afterAll(stop);

test('import: a relabelled key file is refused without an alarm; the same refusal for a registered backup raises one', async (t) => {
  const lines: unknown[] = [];
  const logged = vi.spyOn(log, 'error').mockImplementation((...[line]) => void lines.push(line));
  t.onTestFinished(() => logged.mockRestore());
  const archive = { organization: tenant.organizationId, project: newId('project'), backup: newId('backup') };
  const { keyFile } = await newDataKey(tenant, archive);
  const identity = { ...archive, backup: newId('backup') };
  const relabelled = encodeKeyFile({ ...parseKeyFile(keyFile), identity });
  const store = new MemoryStore();
  await store.put('key', relabelled);
  await rejects(inspectFolder(tenant, store, 'somewhere'), { code: 'VALIDATION_ERROR', message: /encrypted for another backup/ });
  deepEqual(lines, []);
  await rejects(unlockKeyFile(tenant, relabelled, { archive: backupOf({ archive: identity }).archive }), {
    code: 'KEY_UNAVAILABLE',
  });
  deepEqual(lines, [logLines.keyRefused]);
});
